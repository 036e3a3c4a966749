//! Files of a deck: exports to the dialects of other programs, and charts. Both contain what the visitor may see. What a dialect cannot express is listed first.

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::deck::answer_to;
use super::deck_path;
use super::words as deck_words;
use crate::app::decks::deck_charts::{self, ChartRequest, ThemeWord};
use crate::app::decks::deck_exports::{self, ExportedDeck, LostParts, read_dialect};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::DeckId;
use crate::http::disposition::named_export;
use crate::http::extract::ClientNetwork;
use crate::http::picture::picture_answer;
use crate::memory::rendered::{Freshness, Rendered};
use crate::web::headers::stay_apart;
use crate::web::page::{Frame, Place, answer, path_of};
use crate::web::session::Visitor;
use crate::web::words;

/// The value of `losses` with which a deck is exported although parts of it are lost.
const ACCEPTED: &str = "accepted";

/// The dialect of the export, and whether the visitor has read what it cannot express.
#[derive(Deserialize)]
pub(in crate::web) struct ExportQuery {
    dialect: String,
    #[serde(default)]
    losses: String,
}

#[derive(Template)]
#[template(path = "web/decks/export.html")]
struct ExportPage {
    frame: Frame,
    heading: String,
    deck: String,
    name: String,
    /// How many cards are left out; `None`: the text has all.
    left_out: Option<String>,
    losses: Vec<LossView>,
    /// The path of the export with these losses.
    file: String,
}

/// A part of entries that is lost.
struct LossView {
    text: String,
    /// Empty: the loss concerns the whole deck.
    entries: Vec<String>,
}

impl LossView {
    fn new(LostParts { kind, entries }: &LostParts) -> Self {
        let entry = entries.iter().map(|lost| deck_words::entry(lost.quantity, &lost.card));
        Self { text: deck_words::loss(*kind), entries: entry.collect() }
    }
}

impl ExportPage {
    fn new(deck: DeckId, exported: &ExportedDeck) -> Self {
        let ExportedDeck { name, dialect, losses, left_out: (left_out, all), .. } = exported;
        let (path, code) = (deck_path(deck.0), dialect.code());
        let heading = deck_words::export_of(name, &deck_words::dialect(code));
        let file = [("dialect", code), ("losses", ACCEPTED)];
        Self {
            frame: Frame::new(&heading).at(Place::Decks),
            heading,
            name: name.clone(),
            left_out: (*left_out > 0).then(|| deck_words::cards_left_out(*left_out, *all)),
            losses: losses.iter().map(LossView::new).collect(),
            file: path_of(&format!("{path}/export"), &file),
            deck: path,
        }
    }
}

/// Exports a deck in a dialect. If the dialect cannot express a part of it, a page first lists what is lost, with a link to the export without it.
pub(in crate::web) async fn export(
    req: HttpRequest,
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    deck: web::Path<Uuid>,
    query: web::Query<ExportQuery>,
) -> Result<HttpResponse, Problem> {
    let (reads, requester) = (visitor.must().ok(), (visitor.viewer(), network.0));
    let (id, dialect) = (DeckId(*deck), read_dialect(Some(&query.dialect))?);
    let exported = deck_exports::export(&state, reads.as_ref(), requester, id, dialect).await?;
    if !exported.losses.is_empty() && query.losses != ACCEPTED {
        return answer_to(&req, &visitor, &ExportPage::new(id, &exported));
    }
    let ExportedDeck { name, dialect, written, .. } = exported;
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
