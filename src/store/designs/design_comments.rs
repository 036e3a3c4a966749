//! Comments on designs that everybody sees, and replies to them.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::EVERYBODY_SEES;
use super::daily_counts::count_one;
use super::feedback::{hold_listed, hold_own_account};
use crate::auth::permission::{Acting, GiveFeedback};
use crate::domain::designs::comment::{CommentState, EDITABLE_FOR};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::limits::DesignActivity;
use crate::domain::ids::{AccountId, CommentId};
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A comment as everybody may see it, and what it says.
#[derive(Clone, Debug, QueryableByName)]
pub struct StoredComment {
    /// Its id.
    #[diesel(sql_type = SqlUuid)]
    pub id: CommentId,
    /// The comment that it replies to.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub reply_to: Option<CommentId>,
    /// Its author.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: AccountId,
    /// The author's name.
    #[diesel(sql_type = Text)]
    pub author: String,
    /// What it says: only for readers while its state is [`CommentState::Shown`].
    #[diesel(sql_type = Text)]
    pub text: String,
    /// Rises with every edit.
    #[diesel(sql_type = BigInt)]
    pub version: i64,
    /// Replies that everybody sees.
    #[diesel(sql_type = BigInt)]
    pub reply_count: i64,
    /// When it was written.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub edited_at: Option<DateTime<Utc>>,
    #[diesel(sql_type = Bool)]
    deleted: bool,
    #[diesel(sql_type = Bool)]
    stands: bool,
}

impl StoredComment {
    /// What readers see of it.
    pub fn state(&self) -> CommentState {
        CommentState::new(self.deleted, !self.stands)
    }
}

const COLUMNS: &str = "c.id, c.reply_to, c.account_id, w.name AS author, c.text, c.version, c.reply_count, c.created_at, c.edited_at, \
                       c.deleted_at IS NOT NULL AS deleted, c.stands";
/// Comments on the design of that code.
const OF_DESIGN: &str = "FROM designs d JOIN accounts a ON a.id = d.account_id JOIN design_comments c ON c.design_id = d.id JOIN accounts w ON w.id = c.account_id \
                         WHERE d.code = $code";

/// Whether everybody sees a design, and so its comments.
pub async fn is_open(conn: &mut Connection, code: DesignCode) -> StoreResult<bool> {
    let found = sql(format!("SELECT FROM designs d JOIN accounts a ON a.id = d.account_id WHERE d.code = $code AND {EVERYBODY_SEES}"))
        .bind("code", code)
        .execute(conn)
        .await?;
    Ok(found > 0)
}

/// Lists the comments on a design that are no replies, the newest first, those before the one with that id. One that does not stand keeps its place as long as
/// replies to it do.
pub async fn list(
    conn: &mut Connection,
    code: DesignCode,
    before: Option<CommentId>,
    limit: i64,
) -> StoreResult<Vec<StoredComment>> {
    let mut statement =
        sql(format!("SELECT {COLUMNS} {OF_DESIGN} AND {EVERYBODY_SEES} AND c.listed"))
            .bind("code", code);
    if let Some(before) = before {
        statement = statement.push(" AND c.id < $before").bind("before", before);
    }
    Ok(statement.push(" ORDER BY c.id DESC LIMIT $limit").bind("limit", limit).load(conn).await?)
}

/// Lists the replies to a comment, the oldest first, those after the one with that id. Replies that do not stand have no place.
pub async fn list_replies(
    conn: &mut Connection,
    code: DesignCode,
    reply_to: CommentId,
    after: Option<CommentId>,
    limit: i64,
) -> StoreResult<Vec<StoredComment>> {
    let mut statement = sql(format!(
        "SELECT {COLUMNS} {OF_DESIGN} AND {EVERYBODY_SEES} AND c.reply_to = $reply_to AND c.stands"
    ))
    .bind("code", code)
    .bind("reply_to", reply_to);
    if let Some(after) = after {
        statement = statement.push(" AND c.id > $after").bind("after", after);
    }
    Ok(statement.push(" ORDER BY c.id LIMIT $limit").bind("limit", limit).load(conn).await?)
}

/// Finds a comment that has a place in a list.
pub async fn find(
    conn: &mut Connection,
    code: DesignCode,
    id: CommentId,
) -> StoreResult<Option<StoredComment>> {
    let found =
        sql(format!("SELECT {COLUMNS} {OF_DESIGN} AND {EVERYBODY_SEES} AND c.id = $id AND (c.listed OR c.stands)"))
            .bind("code", code)
            .bind("id", id)
            .get_result(conn)
            .await
            .optional()?;
    Ok(found)
}

/// A comment to write.
pub struct NewComment<'a> {
    /// Its id.
    pub id: CommentId,
    /// The comment that it replies to.
    pub reply_to: Option<CommentId>,
    /// What it says.
    pub text: &'a str,
    /// Now.
    pub at: DateTime<Utc>,
}

/// What became of something that was to be written about a comment.
#[derive(Debug)]
pub enum CommentOutcome {
    /// Done.
    Done,
    /// This request was answered before, with this comment.
    Repeat(CommentId),
    /// There is no such design, or no such comment of the asker's.
    Missing,
    /// The author of the design, or of the comment to reply to, wants nothing from the asker.
    Refused,
    /// The comment to reply to is none of this design, is a reply, or does not stand.
    NoSuchThread,
    /// The account has written as many today as it may.
    TooManyToday,
    /// It was changed since the client read it.
    Stale,
    /// It is too old to be changed.
    Final,
}

/// Writes a comment on a design that everybody sees.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    new: &NewComment<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<CommentOutcome, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, new.id).await? {
        return Ok(CommentOutcome::Repeat(earlier));
    }
    let outcome = insert(conn, by, code, new).await?;
    if !matches!(outcome, CommentOutcome::Done) {
        idempotency::forget(conn, key).await?;
    }
    Ok(outcome)
}

async fn insert(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    new: &NewComment<'_>,
) -> StoreResult<CommentOutcome> {
    #[derive(QueryableByName)]
    struct Thread {
        #[diesel(sql_type = Bool)]
        has_blocked: bool,
    }
    hold_own_account(conn, by).await?;
    let Some(design) = hold_listed(conn, by, code).await? else {
        return Ok(CommentOutcome::Missing);
    };
    if design.has_blocked {
        return Ok(CommentOutcome::Refused);
    }
    if let Some(thread) = new.reply_to {
        let thread: Option<Thread> = sql("SELECT EXISTS (SELECT FROM account_blocks b WHERE b.account_id = c.account_id AND b.blocked_id = $account) AS has_blocked \
             FROM design_comments c WHERE c.id = $thread AND c.design_id = $design AND c.reply_to IS NULL AND c.stands")
        .bind("account", by.account())
        .bind("thread", thread)
        .bind("design", design.id)
        .get_result(conn)
        .await
        .optional()?;
        match thread {
            None => return Ok(CommentOutcome::NoSuchThread),
            Some(thread) if thread.has_blocked => return Ok(CommentOutcome::Refused),
            Some(_) => {}
        }
    }
    if !count_one(conn, by.account(), DesignActivity::Comment, new.at).await? {
        return Ok(CommentOutcome::TooManyToday);
    }
    sql("INSERT INTO design_comments (id, design_id, account_id, reply_to, text, version, created_at) \
         VALUES ($id, $design, $account, $reply_to, $text, 1, $at)")
    .bind("id", new.id)
    .bind("design", design.id)
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

/// Changes an own comment that is not too old, if `is_current` accepts its version. Who would be refused a new comment there is refused this.
pub async fn edit(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    id: CommentId,
    is_current: impl Fn(i64) -> bool,
    text: &str,
    at: DateTime<Utc>,
) -> StoreResult<CommentOutcome> {
    hold_own_account(conn, by).await?;
    let Some(design) = hold_listed(conn, by, code).await? else {
        return Ok(CommentOutcome::Missing);
    };
    let found: Option<LockedComment> = sql("SELECT c.version, c.created_at, \
             EXISTS (SELECT FROM design_comments t JOIN account_blocks b ON b.account_id = t.account_id WHERE t.id = c.reply_to AND b.blocked_id = $account) AS refused \
         FROM design_comments c WHERE c.id = $id AND c.design_id = $design AND c.account_id = $account AND c.stands FOR NO KEY UPDATE")
    .bind("id", id)
    .bind("design", design.id)
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
        Some(comment) if comment.refused || design.has_blocked => {
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

/// Deletes an own comment, for good, also when nobody else sees the design any more.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<GiveFeedback>,
    code: DesignCode,
    id: CommentId,
    at: DateTime<Utc>,
) -> StoreResult<CommentOutcome> {
    hold_own_account(conn, by).await?;
    // Its row comes before those of its comments.
    sql("SELECT FROM designs WHERE code = $code FOR NO KEY UPDATE")
        .bind("code", code)
        .execute(conn)
        .await?;
    let deleted = sql("UPDATE design_comments c SET deleted_at = $at FROM designs d \
         WHERE c.id = $id AND c.account_id = $account AND c.deleted_at IS NULL AND d.id = c.design_id AND d.code = $code")
    .bind("id", id)
    .bind("account", by.account())
    .bind("code", code)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(if deleted == 0 { CommentOutcome::Missing } else { CommentOutcome::Done })
}
