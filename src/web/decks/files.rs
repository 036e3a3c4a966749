//! Files of a deck: exports to the dialects of other programs, and charts. Both contain what the visitor may see.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use crate::app::decks::deck_charts::{self, ChartRequest, ThemeWord};
use crate::app::decks::deck_exports::{self, ExportedDeck, read_dialect};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::disposition::named_export;
use crate::http::extract::ClientNetwork;
use crate::http::picture::picture_answer;
use crate::memory::rendered::{Freshness, Rendered};
use crate::web::headers::stay_apart;
use crate::web::page::answer;
use crate::web::session::Visitor;

/// The dialect of the export.
#[derive(Deserialize)]
pub(in crate::web) struct ExportQuery {
    dialect: String,
}

/// Exports a deck in a dialect.
pub(in crate::web) async fn export(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: web::Query<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (visitor.must().ok(), (visitor.viewer(), network.0));
    let dialect = read_dialect(Some(&query.dialect))?;
    let exported = deck_exports::export(&state, reads.as_ref(), requester, DeckId(*deck), dialect);
    let ExportedDeck { name, dialect, written } = exported.await?;
    let file = Rendered::file(freshness(&visitor), "text/plain; charset=utf-8", written.text);
    Ok(by_cookie(named_export(answer(&req, &file), &name, dialect)))
}

/// The chart to draw.
#[derive(Deserialize)]
pub(in crate::web) struct ChartQuery {
    of: String,
    zone: Option<String>,
    #[serde(default)]
    theme: ThemeWord,
}

/// Draws a chart of a deck.
pub(in crate::web) async fn draw_chart(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: web::Query<ChartQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (visitor.must().ok(), (visitor.viewer(), network.0));
    let ChartQuery { of, zone, theme } = query.into_inner();
    let request = ChartRequest { of, zone, width: None, theme };
    let chart =
        deck_charts::draw(&state, reads.as_ref(), requester, DeckId(*deck), request).await?;
    let mut answer = picture_answer(&req, &chart);
    if freshness(&visitor) == Freshness::Never {
        let never = HeaderValue::from_static("private, no-store");
        answer.headers_mut().insert(header::CACHE_CONTROL, never);
    }
    stay_apart(answer.headers_mut());
    Ok(by_cookie(answer))
}

/// Caches must not store a response for a logged-in visitor. The response for strangers must be revalidated each time, because a deck may become private at any
/// moment.
pub(super) fn freshness(visitor: &Visitor) -> Freshness {
    if visitor.is_stranger() { Freshness::Private } else { Freshness::Never }
}

/// Marks the response as different for each reader.
pub(super) fn by_cookie(mut answer: HttpResponse) -> HttpResponse {
    answer.headers_mut().append(header::VARY, HeaderValue::from_static("Cookie"));
    answer
}
