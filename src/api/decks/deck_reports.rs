//! What is wrong with a deck: the engine's report, made with the cards that the caller may see.

use actix_web::{HttpRequest, HttpResponse, web};
use cardscape_engine::{Date, TextEncoding, parse_deck_text};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::decks::deck_input::DeckDialectWord;
use crate::app::decks::deck_legalities::{self, DeckLegalitiesResponse};
use crate::app::decks::deck_report_batches::{
    self, DeckReportBatchRequest, DeckReportBatchResponse,
};
use crate::app::decks::deck_reports::{
    self, DeckReportRequest, DeckReportResponse, DeckReportsResponse,
};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::extract::{
    Body, Caller, ClientNetwork, Judge, ListBody, ListUpload, Params, cacheable,
};
use crate::memory::rendered::Freshness;

/// By which rules.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// The day whose rules and limit lists are applied, `YYYY-MM-DD`; absent: today.
    #[param(value_type = Option<String>, format = Date, example = "2026-11-01")]
    on: Option<Date>,
}

/// Judges a stored deck by the rules of its format.
///
/// The deck must be public, unlisted or yours. The report lists every violation with the broken rule, the limit and the actual number. Cards that are
/// hidden from you count as unknown cards.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/report", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ReportQuery),
    responses(
        (status = 200, body = DeckReportResponse),
        (status = 304, description = "Not changed."),
        (status = 422, description = "`unknown_format`: the deck's format does not exist, or does not exist on that day."),
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
    let (reader, requester) = (caller.may(), (caller.viewer(), network.0));
    let (id, day) = (DeckId(*deck), query.on);
    let report = deck_reports::judge_stored(&state, reader.as_ref(), requester, id, day).await?;
    // Private even for strangers: a public deck may turn private at any moment.
    cacheable(&req, Freshness::Private, None, &report)
}

/// The values that accompany a list that is sent as text.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadedListQuery {
    /// For a list as the body: format by which the list is judged. It may only be absent if the list states its format.
    format: Option<String>,
    /// For a list as the body: the day whose rules and limit lists are applied, `YYYY-MM-DD`; absent: today.
    #[param(value_type = Option<String>, format = Date)]
    on: Option<Date>,
    /// For a list as the body: dialect of the list; absent: the dialect is recognised.
    #[param(inline, value_type = Option<DeckDialectWord>)]
    dialect: Option<String>,
}

impl ListUpload for DeckReportRequest {
    type Query = UploadedListQuery;

    fn of_list(
        query: UploadedListQuery,
        list: String,
        encoding: TextEncoding,
    ) -> Result<Self, Problem> {
        let format = query.format.or_else(|| parse_deck_text(&list).notes.remove("format"));
        let format = format.ok_or_else(|| {
            let detail = "is needed, because the list does not say its format";
            Problem::of_query(vec![InputFault::at("?format", detail)])
        })?;
        let (format, list) = (Some(format), Some(list));
        let UploadedListQuery { on, dialect, .. } = query;
        Ok(Self { format, formats: None, on, entries: None, list, dialect, encoding })
    }
}

/// What the games decide is left to the use case.
impl Judge for DeckReportRequest {
    fn judge(&self) -> Result<(), Problem> {
        let faults = self.format_faults();
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}

/// Judges a deck list without storing it.
///
/// The body is JSON, or the list itself, in UTF-8, UTF-16 or Windows-1252: as `text/plain`, as a table or as a file. Its dialect and encoding are recognised,
/// whatever its media type is. Lists of other programs and share codes are accepted, too:
/// `reading` reports how each line was read.
#[utoipa::path(
    post, path = "/v1/deck-reports", tag = "decks", security((), ("bearer" = [])),
    request_body(content((DeckReportRequest = "application/json"), (String = "text/plain", example = "// format: ttcg/standard\n2 Kettle Imp\n1 Belows Smith\n"),
        (String = "text/csv", example = "Quantity,Name\n2,Kettle Imp\n1,Bellows Smith\n"),
        (String = "text/tab-separated-values", example = "Quantity\tName\n2\tKettle Imp\n1\tBellows Smith\n"),
        (String = "application/octet-stream", example = "2 Kettle Imp\n1 Bellows Smith\n"))),
    params(UploadedListQuery),
    responses(
        (status = 200, body = DeckReportsResponse),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
    )
)]
pub async fn create_deck_report(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    request: ListBody<DeckReportRequest>,
) -> Result<HttpResponse, Problem> {
    let requester = (caller.viewer(), network.0);
    let is_list = request.is_list();
    let reports = deck_reports::judge_list(&state, requester, request.body.value).await;
    let reports =
        reports.map_err(|problem| ListBody::<DeckReportRequest>::problem(is_list, problem))?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(reports))
}

/// Judges up to 100 deck lists by the same rules, without storing them.
///
/// If one of the lists has a fault, none is judged, and the faults of all lists are reported. Unknown, missing or mistyped members
/// are reported first: the lists are read when there are no such faults. Of more than 100 of them, 100 are listed, at least one for each list that has some.
#[utoipa::path(
    post, path = "/v1/deck-reports/batch", tag = "decks", security((), ("bearer" = [])), request_body = DeckReportBatchRequest,
    responses(
        (status = 200, body = DeckReportBatchResponse),
        (status = 422, description = "`invalid_body`, `unreadable_deck_list`, `unknown_format`"),
    )
)]
pub async fn create_deck_reports(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    body: Result<Body<DeckReportBatchRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let body = body.map_err(deck_report_batches::with_positions)?;
    let requester = (caller.viewer(), network.0);
    let reports = deck_report_batches::judge_batch(&state, requester, body.value).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(reports))
}

/// Shows in which formats of its game a deck is legal.
///
/// The deck must be public, unlisted or yours.
#[utoipa::path(
    get, path = "/v1/decks/{deck}/legalities", tag = "decks", security((), ("bearer" = [])),
    params(("deck" = Uuid, Path, description = "Id of the deck"), ReportQuery),
    responses(
        (status = 200, body = DeckLegalitiesResponse),
        (status = 304, description = "Not changed."),
    )
)]
pub async fn find_deck_legalities(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: Params<ReportQuery>,
) -> Result<HttpResponse, Problem> {
    let (reader, requester) = (caller.may(), (caller.viewer(), network.0));
    let id = DeckId(*deck);
    let legalities =
        deck_legalities::judge_everywhere(&state, reader.as_ref(), requester, id, query.on).await?;
    cacheable(&req, Freshness::Private, None, &legalities)
}
