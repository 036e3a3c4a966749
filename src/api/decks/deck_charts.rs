//! Charts of decks.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_charts::{self, ChartRequest, ThemeWord};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::extract::{Caller, ClientNetwork, Params};
use crate::http::picture::picture_answer;

/// Which chart.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ChartQuery {
    /// What the chart counts: `kind`, `set`, `rarity`, or the code of an attribute.
    #[param(example = "rank")]
    of: String,
    /// The zone, by its code, its name or an alias, in any case; absent: the main zone.
    zone: Option<String>,
    /// Width in pixels; the height depends on the chart.
    #[param(minimum = 320, maximum = 1200, default = 640)]
    width: Option<u32>,
    /// Theme of the page that shows the chart: `light` or `dark`; absent: `light`.
    #[serde(default)]
    #[param(inline)]
    theme: ThemeWord,
}

/// Draws a chart of the cards of a deck as SVG.
///
/// The deck must be public, unlisted or yours. Whole numbers are drawn as a curve, other values as shares. The chart has a text description for
/// screen readers. Cards that are hidden from you count as unknown cards, which are in no chart.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/chart", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ChartQuery),
    responses(
        (status = 200, content((String = "image/svg+xml", example = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 240\">…</svg>"))),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn draw_deck_chart(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<ChartQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (caller.may(), (caller.viewer(), network.0));
    let ChartQuery { of, zone, width, theme } = &*query;
    let request = ChartRequest { of: of.clone(), zone: zone.clone(), width: *width, theme: *theme };
    let chart =
        deck_charts::draw(&state, reads.as_ref(), requester, DeckId(*deck), request).await?;
    Ok(picture_answer(&req, &chart))
}
