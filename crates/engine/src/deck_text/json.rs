//! A deck as JSON, which loses nothing.

use std::borrow::Cow;

use serde::Deserialize;

use super::draft::{Content, Draft, DraftEntry, Source};
use super::read_deck::{IgnoredReason, MalformedText};
use super::writing::DeckWriter;
use crate::deck::{CardReference, Deck, DeckEntry, MAIN_ZONE};

/// A deck in the form of the API, in which the parts of the card are members of the entry. Other members, for example the id of the deck, are ignored.
#[derive(Deserialize)]
struct ApiDeck {
    entries: Vec<ApiEntry>,
}

#[derive(Deserialize)]
struct ApiEntry {
    zone: Option<String>,
    quantity: u32,
    #[serde(default)]
    name: String,
    set: Option<String>,
    number: Option<String>,
    rarity: Option<String>,
    #[serde(default)]
    copies: Vec<String>,
}

impl From<ApiDeck> for Deck {
    fn from(deck: ApiDeck) -> Self {
        let entries = deck.entries.into_iter().map(|entry| {
            let ApiEntry { zone, quantity, name, set, number, rarity, copies } = entry;
            let card = CardReference { name, set, number, rarity };
            let zone = zone.unwrap_or_else(|| MAIN_ZONE.to_owned());
            DeckEntry { zone, quantity, card, copies }
        });
        Self { entries: entries.collect() }
    }
}

/// Reads our own form or that of the API; the error is about our own form.
fn parse(text: &str) -> serde_json::Result<Deck> {
    serde_json::from_str(text)
        .or_else(|error| serde_json::from_str::<ApiDeck>(text).map(Deck::from).map_err(|_| error))
}

/// Reads an array of entries; the error is about entries in the form of the API, which other programs also write.
fn parse_entries(text: &str) -> serde_json::Result<Deck> {
    if let Ok(entries) = serde_json::from_str(text) {
        return Ok(Deck { entries });
    }
    serde_json::from_str(text).map(|entries| ApiDeck { entries }.into())
}

pub(super) fn draft(source: Source<'_>) -> Draft<'_> {
    let mut draft = Draft::default();
    let is_array = source.raw.trim_start().starts_with('[');
    match if is_array { parse_entries(source.raw) } else { parse(source.raw) } {
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
