//! Accounts that an account has blocked. A blocked account is not notified.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bool, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use crate::auth::permission::{Acting, Granted, ManageOwnBlocks, ReadOwnAccount};
use crate::domain::accounts::blocks::MAX_BLOCKS;
use crate::domain::ids::AccountId;
use crate::store::copies::trade_answers::{self, ClosedOffer};
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::feedback::bans_and_blocks;
use crate::store::{Connection, StoreResult};

/// An account that the caller has blocked.
#[derive(Clone, Debug, QueryableByName)]
pub struct BlockRow {
    #[diesel(sql_type = SqlUuid)]
    pub blocked_id: AccountId,
    /// The name of that account.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// When it was blocked.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

/// Lists the accounts that the caller has blocked, the newest block first; those before a position.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnAccount>,
    before: Option<(DateTime<Utc>, AccountId)>,
    limit: i64,
) -> StoreResult<Vec<BlockRow>> {
    let mut statement = sql("SELECT b.blocked_id, a.name, b.created_at FROM account_blocks b JOIN accounts a ON a.id = b.blocked_id WHERE b.account_id = $account")
        .bind("account", by.account());
    if let Some((at, id)) = before {
        statement = statement
            .push(" AND (b.created_at, b.blocked_id) < ($before_at, $before_id)")
            .bind("before_at", at)
            .bind("before_id", id);
    }
    Ok(push_page(statement, "created_at DESC, blocked_id DESC", limit).load(conn).await?)
}

/// The result of blocking an account.
#[derive(Debug)]
pub enum BlockOutcome {
    /// The account is blocked, now or already before. These offers between both were closed.
    Done(Vec<ClosedOffer>),
    /// There is no such account.
    NoSuchAccount,
    /// An account cannot block itself.
    Oneself,
    /// The account has blocked [`MAX_BLOCKS`] others.
    TooMany,
}

/// Blocks an account.
pub async fn block(
    conn: &mut Connection,
    by: &Acting<ManageOwnBlocks>,
    other: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<BlockOutcome> {
    if other == by.account() {
        return Ok(BlockOutcome::Oneself);
    }
    let exists =
        sql("SELECT FROM accounts WHERE id = $other").bind("other", other).execute(conn).await?;
    if exists == 0 {
        return Ok(BlockOutcome::NoSuchAccount);
    }
    // Locks both accounts, so that parallel requests cannot exceed the limit, and no feedback of the other account is
    // counted in the meantime.
    bans_and_blocks::lock_both(conn, by.account(), other).await?;
    if has_blocked(conn, by.account(), other).await? {
        // An older program, which does not count likes or followers or close offers, may have stored the block before.
        let closed = follow(conn, by.account(), other, at).await?;
        return Ok(BlockOutcome::Done(closed));
    }
    let added = sql("INSERT INTO account_blocks (account_id, blocked_id, created_at) SELECT $account, $other, $at \
         WHERE (SELECT count(*) FROM account_blocks WHERE account_id = $account) < $limit")
    .bind("account", by.account())
    .bind("other", other)
    .bind("at", at)
    .bind("limit", MAX_BLOCKS)
    .execute(conn)
    .await?;
    if added == 0 {
        return Ok(BlockOutcome::TooMany);
    }
    let closed = follow(conn, by.account(), other, at).await?;
    Ok(BlockOutcome::Done(closed))
}

/// Makes likes, follows and open offers follow a new block; returns the offers that were closed.
async fn follow(
    conn: &mut Connection,
    account: AccountId,
    other: AccountId,
    at: DateTime<Utc>,
) -> StoreResult<Vec<ClosedOffer>> {
    bans_and_blocks::follow_block(conn, account, other).await?;
    trade_answers::close_between(conn, account, other, at).await
}

/// Removes a block; returns whether there was one.
pub async fn unblock(
    conn: &mut Connection,
    by: &Acting<ManageOwnBlocks>,
    other: AccountId,
) -> StoreResult<bool> {
    bans_and_blocks::lock_both(conn, by.account(), other).await?;
    let deleted =
        sql("DELETE FROM account_blocks WHERE account_id = $account AND blocked_id = $other")
            .bind("account", by.account())
            .bind("other", other)
            .execute(conn)
            .await?;
    // Also without a block: an older program may have removed it.
    bans_and_blocks::follow_block(conn, by.account(), other).await?;
    Ok(deleted > 0)
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = Bool)]
    found: bool,
}

/// Whether the caller has blocked the account of that name.
pub async fn has_blocked_name(
    conn: &mut Connection,
    by: &Granted<ReadOwnAccount>,
    name_key: &str,
) -> StoreResult<bool> {
    let Found { found } =
        sql("SELECT EXISTS (SELECT FROM account_blocks b JOIN accounts a ON a.id = b.blocked_id \
         WHERE b.account_id = $account AND a.name_key = $name) AS found")
        .bind("account", by.account())
        .bind("name", name_key)
        .get_result(conn)
        .await?;
    Ok(found)
}

/// Whether an account has blocked another.
pub(in crate::store) async fn has_blocked(
    conn: &mut Connection,
    account: AccountId,
    other: AccountId,
) -> StoreResult<bool> {
    let Found { found } = sql("SELECT EXISTS (SELECT FROM account_blocks WHERE account_id = $account AND blocked_id = $other) AS found")
        .bind("account", account)
        .bind("other", other)
        .get_result(conn)
        .await?;
    Ok(found)
}
