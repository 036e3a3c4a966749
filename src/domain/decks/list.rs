//! Checks deck lists that were read from text against the limits of decks.

use std::fmt;

use cardscape_engine::{Deck, IgnoredReason, LineVerdict, ReadDeck, ReadLine};

use super::deck::{EntryFault, MAX_SHOWN, check_entry, shown_line};
use crate::domain::serials::serial_text::contains_serial;

/// The result for a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// The line is the entry at this position of the deck.
    Entry(usize),
    /// The line is not an entry; the reason is in its verdict.
    NoEntry,
    Refused(LineRefusal),
}

/// Why a line is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineRefusal {
    /// The line is an entry with these wrong fields.
    Entry(Vec<EntryFault>),
    /// The line cannot be read.
    Unreadable(IgnoredReason),
}

impl fmt::Display for LineRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entry(faults) => {
                let text_of = |fault: &EntryFault| format!("{} {}", fault.field, fault.reason);
                f.write_str(&faults.iter().map(text_of).collect::<Vec<_>>().join("; "))
            }
            Self::Unreadable(reason) => reason.fmt(f),
        }
    }
}

/// A list without refused entries. The number of entries is not checked.
#[derive(Clone, Debug)]
pub struct CheckedList {
    /// The deck of all lines that are entries.
    pub deck: Deck,
    /// The line of each entry, from 1; if several lines are one entry, the first of them.
    pub entry_lines: Vec<usize>,
    /// Every line that is not blank, in order, with its result. What its verdict and labels quote may be shown ([`shown_line`]); its text is as it was sent.
    pub lines: Vec<(ReadLine, LineOutcome)>,
}

/// Removes entries that no deck may have from a list: those with quantities that are too large, names or codes that are too long, or serial codes.
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
    // The result for each entry of the list that was read: several lines may be one entry.
    let mut outcomes: Vec<Option<LineOutcome>> = vec![None; entries.len()];
    let mut list = CheckedList {
        deck: Deck { entries: Vec::with_capacity(entries.len()) },
        entry_lines: Vec::with_capacity(entries.len()),
        lines: Vec::with_capacity(read.lines.len()),
    };
    for line in read.lines {
        let line = without_serials(line);
        if let Some(known) = line.entry.and_then(|at| outcomes.get(at)?.clone()) {
            list.lines.push((line, known));
            continue;
        }
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
        if let Some(known) = line.entry.and_then(|at| outcomes.get_mut(at)) {
            *known = Some(outcome.clone());
        }
        list.lines.push((line, outcome));
    }
    list
}

/// A line whose verdict and labels quote no serial code, and no long text.
fn without_serials(mut line: ReadLine) -> ReadLine {
    let must_change = |text: &str| text.chars().nth(MAX_SHOWN).is_some() || contains_serial(text);
    for text in line.quoted_mut().into_iter().filter(|text| must_change(text)) {
        *text = shown_line(text);
    }
    line
}
