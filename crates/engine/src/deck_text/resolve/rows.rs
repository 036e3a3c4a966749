//! Lines that are a row of symbols: each symbol of a card is an entry.

use super::resolver::{Judged, Resolver, Strictness};
use super::verdicts::{verdict, with_guess};
use crate::deck::{CardReference, DeckEntry};
use crate::deck_text::draft::DraftEntry;
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::deck_text::symbols::{SymbolRow, symbol_row};
use crate::deck_text::zones::Place;

impl Resolver<'_> {
    /// The entries of a row of symbols, each with its symbol; `None`: the line is read as any other line, because it has something else than symbols, or none of
    /// them is a card's.
    pub(super) fn row(
        &self,
        entry: &DraftEntry<'_>,
        current_place: &Place,
    ) -> Option<Vec<(String, Judged)>> {
        let entry = match &entry.otherwise {
            Some(other) if entry.exact && self.strictness == Strictness::Marked => other,
            _ => entry,
        };
        // Most lines are names of letters alone.
        let (text, whole_line) = entry
            .readings
            .filter(|(text, _)| !entry.exact && entry.fault.is_none() && !text.is_ascii())?;
        let whole = symbol_row(whole_line);
        // A quantity after the text may be that of its last symbol. One before it counts for all.
        let after_front = whole_line.find(text).map_or(text, |at| &whole_line[at..]);
        let part = symbol_row(after_front);
        let is_before = after_front.len() == text.len();
        let times = entry.quantity.filter(|_| is_before).unwrap_or(1);
        if whole.is_none() && part.is_none() {
            return None;
        }
        // A card may show several symbols, or be called by them.
        if self.shows(text) || !self.catalogue.named(text).is_empty() {
            return None;
        }
        let all = |row: &SymbolRow<'_>| row.symbols.iter().all(|(symbol, _)| self.shows(symbol));
        let any = |row: &SymbolRow<'_>| row.symbols.iter().any(|(symbol, _)| self.shows(symbol));
        // What stands before the text, a keycap or a bullet, may be a symbol, a quantity or a mark.
        let (row, times) = match (whole, part) {
            (Some(row), _) if all(&row) => (row, 1),
            (_, Some(row)) if any(&row) => (row, times),
            _ => return None,
        };
        let Place::Zone { code: zone, known } = self.place_of(entry, current_place) else {
            return None;
        };
        let entries = row.symbols.into_iter().map(|(symbol, count)| {
            let (card, verdict) = self.symbol_in_row(entry, symbol);
            let verdict = if known { verdict } else { with_guess(verdict, &zone) };
            let quantity = count.saturating_mul(times);
            let entry = DeckEntry { zone: zone.clone(), quantity, card, copies: Vec::new() };
            (symbol.to_owned(), (entry, verdict, Vec::new()))
        });
        Some(entries.collect())
    }

    fn shows(&self, symbol: &str) -> bool {
        !self.cards_showing(symbol).is_empty()
    }

    fn symbol_in_row(&self, entry: &DraftEntry<'_>, symbol: &str) -> (CardReference, LineVerdict) {
        match self.cards_showing(symbol) {
            [] => {
                let verdict = LineVerdict::Unknown { near: Vec::new(), reason: None };
                (CardReference::named(symbol), verdict)
            }
            [card] => {
                let card = self.full_reference(*card);
                let assumed = entry.assumed.clone();
                let marks = entry.marks_dropped.then_some(Guess::MarksDropped);
                let symbol = Guess::BySymbol { name: card.name.clone() };
                let guesses = assumed.into_iter().chain([Guess::SymbolsCounted]);
                (card, verdict(guesses.chain(marks).chain([symbol]).collect()))
            }
            several => (CardReference::named(symbol), self.ambiguous(several)),
        }
    }
}
