//! What each format of its game says about a card (legalities).

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::Date;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::catalogue::card_legalities::{self, LegalitiesResponse};
use crate::app::catalogue::cards::freshness;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::CardId;
use crate::http::extract::{Caller, Params, cacheable};

/// On which day.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LegalitiesQuery {
    /// Use the rules of this day, `YYYY-MM-DD`; if it is absent, today (UTC).
    #[param(value_type = Option<String>, format = Date, example = "2026-11-21")]
    on: Option<Date>,
}

/// Lists the legality of a card in each format of its game, on a day.
///
/// The legality follows from the rules about single cards: limit lists, which cards a zone takes, and the contents of boxes. Rules that count the
/// cards of a deck are judged by deck reports. The list is empty while the card is hidden from the caller.
#[utoipa::path(
    get, path = "/v1/cards/{card}/legalities", tag = "catalogue", security((), ("bearer" = [])),
    params(("card" = Uuid, Path, description = "Id of the card"), LegalitiesQuery),
    responses(
        (status = 200, body = LegalitiesResponse),
        (status = 304, description = "Not changed."),
        (status = 308, description = "The card was merged into another card: its address is in `Location`."),
    )
)]
pub async fn list_legalities(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    card: web::Path<Uuid>,
    query: Params<LegalitiesQuery>,
) -> Result<HttpResponse, Problem> {
    let (viewer, card) = (caller.viewer(), CardId(*card));
    let on = query.on.map_or_else(|| state.today(), Ok)?;
    let found = card_legalities::list(&state, viewer, card, on).await?;
    found.answer(&req, |(body, hidden)| cacheable(&req, freshness(viewer, hidden), None, &body))
}
