//! A deck as JSON, which loses nothing.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Source};
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::DeckWriter;
use crate::deck::{Deck, DeckEntry};

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut draft = Draft::default();
    match serde_json::from_str::<Deck>(source.raw) {
        Ok(deck) => {
            for entry in deck.entries {
                let DeckEntry { zone, quantity, card, copies } = entry;
                let text = format!("{quantity} {}", card.name);
                let entry = DraftEntry {
                    quantity: Some(quantity),
                    card: card.into(),
                    zone: Some(Cow::Owned(zone)),
                    exact: true,
                    copies,
                    ..DraftEntry::default()
                };
                draft.push(1, Cow::Owned(text), Content::Entry(Box::new(entry)));
            }
        }
        Err(error) => {
            let detail = MalformedText::Json { error: error.to_string() };
            let reason = IgnoredReason::Malformed { detail };
            draft.push(
                error.line().max(1),
                Cow::Borrowed(source.raw.trim()),
                Content::Ignored(reason),
            );
        }
    }
    draft
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    // This cannot fail: a deck contains no map with keys that are not strings.
    writer.text = serde_json::to_string_pretty(writer.deck).unwrap_or_default();
}
