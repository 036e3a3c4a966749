//! Zones in decks: players write them by code, by name or by an alias, and the service compares and shows them by code.

use cardscape_engine::{DeckEntry, Game};

/// Writes the zones of entries by their codes. `main`, as entries have that name no zone, is the first zone of a game that names no zone so. A word that means no
/// zone of the game stays.
///
/// ```
/// use cardscape::domain::decks::zones::with_zone_codes;
/// use cardscape_engine::{Game, parse_deck_text};
/// let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
///     [[zones]]\ncode='shoal'\nname='Shoal'\n[[zones]]\ncode='net'\nname='Landing net'\naliases=['basket']\n";
/// let game = Game::from_toml(game).unwrap();
/// let list = "1 Carp\n[Landing net]\n1 Carp\n[Basket]\n1 Carp\n[Bucket]\n1 Carp";
/// let mut entries = parse_deck_text(list).deck.entries;
/// with_zone_codes(&game, &mut entries);
/// let zones: Vec<_> = entries.iter().map(|entry| entry.zone.as_str()).collect();
/// assert_eq!(zones, ["shoal", "net", "net", "bucket"]);
/// ```
pub fn with_zone_codes<'a>(game: &Game, entries: impl IntoIterator<Item = &'a mut DeckEntry>) {
    for entry in entries {
        let meant = game.zone_called(&entry.zone).filter(|meant| *meant.code != *entry.zone);
        if let Some(meant) = meant {
            entry.zone = meant.code.to_string();
        }
    }
}
