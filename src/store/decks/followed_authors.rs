//! The authors whose decks an account follows. Nobody else sees them; an author has a public number of followers.
//!
//! Nothing is written when an author publishes a deck: followers read the new decks of the authors that they follow
//! (`shared_decks`). Triggers maintain `author_followers`, whose rows are locked after all others.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Acting, GiveDeckFeedback, Granted, ReadOwnDecks};
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::decks::follows::MAX_FOLLOWED_AUTHORS;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::designs::authors;
use crate::store::feedback::locks::lock_own_account;
use crate::store::{Connection, StoreResult};

/// An author that the account follows.
#[derive(Clone, Debug, QueryableByName)]
pub struct FollowedAuthor {
    #[diesel(sql_type = SqlUuid)]
    pub author_id: AccountId,
    /// The name of the author.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Since when.
    #[diesel(sql_type = Timestamptz)]
    pub followed_at: DateTime<Utc>,
}

/// Lists the authors that the caller follows, the newest first, before a position. Banned authors are left out.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    before: Option<(DateTime<Utc>, AccountId)>,
    limit: i64,
) -> StoreResult<Vec<FollowedAuthor>> {
    let mut statement = sql("SELECT f.author_id, a.name, f.followed_at FROM followed_authors f JOIN accounts a ON a.id = f.author_id \
         WHERE f.account_id = $account AND a.banned_at IS NULL")
    .bind("account", by.account());
    if let Some((at, id)) = before {
        statement = statement
            .push(" AND (f.followed_at, f.author_id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", id);
    }
    Ok(push_page(statement, "followed_at DESC, author_id DESC", limit).load(conn).await?)
}

#[derive(QueryableByName)]
struct Followed {
    #[diesel(sql_type = Bool)]
    is_followed: bool,
}

/// Whether the caller follows an author.
pub async fn is_followed(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    author: AccountId,
) -> StoreResult<bool> {
    let found: Followed = sql("SELECT EXISTS (SELECT FROM followed_authors WHERE account_id = $account AND author_id = $author) AS is_followed")
        .bind("account", by.account())
        .bind("author", author)
        .get_result(conn)
        .await?;
    Ok(found.is_followed)
}

#[derive(QueryableByName)]
struct Follows {
    #[diesel(sql_type = BigInt)]
    authors: i64,
    #[diesel(sql_type = Bool)]
    this_one: bool,
}

/// The result of a request to follow an author.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowOutcome {
    /// The account follows the author, now or already before.
    Done,
    /// There is no such author.
    Missing,
    /// An account cannot follow itself.
    Oneself,
    /// The account follows [`MAX_FOLLOWED_AUTHORS`] others.
    TooMany,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
}

/// Follows an author. A repetition changes nothing.
pub async fn follow(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    author: &AccountName,
    at: DateTime<Utc>,
) -> StoreResult<FollowOutcome> {
    // Locks the account, so that parallel requests cannot exceed the limit, and bans and blocks come before or after
    // this transaction.
    lock_own_account(conn, by).await?;
    let Some(author) = authors::find_id(conn, author).await? else {
        return Ok(FollowOutcome::Missing);
    };
    if author == by.account() {
        return Ok(FollowOutcome::Oneself);
    }
    let Follows { authors, this_one } = sql(
        "SELECT count(*) AS authors, coalesce(bool_or(author_id = $author), false) AS this_one \
         FROM followed_authors WHERE account_id = $account",
    )
    .bind("account", by.account())
    .bind("author", author)
    .get_result(conn)
    .await?;
    if this_one {
        return Ok(FollowOutcome::Done);
    }
    if authors >= MAX_FOLLOWED_AUTHORS {
        return Ok(FollowOutcome::TooMany);
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Follow, at).await? {
        return Ok(FollowOutcome::TooManyToday(limit));
    }
    // A blocked account may follow the author; the response does not reveal that it does not count.
    sql("INSERT INTO followed_authors (account_id, author_id, followed_at, counted) VALUES ($account, $author, $at, \
         NOT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = $author AND b.blocked_id = $account))")
    .bind("account", by.account())
    .bind("author", author)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(FollowOutcome::Done)
}

/// Stops following an author, even one whose decks are no longer public. Returns whether the account followed the
/// author, or there is such an author.
pub async fn unfollow(
    conn: &mut Connection,
    by: &Acting<GiveDeckFeedback>,
    author: &AccountName,
) -> StoreResult<bool> {
    lock_own_account(conn, by).await?;
    let deleted = sql("DELETE FROM followed_authors f USING accounts a WHERE f.account_id = $account AND f.author_id = a.id AND a.name_key = $name")
        .bind("account", by.account())
        .bind("name", author.key())
        .execute(conn)
        .await?;
    Ok(deleted > 0 || authors::find_id(conn, author).await?.is_some())
}
