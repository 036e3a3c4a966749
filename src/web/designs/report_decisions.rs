//! Reports of what should not be there, decided by moderators.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::design::author_path;
use super::design_path;
use super::faults::faults_of;
use super::words as design_words;
use crate::app::designs::abuse_reports::{self, AbuseReportResponse, ReportFilter, Verdict};
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ModerateDesigns};
use crate::domain::designs::abuse_report::AbuseReason;
use crate::domain::ids::AbuseReportId;
use crate::http::extract::Form;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::session::{Player, see_other};
use crate::web::words;

/// A report, for moderators.
struct ReportView {
    path: String,
    about: &'static str,
    /// What it is about by name; empty: a player.
    name: String,
    /// Where that can be seen.
    subject: Option<String>,
    reason: String,
    details: Option<String>,
    accused: String,
    accused_path: String,
    reporter: String,
    day: String,
    at: String,
    /// What the comment or the suggestion says.
    said: Option<String>,
    /// What was decided, and why.
    decided: Option<(String, String)>,
}

impl ReportView {
    fn new(report: AbuseReportResponse) -> Self {
        let subject = match (&report.design, report.deck) {
            (Some(design), _) => Some(design_path(design)),
            (None, Some(deck)) => Some(crate::web::decks::deck_path(deck)),
            (None, None) => None,
        };
        let suggested = report.suggested_design.as_ref().map(|design| {
            design.get("name").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        });
        Self {
            path: format!("/reviews/reports/{}", report.id),
            about: design_words::report_about(report.about),
            name: report.design_name.or(report.deck_name).unwrap_or_default(),
            subject,
            reason: AbuseReason::parse(report.reason)
                .map_or(report.reason, design_words::reason)
                .to_owned(),
            details: report.details,
            accused_path: author_path(&report.accused),
            accused: report.accused,
            reporter: report.reporter,
            day: words::day_of(report.created_at),
            at: report.created_at.to_rfc3339(),
            said: report.comment_text.or(match (report.suggestion_message, suggested) {
                (Some(message), Some(name)) if !name.is_empty() => {
                    Some(design_words::labelled(&name, &message))
                }
                (message, _) => message,
            }),
            decided: report.decision.map(|decision| {
                (
                    design_words::report_decision(decision).to_owned(),
                    report.note.unwrap_or_default(),
                )
            }),
        }
    }
}

/// Which reports.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct ReportsQuery {
    decided: bool,
    cursor: Option<Cursor>,
}

#[derive(Template)]
#[template(path = "web/designs/reports.html")]
struct ReportsPage {
    frame: Frame,
    is_decided: bool,
    reports: Vec<ReportView>,
    first_path: Option<String>,
    next_path: Option<String>,
}

/// Lists reports, the oldest first.
pub(in crate::web) async fn list(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    query: web::Query<ReportsQuery>,
) -> Result<HttpResponse, Problem> {
    let after: Option<Uuid> = Cursor::key_of(query.cursor.as_ref())?;
    let limit = PageLimit::try_from(ENTRIES).map_err(Problem::internal)?;
    let filter = ReportFilter { decided: query.decided, accused: None };
    let page = abuse_reports::list(&state, &by, filter, after.map(AbuseReportId), limit).await?;
    let path = if query.decided { "/reviews/reports?decided=true" } else { "/reviews/reports" };
    let and = if query.decided { '&' } else { '?' };
    private(
        200,
        &ReportsPage {
            frame: Frame::new(design_words::REPORTS),
            is_decided: query.decided,
            first_path: query.cursor.as_ref().map(|_| path.to_owned()),
            next_path: page.next_cursor.map(|cursor| format!("{path}{and}cursor={cursor}")),
            reports: page.data.into_iter().map(ReportView::new).collect(),
        },
    )
}

#[derive(Template)]
#[template(path = "web/designs/report_decide.html")]
struct WaitingReportPage {
    frame: Frame,
    faults: Faults,
    report: ReportView,
    has_artwork: bool,
    typed: TypedDecision,
}

/// A decision about a report, as a form sends it.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedDecision {
    decision: String,
    note: String,
    artwork: bool,
}

/// Shows a report, and the form of a decision about it.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    report: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (id, typed) = (AbuseReportId(*report), TypedDecision::default());
    show_decision(&state, &by, id, (200, Faults::none(), typed)).await
}

async fn show_decision(
    app: &AppState,
    by: &Granted<ModerateDesigns>,
    id: AbuseReportId,
    (status, faults, typed): (u16, Faults, TypedDecision),
) -> Result<HttpResponse, Problem> {
    let report = abuse_reports::find(app, by, id).await?;
    let page = WaitingReportPage {
        frame: Frame::new(design_words::REPORT_DECISION),
        faults,
        has_artwork: report.about == "design",
        report: ReportView::new(report),
        typed,
    };
    private(status, &page)
}

/// Decides a report, together with the others about the same.
pub(in crate::web) async fn decide(
    state: web::Data<AppState>,
    by: Player<ModerateDesigns>,
    report: web::Path<Uuid>,
    Form(typed): Form<TypedDecision>,
) -> Result<HttpResponse, Problem> {
    let id = AbuseReportId(*report);
    let decided = async {
        let (decision, note) = abuse_reports::read_decision(&typed.decision, &typed.note)?;
        let verdict = Verdict { decision, note: &note, artwork: typed.artwork };
        abuse_reports::decide(&state, &by, id, &verdict).await
    };
    match decided.await {
        Ok(_) => Ok(see_other("/reviews/reports")),
        Err(problem) => {
            let fields = [("/decision", "choice"), ("/note", "note")];
            let Some(faults) = faults_of(&problem, &fields) else { return Err(problem) };
            show_decision(&state, &by, id, (problem.code().status(), faults, typed)).await
        }
    }
}
