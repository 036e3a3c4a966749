//! Abuse reports about designs, comments on designs and decks, suggested changes and players.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::designs::abuse_reports::{
    self, AbuseReportResponse, CreatedReportResponse, ReportFilter, Reported, Verdict,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{ModerateDesigns, ReportAbuse};
use crate::domain::designs::abuse_report::{AbuseDecision, AbuseReason};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AbuseReportId, AccountId, CommentId, DeckId, SuggestionId};
use crate::http::extract::{Judge, JudgedBody, LooseParams, May, cacheable};
use crate::memory::rendered::Freshness;

/// What you report: a design, a comment on one or on a deck, a change that somebody suggested for yours, or a player.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "design": "D-7KQ2X0FM9F", "reason": "copyright", "details": "The picture is on the cover of a book." }))]
pub struct ReportAbuseRequest {
    /// Identifier of the design.
    #[serde(default)]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: Option<String>,
    /// Id of a deck, instead of a design, with the comment that you report.
    #[serde(default)]
    pub deck: Option<Uuid>,
    /// Id of a comment on that design or deck, if it is the comment that you report.
    #[serde(default)]
    pub comment: Option<Uuid>,
    /// Id of a change that somebody suggested for that design, which is yours, if it is the suggestion that you report.
    #[serde(default)]
    pub suggestion: Option<Uuid>,
    /// Id of a player, instead of a design.
    #[serde(default)]
    pub account: Option<Uuid>,
    /// What is wrong.
    #[schema(value_type = AbuseReason, example = "copyright")]
    pub reason: String,
    /// More about it, at most 1000 characters; `other` needs it.
    #[serde(default)]
    #[schema(max_length = 1000)]
    pub details: Option<String>,
}

/// A parsed report.
struct Report {
    reported: Reported,
    reason: AbuseReason,
    details: Option<String>,
}

impl ReportAbuseRequest {
    fn parse(&self) -> Result<Report, Problem> {
        let mut faults = Vec::new();
        let mut fault =
            |pointer: &str, detail: String| faults.push(InputFault::at(pointer, detail));
        let design = self.design.as_deref().map(DesignCode::parse).transpose();
        let design = design.unwrap_or_else(|error| {
            fault("/design", error.to_string());
            None
        });
        let deck = self.deck.map(DeckId);
        let reported = match (design, deck, self.comment, self.suggestion, self.account) {
            (Some(design), None, None, None, None) => Some(Reported::Design(design)),
            (Some(design), None, Some(comment), None, None) => {
                Some(Reported::Comment(design, CommentId(comment)))
            }
            (Some(design), None, None, Some(suggestion), None) => {
                Some(Reported::Suggestion(design, SuggestionId(suggestion)))
            }
            (None, Some(deck), Some(comment), None, None) => {
                Some(Reported::DeckComment(deck, CommentId(comment)))
            }
            (None, None, None, None, Some(account)) => Some(Reported::Account(AccountId(account))),
            _ if self.design.is_some() && design.is_none() => None,
            _ => {
                let detail = "must name a design, a design with a comment or a suggestion, a deck with a comment, or an account";
                fault("", detail.to_owned());
                None
            }
        };
        let reason = abuse_reports::read_reason(&self.reason, self.details.as_deref());
        let reason = reason.map_err(|found| faults.extend(found));
        match (reported, reason) {
            (Some(reported), Ok((reason, details))) if faults.is_empty() => {
                Ok(Report { reported, reason, details })
            }
            _ => Err(Problem::invalid(faults)),
        }
    }
}

impl Judge for ReportAbuseRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Reports a design, a comment, a suggested change or a player to the moderators.
///
/// Nobody else learns who reported what. To report the same again while it waits changes nothing.
#[utoipa::path(
    post, path = "/v1/abuse-reports", tag = "designs", security(("bearer" = [])), request_body = ReportAbuseRequest,
    responses(
        (status = 200, body = CreatedReportResponse, description = "You have reported the same before, and it still waits."),
        (status = 201, body = CreatedReportResponse),
        (status = 404, description = "`not_found`: there is no such thing, or you cannot see it."),
        (status = 409, description = "`own_report`: it is yours."),
        (status = 422, description = "`invalid_body`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn report_abuse(
    state: web::Data<AppState>,
    by: May<ReportAbuse>,
    JudgedBody(body): JudgedBody<ReportAbuseRequest>,
) -> Result<HttpResponse, Problem> {
    let Report { reported, reason, details } = body.value.parse()?;
    let created = abuse_reports::create(&state, &by, reported, reason, details.as_deref()).await?;
    let mut response = if created.repeated { HttpResponse::Ok() } else { HttpResponse::Created() };
    Ok(response.insert_header(("cache-control", "no-store")).json(created))
}

/// Which reports.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AbuseReportsQuery {
    /// Those that were decided, instead of those that wait.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    decided: bool,
    /// Only those about what this account made, or about the account itself.
    #[param(value_type = Option<Uuid>)]
    accused: Option<Uuid>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the reports that wait for a moderator; what was reported first comes first.
#[utoipa::path(
    get, path = "/v1/abuse-reports", tag = "designs", security(("bearer" = [])), params(AbuseReportsQuery),
    responses((status = 200, body = Page<AbuseReportResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_abuse_reports(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ModerateDesigns>,
    query: LooseParams<AbuseReportsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &AbuseReportsQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, after): (_, Option<Uuid>) = query.checked(check).await?;
    let after = after.map(AbuseReportId);
    let filter = ReportFilter { decided: query.decided, accused: query.accused.map(AccountId) };
    let page = abuse_reports::list(&state, &by, filter, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a report to moderators, decided or not.
#[utoipa::path(
    get, path = "/v1/abuse-reports/{report}", tag = "designs", security(("bearer" = [])),
    params(("report" = Uuid, Path, description = "Id of the report")),
    responses((status = 200, body = AbuseReportResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_abuse_report(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ModerateDesigns>,
    report: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let report = abuse_reports::find(&state, &by, AbuseReportId(*report)).await?;
    cacheable(&req, Freshness::Private, None, &report)
}

/// What a moderator decides about a report.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "decision": "upheld", "note": "Copied from a book." }))]
pub struct DecideReportRequest {
    /// `upheld` or `dismissed`.
    #[schema(value_type = AbuseDecision, example = "upheld")]
    pub decision: String,
    /// Why: 1 to 2000 characters. The author of a design that is taken down reads it.
    #[schema(example = "Copied from a book.", min_length = 1, max_length = 2000)]
    pub note: String,
    /// Whether the decision is about the artwork of the design, too: `upheld` takes it down wherever it is shown, and nobody can upload it again; `dismissed` shows it again.
    #[serde(default)]
    #[schema(example = false)]
    pub artwork: bool,
}

impl DecideReportRequest {
    fn parse(&self) -> Result<(AbuseDecision, String), Problem> {
        abuse_reports::read_decision(&self.decision, &self.note)
    }
}

impl Judge for DecideReportRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

/// Decides about a report, and about all others that wait and are about the same.
///
/// `upheld` takes a design down, hides a comment, or hides a suggestion from the author of the design. Only its author and moderators see a design that was taken
/// down, and its author can do nothing with it; its identifier and its revisions stay.
/// What happens to players is for admins to say. `dismissed` shows again what was taken down or hidden. A decision can be taken again in another way; the last one
/// holds. Nobody decides about their own case.
#[utoipa::path(
    post, path = "/v1/abuse-reports/{report}/decide", tag = "designs", security(("bearer" = [])), request_body = DecideReportRequest,
    params(("report" = Uuid, Path, description = "Id of the report")),
    responses(
        (status = 200, body = AbuseReportResponse),
        (status = 409, description = "`own_report`; `design_name_taken`: another design has its name meanwhile."),
        (status = 422, description = "`invalid_body`"),
    )
)]
pub async fn decide_abuse_report(
    state: web::Data<AppState>,
    by: May<ModerateDesigns>,
    report: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<DecideReportRequest>,
) -> Result<HttpResponse, Problem> {
    let (decision, note) = body.value.parse()?;
    let verdict = Verdict { decision, note: &note, artwork: body.value.artwork };
    let decided = abuse_reports::decide(&state, &by, AbuseReportId(*report), &verdict).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(decided))
}
