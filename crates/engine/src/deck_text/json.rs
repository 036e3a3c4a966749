//! A deck as JSON, which loses nothing, and the JSON of other programs.

use std::borrow::Cow;

use super::draft::{Content, Draft, DraftEntry, Parts, Source};
use super::json_entries::{JsonEntry, read_entries};
use super::json_fault::JsonFault;
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::DeckWriter;
use super::zones::zone_code;
use crate::deck::{Deck, DeckEntry, MAIN_ZONE};
use crate::manifest::Game;

/// Reads our own form, or an array of its entries.
fn parse(text: &str) -> Option<Deck> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).ok().map(|entries| Deck { entries });
    }
    serde_json::from_str(text).ok()
}

pub(super) fn draft<'a>(source: Source<'a>, game: &Game) -> Draft<'a> {
    let entries = match parse(source.raw) {
        Some(deck) => Ok(deck.entries.into_iter().map(JsonEntry::exact).collect()),
        None => read_entries(source.raw, game),
    };
    let mut draft = Draft::default();
    match entries {
        Ok(entries) => {
            for entry in entries {
                let text = format!("{} {}", entry.entry.quantity, entry.entry.card.name);
                draft.push(1, Cow::Owned(text), content(entry, game));
            }
        }
        Err(error) => {
            let (line, column) = (error.line().max(1), error.column().max(1));
            let detail = MalformedText::Json { fault: JsonFault::of(&error), line, column };
            let reason = IgnoredReason::Malformed { detail };
            draft.push(line, Cow::Borrowed(source.raw.trim()), Content::Ignored(reason));
        }
    }
    draft
}

fn content(entry: JsonEntry, game: &Game) -> Content<'static> {
    if entry.is_outside {
        return Content::Ignored(IgnoredReason::OutsideTheDeck);
    }
    let JsonEntry { entry, exact, labels, .. } = entry;
    let DeckEntry { zone, quantity, card, copies } = entry;
    // Also the zone of entries that name none.
    let zone = if zone == MAIN_ZONE { zone_code(game, &zone) } else { zone };
    let tags = labels.into_iter().map(Cow::Owned).collect();
    Content::Entry(Box::new(DraftEntry {
        quantity: Some(quantity),
        card: Parts { tags, ..card.into() },
        zone: Some(Cow::Owned(zone)),
        zone_is_code: true,
        exact,
        copies,
        ..DraftEntry::default()
    }))
}

pub(super) fn write(writer: &mut DeckWriter<'_>) {
    // This cannot fail: a deck contains no map with keys that are not strings.
    writer.text = serde_json::to_string_pretty(writer.deck).unwrap_or_default();
}
