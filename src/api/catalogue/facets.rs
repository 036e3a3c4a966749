//! Facets: the values that the cards of a game have, and the number of cards with each value.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::card_query::require_syntax;
use crate::app::catalogue::facets::{self, FacetsResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{Caller, ClientNetwork, LooseParams};

/// Which cards to count.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct FacetsQuery {
    /// Code of a set.
    #[param(value_type = Option<String>, example = "hearth")]
    set: Option<Code>,
    /// A query in the language of `/docs/search`: only cards that match are counted. Terms that cannot be used are reported in `warnings`; terms
    /// about order and printings are ignored.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:fire attack>=300")]
    q: Option<String>,
}

/// Counts how many cards of a game have each value.
///
/// Only cards that the caller may see and that match `q` are counted. A card that has two values of a facet is counted for both, also if two printings
/// have them. Numbers are counted like other values.
#[utoipa::path(
    get, path = "/v1/games/{game}/facets", tag = "catalogue", security((), ("bearer" = [])),
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), FacetsQuery),
    responses((status = 200, body = FacetsResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_facets(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    game: web::Path<Code>,
    query: LooseParams<FacetsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &FacetsQuery| require_syntax(query.q.as_deref().unwrap_or_default());
    let query = query.sound(check).await?;
    let set = query.set.as_ref().map(Code::lower_case);
    let text = query.q.as_deref().unwrap_or_default();
    let answer = facets::count(&state, network.0, caller.viewer(), &game, set, text).await?;
    Ok(answer.answer(&req))
}
