//! Public decks in bulk files: one deck in each line, as anonymous clients see it.

use cardscape_engine::Game;
use chrono::{DateTime, Utc};
use serde::Serialize;
use uuid::Uuid;

use super::deck_input::DeckEntryBody;
use super::deck_responses::{CloneSourceResponse, entry_bodies};
use super::masks::mask_for_everybody;
use crate::domain::catalogue::bulk::BulkKind;
use crate::domain::decks::rarities::with_codes;
use crate::domain::decks::zones::with_zone_codes;
use crate::domain::designs::markup::to_html;
use crate::store::catalogue::bulk_files::{Layout, Page, Pages};
use crate::store::decks::deck_rows::BulkDeck;

/// How decks are written into files. A change of even one byte of the output below needs a higher version, or existing files stay as they are until their
/// game changes.
pub const LAYOUT: Layout<BulkDeck> = Layout { version: 3, pages };

fn pages(game: &Game) -> Pages<BulkDeck> {
    vec![(BulkKind::Decks, Box::new(DeckLines { game: game.clone() }))]
}

struct DeckLines {
    /// The game of the decks, which has the codes of their zones and rarities.
    game: Game,
}

/// The response of `GET /v1/decks/{deck}` to an anonymous client, with the author's name. Likes, comments and legal formats are left out, because they change
/// without an event.
#[derive(Serialize)]
struct DeckLine<'a> {
    id: Uuid,
    account_id: Uuid,
    author: &'a str,
    game: &'a str,
    format: String,
    name: &'a str,
    visibility: &'static str,
    tags: &'a [String],
    revision: i64,
    card_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    cloned_from: Option<CloneSourceResponse>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    published_at: DateTime<Utc>,
    description: &'a str,
    description_html: String,
    entries: Vec<DeckEntryBody>,
}

impl Page<BulkDeck> for DeckLines {
    fn heading(&self, _: &mut Vec<u8>) {}

    fn write(&self, row: &BulkDeck, out: &mut Vec<u8>) -> serde_json::Result<i64> {
        let BulkDeck { deck, author, .. } = row;
        let mut content = row.content.clone();
        // Older versions stored zones and rarities as they were written.
        with_zone_codes(&self.game, &mut content.deck.entries);
        with_codes(&self.game, &mut content.deck.entries);
        let masks = mask_for_everybody(&mut content, &row.cards);
        let (description, card_count) = (row.content.description.as_str(), content.card_count());
        let line = DeckLine {
            id: deck.id.0,
            account_id: deck.account_id.0,
            author,
            game: deck.game(),
            format: format!("{}/{}", deck.game(), deck.local_format()),
            name: &deck.name,
            visibility: deck.visibility().as_str(),
            tags: &deck.tags,
            revision: deck.revision,
            card_count,
            cloned_from: deck.cloned_from().filter(|_| row.shows_source).map(Into::into),
            created_at: deck.created_at,
            updated_at: deck.updated_at,
            published_at: row.published_at,
            description,
            description_html: to_html(description),
            entries: entry_bodies(content.deck, &masks),
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.push(b'\n');
        Ok(1)
    }
}
