//! Reports of what should not be there: written by players, decided by moderators.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::design::author_path;
use super::faults::faults_of;
use super::gallery::Choice;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::abuse_reports::{
    self, AbuseReportResponse, ReportFilter, Reported, Verdict,
};
use crate::app::designs::design_lifecycle;
use crate::app::page::{Cursor, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ModerateDesigns, ReadOwnDesigns, ReportAbuse};
use crate::domain::designs::abuse_report::AbuseReason;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AbuseReportId, CommentId, SuggestionId};
use crate::http::extract::Form;
use crate::web::forms::{Faults, private};
use crate::web::page::{ENTRIES, Frame, Place};
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// What of a design is reported; nothing: the design itself.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in crate::web) struct About {
    comment: Option<Uuid>,
    suggestion: Option<Uuid>,
}

impl About {
    fn reported(self, code: DesignCode) -> Reported {
        match (self.comment, self.suggestion) {
            (Some(comment), _) => Reported::Comment(code, CommentId(comment)),
            (None, Some(suggestion)) => Reported::Suggestion(code, SuggestionId(suggestion)),
            (None, None) => Reported::Design(code),
        }
    }
}

#[derive(Template)]
#[template(path = "web/designs/report.html")]
struct ReportPage {
    frame: Frame,
    faults: Faults,
    name: String,
    design: String,
    about: &'static str,
    comment: Option<Uuid>,
    suggestion: Option<Uuid>,
    reasons: Vec<Choice>,
    details: String,
    /// Whether the report was written.
    is_done: bool,
}

/// Shows the form of a report.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    design: web::Path<String>,
    about: web::Query<About>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let page = page(&state, &by.visitor, code, *about, Faults::none()).await?;
    private(200, &page)
}

async fn page(
    app: &AppState,
    visitor: &Visitor,
    code: DesignCode,
    about: About,
    faults: Faults,
) -> Result<ReportPage, Problem> {
    let reads: Granted<ReadOwnDesigns> = visitor.must()?;
    let found = design_lifecycle::find(app, Some(&reads), None, code).await?;
    let reason = |reason: AbuseReason| Choice {
        value: reason.as_str().to_owned(),
        name: design_words::reason(reason).to_owned(),
        is_chosen: false,
    };
    Ok(ReportPage {
        frame: Frame::new(design_words::REPORT).at(Place::Designs),
        faults,
        name: design_words::name_of(&found.design.content.name),
        design: design_path(code),
        about: match (about.comment, about.suggestion) {
            (Some(_), _) => design_words::REPORT_COMMENT,
            (None, Some(_)) => design_words::REPORT_SUGGESTION,
            (None, None) => design_words::REPORT_DESIGN,
        },
        comment: about.comment,
        suggestion: about.suggestion.filter(|_| about.comment.is_none()),
        reasons: AbuseReason::ALL.into_iter().map(reason).collect(),
        details: String::new(),
        is_done: false,
    })
}

/// A report, as a form sends it.
#[derive(Deserialize)]
pub(in crate::web) struct TypedReport {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    details: String,
    #[serde(flatten)]
    about: TypedAbout,
}

/// Fields of the form that are empty where the report is about something else.
#[derive(Deserialize)]
struct TypedAbout {
    #[serde(default)]
    comment: String,
    #[serde(default)]
    suggestion: String,
}

/// Writes a report.
pub(in crate::web) async fn send(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    design: web::Path<String>,
    Form(typed): Form<TypedReport>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let id = |text: &str| match text {
        "" => Ok(None),
        id => id.parse().map(Some).map_err(|_| Problem::not_found()),
    };
    let about =
        About { comment: id(&typed.about.comment)?, suggestion: id(&typed.about.suggestion)? };
    let written = async {
        let read = abuse_reports::read_reason(&typed.reason, Some(&typed.details));
        let (reason, details) = read.map_err(Problem::invalid)?;
        let reported = about.reported(code);
        abuse_reports::create(&state, &by, reported, reason, details.as_deref()).await
    };
    match written.await {
        Ok(_) => {
            let page = page(&state, &by.visitor, code, about, Faults::none()).await?;
            private(200, &ReportPage { is_done: true, ..page })
        }
        Err(problem) => {
            let fields = [("/reason", "reason"), ("/details", "details")];
            let Some(faults) = faults_of(&problem, &fields) else { return Err(problem) };
            let mut page = page(&state, &by.visitor, code, about, faults).await?;
            for reason in &mut page.reasons {
                reason.is_chosen = reason.value == typed.reason;
            }
            page.details = typed.details;
            private(problem.code().status(), &page)
        }
    }
}

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
pub(in crate::web) async fn show_waiting(
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
