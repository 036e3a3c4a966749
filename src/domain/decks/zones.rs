//! Zones in decks: entries that name none are in the first zone of the game.

use cardscape_engine::{DeckEntry, Game, MAIN_ZONE};

/// Writes the code of the first zone where entries have `main`, as those that name no zone do, and the game names no zone so.
///
/// ```
/// use cardscape::domain::decks::zones::with_main_zone;
/// use cardscape_engine::{Game, parse_deck_text};
/// let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
///     [[zones]]\ncode='shoal'\nname='Shoal'\n[[zones]]\ncode='net'\nname='Net'\n";
/// let game = Game::from_toml(game).unwrap();
/// let mut entries = parse_deck_text("1 Carp\n[Net]\n1 Carp\n[Bucket]\n1 Carp").deck.entries;
/// with_main_zone(&game, &mut entries);
/// let zones: Vec<_> = entries.iter().map(|entry| entry.zone.as_str()).collect();
/// assert_eq!(zones, ["shoal", "net", "bucket"]);
/// ```
pub fn with_main_zone<'a>(game: &Game, entries: impl IntoIterator<Item = &'a mut DeckEntry>) {
    let main = game.zone_called(MAIN_ZONE).filter(|main| *main.code != *MAIN_ZONE);
    let Some(main) = main else { return };
    for entry in entries.into_iter().filter(|entry| entry.zone == MAIN_ZONE) {
        entry.zone = main.code.to_string();
    }
}
