//! Deck lists that were text, held against what a deck may have.

use std::fmt;

use cardscape_engine::{Deck, IgnoredReason, LineVerdict, ReadDeck, ReadLine};

use super::deck::{EntryFault, check_entry};

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// It is the entry at this position of the deck.
    Entry(usize),
    /// It is no entry, as its verdict says.
    NoEntry,
    /// No deck may have it, or it cannot be read: why.
    Refused(LineRefusal),
}

/// Why a line is no entry that a deck may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineRefusal {
    /// It is an entry, and these fields are wrong.
    Entry(Vec<EntryFault>),
    /// It cannot be read.
    Unreadable(IgnoredReason),
}

impl fmt::Display for LineRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(faults) => {
                let told = |fault: &EntryFault| format!("{} {}", fault.field, fault.reason);
                f.write_str(&faults.iter().map(told).collect::<Vec<_>>().join("; "))
            }
            Self::Unreadable(reason) => reason.fmt(f),
        }
    }
}

/// A list without what no deck may have. How many entries there are is not looked at.
#[derive(Clone, Debug)]
pub struct CheckedList {
    /// The deck of all lines that are entries.
    pub deck: Deck,
    /// The line of each entry, from 1.
    pub entry_lines: Vec<usize>,
    /// Every line that is not blank, in their order.
    pub lines: Vec<(ReadLine, LineOutcome)>,
}

/// Takes out of a list what no deck may have: quantities, names and codes that are too large or too long, and serial codes.
///
/// ```
/// use cardscape::domain::decks::list::{LineOutcome, check_list};
/// use cardscape_engine::{Catalogue, DeckReading, Game, read_deck};
/// # let game = Game::from_toml("code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'").unwrap();
/// # let catalogue = Catalogue::builder(&game).build();
/// let list = check_list(read_deck("2 Carp\n99999 Pike\n// a note", &DeckReading::new(&catalogue)));
/// assert_eq!((list.deck.entries.len(), list.entry_lines), (1, vec![1]));
/// let LineOutcome::Refused(refusal) = &list.lines[1].1 else { panic!() };
/// assert_eq!(refusal.to_string(), "quantity must be 1 to 10000");
/// ```
pub fn check_list(read: ReadDeck) -> CheckedList {
    let mut entries: Vec<Option<_>> = read.deck.entries.into_iter().map(Some).collect();
    let mut list =
        CheckedList { deck: Deck::default(), entry_lines: Vec::new(), lines: Vec::new() };
    for line in read.lines {
        let entry = line.entry.and_then(|at| entries.get_mut(at)?.take());
        let outcome = match (entry.map(check_entry), &line.verdict) {
            (Some(Ok(entry)), _) => {
                list.deck.entries.push(entry);
                list.entry_lines.push(line.line);
                LineOutcome::Entry(list.deck.entries.len() - 1)
            }
            (Some(Err(faults)), _) => LineOutcome::Refused(LineRefusal::Entry(faults)),
            (
                None,
                LineVerdict::Ignored(
                    reason @ (IgnoredReason::Unreadable { .. }
                    | IgnoredReason::TooLong
                    | IgnoredReason::Malformed { .. }),
                ),
            ) => LineOutcome::Refused(LineRefusal::Unreadable(reason.clone())),
            (None, _) => LineOutcome::NoEntry,
        };
        list.lines.push((line, outcome));
    }
    list
}
