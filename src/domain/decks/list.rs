//! Checks deck lists that were read from text against the limits of decks.

use std::collections::BTreeSet;
use std::fmt;

use cardscape_engine::{
    CardReference, Deck, IgnoredReason, LineVerdict, ReadDeck, ReadLine, name_key,
};

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
    /// The positions of entries whose lines do not have the names of their cards, which were found by set and number, for example.
    pub unnamed: BTreeSet<usize>,
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
        unnamed: BTreeSet::new(),
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
                // A card that is found otherwise than by its name has a set and a number.
                if entry.card.number.is_some() && !has_name(&line.text, &entry.card) {
                    list.unnamed.insert(list.deck.entries.len());
                }
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

/// Whether a line has the name of a card in it, besides its set and number: a card may have the code of its set, or its number, as its name.
fn has_name(line: &str, card: &CardReference) -> bool {
    let key = name_key(&card.name);
    let is_in = |line: &str| line.contains(&card.name) || name_key(line).contains(&key);
    // Set and number stand before the name or after it.
    let sides: [fn(&str, &str) -> Option<usize>; 2] =
        [|line, part| line.find(part), |line, part| line.rfind(part)];
    is_in(line) && sides.into_iter().any(|find| is_in(&without_place(line, card, find)))
}

/// A line without the set and the number of a card, each as `find` finds it.
fn without_place(
    line: &str,
    card: &CardReference,
    find: impl Fn(&str, &str) -> Option<usize>,
) -> String {
    let mut rest = line.to_owned();
    for part in card.number.iter().chain(&card.set).filter(|part| !part.is_empty()) {
        let found = find(&rest.to_ascii_lowercase(), &part.to_ascii_lowercase());
        if let Some(at) = found {
            rest.replace_range(at..at + part.len(), " ");
        }
    }
    rest
}

/// A line whose verdict and labels quote no serial code, and no long text.
fn without_serials(mut line: ReadLine) -> ReadLine {
    let must_change = |text: &str| text.chars().nth(MAX_SHOWN).is_some() || contains_serial(text);
    for text in line.quoted_mut().into_iter().filter(|text| must_change(text)) {
        *text = shown_line(text);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_or_a_number_is_no_name() {
        for (line, name, (set, number), is_written) in [
            ("2 (imp) 5", "Imp", ("imp", "5"), false),
            ("IMP-5 x2", "Imp", ("imp", "5"), false),
            ("2 Imp (imp) 5", "Imp", ("imp", "5"), true),
            ("IMP-5 Imp", "Imp", ("imp", "5"), true),
            ("2 (port) 001", "001", ("port", "001"), false),
            ("2 001 (port) 001", "001", ("port", "001"), true),
            ("PORT-47 Agent 47", "Agent 47", ("port", "47"), true),
            ("2 agent 47 (PORT) 47", "Agent 47", ("port", "47"), true),
            ("2 (port) 2", "Salt", ("port", "2"), false),
        ] {
            let (name, set, number) = (name.to_owned(), set.to_owned(), number.to_owned());
            let card = CardReference { name, set: Some(set), number: Some(number), rarity: None };
            assert_eq!(has_name(line, &card), is_written, "{line}");
        }
    }
}
