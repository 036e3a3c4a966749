//! The content of a deck as JSON, for the statements that write it and for stored revisions.

use cardscape_engine::{CardReference, Deck, DeckEntry};
use serde::{Deserialize, Serialize};

use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{DeckDescription, DeckTag};
use crate::domain::ids::CardId;
use crate::store::{StoreError, StoreResult};

/// A [`DeckContent`] as it is stored.
#[derive(Debug, Deserialize)]
pub(super) struct StoredContent {
    name: String,
    game: String,
    format: String,
    description: String,
    tags: Vec<String>,
    entries: Vec<StoredEntry>,
    unread_lines: Vec<StoredLine>,
}

#[derive(Debug, Deserialize)]
struct StoredEntry {
    zone: String,
    quantity: u32,
    name: String,
    set_code: Option<String>,
    number: Option<String>,
    rarity: Option<String>,
    copies: Vec<String>,
    card_id: Option<CardId>,
}

/// A line that could not be read.
#[derive(Debug, Deserialize)]
pub(super) struct StoredLine {
    line: usize,
    text: String,
    detail: String,
}

/// The form in which a [`StoredContent`] is written.
#[derive(Serialize)]
struct WrittenContent<'a> {
    name: &'a str,
    game: &'a str,
    format: String,
    description: &'a str,
    tags: Vec<&'a str>,
    entries: Vec<WrittenEntry<'a>>,
    unread_lines: Vec<WrittenLine<'a>>,
}

#[derive(Serialize)]
struct WrittenEntry<'a> {
    position: usize,
    zone: &'a str,
    quantity: u32,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    set_code: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rarity: Option<&'a str>,
    copies: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    card_id: Option<CardId>,
}

/// The form in which a [`StoredLine`] is written.
#[derive(Serialize)]
struct WrittenLine<'a> {
    line: usize,
    text: &'a str,
    detail: &'a str,
}

impl<'a> WrittenContent<'a> {
    fn of(content: &'a DeckContent) -> Self {
        let entry = |(position, (entry, card_id)): (usize, (&'a DeckEntry, Option<CardId>))| {
            let DeckEntry { zone, quantity, card, copies } = entry;
            WrittenEntry {
                position,
                zone,
                quantity: *quantity,
                name: &card.name,
                set_code: card.set.as_deref(),
                number: card.number.as_deref(),
                rarity: card.rarity.as_deref(),
                copies,
                card_id,
            }
        };
        Self {
            name: content.name.as_str(),
            game: content.format.game(),
            format: content.format.local(),
            description: content.description.as_str(),
            tags: content.tags.iter().map(DeckTag::as_str).collect(),
            entries: content.bound_entries().enumerate().map(entry).collect(),
            unread_lines: written_lines(content),
        }
    }
}

fn written_lines(content: &DeckContent) -> Vec<WrittenLine<'_>> {
    let lines = content.unread_lines.iter();
    lines
        .map(|UnreadLine { line, text, detail }| WrittenLine { line: *line, text, detail })
        .collect()
}

/// The JSON text for the parameter of a statement.
fn json_text(value: &impl Serialize) -> StoreResult<String> {
    let unwritable = |error| diesel::result::Error::SerializationError(Box::new(error));
    Ok(serde_json::to_string(value).map_err(unwritable)?)
}

impl StoredContent {
    /// The JSON text of a content.
    pub(super) fn text_of(content: &DeckContent) -> StoreResult<String> {
        json_text(&WrittenContent::of(content))
    }

    /// The JSON text of the lines of a content that could not be read.
    pub(super) fn unread_lines_text_of(content: &DeckContent) -> StoreResult<String> {
        json_text(&written_lines(content))
    }

    /// Reads the stored content; fails for a row that another program wrote.
    pub(super) fn read(self) -> StoreResult<DeckContent> {
        let mut content = DeckContent {
            name: DeckName::stored(&self.name),
            format: FormatName::of_game(&self.game, &self.format).map_err(unreadable)?,
            description: DeckDescription::stored(&self.description),
            tags: read_tags(&self.tags),
            deck: Deck::default(),
            cards: Vec::new(),
            unread_lines: self.unread_lines.into_iter().map(UnreadLine::from).collect(),
        };
        for entry in self.entries {
            let StoredEntry { zone, quantity, name, set_code: set, number, rarity, .. } = entry;
            let card = CardReference { name, set, number, rarity };
            content.deck.entries.push(DeckEntry { zone, quantity, card, copies: entry.copies });
            content.cards.push(entry.card_id);
        }
        Ok(content)
    }
}

impl From<StoredLine> for UnreadLine {
    fn from(StoredLine { line, text, detail }: StoredLine) -> Self {
        Self { line, text, detail }
    }
}

pub(super) fn read_tags(tags: &[String]) -> Vec<DeckTag> {
    tags.iter().map(|tag| DeckTag::stored(tag)).collect()
}

/// The error for a row that another program wrote.
pub(super) fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> StoreError {
    diesel::result::Error::DeserializationError(Box::new(error)).into()
}
