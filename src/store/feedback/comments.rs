//! Comments on public designs and decks, and replies to them.
//!
//! All comments are in one table, `design_comments`; triggers count them and write events, depending on the subject.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::locks::{lock_own_account, lock_public, lock_subject};
use super::subject::{Subject, SubjectSql, bind};
use crate::auth::permission::Acting;
use crate::domain::accounts::daily_limits::{DailyActivity, ReachedLimit};
use crate::domain::feedback::comment::{CommentState, EDITABLE_FOR};
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::{AccountId, CommentId};
use crate::store::accounts::daily_counts::count_one;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A comment as everybody may see it, with its text.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredComment {
    #[diesel(sql_type = SqlUuid)]
    pub id: CommentId,
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub reply_to: Option<CommentId>,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The author's name.
    #[diesel(sql_type = Text)]
    pub author: String,
    /// Its text; only for readers while its state is [`CommentState::Shown`].
    #[diesel(sql_type = Text)]
    pub text: String,
    /// Rises with every edit.
    #[diesel(sql_type = BigInt)]
    pub version: i64,
    /// Number of public replies.
    #[diesel(sql_type = BigInt)]
    pub reply_count: i64,
    /// When it was written.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub edited_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Bool)]
    deleted: bool,
    #[diesel(sql_type = Bool)]
    stands: bool,
    /// Whether the owner of the subject hid it, and nobody else.
    #[diesel(sql_type = Bool)]
    hidden_by_owner: bool,
}

impl StoredComment {
    /// Whether readers see its text.
    pub fn state(&self) -> CommentState {
        CommentState::new(self.deleted, !self.stands, self.hidden_by_owner)
    }
}

const COLUMNS: &str = "c.id, c.reply_to, c.account_id, w.name AS author, c.text, c.version, c.reply_count, c.created_at, c.edited_at, \
                       c.deleted_at IS NOT NULL AS deleted, c.stands, c.hidden_by_owner AND NOT c.author_banned AS hidden_by_owner";

/// Comments `c` on a public subject that match further conditions.
pub(super) fn shown<'a>(subject: FeedbackSubject, conditions: &str) -> Statement<'a> {
    let SubjectSql { table, is, is_open, column } = SubjectSql::of(subject);
    let statement = sql(format!(
        "SELECT {COLUMNS} FROM {table} d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.{column} = d.id JOIN accounts w ON w.id = c.account_id \
         WHERE {is} AND {is_open} AND {conditions}"
    ));
    bind(statement, subject)
}

/// Whether a subject is public, so that its comments are shown.
pub async fn is_open(conn: &mut Connection, subject: FeedbackSubject) -> StoreResult<bool> {
    let SubjectSql { table, is, is_open, .. } = SubjectSql::of(subject);
    let statement = sql(format!(
        "SELECT FROM {table} d JOIN accounts a ON a.id = d.account_id WHERE {is} AND {is_open}"
    ));
    Ok(bind(statement, subject).execute(conn).await? > 0)
}

/// Lists the comments on a subject that are not replies, the newest first: those before the one with that id. A deleted
/// or hidden comment stays in the list as long as it has shown replies.
pub async fn list(
    conn: &mut Connection,
    subject: FeedbackSubject,
    before: Option<CommentId>,
    limit: i64,
) -> StoreResult<Vec<StoredComment>> {
    let mut statement = shown(subject, "c.listed");
    if let Some(before) = before {
        statement = statement.push(" AND c.id < $before").bind("before", before);
    }
    Ok(push_page(statement, "id DESC", limit).load(conn).await?)
}

/// Lists the replies to a comment, the oldest first: those after the one with that id. Deleted and hidden replies are
/// left out.
pub async fn list_replies(
    conn: &mut Connection,
    subject: FeedbackSubject,
    reply_to: CommentId,
    after: Option<CommentId>,
    limit: i64,
) -> StoreResult<Vec<StoredComment>> {
    let mut statement =
        shown(subject, "c.reply_to = $reply_to AND c.stands").bind("reply_to", reply_to);
    if let Some(after) = after {
        statement = statement.push(" AND c.id > $after").bind("after", after);
    }
    Ok(push_page(statement, "id", limit).load(conn).await?)
}

/// Lists the first replies to each of these comments, the oldest first, at most `most` for each comment.
pub async fn list_first_replies(
    conn: &mut Connection,
    subject: FeedbackSubject,
    comments: &[CommentId],
    most: i64,
) -> StoreResult<Vec<StoredComment>> {
    let SubjectSql { table, is, is_open, column } = SubjectSql::of(subject);
    let statement = sql(format!(
        "SELECT {COLUMNS} FROM {table} d JOIN accounts a ON a.id = d.account_id CROSS JOIN unnest($comments) AS thread (id) \
         CROSS JOIN LATERAL (SELECT r.* FROM design_comments r WHERE r.reply_to = thread.id AND r.stands AND r.{column} = d.id ORDER BY r.id LIMIT $most) c \
         JOIN accounts w ON w.id = c.account_id WHERE {is} AND {is_open} ORDER BY c.id"
    ));
    let statement = bind(statement, subject).bind("comments", comments).bind("most", most);
    Ok(statement.load(conn).await?)
}

/// Finds a comment that appears in a list.
pub async fn find(
    conn: &mut Connection,
    subject: FeedbackSubject,
    id: CommentId,
) -> StoreResult<Option<StoredComment>> {
    let statement = shown(subject, "c.id = $id AND (c.listed OR c.stands)").bind("id", id);
    Ok(statement.get_result(conn).await.optional()?)
}

/// A comment to store.
pub struct NewComment<'a> {
    pub id: CommentId,
    pub reply_to: Option<CommentId>,
    pub text: &'a str,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of writing a comment.
#[derive(Debug)]
pub enum CommentOutcome {
    Done,
    /// A repeated request, which stored this comment.
    Repeat(CommentId),
    /// There is no such public subject, or no such comment by the caller.
    Missing,
    /// The owner of the subject, or the author of the comment to reply to, has blocked the caller.
    Refused,
    /// The comment to reply to is on another subject, is a reply, or is not shown.
    NoSuchThread,
    /// The account has reached the daily limit.
    TooManyToday(ReachedLimit),
    /// The comment was changed since the client read it.
    Stale,
    /// It is too old to be changed.
    Final,
}

/// Stores a comment on a public subject.
pub async fn create<S: Subject>(
    conn: &mut Connection,
    by: &Acting<S::Feedback>,
    subject: S,
    new: &NewComment<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<CommentOutcome, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        return Ok(CommentOutcome::Repeat(earlier));
    }
    let outcome = insert(conn, by, subject.into(), new).await?;
    if !matches!(outcome, CommentOutcome::Done) {
        idempotency::forget(conn, key).await?;
    }
    Ok(outcome)
}

async fn insert<P>(
    conn: &mut Connection,
    by: &Acting<P>,
    subject: FeedbackSubject,
    new: &NewComment<'_>,
) -> StoreResult<CommentOutcome> {
    #[derive(QueryableByName)]
    struct Thread {
        #[diesel(sql_type = Bool)]
        has_blocked: bool,
    }
    lock_own_account(conn, by).await?;
    let column = SubjectSql::of(subject).column;
    let Some(held) = lock_public(conn, by, subject).await? else {
        return Ok(CommentOutcome::Missing);
    };
    if held.has_blocked {
        return Ok(CommentOutcome::Refused);
    }
    if let Some(thread) = new.reply_to {
        let thread: Option<Thread> = sql(format!("SELECT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = c.account_id AND b.blocked_id = $account) AS has_blocked \
             FROM design_comments c WHERE c.id = $thread AND c.{column} = $on AND c.reply_to IS NULL AND c.stands"))
        .bind("account", by.account())
        .bind("thread", thread)
        .bind("on", held.id)
        .get_result(conn)
        .await
        .optional()?;
        match thread {
            None => return Ok(CommentOutcome::NoSuchThread),
            Some(thread) if thread.has_blocked => return Ok(CommentOutcome::Refused),
            Some(_) => {}
        }
    }
    if let Err(limit) = count_one(conn, by.account(), DailyActivity::Comment, new.at).await? {
        return Ok(CommentOutcome::TooManyToday(limit));
    }
    sql(format!("INSERT INTO design_comments (id, {column}, account_id, reply_to, text, version, created_at) \
         VALUES ($id, $on, $account, $reply_to, $text, 1, $at)"))
    .bind("id", new.id)
    .bind("on", held.id)
    .bind("account", by.account())
    .bind("reply_to", new.reply_to)
    .bind("text", new.text)
    .bind("at", new.at)
    .execute(conn)
    .await?;
    Ok(CommentOutcome::Done)
}

#[derive(QueryableByName)]
struct LockedComment {
    #[diesel(sql_type = BigInt)]
    version: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Bool)]
    refused: bool,
}

/// Changes a comment by the caller that is not too old, if `is_current` accepts its version. Refused where a new
/// comment by the caller would be refused.
pub async fn edit<S: Subject>(
    conn: &mut Connection,
    by: &Acting<S::Feedback>,
    subject: S,
    id: CommentId,
    is_current: impl Fn(i64) -> bool,
    text: &str,
    at: DateTime<Utc>,
) -> StoreResult<CommentOutcome> {
    lock_own_account(conn, by).await?;
    let subject = subject.into();
    let column = SubjectSql::of(subject).column;
    let Some(held) = lock_public(conn, by, subject).await? else {
        return Ok(CommentOutcome::Missing);
    };
    let found: Option<LockedComment> = sql(format!("SELECT c.version, c.created_at, \
             EXISTS (SELECT FROM design_comments t JOIN account_blocks b ON b.account_id = t.account_id WHERE t.id = c.reply_to AND b.blocked_id = $account) AS refused \
         FROM design_comments c WHERE c.id = $id AND c.{column} = $on AND c.account_id = $account AND c.stands FOR NO KEY UPDATE"))
    .bind("id", id)
    .bind("on", held.id)
    .bind("account", by.account())
    .get_result(conn)
    .await
    .optional()?;
    match found {
        None => return Ok(CommentOutcome::Missing),
        Some(comment) if !is_current(comment.version) => return Ok(CommentOutcome::Stale),
        Some(comment) if at - comment.created_at > EDITABLE_FOR => {
            return Ok(CommentOutcome::Final);
        }
        Some(comment) if comment.refused || held.has_blocked => {
            return Ok(CommentOutcome::Refused);
        }
        Some(_) => {}
    }
    sql("UPDATE design_comments SET text = $text, version = version + 1, edited_at = $at WHERE id = $id")
        .bind("id", id)
        .bind("text", text)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(CommentOutcome::Done)
}

/// Deletes a comment by the caller, permanently, even if the subject is no longer public.
pub async fn delete<S: Subject>(
    conn: &mut Connection,
    by: &Acting<S::Feedback>,
    subject: S,
    id: CommentId,
    at: DateTime<Utc>,
) -> StoreResult<CommentOutcome> {
    let subject = subject.into();
    lock_own_account(conn, by).await?;
    // The row of the subject is locked before those of its comments.
    lock_subject(conn, subject).await?;
    let SubjectSql { table, is, column, .. } = SubjectSql::of(subject);
    let statement = sql(format!(
        "UPDATE design_comments c SET deleted_at = $at FROM {table} d \
         WHERE c.id = $id AND c.account_id = $account AND c.deleted_at IS NULL AND d.id = c.{column} AND {is}"
    ))
    .bind("id", id)
    .bind("account", by.account())
    .bind("at", at);
    let deleted = bind(statement, subject).execute(conn).await?;
    Ok(if deleted == 0 { CommentOutcome::Missing } else { CommentOutcome::Done })
}
