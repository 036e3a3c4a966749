//! Likes of decks: one for each account and deck.
//!
//! A like counts unless its account is banned, or blocked by the owner of the deck. Triggers maintain
//! `decks.like_count`; the row of the deck is the lock.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Timestamptz};
use diesel_async::RunQueryDsl;

use super::TAKES_FEEDBACK;
use super::TELLS_SOURCE;
use super::deck_records::COLUMNS;
use super::shared_decks::{SHARED, SharedDeckRow};
use crate::auth::permission::{Acting, GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::ids::DeckId;
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::feedback::comments::is_open;
use crate::store::feedback::locks::{lock_own_account, lock_public, lock_subject};
use crate::store::{Connection, StoreResult};

/// The caller's like of a deck.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct OwnLike {
    /// When it was given.
    #[diesel(sql_type = Timestamptz)]
    pub liked_at: DateTime<Utc>,
    /// Likes of the deck that count.
    #[diesel(sql_type = BigInt)]
    pub likes: i64,
}

/// The result of liking a deck.
#[derive(Debug)]
pub enum LikeOutcome {
    /// The account likes the deck, now or already before.
    Done(OwnLike),
    /// There is no such deck that others can read.
    Missing,
    /// The deck belongs to the caller.
    Own,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
}

/// Likes a deck that others can read. A repetition changes nothing.
pub async fn like(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<LikeOutcome> {
    lock_own_account(conn, by).await?;
    let Some(held) = lock_public(conn, by, deck.into()).await? else {
        return Ok(LikeOutcome::Missing);
    };
    if held.owner == by.account() {
        return Ok(LikeOutcome::Own);
    }
    if let Some(earlier) = find_own(conn, by, deck).await? {
        return Ok(LikeOutcome::Done(earlier));
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Like, at).await? {
        return Ok(LikeOutcome::TooManyToday(limit));
    }
    // A blocked account may like the deck; the response does not reveal that the like does not count.
    sql("INSERT INTO deck_likes (deck_id, account_id, liked_at, counted) VALUES ($deck, $account, $at, $counted)")
        .bind("deck", deck)
        .bind("account", by.account())
        .bind("at", at)
        .bind("counted", !held.has_blocked)
        .execute(conn)
        .await?;
    Ok(find_own(conn, by, deck).await?.map_or(LikeOutcome::Missing, LikeOutcome::Done))
}

async fn find_own(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
) -> StoreResult<Option<OwnLike>> {
    let found = sql("SELECT l.liked_at, d.like_count AS likes FROM deck_likes l JOIN decks d ON d.id = l.deck_id WHERE l.deck_id = $deck AND l.account_id = $account")
        .bind("deck", deck)
        .bind("account", by.account())
        .get_result(conn)
        .await
        .optional()?;
    Ok(found)
}

/// Removes the caller's like, even if others can no longer read the deck. Returns whether there was a like, or others
/// can read the deck.
pub async fn unlike(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    deck: DeckId,
) -> StoreResult<bool> {
    lock_own_account(conn, by).await?;
    lock_subject(conn, deck.into()).await?;
    let deleted = sql("DELETE FROM deck_likes WHERE deck_id = $deck AND account_id = $account")
        .bind("deck", deck)
        .bind("account", by.account())
        .execute(conn)
        .await?;
    Ok(deleted > 0 || is_open(conn, deck.into()).await?)
}

/// Whether the reader likes a deck.
pub async fn likes(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    deck: DeckId,
) -> StoreResult<bool> {
    let found = sql("SELECT FROM deck_likes WHERE deck_id = $deck AND account_id = $account")
        .bind("deck", deck)
        .bind("account", by.account())
        .execute(conn)
        .await?;
    Ok(found > 0)
}

/// A deck that the reader likes.
#[derive(Clone, Debug, QueryableByName)]
pub struct LikedDeck {
    #[diesel(embed)]
    pub deck: SharedDeckRow,
    /// When the reader liked it.
    #[diesel(sql_type = Timestamptz)]
    pub liked_at: DateTime<Utc>,
}

/// Lists the decks that the caller likes and that others can still read, the latest like first, before a position.
pub async fn list_liked(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    before: Option<(DateTime<Utc>, DeckId)>,
    limit: i64,
) -> StoreResult<Vec<LikedDeck>> {
    let mut statement = sql(format!(
        "SELECT {COLUMNS}, {SHARED}, {TELLS_SOURCE}, l.liked_at FROM deck_likes l JOIN decks d ON d.id = l.deck_id JOIN accounts a ON a.id = d.account_id \
         WHERE l.account_id = $account AND {TAKES_FEEDBACK}"
    ))
    .bind("account", by.account());
    if let Some((at, deck)) = before {
        statement = statement
            .push(" AND (l.liked_at, l.deck_id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", deck);
    }
    Ok(push_page(statement, "liked_at DESC, id DESC", limit).load(conn).await?)
}
