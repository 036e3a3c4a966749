//! Allocates a player's printings to the entries of a deck: first the printings that the entries name, then others; each copy once.

use std::collections::BTreeMap;

use cardscape_engine::{CardReference, DeckEntry, name_key, word_key};

use crate::domain::ids::{CardId, PrintingId};

/// The copies of a printing that a player owns, counted cards and registered copies together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPrinting {
    pub printing: PrintingId,
    pub card: CardId,
    /// Name of the card. Cards with the same name count as printings of one card here.
    pub name: String,
    /// Code of its set.
    pub set: String,
    /// Its number in the set.
    pub number: String,
    /// Code of the rarity.
    pub rarity: String,
    /// How many.
    pub quantity: u64,
}

/// Copies of a printing that an entry takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Allocated {
    /// Position of the entry in the deck.
    pub entry: usize,
    /// Whether the printing differs from the one that the entry names; `false` if the entry names no printing.
    pub is_other: bool,
    /// Position of the printing in the list of owned printings.
    pub printing: usize,
    /// How many, at least 1.
    pub quantity: u64,
}

/// Allocates printings to the entries of a deck, in the order of the entries, and first the printings that the entries name. If several entries could take a
/// copy, the entry that names more parts of a printing comes first; if several printings fit, the first is taken.
///
/// ```
/// use cardscape::domain::decks::allocation::{OwnedPrinting, allocate};
/// use cardscape::domain::ids::{CardId, PrintingId};
/// use cardscape_engine::parse_deck_text;
/// let owned = |set: &str, quantity| OwnedPrinting {
///     printing: PrintingId::generate(), card: CardId::generate(), name: "Kettle Imp".into(), set: set.into(), number: "16".into(),
///     rarity: "common".into(), quantity,
/// };
/// let deck = parse_deck_text("1 Kettle Imp\n3 Kettle Imp (hearth)").deck;
/// let taken = allocate(&deck.entries, &[owned("hearth", 2), owned("reprints", 5)]);
/// let taken: Vec<_> = taken.iter().map(|one| (one.entry, one.printing, one.quantity, one.is_other)).collect();
/// assert_eq!(taken, [(0, 1, 1, false), (1, 0, 2, false), (1, 1, 1, true)]);
/// ```
pub fn allocate(entries: &[DeckEntry], printings: &[OwnedPrinting]) -> Vec<Allocated> {
    let mut left: BTreeMap<String, Vec<(usize, u64)>> = BTreeMap::new();
    for (at, printing) in printings.iter().enumerate() {
        left.entry(name_key(&printing.name)).or_default().push((at, printing.quantity));
    }
    let mut wanted: Vec<u64> = entries.iter().map(|entry| u64::from(entry.quantity)).collect();
    let mut taken = Vec::new();
    // Entries that name more parts of a printing take first; entries that name none take the remaining copies.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(named_parts(&entries[*at].card)));
    for is_other in [false, true] {
        for at in &order {
            let card = &entries[*at].card;
            let Some(left) = left.get_mut(&card_key(card)) else { continue };
            for (printing, copies) in left {
                if is_other == is_named(card, &printings[*printing]) {
                    continue;
                }
                let quantity = wanted[*at].min(*copies);
                if quantity > 0 {
                    wanted[*at] -= quantity;
                    *copies -= quantity;
                    taken.push(Allocated { entry: *at, is_other, printing: *printing, quantity });
                }
            }
        }
    }
    taken.sort_unstable();
    taken
}

/// The key of a card: its name, or its place if the card is hidden from the reader.
pub fn card_key(card: &CardReference) -> String {
    let place = || {
        format!(
            "({}) {}",
            card.set.as_deref().unwrap_or_default(),
            card.number.as_deref().unwrap_or_default()
        )
    };
    if card.name.is_empty() { place() } else { name_key(&card.name) }
}

fn named_parts(card: &CardReference) -> usize {
    [&card.set, &card.number, &card.rarity].into_iter().flatten().count()
}

/// Whether a printing matches the printing that the entry names.
fn is_named(card: &CardReference, printing: &OwnedPrinting) -> bool {
    let plain = |number: &str| number.trim_start_matches('0').to_lowercase();
    let same = |named: &Option<String>, has: &str| {
        named.as_deref().is_none_or(|named| named.trim().eq_ignore_ascii_case(has))
    };
    same(&card.set, &printing.set)
        && card.rarity.as_deref().is_none_or(|named| word_key(named) == word_key(&printing.rarity))
        && card
            .number
            .as_deref()
            .is_none_or(|number| plain(number.trim()) == plain(&printing.number))
}

#[cfg(test)]
pub(super) mod tests {
    use cardscape_engine::parse_deck_text;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    /// `quantity` owned copies of a printing of the card Ping.
    pub(in crate::domain::decks) fn owned(set: &str, rarity: &str, quantity: u64) -> OwnedPrinting {
        let (name, number) = ("Ping".to_owned(), "7".to_owned());
        OwnedPrinting {
            printing: PrintingId(Uuid::from_u128(
                set.bytes().chain(rarity.bytes()).fold(1, |id, byte| id * 257 + u128::from(byte)),
            )),
            card: CardId(Uuid::from_u128(1)),
            name,
            set: set.into(),
            number,
            rarity: rarity.into(),
            quantity,
        }
    }

    fn list() -> impl Strategy<Value = Vec<(u32, Option<bool>, Option<bool>)>> {
        prop::collection::vec((0..5_u32, any::<Option<bool>>(), any::<Option<bool>>()), 0..6)
    }

    proptest! {
        #[test]
        fn a_copy_is_taken_once_and_none_is_left_that_is_wanted(lines in list(), quantities in prop::array::uniform4(0..4_u64)) {
            let word = |chosen: bool, words: [&str; 2]| words[usize::from(chosen)].to_owned();
            let entries: Vec<DeckEntry> = lines.into_iter().map(|(quantity, set, rarity)| DeckEntry {
                zone: "main".into(),
                quantity,
                card: CardReference {
                    name: "ping".into(),
                    set: set.map(|chosen| word(chosen, ["a", "b"])),
                    number: None,
                    rarity: rarity.map(|chosen| word(chosen, ["common", "rare"])),
                },
                copies: Vec::new(),
            }).collect();
            let [one, two, three, four] = quantities;
            let printings = [owned("a", "common", one), owned("a", "rare", two), owned("b", "common", three), owned("b", "rare", four)];
            let taken = allocate(&entries, &printings);
            for (at, printing) in printings.iter().enumerate() {
                let copies: u64 = taken.iter().filter(|one| one.printing == at).map(|one| one.quantity).sum();
                prop_assert!(copies <= printing.quantity);
            }
            for (at, entry) in entries.iter().enumerate() {
                let copies: u64 = taken.iter().filter(|one| one.entry == at).map(|one| one.quantity).sum();
                prop_assert!(copies <= u64::from(entry.quantity));
            }
            let wanted: u64 = entries.iter().map(|entry| u64::from(entry.quantity)).sum();
            let all: u64 = taken.iter().map(|one| one.quantity).sum();
            prop_assert_eq!(all, wanted.min(quantities.iter().sum()));
            prop_assert!(taken.iter().all(|one| one.quantity > 0));
        }
    }

    #[test]
    fn hidden_cards_take_nothing() {
        let mut deck = parse_deck_text("1 Ping (a) 7").deck;
        deck.entries[0].card.name.clear();
        assert_eq!(allocate(&deck.entries, &[owned("a", "common", 1)]), []);
    }
}
