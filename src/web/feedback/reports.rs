//! Reports of abuse, as players create them.

use actix_web::HttpResponse;
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::Origin;
use super::words as feedback_words;
use crate::app::designs::abuse_reports::{self, Reported};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReportAbuse};
use crate::domain::designs::abuse_report::AbuseReason;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// The text of the reason of a report, by its code.
pub(in crate::web) fn reason_in_words(code: &str) -> &str {
    match AbuseReason::parse(code) {
        Some(reason) => feedback_words::reason(reason),
        None => code,
    }
}

/// What is reported, and the page on which the report begins.
pub(in crate::web) struct ReportSubject {
    pub(in crate::web) origin: Origin,
    pub(in crate::web) reported: Reported,
    /// The heading of the form.
    pub(in crate::web) about: &'static str,
    /// The text of the link that leads back.
    pub(in crate::web) back: &'static str,
    /// Name and value of the field that names what is reported; `None`: the form has none.
    pub(in crate::web) part: Option<(&'static str, String)>,
}

#[derive(Template)]
#[template(path = "web/feedback/report.html")]
struct ReportPage {
    frame: Frame,
    faults: Faults,
    origin: Origin,
    about: &'static str,
    back: &'static str,
    part: Option<(&'static str, String)>,
    reasons: Vec<Choice>,
    details: String,
    /// Whether the report was stored.
    is_done: bool,
}

/// The fields of the form.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::web) struct TypedReport {
    reason: String,
    details: String,
    /// Empty if the report is not about a comment; the next fields are similar.
    comment: String,
    suggestion: String,
    author: String,
    /// `deck` if the deck is reported. Without it, the form of an older program is about the author.
    about: String,
}

impl TypedReport {
    /// The id of the reported comment. An invalid id answers 404; the next functions are similar.
    pub(in crate::web) fn comment(&self) -> Result<Option<Uuid>, Problem> {
        id_of(&self.comment)
    }

    pub(in crate::web) fn suggestion(&self) -> Result<Option<Uuid>, Problem> {
        id_of(&self.suggestion)
    }

    pub(in crate::web) fn author(&self) -> Result<Option<Uuid>, Problem> {
        id_of(&self.author)
    }

    /// Whether the form says that it is about the deck. Any other value is a 404.
    pub(in crate::web) fn is_about_deck(&self) -> Result<bool, Problem> {
        match &*self.about {
            "" => Ok(false),
            "deck" => Ok(true),
            _ => Err(Problem::not_found()),
        }
    }
}

fn id_of(text: &str) -> Result<Option<Uuid>, Problem> {
    match text {
        "" => Ok(None),
        id => id.parse().map(Some).map_err(|_| Problem::not_found()),
    }
}

/// Shows the form of a report, if the visitor can report this.
pub(in crate::web) async fn show(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    subject: ReportSubject,
) -> Result<HttpResponse, Problem> {
    abuse_reports::require_subject(app, by, subject.reported).await?;
    private(PageStatus::OK, &page(subject, &TypedReport::default(), Faults::none()))
}

/// Shows the form of a report again, because the one that was sent does not say what it is about.
pub(in crate::web) async fn ask_again(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    subject: ReportSubject,
    typed: &TypedReport,
) -> Result<HttpResponse, Problem> {
    abuse_reports::require_subject(app, by, subject.reported).await?;
    let faults = Faults::one("", feedback_words::REPORT_PART_MISSING);
    private(PageStatus::INVALID_FORM, &page(subject, typed, faults))
}

fn page(subject: ReportSubject, typed: &TypedReport, faults: Faults) -> ReportPage {
    let ReportSubject { origin, about, back, part, .. } = subject;
    let reason = |reason: AbuseReason| {
        Choice::new(reason.as_str(), feedback_words::reason(reason), &typed.reason)
    };
    ReportPage {
        frame: Frame::new(feedback_words::REPORT).at(origin.place),
        faults,
        origin,
        about,
        back,
        part,
        reasons: AbuseReason::ALL.into_iter().map(reason).collect(),
        details: typed.details.clone(),
        is_done: false,
    }
}

/// Stores a report.
pub(in crate::web) async fn send(
    app: &AppState,
    by: &Granted<ReportAbuse>,
    subject: ReportSubject,
    typed: &TypedReport,
) -> Result<HttpResponse, Problem> {
    let written = async {
        let read = abuse_reports::read_reason(&typed.reason, Some(&typed.details));
        let (reason, details) = read.map_err(Problem::invalid)?;
        abuse_reports::create(app, by, subject.reported, reason, details.as_deref()).await
    };
    let Err(problem) = written.await else {
        return private(
            PageStatus::OK,
            &ReportPage { is_done: true, ..page(subject, typed, Faults::none()) },
        );
    };
    let fields = [("/reason", "reason"), ("/details", "details")];
    let faults = Faults::of_problem(&problem, &fields, feedback_words::fault);
    let Some(faults) = faults else { return Err(problem) };
    private(PageStatus::of(&problem), &page(subject, typed, faults))
}
