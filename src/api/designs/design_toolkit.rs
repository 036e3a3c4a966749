//! The toolkit of a game: everything that a design editor needs.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::designs::design_toolkit::{self, DesignToolkitResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;

/// Shows everything that an editor of card designs needs to know about a game, in one document.
///
/// It is made from the manifest and the effect texts of the game: kinds with their attributes, types and bounds; rarities; totals that numbers must have; advice
/// for designers; limits; licences; and the templates of effect texts. `GET /v1/games/{game}/effect-templates/{number}/choices` shows step by step how a template
/// is filled. The `ETag` changes with the manifest and with the effect texts.
#[utoipa::path(
    get, path = "/v1/games/{game}/design-toolkit", tag = "designs",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg")),
    responses((status = 200, body = DesignToolkitResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_design_toolkit(
    req: HttpRequest,
    state: web::Data<AppState>,
    game: web::Path<Code>,
) -> Result<HttpResponse, Problem> {
    Ok(design_toolkit::find(&state, &game).await?.answer(&req))
}
