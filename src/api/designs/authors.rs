//! Authors of designs and decks.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::designs::authors::{self, AuthorResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::cacheable;
use crate::memory::rendered::Freshness;

/// Shows an author: how many designs of theirs are in the gallery and how well they are rated, how many decks are public, and how many follow them.
///
/// 404 for accounts that have neither.
#[utoipa::path(
    get, path = "/v1/authors/{author}", tag = "designs",
    params(("author" = String, Path, description = "Name of the author", example = "ada")),
    responses((status = 200, body = AuthorResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_author(
    req: HttpRequest,
    state: web::Data<AppState>,
    author: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    cacheable(&req, Freshness::Public(0), None, &authors::find(&state, &author).await?)
}
