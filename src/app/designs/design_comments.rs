//! Comments on designs that everybody sees, and replies to them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::step_problems::{feedback_refused, too_many_today};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Revision};
use crate::auth::permission::{GiveFeedback, Granted};
use crate::domain::designs::comment::CommentState;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::designs::markup;
use crate::domain::ids::CommentId;
use crate::store::designs::design_comments::{self, CommentOutcome, NewComment, StoredComment};
use crate::store::operations::idempotency::{IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

/// A comment on a design.
#[derive(Serialize, ToSchema)]
pub struct CommentResponse {
    /// Its id.
    pub id: Uuid,
    /// The comment that it replies to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<Uuid>,
    /// `shown`; or `deleted` by its author or `hidden`, and then it has neither text nor author: its place stays while somebody has replied.
    #[schema(example = "shown")]
    pub state: &'static str,
    /// Its author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// The author's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub author: Option<String>,
    /// What it says, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "The second effect is *far* too cheap.")]
    pub text: Option<String>,
    /// The same as HTML: `p`, `br`, `em` and `strong` without attributes; everything else is escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "<p>The second effect is <em>far</em> too cheap.</p>")]
    pub html: Option<String>,
    /// How many replies are shown.
    #[schema(example = 2, minimum = 0)]
    pub reply_count: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When its author changed it last; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<DateTime<Utc>>,
}

impl From<StoredComment> for CommentResponse {
    fn from(stored: StoredComment) -> Self {
        let state = stored.state();
        let shown = (state == CommentState::Shown).then_some(stored.text);
        let is_shown = shown.is_some();
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

/// A comment as it is answered, and the version that edits of it name.
pub struct VersionedComment {
    /// Its version.
    pub version: Revision,
    /// What makes no version: how many replies are shown, and whether the comment is.
    pub counts: [i64; 2],
    /// The comment.
    pub comment: CommentResponse,
}

impl From<StoredComment> for VersionedComment {
    fn from(stored: StoredComment) -> Self {
        let is_gone = stored.state() != CommentState::Shown;
        let (version, counts) = (Revision(stored.version), [stored.reply_count, is_gone.into()]);
        Self { version, counts, comment: stored.into() }
    }
}

/// Lists the comments on a design, the newest first, or the replies to one of them, the oldest first; those after the one with that id.
pub async fn list(
    app: &AppState,
    code: DesignCode,
    reply_to: Option<CommentId>,
    from: Option<CommentId>,
    limit: PageLimit,
) -> Result<Page<CommentResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = match reply_to {
        None => design_comments::list(&mut conn, code, from, limit.rows()).await?,
        Some(comment) => {
            design_comments::list_replies(&mut conn, code, comment, from, limit.rows()).await?
        }
    };
    if rows.is_empty() {
        let exists = match reply_to {
            None => design_comments::is_open(&mut conn, code).await?,
            Some(comment) => design_comments::find(&mut conn, code, comment).await?.is_some(),
        };
        if !exists {
            return Err(Problem::not_found());
        }
    }
    Ok(paged(rows, limit, |row| row.id, Into::into))
}

/// Finds a comment on a design by its id.
pub async fn find(
    app: &AppState,
    code: DesignCode,
    id: CommentId,
) -> Result<VersionedComment, Problem> {
    let mut conn = app.store.connection().await?;
    let found = design_comments::find(&mut conn, code, id).await?;
    Ok(found.ok_or_else(Problem::not_found)?.into())
}

/// A comment to write: its text as it is stored.
pub struct CommentDraft {
    /// What it says.
    pub text: String,
    /// The comment that it replies to.
    pub reply_to: Option<CommentId>,
}

/// Comments on a design that everybody sees, or replies to a comment on it.
pub async fn create(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    draft: &CommentDraft,
    key: Option<&IdempotencyClaim>,
) -> Result<VersionedComment, Problem> {
    let id = CommentId::fresh();
    let CommentDraft { text, reply_to } = draft;
    let new = NewComment { id, reply_to: *reply_to, text, at: app.clock.now() };
    let written = app.write_feedback(by, async |conn, by| {
        let outcome = design_comments::create(conn, by, code, &new, key).await?;
        let comment = match outcome {
            CommentOutcome::Done => design_comments::find(conn, code, id).await?,
            CommentOutcome::Repeat(earlier) => design_comments::find(conn, code, earlier).await?,
            _ => None,
        };
        Ok::<_, IdempotentError>((outcome, comment))
    });
    let (outcome, comment) = written.await?;
    if let CommentOutcome::Repeat(_) = outcome {
        return Ok(comment.ok_or_else(|| Problem::new(ProblemCode::Gone))?.into());
    }
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, comment = %id, "comment written");
    Ok(comment.ok_or_else(Problem::not_found)?.into())
}

/// Changes an own comment, if the client means its current version.
pub async fn edit(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    id: CommentId,
    if_match: &IfMatch,
    text: &str,
) -> Result<VersionedComment, Problem> {
    let is_current = |version| if_match.check(Revision(version)).is_ok();
    let at = app.clock.now();
    let written = app.write_feedback(by, async |conn, by| {
        let outcome = design_comments::edit(conn, by, code, id, is_current, text, at).await?;
        let comment = read_done(conn, code, id, &outcome).await?;
        Ok::<_, StoreError>((outcome, comment))
    });
    let (outcome, comment) = written.await?;
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, comment = %id, "comment changed");
    Ok(comment.ok_or_else(Problem::not_found)?.into())
}

async fn read_done(
    conn: &mut Connection,
    code: DesignCode,
    id: CommentId,
    outcome: &CommentOutcome,
) -> StoreResult<Option<StoredComment>> {
    match outcome {
        CommentOutcome::Done => design_comments::find(conn, code, id).await,
        _ => Ok(None),
    }
}

/// Deletes an own comment.
pub async fn delete(
    app: &AppState,
    by: &Granted<GiveFeedback>,
    code: DesignCode,
    id: CommentId,
) -> Result<(), Problem> {
    let at = app.clock.now();
    let outcome = app
        .write_feedback(by, async |conn, by| design_comments::delete(conn, by, code, id, at).await)
        .await?;
    check(app, outcome)?;
    tracing::info!(account = %by.account(), design = %code, comment = %id, "comment deleted");
    Ok(())
}

fn check(app: &AppState, outcome: CommentOutcome) -> Result<(), Problem> {
    Err(match outcome {
        CommentOutcome::Done | CommentOutcome::Repeat(_) => return Ok(()),
        CommentOutcome::Missing => Problem::not_found(),
        CommentOutcome::Refused => feedback_refused(),
        CommentOutcome::NoSuchThread => Problem::invalid(vec![InputFault::at(
            "/reply_to",
            "must be a comment on this design that is shown, and no reply itself",
        )]),
        CommentOutcome::TooManyToday => too_many_today(app),
        CommentOutcome::Stale => Problem::new(ProblemCode::PreconditionFailed),
        CommentOutcome::Final => Problem::new(ProblemCode::CommentFinal),
    })
}
