//! Comments that the author of a design hid: listed, hidden and shown again.

use actix_web::{HttpResponse, web};
use uuid::Uuid;

use super::comments::origin;
use super::identifier;
use crate::app::designs::design_lifecycle;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{GiveFeedback, ReadOwnDesigns};
use crate::web::feedback::hidden_comments::{self as shared, HiddenQuery};
use crate::web::session::Player;

/// Lists comments that the author of a design hid: all of them for the author and for moderators, otherwise those by the visitor.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ReadOwnDesigns>,
    design: web::Path<String>,
    query: web::Query<HiddenQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let is_owner = design_lifecycle::find(&state, Some(&by.granted), None, code).await?.is_own;
    shared::list(&state, &by, origin(code), (code.into(), is_owner), &query).await
}

/// Hides a comment on a design of the visitor.
pub(in crate::web) async fn hide(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let code = identifier(&design)?;
    shared::hide(&state, &by, &origin(code), (code, comment)).await
}

/// Shows a comment again that the visitor hid.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<GiveFeedback>,
    path: web::Path<(String, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (design, comment) = path.into_inner();
    let code = identifier(&design)?;
    shared::show(&state, &by, &origin(code), (code, comment)).await
}
