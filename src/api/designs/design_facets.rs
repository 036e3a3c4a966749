//! Facets of the gallery: the values of designs, and the number of designs with each.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::catalogue::card_query::require_syntax;
use crate::app::designs::design_facets::{self, DesignFacetsResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::code::Code;
use crate::http::extract::{ClientNetwork, LooseParams};

/// Which designs to count.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DesignFacetsQuery {
    /// A query in the language of `/docs/search`: only matching designs are counted. Terms that cannot be used are listed in `warnings`.
    #[param(value_type = Option<String>, max_length = 1000, example = "t:earth rank:1")]
    q: Option<String>,
}

/// Counts the designs of a game in the gallery, by the values that they have.
///
/// A design with two values of a facet counts for both. Only numbers and values that the manifest lists are counted. An answer may be half a minute old.
#[utoipa::path(
    get, path = "/v1/games/{game}/design-facets", tag = "designs",
    params(("game" = String, Path, description = "Code of the game", example = "ttcg"), DesignFacetsQuery),
    responses((status = 200, body = DesignFacetsResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_design_facets(
    req: HttpRequest,
    state: web::Data<AppState>,
    network: ClientNetwork,
    game: web::Path<Code>,
    query: LooseParams<DesignFacetsQuery>,
) -> Result<HttpResponse, Problem> {
    let check =
        async |query: &DesignFacetsQuery| require_syntax(query.q.as_deref().unwrap_or_default());
    let query = query.sound(check).await?;
    let text = query.q.as_deref().unwrap_or_default();
    Ok(design_facets::count(&state, network.0, &game, text).await?.answer(&req))
}
