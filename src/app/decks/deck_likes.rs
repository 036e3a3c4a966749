//! The caller's likes of decks. The service does not reveal which other accounts like a deck.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::shared_decks::SharedDeckResponse;
use crate::app::feedback::problems::too_many_today;
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_likes::{self, LikeOutcome, LikedDeck, OwnLike};

/// Your like of a deck, and the number of its likes.
#[derive(Serialize, ToSchema)]
pub struct DeckLikeResponse {
    /// When you liked the deck.
    pub liked_at: DateTime<Utc>,
    /// Number of likes of the deck.
    #[schema(example = 12, minimum = 0)]
    pub likes: i64,
}

/// Likes a deck that others can read. A repeated request changes nothing.
pub async fn like(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    deck: DeckId,
) -> Result<DeckLikeResponse, Problem> {
    let at = app.clock.now();
    let outcome =
        app.write(by, async |conn, by| deck_likes::like(conn, by, deck, at).await).await?;
    match outcome {
        LikeOutcome::Done(OwnLike { liked_at, likes }) => {
            tracing::info!(account = %by.account(), %deck, "deck liked");
            Ok(DeckLikeResponse { liked_at, likes })
        }
        LikeOutcome::Missing => Err(Problem::not_found()),
        LikeOutcome::Own => Err(Problem::new(ProblemCode::OwnDeck)),
        LikeOutcome::TooManyToday(limit) => Err(too_many_today(app, limit)),
    }
}

/// Removes the caller's like. A repeated request changes nothing.
pub async fn unlike(
    app: &AppState,
    by: &Granted<GiveDeckFeedback>,
    deck: DeckId,
) -> Result<(), Problem> {
    let found = app.write(by, async |conn, by| deck_likes::unlike(conn, by, deck).await).await?;
    if !found {
        return Err(Problem::not_found());
    }
    tracing::info!(account = %by.account(), %deck, "like of a deck taken back");
    Ok(())
}

/// A deck that you like, without its description and entries.
#[derive(Serialize, ToSchema)]
pub struct LikedDeckResponse {
    /// The deck.
    #[serde(flatten)]
    pub deck: SharedDeckResponse,
    /// When you liked the deck.
    pub liked_at: DateTime<Utc>,
}

impl From<LikedDeck> for LikedDeckResponse {
    fn from(LikedDeck { deck, liked_at }: LikedDeck) -> Self {
        Self { deck: deck.into(), liked_at }
    }
}

/// Where a page of liked decks begins: time of the like and id of the last deck on the previous page.
pub type LikedKey = (CursorTime, DeckId);

/// Lists the decks that the caller likes, the latest like first.
pub async fn list_liked(
    app: &AppState,
    by: &Granted<ReadOwnDecks>,
    before: Option<LikedKey>,
    limit: PageLimit,
) -> Result<Page<LikedDeckResponse>, Problem> {
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = app.store.connection().await?;
    let rows = deck_likes::list_liked(&mut conn, by, before, limit.rows()).await?;
    let key = |row: &LikedDeck| (CursorTime(row.liked_at), row.deck.deck.id);
    Ok(paged(rows, limit, key, Into::into))
}
