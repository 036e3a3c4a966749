//! Sets in decks: players write them by code or by name, and an entry without a name is found by the code.

use cardscape_engine::{DeckEntry, KnownSets};

/// Writes the sets of entries that have a place and no name by their codes, as a list is read. A text that is not a set of the game stays, and so does the set
/// beside a name: `Fox (Winter)` may be a name as a whole.
///
/// ```
/// use cardscape::domain::decks::set_codes::with_set_codes;
/// use cardscape_engine::{CardReference, DeckEntry, KnownSet, KnownSets};
/// let sets = KnownSets::new([KnownSet { code: "shore".into(), name: "The Far Shore".into(), has_cards: true }]);
/// let entry = |name: &str, set: &str| DeckEntry {
///     zone: "main".into(), quantity: 1, copies: Vec::new(),
///     card: CardReference { name: name.into(), set: Some(set.into()), number: Some("1".into()), rarity: None },
/// };
/// let mut entries = [entry("", "the far shore"), entry("", "SHORE"), entry("", "no set"), entry("Fox", "The Far Shore")];
/// with_set_codes(&sets, &mut entries);
/// let written = entries.map(|entry| entry.card.set.unwrap());
/// assert_eq!(written, ["shore", "SHORE", "no set", "The Far Shore"]);
/// ```
pub fn with_set_codes<'a>(sets: &KnownSets, entries: impl IntoIterator<Item = &'a mut DeckEntry>) {
    for entry in entries.into_iter().filter(|entry| is_place(entry)) {
        if let Some(set) = &mut entry.card.set
            && let Some(meant) = sets.with_name(set)
        {
            set.clone_from(&meant.code);
        }
    }
}

/// Whether an entry has a place and no name.
pub fn is_place(entry: &DeckEntry) -> bool {
    let card = &entry.card;
    card.name.is_empty() && card.set.is_some() && card.number.is_some()
}
