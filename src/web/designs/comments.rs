//! Comments on designs and replies to them: written, changed and deleted.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::design::{self, TypedFeedback};
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::design_lifecycle;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveFeedback, Granted, ReadOwnDesigns};
use crate::domain::designs::identifier::DesignCode;
use crate::http::extract::Form;
use crate::web::feedback::Origin;
use crate::web::feedback::comment_form::{self, EditedComment};
use crate::web::feedback::comments::{self as shared, CommentReader, RepliesQuery, TypedComment};
use crate::web::page::Place;
use crate::web::session::{Player, Visitor, see_other};

/// The page of a design, whose name is not looked up.
pub(super) fn origin(code: DesignCode) -> Origin {
    Origin {
        place: Place::Designs,
        list: "/designs",
        list_name: design_words::DESIGNS,
        path: design_path(code),
        name: design_words::THE_DESIGN.to_owned(),
    }
}

/// Lists all replies to a comment, oldest first, page by page.
pub(in crate::web) async fn list_replies(
    state: web::Data<AppState>,
    visitor: Visitor,
    path: web::Path<(String, Uuid)>,
    query: web::Query<RepliesQuery>,
) -> Result<HttpResponse, Problem> {
    let (design, id) = path.into_inner();
    let code = identifier(&design)?;
    let reads: Option<Granted<ReadOwnDesigns>> = visitor.must().ok();
    let is_owner = match &reads {
        Some(reads) => design_lifecycle::find(&state, Some(reads), None, code).await?.is_own,
        None => false,
    };
    let reader = CommentReader { account: reads.as_ref().map(Granted::account), is_owner };
    shared::list_replies(&state, origin(code), reader, (code.into(), id), &query).await
}

/// Creates a comment.
pub(in crate::web) async fn create(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    design: web::Path<String>,
    Form(typed): Form<TypedComment>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    match shared::create(&state, &by, code, "create_comment", typed).await? {
        Ok(()) => Ok(see_other(&format!("{}#comments", design_path(code)))),
        Err((status, faults, comment)) => {
            let typed = TypedFeedback { comment, ..TypedFeedback::default() };
            design::show(&state, &by.visitor, code, (status, faults, typed)).await
        }
    }
}

/// Shows one of the visitor's own comments, to change or delete it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let code = identifier(&design)?;
    comment_form::show(&state, origin(code), by.account(), (code.into(), comment)).await
}

/// Changes one of the visitor's own comments.
pub(in crate::web) async fn save(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
    Form(edited): Form<EditedComment>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let code = identifier(&design)?;
    comment_form::save(&state, &by, origin(code), (code, comment), edited).await
}

/// Deletes one of the visitor's own comments.
pub(in crate::web) async fn delete(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let code = identifier(&design)?;
    comment_form::delete(&state, &by, &origin(code), (code, comment)).await
}
