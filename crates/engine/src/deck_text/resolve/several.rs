//! Lines with several cards and their quantities: each card is an entry.

use super::headings::is_total;
use super::resolver::{Judged, ResolvedEntry, Resolver, Strictness};
use super::verdicts::{guessing, with_guess};
use crate::deck::DeckEntry;
use crate::deck_text::draft::DraftEntry;
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::deck_text::several::{counted, counted_entries, line_of};
use crate::deck_text::zones::Place;

impl Resolver<'_> {
    /// The entries of a line with several cards, each with its part of the line; `None`: the line is read as any other line, because it is the name of a card, or
    /// none of its parts is a card.
    pub(super) fn several(
        &self,
        entry: &DraftEntry<'_>,
        current_place: &Place,
    ) -> Option<Vec<(String, Judged)>> {
        let entry = match &entry.otherwise {
            Some(other) if entry.exact && self.strictness != Strictness::Stated => other,
            _ => entry,
        };
        let mut parts = counted_entries(line_of(entry)?)?;
        if self.is_one_card(entry) || parts.iter().any(|(_, part)| is_total(part)) {
            return None;
        }
        for (_, part) in &mut parts {
            part.marks_dropped |= entry.marks_dropped;
            if part.zone.is_none() {
                part.zone.clone_from(&entry.zone);
            }
        }
        let found: Vec<Option<ResolvedEntry>> =
            parts.iter().map(|(_, part)| self.by_readings(part)).collect();
        if found.iter().all(Option::is_none) {
            return None;
        }
        let judged = parts.into_iter().zip(found).map(|((text, part), found)| {
            let Place::Zone { code: zone, known } = self.place_of(&part, current_place) else {
                return None;
            };
            let ResolvedEntry { quantity, card, verdict, tags } =
                found.unwrap_or_else(|| self.unknown(&counted(part)));
            let verdict = guessing(verdict, Guess::SeveralCards);
            let verdict = if known { verdict } else { with_guess(verdict, &zone) };
            let entry = DeckEntry { zone, quantity, card, copies: Vec::new() };
            Some((text.to_owned(), (entry, verdict, tags)))
        });
        judged.collect()
    }

    /// Whether a line is one card, for example one with such a name. The set and the number at its end may be those of its last part.
    fn is_one_card(&self, entry: &DraftEntry<'_>) -> bool {
        let is_of_last = |guess: &Guess| matches!(guess, Guess::BySetAndNumber { .. });
        self.by_readings(entry).is_some_and(|found| match found.verdict {
            LineVerdict::Guessed { how } => !how.iter().any(is_of_last),
            _ => true,
        })
    }
}
