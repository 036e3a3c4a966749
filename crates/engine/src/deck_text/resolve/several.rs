//! Lines with several cards and their quantities: each card is an entry.

use super::headings::is_total;
use super::resolver::{Judged, ResolvedEntry, Resolver, Strictness};
use super::verdicts::{drops_remark, guessing, with_guess};
use crate::deck::DeckEntry;
use crate::deck_text::draft::DraftEntry;
use crate::deck_text::line::REMARK;
use crate::deck_text::read_deck::{Guess, LineVerdict};
use crate::deck_text::several::{SEPARATORS, counted, counted_entries, line_of};
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
        let one = self.one_card(entry);
        let may_hide = one.as_ref().is_none_or(may_hide_cards);
        if !may_hide || parts.iter().any(|(_, part)| is_total(part)) {
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
        // If the marks belong to the name of a card, there is no label and no remark.
        let has_marks_in_name = |found: &Option<ResolvedEntry>| {
            let name = found.as_ref().map_or("", |found| &found.card.name);
            name.contains(REMARK) || name.contains(" #")
        };
        let is_whole = |found: &Option<ResolvedEntry>| {
            found.as_ref().is_some_and(|found| {
                !has_remark(&found.verdict) && !found.tags.iter().any(|tag| tag.contains("//"))
            })
        };
        let are_several = match one {
            Some(_) => found.iter().all(is_whole) || found.iter().any(has_marks_in_name),
            None => found.iter().any(Option::is_some),
        };
        if !are_several {
            return None;
        }
        let judged = parts.into_iter().zip(found).map(|((text, part), found)| {
            let Place::Zone { code: zone, known } = self.place_of(&part, current_place) else {
                return None;
            };
            let ResolvedEntry { quantity, card, verdict, tags } = found.unwrap_or_else(|| {
                let is_place = self.begins_with_place(&part);
                let entry = if is_place { self.as_unknown_place(part) } else { counted(part) };
                self.by_readings(&entry).unwrap_or_else(|| self.unknown(&entry))
            });
            let verdict = guessing(verdict, Guess::SeveralCards);
            let verdict = if known { verdict } else { with_guess(verdict, &zone) };
            let entry = DeckEntry { zone, quantity, card, copies: Vec::new() };
            Some((text.to_owned(), (entry, verdict, tags)))
        });
        judged.collect()
    }

    /// The card of a line that is one card, for example one with such a name. The set and the number at its end may be those of its last part.
    fn one_card(&self, entry: &DraftEntry<'_>) -> Option<ResolvedEntry> {
        let is_of_last = |guess: &Guess| matches!(guess, Guess::BySetAndNumber { .. });
        self.by_readings(entry).filter(|found| match &found.verdict {
            LineVerdict::Guessed { how } => !how.iter().any(is_of_last),
            _ => true,
        })
    }
}

/// Whether the labels or the remark of a card may be other cards: `2 Agent #7, 1 Silk`, `2 Fire // Ice, 1 Silk`.
fn may_hide_cards(found: &ResolvedEntry) -> bool {
    found.tags.iter().any(|tag| tag.contains(SEPARATORS)) || has_remark(&found.verdict)
}

fn has_remark(verdict: &LineVerdict) -> bool {
    matches!(verdict, LineVerdict::Guessed { how } if drops_remark(how))
}
