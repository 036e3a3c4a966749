//! Lists of public decks: the decks of one author, and the decks of the authors that the caller follows.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::deck_responses::DeckSummaryResponse;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::domain::text::AccountName;
use crate::store::decks::shared_decks::{self, SharedDeckRow};
use crate::store::designs::authors;

/// A public or unlisted deck, without its description and entries.
#[derive(Serialize, ToSchema)]
pub struct SharedDeckResponse {
    /// The deck itself.
    #[serde(flatten)]
    pub deck: DeckSummaryResponse,
    /// Name of the owner; absent: the deck is unlisted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub author: Option<String>,
    /// When the deck was public for the first time; absent: the deck is unlisted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published_at: Option<DateTime<Utc>>,
}

impl From<SharedDeckRow> for SharedDeckResponse {
    fn from(row: SharedDeckRow) -> Self {
        let SharedDeckRow { deck, cards, author, shows_source, published_at } = row;
        let deck = DeckSummaryResponse::new(deck, cards, None, shows_source);
        Self { deck, author, published_at }
    }
}

/// Where a page of public decks begins: publication time and id of the last deck on the previous page.
pub type PublishedKey = (CursorTime, DeckId);

fn position(row: &SharedDeckRow) -> PublishedKey {
    (CursorTime(row.published_at.unwrap_or(row.deck.created_at)), row.deck.id)
}

/// Lists the public decks of the author with that name, the latest published first; 404 when there is no such author.
pub async fn list_of_author(
    app: &AppState,
    author: &str,
    before: Option<PublishedKey>,
    limit: PageLimit,
) -> Result<Page<SharedDeckResponse>, Problem> {
    let author = AccountName::parse(author).map_err(|_| Problem::not_found())?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let author = authors::find_id(&mut conn, &author).await?.ok_or_else(Problem::not_found)?;
    let rows = shared_decks::list_of_author(&mut conn, author, before, limit.rows()).await?;
    Ok(paged(rows, limit, position, Into::into))
}

/// Lists the public decks of the authors that the caller follows, the latest published first.
pub async fn list_followed(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    before: Option<PublishedKey>,
    limit: PageLimit,
) -> Result<Page<SharedDeckResponse>, Problem> {
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = shared_decks::list_followed(&mut conn, by, before, limit.rows()).await?;
    Ok(paged(rows, limit, position, Into::into))
}
