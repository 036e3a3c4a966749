//! Authors of designs and decks.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::designs::authors::{self, AuthorResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::cacheable;
use crate::memory::rendered::Freshness;

/// Shows an author: the numbers of public designs, public decks and followers, the mean rating and badges.
///
/// 404 for an account without a design in the gallery, a public deck and a badge, and for a banned account.
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
