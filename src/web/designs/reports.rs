//! Reports of abuse, as players create them.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;
use uuid::Uuid;

use super::faults::faults_of;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::abuse_reports::{self, Reported};
use crate::app::designs::design_lifecycle;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReportAbuse};
use crate::domain::designs::abuse_report::AbuseReason;
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{CommentId, SuggestionId};
use crate::http::extract::Form;
use crate::web::forms::{Choice, Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::session::{Player, Visitor};
use crate::web::words;

/// The reported part of a design; empty: the design itself.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in crate::web) struct ReportedPart {
    comment: Option<Uuid>,
    suggestion: Option<Uuid>,
}

impl ReportedPart {
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
    /// Whether the report was stored.
    is_done: bool,
}

/// Shows the form of a report.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    design: web::Path<String>,
    about: web::Query<ReportedPart>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let page = page(&state, &by.visitor, code, *about, Faults::none()).await?;
    private(200, &page)
}

async fn page(
    app: &AppState,
    visitor: &Visitor,
    code: DesignCode,
    about: ReportedPart,
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

/// The fields of the form.
#[derive(Deserialize)]
pub(in crate::web) struct TypedReport {
    #[serde(default)]
    reason: String,
    #[serde(default)]
    details: String,
    /// Empty if the report is not about a comment; the next field is similar.
    #[serde(default)]
    comment: String,
    #[serde(default)]
    suggestion: String,
}

/// Stores a report.
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
    let about = ReportedPart { comment: id(&typed.comment)?, suggestion: id(&typed.suggestion)? };
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
