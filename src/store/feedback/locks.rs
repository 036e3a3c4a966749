//! The order of locks for feedback: the account of its author, then the subject, then the feedback. A ban locks the
//! account, so it sees all feedback that was written before.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::subject::{SubjectSql, bind};
use crate::auth::permission::Acting;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::AccountId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// A subject of feedback, locked until the transaction ends.
#[derive(QueryableByName)]
pub(in crate::store) struct OpenSubject {
    /// The id of its row.
    #[diesel(sql_type = SqlUuid)]
    pub(in crate::store) id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    pub(in crate::store) owner: AccountId,
    /// The public revision.
    #[diesel(sql_type = BigInt)]
    pub(in crate::store) revision: i64,
    /// Whether its owner has blocked the caller.
    #[diesel(sql_type = Bool)]
    pub(in crate::store) has_blocked: bool,
}

/// Locks the caller's account until the transaction ends; returns when it was registered. Not `FOR UPDATE`: requests that have claimed an
/// idempotency key hold a key-share lock on this row, and two of them would deadlock.
pub(in crate::store) async fn lock_own_account<P>(
    conn: &mut Connection,
    by: &Acting<P>,
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

/// Locks a public subject; `None`: there is no such subject. The caller's account must be locked.
pub(in crate::store) async fn lock_public<P>(
    conn: &mut Connection,
    by: &Acting<P>,
    subject: FeedbackSubject,
) -> StoreResult<Option<OpenSubject>> {
    lock_subject(conn, subject).await?;
    // A second statement: the one that takes a lock sees the account of the owner before its wait, so not a ban that it waited for.
    let SubjectSql { table, is, is_open, .. } = SubjectSql::of(subject);
    let statement = sql(format!("SELECT d.id, d.account_id AS owner, d.revision, \
             EXISTS (SELECT FROM account_blocks b WHERE b.account_id = d.account_id AND b.blocked_id = $account) AS has_blocked \
         FROM {table} d JOIN accounts a ON a.id = d.account_id WHERE {is} AND {is_open}"))
    .bind("account", by.account());
    Ok(bind(statement, subject).get_result(conn).await.optional()?)
}

/// Locks a subject, whether or not it is public.
pub(in crate::store) async fn lock_subject(
    conn: &mut Connection,
    subject: FeedbackSubject,
) -> StoreResult<()> {
    let SubjectSql { table, is, .. } = SubjectSql::of(subject);
    let statement = sql(format!("SELECT FROM {table} d WHERE {is} FOR NO KEY UPDATE"));
    bind(statement, subject).execute(conn).await?;
    Ok(())
}
