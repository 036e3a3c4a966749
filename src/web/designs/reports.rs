//! Reports of designs, of comments on them, of suggested changes, and of authors.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use uuid::Uuid;

use super::design::author_path;
use super::words as design_words;
use super::{design_path, identifier};
use crate::app::designs::abuse_reports::Reported;
use crate::app::designs::{authors, design_lifecycle};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReportAbuse};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AccountId, CommentId, SuggestionId};
use crate::http::extract::Form;
use crate::web::feedback::Origin;
use crate::web::feedback::reports::{self as shared, ReportSubject, TypedReport};
use crate::web::feedback::words as feedback_words;
use crate::web::page::Place;
use crate::web::session::{Player, Visitor};

/// The reported part of a design; empty: the design itself.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub(in crate::web) struct ReportedPart {
    comment: Option<Uuid>,
    suggestion: Option<Uuid>,
}

/// Shows the form of a report.
pub(in crate::web) async fn show(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    design: web::Path<String>,
    about: web::Query<ReportedPart>,
) -> Result<HttpResponse, Problem> {
    let subject = subject(&state, &by.visitor, identifier(&design)?, *about).await?;
    shared::show(&state, &by, subject).await
}

/// Stores a report.
pub(in crate::web) async fn send(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    design: web::Path<String>,
    Form(typed): Form<TypedReport>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let about = ReportedPart { comment: typed.comment()?, suggestion: typed.suggestion()? };
    let subject = subject(&state, &by.visitor, code, about).await?;
    shared::send(&state, &by, subject, &typed).await
}

async fn subject(
    app: &AppState,
    visitor: &Visitor,
    code: DesignCode,
    about: ReportedPart,
) -> Result<ReportSubject, Problem> {
    let reads: Granted<ReadOwnDesigns> = visitor.must()?;
    let found = design_lifecycle::find(app, Some(&reads), None, code).await?;
    let (reported, heading, part) = match (about.comment, about.suggestion) {
        (Some(id), _) => {
            let comment = Reported::Comment(code, CommentId(id));
            (comment, feedback_words::REPORT_COMMENT, Some(("comment", id.to_string())))
        }
        (None, Some(id)) => {
            let suggestion = Reported::Suggestion(code, SuggestionId(id));
            (suggestion, design_words::REPORT_SUGGESTION, Some(("suggestion", id.to_string())))
        }
        (None, None) => (Reported::Design(code), design_words::REPORT_DESIGN, None),
    };
    let origin = Origin {
        place: Place::Designs,
        list: "/designs",
        list_name: design_words::DESIGNS,
        path: design_path(code),
        name: design_words::name_of(&found.design.content.name),
    };
    Ok(ReportSubject { origin, reported, about: heading, back: design_words::BACK_TO_DESIGN, part })
}

/// Shows the form of a report of an author.
pub(in crate::web) async fn show_author(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    author: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let subject = author_subject(&state, &author).await?;
    shared::show(&state, &by, subject).await
}

/// Stores a report of an author.
pub(in crate::web) async fn send_author(
    state: web::Data<AppState>,
    by: Player<ReportAbuse>,
    author: web::Path<String>,
    Form(typed): Form<TypedReport>,
) -> Result<HttpResponse, Problem> {
    let subject = author_subject(&state, &author).await?;
    shared::send(&state, &by, subject, &typed).await
}

async fn author_subject(app: &AppState, author: &str) -> Result<ReportSubject, Problem> {
    let found = authors::find(app, author).await?;
    let origin = Origin {
        place: Place::Designs,
        list: "/designs",
        list_name: design_words::DESIGNS,
        path: author_path(&found.name),
        name: found.name,
    };
    Ok(ReportSubject {
        origin,
        reported: Reported::Account(AccountId(found.account_id)),
        about: feedback_words::REPORT_PLAYER,
        back: design_words::BACK_TO_AUTHOR,
        part: None,
    })
}
