//! What is wrong with a deck: the engine's report, made with the eyes of whoever asks.

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::Date;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_reports::{
    self, DeckReportRequest, DeckReportResponse, DeckReportsResponse,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::extract::{Body, Caller, ClientNetwork, Params, cacheable};
use crate::memory::rendered::Freshness;

/// By which rules.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// By the rules and limit lists of this day, `YYYY-MM-DD`; absent: of today.
    #[param(value_type = Option<String>, format = Date, example = "2026-11-01")]
    on: Option<Date>,
}

/// Judges a stored deck: a public one, or one of yours.
///
/// The report lists every violation, each with the rule that is broken, the limit and the actual number. Cards that are hidden from you
/// are unknown cards in it.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/report", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ReportQuery),
    responses(
        (status = 200, body = DeckReportResponse),
        (status = 304, description = "The report is still what `If-None-Match` names."),
        (status = 422, description = "`unknown_format`: the deck's format is not there any more."),
    )
)]
pub async fn find_deck_report(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<ReportQuery>,
) -> Result<HttpResponse, Problem> {
    let (reader, asker) = (caller.may(), (caller.viewer(), network.0));
    let (id, day) = (DeckId(*deck), query.on);
    let report = deck_reports::judge_stored(&state, reader.as_ref(), asker, id, day).await?;
    // Private even for strangers: a public deck may turn private at any moment.
    cacheable(&req, Freshness::Private, None, &report)
}

/// Judges a deck list without storing it.
#[utoipa::path(
    post, path = "/v1/deck-reports", tag = "decks", security((), ("bearer" = [])), request_body = DeckReportRequest,
    responses(
        (status = 200, body = DeckReportsResponse),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
    )
)]
pub async fn create_deck_report(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    body: Body<DeckReportRequest>,
) -> Result<HttpResponse, Problem> {
    let asker = (caller.viewer(), network.0);
    let reports = deck_reports::judge_list(&state, asker, body.value).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(reports))
}
