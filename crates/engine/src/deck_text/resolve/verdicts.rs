//! The guesses about a line, and the verdict that follows from them.

use std::borrow::Cow;

use crate::deck::CardReference;
use crate::deck_text::archidekt::is_coloured_tag;
use crate::deck_text::draft::{DraftEntry, Parts};
use crate::deck_text::line::without_set_size;
use crate::deck_text::read_deck::{Guess, LineVerdict};

/// What was assumed about an entry before its card was looked up.
pub(super) fn assumed(entry: &DraftEntry<'_>) -> impl Iterator<Item = Guess> {
    let has_coloured_tags = entry.card.tags.iter().any(|tag| is_coloured_tag(tag));
    let dropped = [
        entry.marks_dropped.then_some(Guess::MarksDropped),
        has_coloured_tags.then_some(Guess::TagsDropped),
        remark(entry),
    ];
    assumed_quantity(entry).into_iter().chain(dropped.into_iter().flatten())
}

/// The fields of a table that are not read.
pub(super) fn remark(entry: &DraftEntry<'_>) -> Option<Guess> {
    entry.remark.clone().map(|remark| Guess::RemarkDropped { remark })
}

pub(super) fn assumed_quantity(entry: &DraftEntry<'_>) -> Option<Guess> {
    entry.quantity.is_none().then_some(Guess::OneCopy).or_else(|| entry.assumed.clone())
}

pub(super) fn tags(parts: &Parts<'_>) -> Vec<String> {
    parts.tags.iter().map(ToString::to_string).collect()
}

pub(super) fn reference(parts: &Parts<'_>) -> CardReference {
    let owned = |part: &Option<Cow<'_, str>>| part.as_deref().map(str::to_owned);
    CardReference {
        name: parts.name.to_string(),
        set: owned(&parts.set),
        number: parts.number.as_deref().map(|number| without_set_size(number).to_owned()),
        rarity: owned(&parts.rarity),
    }
}

pub(super) fn verdict(how: Vec<Guess>) -> LineVerdict {
    if how.is_empty() { LineVerdict::Accepted } else { LineVerdict::Guessed { how } }
}

pub(super) fn drops_printing(guess: &Guess) -> bool {
    matches!(
        guess,
        Guess::SetDropped { .. } | Guess::NumberDropped { .. } | Guess::RarityDropped { .. }
    )
}

/// Whether a text after the card was taken for a remark.
pub(super) fn drops_remark(guesses: &[Guess]) -> bool {
    guesses.iter().any(|guess| matches!(guess, Guess::RemarkDropped { .. }))
}

/// Adds the guess that the game has no such zone.
pub(super) fn with_guess(verdict: LineVerdict, zone: &str) -> LineVerdict {
    guessing(verdict, Guess::ZoneNotInGame { zone: zone.to_owned() })
}

/// Adds a guess. Unknown and ambiguous lines keep their verdict.
pub(super) fn guessing(verdict: LineVerdict, guess: Guess) -> LineVerdict {
    match verdict {
        LineVerdict::Accepted => LineVerdict::Guessed { how: vec![guess] },
        LineVerdict::Guessed { how } => {
            LineVerdict::Guessed { how: how.into_iter().chain([guess]).collect() }
        }
        other => other,
    }
}
