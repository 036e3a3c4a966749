//! Comments that the owners of designs and decks hid: listed, hidden and shown again.

use actix_web::HttpResponse;
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::Origin;
use super::comment_form::back;
use super::comments::{CommentChoice, CommentReader, CommentView};
use super::words as feedback_words;
use crate::app::feedback::comments::Subject;
use crate::app::feedback::hidden_comments::{self, HiddenReader};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::Granted;
use crate::domain::feedback::subject::FeedbackSubject;
use crate::domain::ids::CommentId;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor};
use crate::web::words;

/// Comments on a page.
const COMMENTS: u16 = 20;

/// Which page of the hidden comments.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct HiddenQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/feedback/hidden_comments.html")]
struct HiddenPage {
    frame: Frame,
    origin: Origin,
    about: &'static str,
    comments: Vec<CommentView>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// The text of the link to the list, on the page of a design or a deck; empty: the reader finds nothing there. The page of the owner has a link anyway.
pub(in crate::web) async fn link(
    app: &AppState,
    visitor: &Visitor,
    on: FeedbackSubject,
    reader: CommentReader,
) -> Result<&'static str, Problem> {
    let Some(account) = reader.account.filter(|_| !reader.is_owner) else { return Ok("") };
    let moderator = visitor.must().ok();
    let (reader, text) = match &moderator {
        Some(moderator) => (HiddenReader::Moderator(moderator), feedback_words::HIDDEN_COMMENTS),
        None => (HiddenReader::Player(account), feedback_words::YOUR_HIDDEN_COMMENTS),
    };
    Ok(if hidden_comments::exist(app, &reader, on).await? { text } else { "" })
}

/// Lists comments that the owner of a design or a deck hid: all of them for the owner and for moderators, otherwise those by the visitor.
pub(in crate::web) async fn list<P>(
    app: &AppState,
    by: &Player<P>,
    origin: Origin,
    (on, is_owner): (FeedbackSubject, bool),
    query: &HiddenQuery,
) -> Result<HttpResponse, Problem> {
    let from: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(COMMENTS).map_err(Problem::internal)?;
    let moderator = by.visitor.must().ok();
    let reader = match &moderator {
        Some(moderator) => HiddenReader::Moderator(moderator),
        None => HiddenReader::Player(by.account()),
    };
    let page = hidden_comments::list(app, &reader, on, from.map(CommentId), limit).await?;
    let reader = CommentReader { account: Some(by.account()), is_owner };
    let now = app.clock.now();
    let view = |comment| CommentView::new(comment, on, reader, now);
    let list = format!("{}/hidden-comments", origin.path);
    let page = HiddenPage {
        frame: Frame::new(feedback_words::HIDDEN_COMMENTS).at(origin.place),
        about: feedback_words::hidden_comments_about(on),
        comments: page.data.into_iter().map(view).collect(),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: page.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        origin,
    };
    private(PageStatus::OK, &page)
}

/// Hides a comment on a design or a deck of the visitor.
pub(in crate::web) async fn hide<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    origin: &Origin,
    (subject, id): (S, Uuid),
) -> Result<HttpResponse, Problem> {
    // A comment that cannot be hidden is gone or hidden already, for example by a double click. On what belongs to somebody else nothing happens.
    hidden_comments::hide(app, by, subject, CommentId(id)).await?;
    Ok(back(origin))
}

/// Shows a comment again that the visitor hid.
pub(in crate::web) async fn show<S: Subject>(
    app: &AppState,
    by: &Granted<S::Feedback>,
    origin: &Origin,
    (subject, id): (S, Uuid),
) -> Result<HttpResponse, Problem> {
    match hidden_comments::show(app, by, subject, CommentId(id)).await {
        // A comment that is gone was deleted, or hidden by a moderator, since the page was loaded.
        Err(problem) if problem.code() != ProblemCode::NotFound => Err(problem),
        _ => Ok(back(origin)),
    }
}
