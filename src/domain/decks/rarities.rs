//! Rarities in decks: players write them by code, by name or by an alias, and the service compares and shows them by code.

use cardscape_engine::{DeckEntry, Game};

/// Writes the rarities of entries by their codes. A word that is not a rarity of the game stays.
///
/// ```
/// use cardscape::domain::decks::rarities::with_codes;
/// use cardscape_engine::{Game, parse_deck_text};
/// let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
///     [[rarities]]\ncode='mythic_rare'\nname='Mythic Rare'\nweight=1\nfinish='gilded'\naliases=['foil']\n";
/// let game = Game::from_toml(game).unwrap();
/// let mut entries = parse_deck_text("1 Carp {Mythic rare}\n1 Carp {foil}\n1 Carp {odd}").deck.entries;
/// with_codes(&game, &mut entries);
/// let rarities: Vec<_> = entries.iter().filter_map(|entry| entry.card.rarity.as_deref()).collect();
/// assert_eq!(rarities, ["mythic_rare", "mythic_rare", "odd"]);
/// ```
pub fn with_codes<'a>(game: &Game, entries: impl IntoIterator<Item = &'a mut DeckEntry>) {
    let rarities = entries.into_iter().filter_map(|entry| entry.card.rarity.as_mut());
    for written in rarities {
        if let Some(meant) = game.rarity_called(written) {
            written.clone_from(&meant.code);
        }
    }
}
