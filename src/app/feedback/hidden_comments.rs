//! Comments that the owners of designs and decks hide, and show again.

use super::comments::{CommentResponse, VersionedComment, drop_cached_pages};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Granted;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::CommentId;
use crate::store::StoreError;
use crate::store::feedback::comments as stored_comments;
pub use crate::store::feedback::hidden_comments::HiddenReader;
use crate::store::feedback::hidden_comments::{self, HideOutcome};
use crate::store::feedback::subject::Subject;

/// Why a comment is not shown again.
const NOT_OWNER: &str = "Only the owner of the design or deck can show comments on it again.";
const NOT_HIDDEN: &str = "There is no comment with this id that the owner hid. Comments that moderators hid are shown again only by moderators.";

/// Hides a shown comment on a design or deck of the caller. `false`: there is none with that id, or the caller is not the owner.
pub async fn hide<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    id: CommentId,
) -> Result<bool, Problem> {
    let (since, on): (_, FeedbackSubject) = (Some(app.clock.now()), subject.into());
    let outcome = app
        .write(by, async |conn, by| hidden_comments::hide(conn, by, subject, id, since).await)
        .await?;
    if outcome != HideOutcome::Done {
        return Ok(false);
    }
    drop_cached_pages(app, on);
    tracing::info!(account = %by.account(), %on, comment = %id, "comment hidden by the owner");
    Ok(true)
}

/// Shows a comment again that the caller hid on a design or deck of the caller. A comment that is shown already stays so.
pub async fn show<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    id: CommentId,
) -> Result<VersionedComment, Problem> {
    let on: FeedbackSubject = subject.into();
    let written = app.write(by, async |conn, by| {
        let outcome = hidden_comments::hide(conn, by, subject, id, None).await?;
        let comment = stored_comments::find(conn, on, id).await?;
        Ok::<_, StoreError>((outcome, comment))
    });
    let (outcome, comment) = written.await?;
    match outcome {
        HideOutcome::Done => {
            drop_cached_pages(app, on);
            tracing::info!(account = %by.account(), %on, comment = %id, "comment shown by the owner");
        }
        HideOutcome::NoSubject => return Err(Problem::not_found()),
        HideOutcome::NotOwner => return Err(Problem::new(ProblemCode::Forbidden).detail(NOT_OWNER)),
        HideOutcome::Missing => {}
    }
    let shown = comment.map(VersionedComment::from).filter(|found| found.comment.text.is_some());
    shown.ok_or_else(|| Problem::not_found().detail(NOT_HIDDEN))
}

/// Whether the owner of a design or deck hid a comment that the reader may read in [`list`].
pub async fn exist(
    app: &AppState,
    reader: &HiddenReader<'_>,
    subject: FeedbackSubject,
) -> Result<bool, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = hidden_comments::list(&mut conn, reader, subject, None, 1).await?;
    Ok(!rows.is_empty())
}

/// Lists comments that the owner of a design or deck hid, with their texts, the newest first; those before the one with id `from`.
pub async fn list(
    app: &AppState,
    reader: &HiddenReader<'_>,
    subject: FeedbackSubject,
    from: Option<CommentId>,
    limit: PageLimit,
) -> Result<Page<CommentResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = hidden_comments::list(&mut conn, reader, subject, from, limit.rows()).await?;
    if rows.is_empty() && !stored_comments::is_open(&mut conn, subject).await? {
        return Err(Problem::not_found());
    }
    Ok(paged(rows, limit, |row| row.id, |row| CommentResponse::new(row, true)))
}
