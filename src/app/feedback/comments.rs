//! Comments on public designs and decks, and replies to them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::problems::{feedback_refused, too_many_today};
use crate::app::fault_reason::FaultReason;
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::auth::permission::Granted;
use crate::domain::designs::markup;
use crate::domain::feedback::comment::{CommentState, comment_text};
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::CommentId;
use crate::store::feedback::comments::{self, CommentOutcome, NewComment, StoredComment};
pub use crate::store::feedback::subject::Subject;
use crate::store::operations::idempotency::{IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

/// A comment on a design or a deck.
#[derive(Serialize, ToSchema)]
pub struct CommentResponse {
    /// Its id.
    pub id: Uuid,
    /// Id of the comment to which this one is a reply; absent if it is not a reply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Uuid>,
    /// `shown`, `deleted` (by its author), `hidden` (by a moderator, or because its author is banned) or `hidden_by_owner` (by the owner of the design
    /// or deck). A deleted or hidden comment has neither text nor author, and is only listed while it has replies; only `GET …/hidden-comments` shows
    /// both of a comment that the owner hid.
    #[schema(example = "shown")]
    pub state: &'static str,
    /// Id of the author's account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// Name of the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub author: Option<String>,
    /// Text of the comment, as its author wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The second effect is *far* too cheap.")]
    pub text: Option<String>,
    /// The text as HTML: `p`, `br`, `em` and `strong` without attributes; everything else is escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "<p>The second effect is <em>far</em> too cheap.</p>")]
    pub html: Option<String>,
    /// Number of replies that are shown.
    #[schema(example = 2, minimum = 0)]
    pub reply_count: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its author last changed it; absent if it was never changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
}

impl From<StoredComment> for CommentResponse {
    fn from(stored: StoredComment) -> Self {
        let is_shown = stored.state() == CommentState::Shown;
        Self::new(stored, is_shown)
    }
}

impl CommentResponse {
    /// `is_shown`: whether the reader may read its text and its author.
    pub(super) fn new(stored: StoredComment, is_shown: bool) -> Self {
        let state = stored.state();
        let shown = is_shown.then_some(stored.text);
        Self {
            id: stored.id.0,
            reply_to: stored.reply_to.map(|comment| comment.0),
            state: state.as_str(),
            account_id: is_shown.then_some(stored.account_id.0),
            author: is_shown.then_some(stored.author),
            html: shown.as_deref().map(markup::to_html),
            text: shown,
            reply_count: stored.reply_count,
            created_at: stored.created_at,
            edited_at: stored.edited_at.filter(|_| is_shown),
        }
    }
}

/// A comment as a response, with the version for `If-Match`.
pub struct VersionedComment {
    pub version: Revision,
    /// Counts that are no part of the version: the number of shown replies, and a number for the state of the comment.
    pub counts: [i64; 2],
    pub comment: CommentResponse,
}

impl From<StoredComment> for VersionedComment {
    fn from(stored: StoredComment) -> Self {
        let state = match stored.state() {
            CommentState::Shown => 0,
            CommentState::Hidden => 1,
            CommentState::HiddenByOwner => 2,
            CommentState::Deleted => 3,
        };
        let (version, counts) = (Revision(stored.version), [stored.reply_count, state]);
        Self { version, counts, comment: stored.into() }
    }
}

/// Lists the comments on a subject, the newest first, or the replies to a comment, the oldest first; those after the
/// one with id `from`.
pub async fn list(
    app: &AppState,
    subject: FeedbackSubject,
    reply_to: Option<CommentId>,
    from: Option<CommentId>,
    limit: PageLimit,
) -> Result<Page<CommentResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = match reply_to {
        None => comments::list(&mut conn, subject, from, limit.rows()).await?,
        Some(comment) => {
            comments::list_replies(&mut conn, subject, comment, from, limit.rows()).await?
        }
    };
    if rows.is_empty() {
        let exists = match reply_to {
            None => comments::is_open(&mut conn, subject).await?,
            Some(comment) => comments::find(&mut conn, subject, comment).await?.is_some(),
        };
        if !exists {
            return Err(Problem::not_found());
        }
    }
    Ok(paged(rows, limit, |row| row.id, Into::into))
}

/// Lists the first replies to each of some comments of a list, the oldest first.
pub async fn list_first_replies(
    app: &AppState,
    subject: FeedbackSubject,
    comments: &[CommentId],
    most: PageLimit,
) -> Result<Vec<CommentResponse>, Problem> {
    if comments.is_empty() {
        return Ok(Vec::new());
    }
    let mut conn = app.store.connection().await?;
    // The extra row for the next page is not needed: a comment contains the number of its replies.
    let most = most.rows() - 1;
    let rows = comments::list_first_replies(&mut conn, subject, comments, most).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Finds a comment by its id.
pub async fn find(
    app: &AppState,
    subject: FeedbackSubject,
    id: CommentId,
) -> Result<VersionedComment, Problem> {
    let mut conn = app.store.connection().await?;
    let found = comments::find(&mut conn, subject, id).await?;
    Ok(found.ok_or_else(Problem::not_found)?.into())
}

/// The text of a comment in stored form.
pub fn read_text(raw: &str) -> Result<String, Problem> {
    comment_text(raw).map_err(|error| Problem::invalid(vec![InputFault::at("/text", error)]))
}

/// A comment to write, with its text in stored form.
pub struct CommentDraft {
    pub text: String,
    /// The comment that it replies to.
    pub reply_to: Option<CommentId>,
}

/// Writes a comment on a public subject, or a reply to a comment on it.
pub async fn create<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    draft: &CommentDraft,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedComment, Problem> {
    let (id, on) = (CommentId::generate(), subject.into());
    let CommentDraft { text, reply_to } = draft;
    let new = NewComment { id, reply_to: *reply_to, text, at: app.clock.now() };
    let written = app.write(by, async |conn, by| {
        let outcome = comments::create(conn, by, subject, &new, key).await?;
        let comment = match outcome {
            CommentOutcome::Done => comments::find(conn, on, id).await?,
            // A deleted comment still has its place while it has replies.
            CommentOutcome::Repeat(earlier) => comments::find(conn, on, earlier)
                .await?
                .filter(|comment| comment.state() != CommentState::Deleted),
            _ => None,
        };
        Ok::<_, IdempotentError>((outcome, comment))
    });
    let (outcome, comment) = written.await?;
    drop_cached_pages(app, on);
    if let CommentOutcome::Repeat(_) = outcome {
        return Ok(comment.ok_or_else(|| Problem::new(ProblemCode::Gone))?.into());
    }
    check(app, on, outcome)?;
    tracing::info!(account = %by.account(), %on, comment = %id, "comment written");
    Ok(comment.ok_or_else(Problem::not_found)?.into())
}

/// Changes one of the caller's comments, if the client's version is current.
pub async fn edit<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    id: CommentId,
    if_match: &IfMatch,
    text: &str,
) -> Result<VersionedComment, Problem> {
    let is_current = |version| if_match.check(Revision(version)).is_ok();
    let (at, on) = (app.clock.now(), subject.into());
    let written = app.write(by, async |conn, by| {
        let outcome = comments::edit(conn, by, subject, id, is_current, text, at).await?;
        let comment = read_done(conn, on, id, &outcome).await?;
        Ok::<_, StoreError>((outcome, comment))
    });
    let (outcome, comment) = written.await?;
    drop_cached_pages(app, on);
    check(app, on, outcome)?;
    tracing::info!(account = %by.account(), %on, comment = %id, "comment changed");
    Ok(comment.ok_or_else(Problem::not_found)?.into())
}

async fn read_done(
    conn: &mut Connection,
    on: FeedbackSubject,
    id: CommentId,
    outcome: &CommentOutcome,
) -> StoreResult<Option<StoredComment>> {
    match outcome {
        CommentOutcome::Done => comments::find(conn, on, id).await,
        _ => Ok(None),
    }
}

/// Deletes one of the caller's comments; `false`: there is none with that id.
pub async fn delete<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    subject: S,
    id: CommentId,
) -> Result<bool, Problem> {
    let (at, on) = (app.clock.now(), subject.into());
    let outcome =
        app.write(by, async |conn, by| comments::delete(conn, by, subject, id, at).await).await?;
    drop_cached_pages(app, on);
    if let CommentOutcome::Missing = outcome {
        return Ok(false);
    }
    check(app, on, outcome)?;
    tracing::info!(account = %by.account(), %on, comment = %id, "comment deleted");
    Ok(true)
}

/// Why the caller cannot delete a comment: a 403 with this reason if everybody can read the comment, otherwise the 404 of a comment that does not exist.
pub async fn not_deleted(
    app: &AppState,
    on: FeedbackSubject,
    id: CommentId,
    reason: &'static str,
) -> Problem {
    match find(app, on, id).await {
        Ok(found) if found.comment.text.is_some() => {
            Problem::new(ProblemCode::Forbidden).detail(reason)
        }
        Ok(_) => Problem::not_found(),
        Err(problem) => problem,
    }
}

/// Cached pages of the gallery show the number of comments on a design. Nothing about decks is cached.
pub(super) fn drop_cached_pages(app: &AppState, on: FeedbackSubject) {
    match on {
        FeedbackSubject::Design(_) => app.gallery_changed(),
        FeedbackSubject::Deck(_) => {}
    }
}

fn check(app: &AppState, on: FeedbackSubject, outcome: CommentOutcome) -> Result<(), Problem> {
    let on = match on {
        FeedbackSubject::Design(_) => "design",
        FeedbackSubject::Deck(_) => "deck",
    };
    Err(match outcome {
        CommentOutcome::Done | CommentOutcome::Repeat(_) => return Ok(()),
        CommentOutcome::Missing => Problem::not_found(),
        CommentOutcome::Refused => feedback_refused(),
        CommentOutcome::NoSuchThread => {
            Problem::invalid(vec![InputFault::at("/reply_to", FaultReason::NoThread { on })])
        }
        CommentOutcome::TooManyToday(limit) => too_many_today(app, limit),
        CommentOutcome::Stale => Problem::new(ProblemCode::PreconditionFailed),
        CommentOutcome::Final => Problem::new(ProblemCode::CommentFinal),
    })
}
