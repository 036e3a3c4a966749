//! Allocates a player's printings to the entries of a deck: first the printings that the entries name, then others; each copy once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

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
/// copy, the entry that names more parts of a printing comes first; if several printings fit, the first is taken, unless another entry needs just that one.
/// As many copies as possible are of named printings, in any order of the entries.
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
    let mut of_cards: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, printing) in printings.iter().enumerate() {
        of_cards.entry(name_key(&printing.name)).or_default().push(at);
    }
    let of_entry = |entry: &DeckEntry| of_cards.get(&card_key(&entry.card));
    let named = |entry: &DeckEntry| {
        let printings_of_card = of_entry(entry).into_iter().flatten().copied();
        printings_of_card
            .filter(|at| is_named(&entry.card, &printings[*at]))
            .collect::<Vec<usize>>()
    };
    // Entries that name more parts of a printing take first; entries that name none take the remaining copies.
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|at| Reverse(named_parts(&entries[*at].card)));
    let mut copies = NamedCopies {
        named: entries.iter().map(named).collect(),
        wanted: entries.iter().map(|entry| u64::from(entry.quantity)).collect(),
        left: printings.iter().map(|printing| printing.quantity).collect(),
        taken: BTreeMap::new(),
        closed: BTreeSet::new(),
    };
    for entry in &order {
        copies.take(*entry);
    }
    let NamedCopies { mut wanted, mut left, taken, .. } = copies;
    let allocated = |is_other: bool, ((printing, entry), quantity): ((usize, usize), u64)| {
        (quantity > 0).then_some(Allocated { entry, is_other, printing, quantity })
    };
    let mut all: Vec<Allocated> =
        taken.into_iter().filter_map(|copies| allocated(false, copies)).collect();
    // No copies of the named printings are left for entries that need more.
    for entry in order {
        for printing in of_entry(&entries[entry]).into_iter().flatten().copied() {
            let quantity = wanted[entry].min(left[printing]);
            wanted[entry] -= quantity;
            left[printing] -= quantity;
            all.extend(allocated(true, ((printing, entry), quantity)));
        }
    }
    all.sort_unstable();
    all
}

/// The copies that entries take of the printings that they name, as positions in both lists.
struct NamedCopies {
    /// The printings that each entry names.
    named: Vec<Vec<usize>>,
    /// How many copies each entry still needs.
    wanted: Vec<u64>,
    /// How many copies of each printing no entry has taken.
    left: Vec<u64>,
    /// How many copies of a printing an entry has taken.
    taken: BTreeMap<(usize, usize), u64>,
    /// Printings of which no copy can be freed: a search has shown that none of the entries that took them can take a printing that has copies left.
    closed: BTreeSet<usize>,
}

/// For each printing that a search has reached: the entry that would take it, and the printing that this entry would give up for it.
type Exchanges = BTreeMap<usize, (usize, Option<usize>)>;

impl NamedCopies {
    /// Gives an entry as many copies as possible. Entries before it keep their numbers of copies, but may have to take another printing that they name:
    /// otherwise the result would depend on the order of the entries.
    fn take(&mut self, entry: usize) {
        for at in 0..self.named[entry].len() {
            let printing = self.named[entry][at];
            let quantity = self.wanted[entry].min(self.left[printing]);
            if quantity > 0 {
                self.wanted[entry] -= quantity;
                self.left[printing] -= quantity;
                *self.taken.entry((printing, entry)).or_default() += quantity;
            }
        }
        while self.wanted[entry] > 0 && self.exchange(entry) {}
    }

    /// Frees copies for an entry by the shortest chain of exchanges (an augmenting path of a bipartite matching). Returns whether there was one.
    fn exchange(&mut self, entry: usize) -> bool {
        let mut reached = Exchanges::new();
        let mut queue = VecDeque::new();
        // All printings that an entry names are reached at once.
        let mut visited = BTreeSet::from([entry]);
        self.reach(entry, None, &mut reached, &mut queue);
        while let Some(printing) = queue.pop_front() {
            if self.left[printing] > 0 {
                self.apply(&reached, printing, entry);
                return true;
            }
            for ((_, taker), quantity) in self.taken.range((printing, 0)..=(printing, usize::MAX)) {
                if *quantity > 0 && visited.insert(*taker) {
                    self.reach(*taker, Some(printing), &mut reached, &mut queue);
                }
            }
        }
        self.closed.extend(reached.into_keys());
        false
    }

    /// Adds the printings that an entry could take, in place of a printing that it has.
    fn reach(
        &self,
        entry: usize,
        gives_up: Option<usize>,
        reached: &mut Exchanges,
        queue: &mut VecDeque<usize>,
    ) {
        for printing in &self.named[entry] {
            if !self.closed.contains(printing) && !reached.contains_key(printing) {
                reached.insert(*printing, (entry, gives_up));
                queue.push_back(*printing);
            }
        }
    }

    /// Makes the exchanges that free copies for `entry`, from a printing that has copies left.
    fn apply(&mut self, reached: &Exchanges, printing: usize, entry: usize) {
        let first = reached.get(&printing).map(|exchange| (printing, *exchange));
        let chain = std::iter::successors(first, |(_, (_, gives_up))| {
            let next = (*gives_up)?;
            Some((next, *reached.get(&next)?))
        });
        let chain: Vec<_> = chain.collect();
        let given_up = chain.iter().filter_map(|(_, (taker, from))| Some(((*from)?, *taker)));
        let limits = given_up.filter_map(|copies| self.taken.get(&copies)).copied();
        let quantity = limits.fold(self.wanted[entry].min(self.left[printing]), u64::min);
        self.wanted[entry] -= quantity;
        self.left[printing] -= quantity;
        for (to, (taker, from)) in chain {
            *self.taken.entry((to, taker)).or_default() += quantity;
            if let Some(copies) = from.and_then(|from| self.taken.get_mut(&(from, taker))) {
                *copies -= quantity;
            }
        }
    }
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

    fn list() -> impl Strategy<Value = Vec<DeckEntry>> {
        let word = |chosen: bool, words: [&str; 2]| words[usize::from(chosen)].to_owned();
        let entry = (0..5_u32, any::<Option<bool>>(), any::<Option<bool>>());
        let entry = entry.prop_map(move |(quantity, set, rarity)| DeckEntry {
            zone: "main".into(),
            quantity,
            card: CardReference {
                name: "ping".into(),
                set: set.map(|chosen| word(chosen, ["a", "b"])),
                number: None,
                rarity: rarity.map(|chosen| word(chosen, ["common", "rare"])),
            },
            copies: Vec::new(),
        });
        prop::collection::vec(entry, 0..6)
    }

    fn four_printings([one, two, three, four]: [u64; 4]) -> [OwnedPrinting; 4] {
        [
            owned("a", "common", one),
            owned("a", "rare", two),
            owned("b", "common", three),
            owned("b", "rare", four),
        ]
    }

    /// Most copies of named printings that these entries can have together, tried with every set of printings: those of the set are all taken, and entries that
    /// name any other printing have all that they need.
    fn most_named(entries: &[&DeckEntry], printings: &[OwnedPrinting]) -> u64 {
        let sets = 0..1_u32 << printings.len();
        let bounds = sets.map(|set| {
            let is_in = |at: usize| (set >> at) & 1 == 1;
            let of_set = printings.iter().enumerate().filter(|(at, _)| is_in(*at));
            let others = entries.iter().filter(|entry| {
                let mut named = printings.iter().enumerate();
                named.any(|(at, printing)| !is_in(at) && is_named(&entry.card, printing))
            });
            of_set.map(|(_, printing)| printing.quantity).sum::<u64>()
                + others.map(|entry| u64::from(entry.quantity)).sum::<u64>()
        });
        bounds.min().unwrap_or_default()
    }

    proptest! {
        #[test]
        fn a_copy_is_taken_once_and_none_is_left_that_is_wanted(entries in list(), quantities in prop::array::uniform4(0..4_u64)) {
            let printings = four_printings(quantities);
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

        #[test]
        fn entries_get_as_many_named_printings_as_possible(entries in list(), quantities in prop::array::uniform4(0..4_u64)) {
            let printings = four_printings(quantities);
            let taken = allocate(&entries, &printings);
            for one in &taken {
                prop_assert_eq!(one.is_other, !is_named(&entries[one.entry].card, &printings[one.printing]));
            }
            // Entries that name more parts come first: no entry after them takes any of the copies that they could have.
            let mut order: Vec<usize> = (0..entries.len()).collect();
            order.sort_by_key(|at| Reverse(named_parts(&entries[*at].card)));
            for end in 0..=order.len() {
                let first = &order[..end];
                let named = taken.iter().filter(|one| !one.is_other && first.contains(&one.entry));
                let named: u64 = named.map(|one| one.quantity).sum();
                let of_first: Vec<&DeckEntry> = first.iter().map(|at| &entries[*at]).collect();
                prop_assert_eq!(named, most_named(&of_first, &printings));
            }
        }
    }

    #[test]
    fn the_order_of_entries_changes_no_number_of_named_printings() {
        let printings = [owned("a", "common", 2), owned("a", "rare", 2)];
        for list in ["2 Ping (a)\n2 Ping {common}", "2 Ping {common}\n2 Ping (a)"] {
            let deck = parse_deck_text(list).deck;
            let taken = allocate(&deck.entries, &printings);
            assert!(taken.iter().all(|one| !one.is_other && one.quantity == 2), "{taken:?}");
            let common = taken.iter().find(|one| one.printing == 0).unwrap();
            assert_eq!(deck.entries[common.entry].card.rarity.as_deref(), Some("common"));
        }
        // A copy for the last entry is freed by two exchanges.
        let printings = [owned("a", "common", 1), owned("a", "rare", 1), owned("b", "rare", 1)];
        let deck = parse_deck_text("1 Ping (a)\n1 Ping {rare}\n1 Ping {common}").deck;
        let taken = allocate(&deck.entries, &printings);
        let taken: Vec<_> =
            taken.iter().map(|one| (one.entry, one.printing, one.is_other)).collect();
        assert_eq!(taken, [(0, 1, false), (1, 2, false), (2, 0, false)]);
    }

    #[test]
    fn hidden_cards_take_nothing() {
        let mut deck = parse_deck_text("1 Ping (a) 7").deck;
        deck.entries[0].card.name.clear();
        assert_eq!(allocate(&deck.entries, &[owned("a", "common", 1)]), []);
    }
}
