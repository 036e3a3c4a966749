//! Reservations of copies for decks: which reservations are in effect, and which copies remain for a deck.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::allocation::OwnedPrinting;
use crate::domain::ids::{DeckId, PrintingId};

/// Copies of a printing that are reserved for a deck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reservation {
    pub deck: DeckId,
    pub printing: PrintingId,
    /// How many.
    pub quantity: u64,
}

/// Whether a deck may use copies that are reserved for other decks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReservedCopies {
    /// Reserved copies are not used.
    #[default]
    Exclude,
    /// Reserved copies are used as if nothing were reserved.
    Include,
}

impl ReservedCopies {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Exclude, Self::Include];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exclude => "exclude",
            Self::Include => "include",
        }
    }
}

/// The reservations in effect when these numbers of copies are owned: together never more than the owned copies. Earlier reservations take precedence. A
/// reservation for which no copy remains is left out.
///
/// ```
/// use std::collections::BTreeMap;
/// use cardscape::domain::decks::reservation::{Reservation, in_effect};
/// use cardscape::domain::ids::{DeckId, PrintingId};
/// let (first, second, printing) = (DeckId::generate(), DeckId::generate(), PrintingId::generate());
/// let reserved = |deck, quantity| Reservation { deck, printing, quantity };
/// let all = [reserved(first, 2), reserved(second, 2)];
/// assert_eq!(in_effect(&all, &BTreeMap::from([(printing, 3)])), [reserved(first, 2), reserved(second, 1)]);
/// assert_eq!(in_effect(&all, &BTreeMap::new()), []);
/// ```
pub fn in_effect(reserved: &[Reservation], owned: &BTreeMap<PrintingId, u64>) -> Vec<Reservation> {
    let mut left = owned.clone();
    let mut in_effect = Vec::new();
    for one in reserved {
        let Some(left) = left.get_mut(&one.printing) else { continue };
        let quantity = one.quantity.min(*left);
        *left -= quantity;
        if quantity > 0 {
            in_effect.push(Reservation { quantity, ..one.clone() });
        }
    }
    in_effect
}

/// The number of owned copies of each printing.
pub fn quantities(owned: &[OwnedPrinting]) -> BTreeMap<PrintingId, u64> {
    let mut quantities = BTreeMap::new();
    for one in owned {
        *quantities.entry(one.printing).or_default() += one.quantity;
    }
    quantities
}

/// The owned copies that a deck can take because no other deck has reserved them. `reserved` are reservations [`in_effect`].
pub fn open_to(
    deck: DeckId,
    owned: &[OwnedPrinting],
    reserved: &[Reservation],
) -> Vec<OwnedPrinting> {
    let mut elsewhere: BTreeMap<PrintingId, u64> = BTreeMap::new();
    for one in reserved.iter().filter(|one| one.deck != deck) {
        *elsewhere.entry(one.printing).or_default() += one.quantity;
    }
    let open = owned.iter().map(|one| {
        let taken = elsewhere.get(&one.printing).copied().unwrap_or_default();
        OwnedPrinting { quantity: one.quantity.saturating_sub(taken), ..one.clone() }
    });
    open.collect()
}

/// The fewest copies to get so that a deck has all copies of a card that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopiesToGet {
    /// Copies that must be moved from the reservations of other decks.
    pub to_move: u64,
    /// Copies that must be bought because the player does not own them.
    pub to_buy: u64,
}

/// The fewest copies to get for a deck that needs `needed` copies of a card, when `owned` are owned and `elsewhere` of these are reserved for other decks:
/// first the free copies are used, then copies are moved.
///
/// ```
/// use cardscape::domain::decks::reservation::{CopiesToGet, copies_to_get};
/// assert_eq!(copies_to_get(5, 4, 3), CopiesToGet { to_move: 3, to_buy: 1 });
/// assert_eq!(copies_to_get(2, 4, 3), CopiesToGet { to_move: 1, to_buy: 0 });
/// ```
pub fn copies_to_get(needed: u64, owned: u64, elsewhere: u64) -> CopiesToGet {
    let short = needed.saturating_sub(owned.saturating_sub(elsewhere));
    let to_move = short.min(elsewhere);
    CopiesToGet { to_move, to_buy: short - to_move }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::super::allocation::allocate;
    use super::super::allocation::tests::owned;
    use super::*;

    const LISTS: [&str; 4] =
        ["2 Ping", "1 Ping (a) {rare}\n2 Ping", "3 Ping (b)\nSide\n1 Ping {common}", "4 Ping (a)"];

    fn deck(at: usize) -> DeckId {
        DeckId(Uuid::from_u128(at as u128))
    }

    /// The stored reservations, in the order of the first reservation of each deck.
    #[derive(Default)]
    struct Stored(Vec<Reservation>);

    impl Stored {
        fn in_effect(&self, collection: &[OwnedPrinting]) -> Vec<Reservation> {
            in_effect(&self.0, &quantities(collection))
        }

        fn reserve(&mut self, at: usize, collection: &[OwnedPrinting]) {
            let open = open_to(deck(at), collection, &self.in_effect(collection));
            let entries = parse_deck_text(LISTS[at]).deck.entries;
            let place = self.0.iter().position(|one| one.deck == deck(at)).unwrap_or(self.0.len());
            let mut new: BTreeMap<PrintingId, u64> = BTreeMap::new();
            for taken in allocate(&entries, &open) {
                *new.entry(open[taken.printing].printing).or_default() += taken.quantity;
            }
            self.0.retain(|one| one.deck != deck(at));
            let new = new.into_iter().map(|(printing, quantity)| Reservation {
                deck: deck(at),
                printing,
                quantity,
            });
            self.0.splice(place..place, new);
        }
    }

    fn of(reserved: &[Reservation], deck: DeckId) -> Vec<Reservation> {
        reserved.iter().filter(|one| one.deck == deck).cloned().collect()
    }

    #[derive(Clone, Debug)]
    enum Step {
        Reserve(usize),
        Release(usize),
        Own([u64; 4]),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            4 => (0..LISTS.len()).prop_map(Step::Reserve),
            1 => (0..LISTS.len()).prop_map(Step::Release),
            2 => prop::array::uniform4(0..4_u64).prop_map(Step::Own),
        ]
    }

    proptest! {
        #[test]
        fn no_copy_is_reserved_twice_and_no_deck_takes_from_another(steps in prop::collection::vec(step(), 1..20)) {
            let mut stored = Stored::default();
            let mut collection = Vec::new();
            for step in steps {
                let before = stored.in_effect(&collection);
                match step {
                    Step::Reserve(at) => {
                        stored.reserve(at, &collection);
                        let after = stored.in_effect(&collection);
                        // The reservation may release copies, so that an earlier reservation of another deck is in effect again.
                        for one in before.iter().filter(|one| one.deck != deck(at)) {
                            let mut left = of(&after, one.deck).into_iter();
                            prop_assert!(left.any(|now| now.printing == one.printing && now.quantity >= one.quantity));
                        }
                        let raw = of(&stored.0, deck(at));
                        prop_assert_eq!(&raw, &of(&after, deck(at)), "a new reservation is in effect");
                        stored.reserve(at, &collection);
                        prop_assert_eq!(raw, of(&stored.0, deck(at)), "a repetition changes nothing");
                    }
                    Step::Release(at) => stored.0.retain(|one| one.deck != deck(at)),
                    Step::Own([one, two, three, four]) => {
                        collection = vec![
                            owned("a", "common", one), owned("a", "rare", two), owned("b", "common", three), owned("b", "rare", four),
                        ];
                    }
                }
                let reserved = stored.in_effect(&collection);
                for (printing, quantity) in quantities(&collection) {
                    let reserved: u64 = reserved.iter().filter(|one| one.printing == printing).map(|one| one.quantity).sum();
                    prop_assert!(reserved <= quantity);
                }
            }
        }

        #[test]
        fn what_there_is_and_what_is_to_be_got_is_what_is_needed(needed in 0..10_u64, owned in 0..10_u64, elsewhere in 0..10_u64) {
            let elsewhere = elsewhere.min(owned);
            let CopiesToGet { to_move, to_buy } = copies_to_get(needed, owned, elsewhere);
            prop_assert!(to_move <= elsewhere);
            prop_assert!(needed <= owned - elsewhere + to_move + to_buy);
            prop_assert_eq!(to_buy, needed.saturating_sub(owned), "reserved copies are not bought again");
            prop_assert!(to_move + to_buy <= needed);
        }
    }
}
