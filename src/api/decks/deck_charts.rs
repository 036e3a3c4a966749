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
    /// What is counted: `kind`, `set`, `rarity`, or the code of an attribute.
    #[param(example = "rank")]
    of: String,
    /// The zone; absent: the main zone.
    zone: Option<String>,
    /// Width in pixels; the height follows.
    #[param(minimum = 320, maximum = 1200, default = 640)]
    width: Option<u32>,
    /// The page that it stands in: `light` or `dark`.
    #[serde(default)]
    #[param(inline, default = "light")]
    theme: ThemeWord,
}

/// Draws a chart of a deck as SVG: a curve of whole numbers, or the shares of other values. A public or unlisted deck, or one of yours.
///
/// What is drawn is told to screen readers, too. Cards that are hidden from you are unknown cards, which are in no chart.
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
    let (reads, asker) = (caller.may(), (caller.viewer(), network.0));
    let ChartQuery { of, zone, width, theme } = &*query;
    let request = ChartRequest { of: of.clone(), zone: zone.clone(), width: *width, theme: *theme };
    let chart = deck_charts::draw(&state, reads.as_ref(), asker, DeckId(*deck), request).await?;
    Ok(picture_answer(&req, &chart))
}
