//! What all feedback has in common: which designs take it from whom, and that bans take it away.
//!
//! Whoever writes feedback holds its own account, then the design, then what is written. A ban, which holds the account, so sees all that was written before.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::{EVERYBODY_SEES, design_ratings};
use crate::auth::permission::{Acting, GiveFeedback};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AccountId, DesignId};
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A design that takes feedback, held until the transaction ends.
#[derive(QueryableByName)]
pub(super) struct OpenDesign {
    #[diesel(sql_type = SqlUuid)]
    pub(super) id: DesignId,
    #[diesel(sql_type = SqlUuid)]
    pub(super) author: AccountId,
    /// The revision that everybody sees.
    #[diesel(sql_type = BigInt)]
    pub(super) revision: i64,
    #[diesel(sql_type = Bool)]
    pub(super) has_blocked: bool,
}

/// Since when the asker's account exists; it is held until the transaction ends.
pub(super) async fn hold_own_account(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
) -> StoreResult<DateTime<Utc>> {
    #[derive(QueryableByName)]
    struct Own {
        #[diesel(sql_type = Timestamptz)]
        created_at: DateTime<Utc>,
    }
    let own: Own = sql("SELECT created_at FROM accounts WHERE id = $account FOR NO KEY UPDATE")
        .bind("account", by.account())
        .get_result(conn)
        .await?;
    Ok(own.created_at)
}

/// Holds a design that everybody sees; `None`: there is no such design. The own account must be held.
pub(super) async fn hold_listed(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
) -> StoreResult<Option<OpenDesign>> {
    let found = sql(format!("SELECT d.id, d.account_id AS author, d.revision, \
             EXISTS (SELECT FROM account_blocks b WHERE b.account_id = d.account_id AND b.blocked_id = $account) AS has_blocked \
         FROM designs d JOIN accounts a ON a.id = d.account_id \
         WHERE d.code = $code AND {EVERYBODY_SEES} FOR NO KEY UPDATE OF d"))
    .bind("account", by.account())
    .bind("code", code)
    .get_result(conn)
    .await
    .optional()?;
    Ok(found)
}

/// Takes what a banned account has said and rated away from others, or gives it back after the ban. In the transaction of the change, which holds the account.
pub(in crate::store) async fn follow_ban(
    conn: &mut Connection,
    account: AccountId,
    account_since: DateTime<Utc>,
    banned: bool,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    // In their order, so that two bans cannot deadlock.
    sql("SELECT FROM designs WHERE id IN (SELECT design_id FROM design_comments WHERE account_id = $account \
          UNION SELECT design_id FROM design_ratings WHERE account_id = $account) ORDER BY id FOR NO KEY UPDATE")
    .bind("account", account)
    .execute(conn)
    .await?;
    sql("UPDATE design_comments SET author_banned = $banned WHERE account_id = $account AND author_banned <> $banned")
        .bind("account", account)
        .bind("banned", banned)
        .execute(conn)
        .await?;
    design_ratings::follow_ban(conn, account, account_since, banned, at).await
}
