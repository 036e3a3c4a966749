//! Which cards of a deck a player owns: in the named printing, in another printing, or not at all.

use std::collections::BTreeMap;

use cardscape_engine::{DeckEntry, name_key};

use super::allocation::{OwnedPrinting, allocate, card_key};

/// A card of a deck, and how many copies of it a player owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardAvailability {
    /// Position of the first entry of the card in the deck.
    pub first_entry: usize,
    /// The name as in that entry.
    pub name: String,
    /// Copies in all zones of the deck.
    pub needed: u64,
    /// Owned copies, in any printing.
    pub owned: u64,
    /// Needed copies that the player owns in the named printing; if the deck names no printing, every printing counts as named.
    pub in_named_printing: u64,
    /// Needed copies that the player owns only in another printing.
    pub in_other_printing: u64,
    /// Needed copies that the player does not own.
    pub missing: u64,
}

/// The cards of a deck by name, in the order of their first entries.
///
/// ```
/// use cardscape::domain::decks::allocation::OwnedPrinting;
/// use cardscape::domain::decks::availability::availabilities;
/// use cardscape::domain::ids::{CardId, PrintingId};
/// use cardscape_engine::parse_deck_text;
/// let deck = parse_deck_text("3 Kettle Imp (hearth) 016\n1 Ember").deck;
/// let owned = |set: &str, quantity| OwnedPrinting {
///     printing: PrintingId::generate(), card: CardId::generate(), name: "Kettle Imp".into(), set: set.into(), number: "16".into(),
///     rarity: "common".into(), quantity,
/// };
/// let found = availabilities(&deck.entries, &[owned("hearth", 1), owned("reprints", 1)]);
/// let imp = &found[0];
/// assert_eq!((imp.needed, imp.in_named_printing, imp.in_other_printing, imp.missing), (3, 1, 1, 1));
/// assert_eq!((found[1].owned, found[1].missing), (0, 1));
/// ```
pub fn availabilities(entries: &[DeckEntry], owned: &[OwnedPrinting]) -> Vec<CardAvailability> {
    let mut all: BTreeMap<String, u64> = BTreeMap::new();
    for printing in owned {
        *all.entry(name_key(&printing.name)).or_default() += printing.quantity;
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut cards: Vec<CardAvailability> = Vec::new();
    let mut place_of_entry = Vec::new();
    for (first_entry, entry) in entries.iter().enumerate() {
        let key = card_key(&entry.card);
        let place = *places.entry(key).or_insert_with_key(|key| {
            cards.push(CardAvailability {
                first_entry,
                name: entry.card.name.clone(),
                needed: 0,
                owned: all.get(key).copied().unwrap_or_default(),
                in_named_printing: 0,
                in_other_printing: 0,
                missing: 0,
            });
            cards.len() - 1
        });
        cards[place].needed += u64::from(entry.quantity);
        place_of_entry.push(place);
    }
    for taken in allocate(entries, owned) {
        let card = &mut cards[place_of_entry[taken.entry]];
        if taken.is_other {
            card.in_other_printing += taken.quantity;
        } else {
            card.in_named_printing += taken.quantity;
        }
    }
    for card in &mut cards {
        card.missing = card.needed - card.in_named_printing - card.in_other_printing;
    }
    cards
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;

    use super::*;
    use crate::domain::decks::allocation::tests::owned;

    fn of(list: &str, owned: &[OwnedPrinting]) -> (u64, u64, u64, u64) {
        let found = availabilities(&parse_deck_text(list).deck.entries, owned);
        assert_eq!(found.len(), 1, "{found:?}");
        let CardAvailability { needed, in_named_printing, in_other_printing, missing, .. } =
            found[0];
        (needed, in_named_printing, in_other_printing, missing)
    }

    #[test]
    fn a_copy_is_used_once() {
        let three = [owned("a", "rare", 1), owned("b", "common", 2)];
        assert_eq!(of("1 Ping\n1 Ping (a) 007 {rare}\nSide\n2 ping", &three), (4, 3, 0, 1));
        assert_eq!(of("2 Ping (a)", &three), (2, 1, 1, 0));
        assert_eq!(of("5 Ping {gold}", &three), (5, 0, 3, 2));
        assert_eq!(of("5 Ping", &[]), (5, 0, 0, 5));
    }
}
