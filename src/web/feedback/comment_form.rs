//! The form in which authors change or delete a comment of their own.

use actix_web::HttpResponse;
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::Origin;
use super::words as feedback_words;
use crate::app::feedback::comments::{self, Subject};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::Revision;
use crate::auth::permission::Granted;
use crate::domain::feedback::comment::EDITABLE_FOR;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::{AccountId, CommentId};
use crate::web::forms::{Faults, private};
use crate::web::markup::Markup;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::see_other;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/feedback/comment_edit.html")]
struct CommentPage {
    frame: Frame,
    faults: Faults,
    origin: Origin,
    path: String,
    text: String,
    revision: i64,
    /// The stored comment, if it differs from the version that the form was loaded with.
    saved: Option<Markup>,
    /// Whether the comment can no longer be changed.
    is_final: bool,
    /// Whether `text` is the refused input instead of the stored text.
    is_typed: bool,
}

/// Shows one of the visitor's own comments, to change or delete it.
pub(in crate::web) async fn show(
    app: &AppState,
    origin: Origin,
    reader: AccountId,
    comment: (FeedbackSubject, Uuid),
) -> Result<HttpResponse, Problem> {
    show_form(app, (origin, reader), comment, PageStatus::OK, Faults::none(), None).await
}

/// The form of a comment; `typed`: the refused input and the version that its form was loaded with.
async fn show_form(
    app: &AppState,
    (origin, reader): (Origin, AccountId),
    (on, id): (FeedbackSubject, Uuid),
    status: PageStatus,
    faults: Faults,
    typed: Option<(String, i64)>,
) -> Result<HttpResponse, Problem> {
    let found = comments::find(app, on, CommentId(id)).await?;
    let comment = found.comment;
    // Only the author can change a comment; for other readers the page answers 404.
    let text = comment.text.filter(|_| comment.account_id == Some(reader.0));
    let text = text.ok_or_else(Problem::not_found)?;
    let is_stale = typed.as_ref().is_some_and(|(_, revision)| *revision != found.version.0);
    let page = CommentPage {
        frame: Frame::new(feedback_words::EDIT_COMMENT).at(origin.place),
        faults,
        path: format!("{}/comments/{id}", origin.path),
        origin,
        revision: found.version.0,
        is_typed: typed.is_some(),
        saved: is_stale.then(|| Markup::new(&text)),
        text: typed.map_or(text, |(typed, _)| typed),
        is_final: app.clock.now() >= comment.created_at + EDITABLE_FOR,
    };
    private(status, &page)
}

/// The fields of a changed comment.
#[derive(Deserialize)]
pub(in crate::web) struct EditedComment {
    text: String,
    revision: i64,
}

/// Changes one of the visitor's own comments.
pub(in crate::web) async fn save<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    origin: Origin,
    (subject, id): (S, Uuid),
    edited: EditedComment,
) -> Result<HttpResponse, Problem> {
    let changed = async {
        let text = comments::read_text(&edited.text)?;
        let meant = Revision(edited.revision).if_match();
        comments::edit(app, by, subject, CommentId(id), &meant, &text).await
    };
    let Err(problem) = changed.await else { return Ok(back(&origin)) };
    let is_stale = problem.code() == ProblemCode::PreconditionFailed;
    // A double click, or a form that is sent again because its answer was lost.
    if is_stale
        && is_stored(app, by.account(), (subject.into(), id), &edited.text)
            .await
            .unwrap_or_default()
    {
        return Ok(back(&origin));
    }
    let faults = Faults::of_problem(&problem, &[("/text", "text")], feedback_words::fault);
    let Some(faults) = faults else { return Err(problem) };
    let (status, typed) = (PageStatus::of(&problem), (edited.text, edited.revision));
    let by = (origin, by.account());
    show_form(app, by, (subject.into(), id), status, faults, Some(typed)).await
}

/// Whether one of the visitor's own comments has this text already.
async fn is_stored(
    app: &AppState,
    reader: AccountId,
    (on, id): (FeedbackSubject, Uuid),
    text: &str,
) -> Result<bool, Problem> {
    let text = comments::read_text(text)?;
    let stored = comments::find(app, on, CommentId(id)).await?.comment;
    Ok(stored.account_id == Some(reader.0) && stored.text == Some(text))
}

/// Deletes one of the visitor's own comments.
pub(in crate::web) async fn delete<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    origin: &Origin,
    (subject, id): (S, Uuid),
) -> Result<HttpResponse, Problem> {
    let comment = CommentId(id);
    // A comment that does not exist was deleted before, for example by a double click. A comment that exists belongs to another author.
    if !comments::delete(app, by, subject, comment).await?
        && let Ok(found) = comments::find(app, subject.into(), comment).await
        && found.comment.text.is_some()
    {
        return Err(Problem::not_found());
    }
    Ok(back(origin))
}

/// Leads back to the comments.
pub(super) fn back(origin: &Origin) -> HttpResponse {
    see_other(&format!("{}#comments", origin.path))
}
