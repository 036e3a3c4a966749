//! Compares the registered copies of a set with the printed ones.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::printing::print_statistics::{self, PrintStatisticsResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::Caller;

/// Compares the printed copies of a set with the registered ones.
///
/// Hidden cards are left out, except for moderators and admins, because the rarities in which they exist are secret.
#[utoipa::path(
    get, path = "/v1/games/{game}/sets/{set}/print-statistics", tag = "serials", security((), ("bearer" = [])),
    params(
        ("game" = String, Path, description = "Code of the game", example = "ttcg"),
        ("set" = String, Path, description = "Code of the set", example = "veil"),
    ),
    responses((status = 200, body = PrintStatisticsResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_print_statistics(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    path: web::Path<(Code, Code)>,
) -> Result<HttpResponse, Problem> {
    let (game, set) = path.into_inner();
    let found = print_statistics::find(&state, game, set, caller.viewer()).await?;
    Ok(found.answer(&req))
}
