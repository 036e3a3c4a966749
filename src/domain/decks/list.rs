//! Deck lists that were text, held against what a deck may have.

use cardscape_engine::{Deck, IgnoredReason, LineVerdict, ReadDeck, ReadLine};

use super::deck::check_entry;

/// What became of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// It is the entry at this position of the deck.
    Entry(usize),
    /// It is no entry, as its verdict says.
    NoEntry,
    /// No deck may have it, or it cannot be read: why.
    Refused(String),
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
/// assert_eq!(list.lines[1].1, LineOutcome::Refused("quantity must be 1 to 10000".into()));
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
            (Some(Err(faults)), _) => {
                let faults: Vec<String> = faults
                    .into_iter()
                    .map(|fault| format!("{} {}", fault.field, fault.detail))
                    .collect();
                LineOutcome::Refused(faults.join("; "))
            }
            (
                None,
                LineVerdict::Ignored(
                    reason @ (IgnoredReason::Unreadable { .. }
                    | IgnoredReason::TooLong
                    | IgnoredReason::Malformed { .. }),
                ),
            ) => LineOutcome::Refused(reason.to_string()),
            (None, _) => LineOutcome::NoEntry,
        };
        list.lines.push((line, outcome));
    }
    list
}
