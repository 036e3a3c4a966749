//! Checks a typed deck list without storing it: violations, the reading of each line, and statistics.

use actix_web::{HttpResponse, web};
use askama::Template;
use cardscape_engine::{Game, TextEncoding, parse_deck_text};
use serde::Deserialize;

use super::availability::{AvailabilityView, find_availability_of_list};
use super::faults::faults_of;
use super::formats::{FormatGroup, choices, dialects};
use super::reading::ReadingView;
use super::report::ReportView;
use super::sheet::{CurveView, ZoneView, curves, zones};
use super::words as deck_words;
use crate::app::decks::deck_reports::{self, DeckReportRequest, ListSheet};
use crate::app::decks::list_additions::{self, TypedList};
use crate::app::decks::list_files::is_too_long;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::decks::list_addition::Addition;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place, Preview};
use crate::web::page_status::PageStatus;
use crate::web::session::Visitor;
use crate::web::words;

/// The path of the page and of its form.
const PATH: &str = "/decks/check";

/// The frame of a page on which a list is typed.
pub(super) fn builder_frame(heading: &str) -> Frame {
    let frame = Frame::new(heading).at(Place::Decks);
    Frame { script: Some(&frame.assets.deck_script), ..frame }
}

#[derive(Template)]
#[template(path = "web/decks/check.html")]
struct CheckPage<'a> {
    frame: Frame,
    faults: Faults,
    formats: Vec<FormatGroup>,
    dialects: Vec<Choice>,
    list: &'a str,
    /// Number of copies on the line to which a card was added.
    added: Option<u32>,
    judged: Option<Judged>,
}

impl CheckPage<'_> {
    /// The verdict or the first fault in one line, which a live region announces while the visitor types.
    fn status_text(&self) -> &str {
        let fault = self.faults.all().first().map(|fault| fault.text.as_str());
        self.judged.as_ref().map(|judged| &*judged.report.verdict).or(fault).unwrap_or_default()
    }
}

/// The result of the check of a list.
struct Judged {
    report: ReportView,
    reading: Option<ReadingView>,
    availability: Option<AvailabilityView>,
    zones: Vec<ZoneView>,
    curves: Vec<CurveView>,
}

/// The input of the form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct CheckForm {
    /// Empty: the format that the list states.
    format: String,
    list: String,
    /// Empty: the dialect is recognised.
    dialect: String,
    /// The name of a card that is added to the list before the check.
    card: String,
    /// Number of copies on the line to which the card was added.
    #[serde(skip)]
    added: Option<u32>,
}

/// The format to preselect, as a link to the form may state it.
#[derive(Deserialize)]
pub(in crate::web) struct CheckQuery {
    #[serde(default)]
    format: String,
}

/// Shows the form.
pub(in crate::web) async fn show_check(
    state: web::Data<AppState>,
    query: web::Query<CheckQuery>,
) -> Result<HttpResponse, Problem> {
    let form = CheckForm { format: query.into_inner().format, ..CheckForm::default() };
    show(&state, PageStatus::OK, &form, Faults::none(), None).await
}

/// Checks a list. Hidden cards are known if the visitor may see them.
pub(in crate::web) async fn check(
    state: web::Data<AppState>,
    visitor: Visitor,
    network: ClientNetwork,
    Form(mut form): Form<CheckForm>,
) -> Result<HttpResponse, Problem> {
    let requester = (visitor.viewer(), network.0);
    // Before anything reads the list, which may be as long as the form.
    if is_too_long(&form.list) {
        let faults = Faults::one("list", deck_words::list_too_long());
        return show(&state, PageStatus::INVALID_FORM, &form, faults, None).await;
    }
    if !form.card.trim().is_empty()
        && let Err(faults) = add_card(&state, requester, &mut form).await?
    {
        return show(&state, PageStatus::INVALID_FORM, &form, faults, None).await;
    }
    if form.list.trim().is_empty() {
        let faults = Faults::one("list", deck_words::NO_LIST);
        return show(&state, PageStatus::INVALID_FORM, &form, faults, None).await;
    }
    let format_of_list = || parse_deck_text(&form.list).notes.remove("format");
    let format =
        Some(form.format.clone()).filter(|format| !format.is_empty()).or_else(format_of_list);
    let Some(format) = format else {
        let faults = Faults::one("format", deck_words::NO_FORMAT);
        return show(&state, PageStatus::INVALID_FORM, &form, faults, None).await;
    };
    let request = DeckReportRequest {
        format: Some(format),
        formats: None,
        on: None,
        entries: None,
        list: Some(form.list.clone()),
        dialect: Some(form.dialect.clone()).filter(|dialect| !dialect.is_empty()),
        encoding: TextEncoding::Utf8,
    };
    let (judged, ListSheet { sheet, statistics, entries }) =
        match deck_reports::judge_list_with_sheet(&state, requester, request).await {
            Ok(judged) => judged,
            Err(problem) => {
                let Some(faults) = faults_of(&problem) else { return Err(problem) };
                return show(&state, PageStatus::of(&problem), &form, faults, None).await;
            }
        };
    let report = judged.reports.first();
    let report = report.ok_or_else(|| Problem::internal("no report for a format"))?;
    let games = state.all_games().await?;
    let game = games.iter().map(|loaded| &loaded.game).find(|game| game.code() == report.game);
    let game: &Game = game.ok_or_else(Problem::not_found)?;
    let judged = Judged {
        report: ReportView::new(game, state.today()?, report),
        reading: judged.reading.as_ref().map(|reading| ReadingView::new(game, reading)),
        availability: find_availability_of_list(&state, &visitor, &entries).await?,
        zones: zones(game.code(), &sheet),
        curves: curves(game, &statistics, None),
    };
    show(&state, PageStatus::OK, &form, Faults::none(), Some(judged)).await
}

/// Adds a card to the list; returns the faults.
async fn add_card(
    app: &AppState,
    requester: (Viewer, Network),
    form: &mut CheckForm,
) -> Result<Result<(), Faults>, Problem> {
    if form.format.is_empty() {
        return Ok(Err(Faults::one("format", deck_words::NO_FORMAT)));
    }
    let dialect = Some(form.dialect.as_str()).filter(|dialect| !dialect.is_empty());
    let list = TypedList { format: &form.format, text: &form.list, dialect };
    match list_additions::add(app, requester, list, form.card.trim()).await {
        Ok(Some(Addition { text, .. })) if is_too_long(&text) => {
            Ok(Err(Faults::one("list", deck_words::list_too_long())))
        }
        Ok(Some(Addition { text, quantity })) => {
            (form.list, form.added) = (text, Some(quantity));
            Ok(Ok(()))
        }
        Ok(None) => Ok(Err(Faults::one("list", deck_words::CANNOT_ADD))),
        Err(problem) => faults_of(&problem).map(Err).ok_or(problem),
    }
}

async fn show(
    app: &AppState,
    status: PageStatus,
    form: &CheckForm,
    faults: Faults,
    judged: Option<Judged>,
) -> Result<HttpResponse, Problem> {
    let heading = match &judged {
        Some(judged) => judged.report.verdict.as_str(),
        None => deck_words::CHECK,
    };
    let public = app.settings.public_url.as_deref();
    let mut frame = builder_frame(heading);
    if judged.is_none() && status == PageStatus::OK {
        frame = frame.of_address(public, PATH);
        frame.preview = Some(Preview {
            title: deck_words::CHECK.to_owned(),
            text: deck_words::CHECK_ABOUT.to_owned(),
            picture: None,
        });
    }
    let formats = choices(app, &form.format).await?;
    let (dialects, list, added) = (dialects(&form.dialect), form.list.as_str(), form.added);
    private(status, &CheckPage { frame, faults, formats, dialects, list, added, judged })
}
