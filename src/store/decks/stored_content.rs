//! The content of a deck as JSON, for the statements that write it and for stored revisions.

use cardscape_engine::{CardReference, Deck, DeckEntry};
use serde::{Deserialize, Serialize};

use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, FormatName};
use crate::domain::decks::details::{DeckDescription, DeckTag};
use crate::domain::ids::CardId;
use crate::store::{StoreError, StoreResult};

/// A [`DeckContent`] as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredContent {
    name: String,
    game: String,
    format: String,
    description: String,
    tags: Vec<String>,
    entries: Vec<StoredEntry>,
    unread_lines: Vec<StoredLine>,
}

#[derive(Debug, Serialize, Deserialize)]
struct StoredEntry {
    position: usize,
    zone: String,
    quantity: u32,
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    set_code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    number: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rarity: Option<String>,
    copies: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    card_id: Option<CardId>,
}

/// A line that could not be read.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredLine {
    line: usize,
    text: String,
    detail: String,
}

impl From<&DeckContent> for StoredContent {
    fn from(content: &DeckContent) -> Self {
        let entry = |(position, (entry, card_id)): (usize, (&DeckEntry, Option<CardId>))| {
            let DeckEntry { zone, quantity, card, copies } = entry.clone();
            let CardReference { name, set: set_code, number, rarity } = card;
            StoredEntry {
                position,
                zone,
                quantity,
                name,
                set_code,
                number,
                rarity,
                copies,
                card_id,
            }
        };
        let unread = content.unread_lines.iter().cloned();
        Self {
            name: content.name.as_str().to_owned(),
            game: content.format.game().to_owned(),
            format: content.format.local(),
            description: content.description.as_str().to_owned(),
            tags: content.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            entries: content.bound_entries().enumerate().map(entry).collect(),
            unread_lines: unread
                .map(|UnreadLine { line, text, detail }| StoredLine { line, text, detail })
                .collect(),
        }
    }
}

impl StoredContent {
    /// The JSON text for the parameter of a statement.
    pub(super) fn text_of(content: &DeckContent) -> StoreResult<String> {
        let unwritable = |error| diesel::result::Error::SerializationError(Box::new(error));
        Ok(serde_json::to_string(&Self::from(content)).map_err(unwritable)?)
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
