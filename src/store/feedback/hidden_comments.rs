//! Comments that the owners of designs and decks hide.

use chrono::{DateTime, Utc};
use diesel_async::RunQueryDsl;

use super::comments::{StoredComment, shown};
use super::locks::{lock_own_account, lock_public};
use super::subject::{Subject, SubjectSql};
use crate::auth::permission::{Acting, Granted, ModerateDesigns};
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::{AccountId, CommentId};
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The result of hiding a comment or showing it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HideOutcome {
    Done,
    /// There is no such public subject.
    NoSubject,
    /// The caller is not the owner of the subject.
    NotOwner,
    /// There is no such comment on the subject, or the owner cannot change whether it is hidden.
    Missing,
}

/// Hides a shown comment on a public subject of the caller (`Some`: the time), or shows a comment again that the caller hid (`None`).
pub async fn hide<S: Subject>(
    conn: &mut Connection,
    by: &Acting<S::Feedback>,
    subject: S,
    id: CommentId,
    since: Option<DateTime<Utc>>,
) -> StoreResult<HideOutcome> {
    lock_own_account(conn, by).await?;
    let subject = subject.into();
    // The row of the subject is locked before those of its comments.
    let Some(found) = lock_public(conn, by, subject).await? else {
        return Ok(HideOutcome::NoSubject);
    };
    if found.owner != by.account() {
        return Ok(HideOutcome::NotOwner);
    }
    let column = SubjectSql::of(subject).column;
    let may_change =
        if since.is_some() { "stands" } else { "hidden_by_owner AND NOT author_banned" };
    let changed = sql(format!(
        "UPDATE design_comments SET hidden_at = $since, hidden_by_owner = $hidden \
         WHERE id = $id AND {column} = $on AND deleted_at IS NULL AND {may_change}"
    ))
    .bind("id", id)
    .bind("on", found.id)
    .bind("hidden", since.is_some())
    .bind("since", since)
    .execute(conn)
    .await?;
    Ok(if changed == 0 { HideOutcome::Missing } else { HideOutcome::Done })
}

/// Whose hidden comments are listed.
pub enum HiddenReader<'a> {
    /// Every comment on the subject that its owner hid.
    Moderator(&'a Granted<ModerateDesigns>),
    /// Every one for the owner of the subject, otherwise those by this account.
    Player(AccountId),
}

/// Lists comments with their texts that the owner of a public subject hid and that the reader may read, the newest first:
/// those before the one with that id.
pub async fn list(
    conn: &mut Connection,
    reader: &HiddenReader<'_>,
    subject: FeedbackSubject,
    before: Option<CommentId>,
    limit: i64,
) -> StoreResult<Vec<StoredComment>> {
    let hidden = "c.hidden_by_owner AND c.deleted_at IS NULL AND NOT c.author_banned";
    let mut statement = match reader {
        HiddenReader::Moderator(_) => shown(subject, hidden),
        HiddenReader::Player(account) => {
            let own = format!("{hidden} AND $reader IN (d.account_id, c.account_id)");
            shown(subject, &own).bind("reader", *account)
        }
    };
    if let Some(before) = before {
        statement = statement.push(" AND c.id < $before").bind("before", before);
    }
    Ok(push_page(statement, "id DESC", limit).load(conn).await?)
}
