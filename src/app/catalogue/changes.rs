//! The change feed: events of the catalogue from any sequence number on, as pages and as a stream.

use std::time::Duration;

use chrono::{DateTime, Utc};
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::{FeedPosition, PageLimit, cut_feed};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::memory::catalogue::change_watch::Watcher;
use crate::store::StoreResult;
use crate::store::catalogue::changes::{self, Change};

/// Most events that one read of a stream returns.
const CHUNK: i64 = changes::MOST_LISTED;

/// An event of the change feed.
#[derive(Serialize, ToSchema)]
pub struct ChangeResponse {
    /// Number of the event in the feed: from 1, without gaps.
    #[schema(example = 174, minimum = 1)]
    pub seq: i64,
    /// Kind of the event. Games and sets: `game.changed`, `set.changed` (it is new, was changed, or was deleted
    /// while it had no cards). Cards: `card.added`, `card.changed` (the card, its printings or its
    /// rulings), `card.unlocked`, `card.moved` (to another number), `card.merged` (the card in `from` does not exist any more: it was merged into
    /// this one). Shared designs: `design.shared`, `design.changed` (it has a new revision), `design.approved`, `design.official` (it is a card
    /// that everybody sees), `design.withdrawn` (by its author or a moderator, or its author was banned). Public decks: `deck.published`, `deck.changed`, `deck.withdrawn` (it is not public any
    /// more, was deleted, or its owner was banned).
    #[schema(example = "card.unlocked")]
    pub kind: String,
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of the set, if the event is about a set or a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "veil")]
    pub set: Option<String>,
    /// Number in the set, if the event is about a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "001")]
    pub number: Option<String>,
    /// Id of the card, if the event is about a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Uuid>,
    /// Identifier of the design, if the event is about a design.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: Option<String>,
    /// Id of the deck, if the event is about a deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deck: Option<Uuid>,
    /// The earlier id, set and number of the card, if it was moved or merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<FormerCardResponse>,
    /// When it happened.
    pub at: DateTime<Utc>,
}

impl From<Change> for ChangeResponse {
    fn from(Change { seq, kind, subject, at }: Change) -> Self {
        let changes::Subject { game, set, number, card, design, deck, from } = subject;
        let from = from.map(|changes::FormerCard { card, set, number }| FormerCardResponse {
            card: card.0,
            set,
            number,
        });
        let (card, design) = (card.map(Uuid::from), design.map(|design| design.to_string()));
        let deck = deck.map(Uuid::from);
        Self { seq, kind, game, set, number, card, design, deck, from, at }
    }
}

/// Id, set and number that a card had before it was moved or merged.
#[derive(Serialize, ToSchema)]
pub struct FormerCardResponse {
    /// Its id, which a move does not change.
    pub card: Uuid,
    /// Code of the set.
    #[schema(example = "hearth")]
    pub set: String,
    /// Number in the set.
    #[schema(example = "007")]
    pub number: String,
}

/// A part of the change feed.
#[derive(Serialize, ToSchema)]
pub struct ChangesResponse {
    /// The events, the oldest first.
    pub data: Vec<ChangeResponse>,
    /// Number to send as `after` in the next request: no event up to it is missing.
    #[schema(example = 174, minimum = 0)]
    pub next_after: i64,
    /// Number of the newest event. When `next_after` has reached it, there are no further events at this moment.
    #[schema(example = 174, minimum = 0)]
    pub newest: i64,
}

/// Lists changes of the catalogue after the sequence number `after`; with `game`, which must exist, only those of that
/// game.
pub async fn list(
    app: &AppState,
    after: u64,
    game: Option<Code>,
    limit: PageLimit,
) -> Result<ChangesResponse, Problem> {
    let extent = changes::readable_extent(&app.store).await?;
    let after = to_seq(after).filter(|after| extent.continues(*after)).ok_or_else(feed_gap)?;
    let mut conn = app.store.connection().await?;
    let mut rows = changes::list(&mut conn, after, game.as_deref(), limit.rows()).await?;
    drop(conn);
    if let Some(last) = rows.last() {
        app.wait_until_read(last.seq).await;
    }
    let FeedPosition { next_after, newest } =
        cut_feed(&mut rows, limit, extent.newest, |row| row.seq);
    let data = rows.into_iter().map(Into::into).collect();
    Ok(ChangesResponse { data, next_after, newest })
}

/// Follows changes of the catalogue after the sequence number `after`; `None`: from now on. With `game`, which must
/// exist, only those of that game.
pub async fn follow(
    app: &AppState,
    network: Network,
    after: Option<u64>,
    game: Option<Code>,
) -> Result<Follower, Problem> {
    let extent = changes::readable_extent(&app.store).await?;
    let after = match after {
        None => extent.newest,
        Some(after) => {
            to_seq(after).filter(|after| extent.continues(*after)).ok_or_else(feed_gap)?
        }
    };
    let too_many = || Problem::new(ProblemCode::TooManyStreams).retry_after(30);
    let watcher = app.changes.subscribe(&app.store, network).ok_or_else(too_many)?;
    let game = game.map(Code::into_string);
    Ok(Follower { app: app.clone(), watcher, game, after })
}

fn feed_gap() -> Problem {
    Problem::new(ProblemCode::Gone)
        .detail("The feed does not continue from this number: read the complete catalogue again.")
}

/// Converts a sequence number; `None`: it is too large to be one.
pub(crate) fn to_seq(seq: u64) -> Option<i64> {
    i64::try_from(seq).ok()
}

/// A follower of the change feed.
pub struct Follower {
    app: AppState,
    watcher: Watcher,
    game: Option<String>,
    /// Sequence number up to which all changes were read.
    after: i64,
}

/// What a follower receives.
pub enum FeedStep {
    /// New changes.
    Changes(Vec<ChangeResponse>),
    /// There was no change for as long as the follower wanted to wait.
    Silence,
}

impl Follower {
    /// The sequence number up to which all changes were returned.
    pub fn reached(&self) -> i64 {
        self.after
    }

    /// Waits up to `max_wait` for the next changes; `None`: the instance is stopping, or the database does not answer.
    /// The stream then ends and the client resumes from its last sequence number, which is better than a stream that
    /// leaves changes out.
    pub async fn next(&mut self, max_wait: Duration) -> Option<FeedStep> {
        // Changes of other games do not extend it.
        let deadline = Instant::now() + max_wait;
        loop {
            if self.app.is_draining() {
                return None;
            }
            if self.watcher.newest() > self.after {
                let changes = self.read().await.ok()?;
                if changes.is_empty() {
                    continue;
                }
                return Some(FeedStep::Changes(changes));
            }
            match tokio::time::timeout_at(deadline, self.watcher.changed()).await {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => return Some(FeedStep::Silence),
            }
        }
    }

    async fn read(&mut self) -> StoreResult<Vec<ChangeResponse>> {
        let newest = self.watcher.newest();
        let mut conn = self.app.store.connection().await?;
        let rows = changes::list(&mut conn, self.after, self.game.as_deref(), CHUNK).await?;
        drop(conn);
        let full = i64::try_from(rows.len()).unwrap_or(i64::MAX) == CHUNK;
        let last = rows.last().map_or(self.after, |row| row.seq);
        self.app.wait_until_read(last).await;
        self.after = if full { last } else { newest.max(last) };
        Ok(rows.into_iter().map(ChangeResponse::from).collect())
    }
}
