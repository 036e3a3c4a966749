//! Comments that the author of a design hid: listed, hidden and shown again.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::comments::{CommentChoice, CommentReader, CommentView};
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle;
use crate::app::feedback::hidden_comments::{self, HiddenReader};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns};
use crate::domain::ids::CommentId;
use crate::web::forms::private;
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// Comments on a page.
const COMMENTS: u16 = 20;

/// Which page of the hidden comments.
#[derive(Debug, Default, Deserialize)]
pub(in crate::web) struct HiddenQuery {
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/designs/hidden_comments.html")]
struct HiddenPage {
    frame: Frame,
    /// The page of the design.
    path: String,
    comments: Vec<CommentView>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Lists comments that the author of a design hid: all of them for the author and for moderators, otherwise those by the visitor.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    design: web::Path<String>,
    query: web::Query<HiddenQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let from: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(COMMENTS).map_err(Problem::internal)?;
    let moderator = by.visitor.must().ok();
    let reader = match &moderator {
        Some(moderator) => HiddenReader::Moderator(moderator),
        None => HiddenReader::Player(by.account()),
    };
    let page = hidden_comments::list(&state, &reader, code.into(), from.map(CommentId), limit);
    let page = page.await?;
    let is_owner = design_lifecycle::find(&state, Some(&by.granted), None, code).await?.is_own;
    let (reader, now) =
        (CommentReader { account: Some(by.account()), is_owner }, state.clock.now());
    let path = design_path(code);
    let list = format!("{path}/hidden-comments");
    let page = HiddenPage {
        frame: Frame::new(design_words::HIDDEN_COMMENTS).at(Place::Designs),
        comments: page
            .data
            .into_iter()
            .map(|comment| CommentView::new(comment, reader, now))
            .collect(),
        first_path: query.cursor.as_ref().map(|_| list.clone()),
        next_path: page.next_cursor.map(|cursor| format!("{list}?cursor={cursor}")),
        path,
    };
    private(200, &page)
}

/// Hides a comment on a design of the visitor.
pub(in crate::web) async fn hide(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    // A comment that cannot be hidden is gone or hidden already, for example by a double click. On a design of somebody else nothing happens.
    hidden_comments::hide(&state, &by, code, CommentId(id)).await?;
    Ok(see_other(&format!("{}#comments", design_path(code))))
}

/// Shows a comment again that the visitor hid.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    match hidden_comments::show(&state, &by, code, CommentId(id)).await {
        // A comment that is gone was deleted, or hidden by a moderator, since the page was loaded.
        Err(problem) if problem.code() != ProblemCode::NotFound => Err(problem),
        _ => Ok(see_other(&format!("{}#comments", design_path(code)))),
    }
}
