//! Abuse reports about designs, decks, comments on both, suggested changes and players.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::accounts::people::Person;
use crate::app::designs::abuse_reports::{
    self, AbuseReportResponse, CreatedReportResponse, ReportSelection, Reported, Verdict,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{ModerateDesigns, ReportAbuse};
use crate::domain::designs::abuse_report::{AbuseDecision, AbuseReason};
use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::{AbuseReportId, AccountId, CommentId, DeckId, SuggestionId};
use crate::http::extract::{Caller, Judge, JudgedBody, LooseParams, May, Moment, cacheable};
use crate::memory::rendered::Freshness;

/// A report to the moderators about a design, a deck, a comment on a design or deck, a suggested change of one of your designs, or a player.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "design": "D-7KQ2X0FM9F", "reason": "copyright", "details": "The picture is on the cover of a book." }))]
pub struct ReportAbuseRequest {
    /// Identifier of the reported design, or of the design with the reported comment or suggestion.
    #[serde(default)]
    #[schema(example = "D-7KQ2X0FM9F")]
    pub design: Option<String>,
    /// Id of the reported deck, or of the deck with the reported comment, instead of `design`.
    #[serde(default)]
    pub deck: Option<Uuid>,
    /// Id of the comment on that design or deck, if the report is about a comment.
    #[serde(default)]
    pub comment: Option<Uuid>,
    /// Id of the suggested change of that design, if the report is about a suggestion. The design must be yours.
    #[serde(default)]
    pub suggestion: Option<Uuid>,
    /// Name of the reported player, or id of the player's account, instead of `design` or `deck`.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "ben")]
    pub account: Option<Person>,
    /// Reason for the report.
    #[schema(value_type = AbuseReason, example = "copyright")]
    pub reason: String,
    /// Details, at most 1000 characters; empty details count as no details. Required if `reason` is `other`.
    #[serde(default)]
    #[schema(max_length = 1000)]
    pub details: Option<String>,
}

/// What a request reports.
enum Subject {
    Known(Reported),
    /// A player, whose account is not looked up yet.
    Player(Person),
}

impl Subject {
    async fn find(self, app: &AppState, by: AccountId) -> Result<Reported, Problem> {
        match self {
            Self::Known(reported) => Ok(reported),
            Self::Player(person) => Ok(Reported::Account(person.id(app, by).await?)),
        }
    }
}

/// A parsed report.
struct Report {
    subject: Subject,
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
        let known = |reported| Some(Subject::Known(reported));
        let subject = match (design, deck, self.comment, self.suggestion, &self.account) {
            (Some(design), None, None, None, None) => known(Reported::Design(design)),
            (Some(design), None, Some(comment), None, None) => {
                known(Reported::Comment(design, CommentId(comment)))
            }
            (Some(design), None, None, Some(suggestion), None) => {
                known(Reported::Suggestion(design, SuggestionId(suggestion)))
            }
            (None, Some(deck), None, None, None) => known(Reported::Deck(deck)),
            (None, Some(deck), Some(comment), None, None) => {
                known(Reported::DeckComment(deck, CommentId(comment)))
            }
            (None, None, None, None, Some(person)) => Some(Subject::Player(person.clone())),
            _ if self.design.is_some() && design.is_none() => None,
            _ => {
                let detail = "must name a design, a design with a comment or a suggestion, a deck, a deck with a comment, or an account";
                fault("", detail.to_owned());
                None
            }
        };
        let reason = abuse_reports::read_reason(&self.reason, self.details.as_deref());
        let reason = reason.map_err(|found| faults.extend(found));
        match (subject, reason) {
            (Some(subject), Ok((reason, details))) if faults.is_empty() => {
                Ok(Report { subject, reason, details })
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

/// Reports a design, a deck, a comment, a suggested change or a player to the moderators.
///
/// Only moderators see the report and who sent it. If you report the same thing again before a moderator has decided, the new reason and details replace the
/// earlier ones; a report without `details` leaves the earlier details. A report contains what you could read of a design, deck or comment when you sent it last and, if that
/// was something else, when you sent it first, whatever its author does since. You get the event `report.decided` when a moderator has decided.
#[utoipa::path(
    post, path = "/v1/abuse-reports", tag = "designs", security(("bearer" = [])), request_body = ReportAbuseRequest,
    responses(
        (status = 200, body = CreatedReportResponse, description = "You had already reported this, and no moderator has decided yet: your report now has the new reason and details."),
        (status = 201, body = CreatedReportResponse),
        (status = 404, description = "`not_found`: what you report does not exist, or you cannot see it."),
        (status = 409, description = "`own_report`: you reported yourself, or something that you wrote."),
        (status = 422, description = "`invalid_body`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn report_abuse(
    state: web::Data<AppState>,
    by: May<ReportAbuse>,
    JudgedBody(body): JudgedBody<ReportAbuseRequest>,
) -> Result<HttpResponse, Problem> {
    let Report { subject, reason, details } = body.value.parse()?;
    let reported = subject.find(&state, by.account()).await?;
    let created = abuse_reports::create(&state, &by, reported, reason, details.as_deref()).await?;
    let mut response = if created.repeated { HttpResponse::Ok() } else { HttpResponse::Created() };
    Ok(response.insert_header(("cache-control", "no-store")).json(created))
}

/// Which reports.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AbuseReportsQuery {
    /// `true`: reports that were decided; `false`: reports that wait for a decision.
    #[serde(default)]
    #[param(value_type = Option<bool>, default = false)]
    decided: bool,
    /// Only reports about this account, or about something that it wrote: its id or its whole name. To use a name, a token needs `admin:read`.
    #[param(value_type = Option<String>, example = "ada")]
    accused: Option<Person>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists abuse reports that wait for a moderator, or those that were decided; the oldest first.
#[utoipa::path(
    get, path = "/v1/abuse-reports", tag = "designs", security(("bearer" = [])), params(AbuseReportsQuery),
    responses((status = 200, body = Page<AbuseReportResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_abuse_reports(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateDesigns>,
    query: LooseParams<AbuseReportsQuery>,
) -> Result<HttpResponse, Problem> {
    let check = async |query: &AbuseReportsQuery| Cursor::key_of(query.cursor.as_ref());
    let (query, after): (_, Option<Uuid>) = query.checked(check).await?;
    let after = after.map(AbuseReportId);
    let accused = Person::filter(query.accused.as_ref(), || caller.must())?;
    let wanted = ReportSelection { decided: query.decided, accused };
    let page = abuse_reports::list(&state, &by, wanted, after, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows an abuse report to moderators.
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

/// A moderator's decision about a report.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "decision": "upheld", "note": "Copied from a book." }))]
pub struct DecideReportRequest {
    /// `upheld` or `dismissed`.
    #[schema(value_type = AbuseDecision, example = "upheld")]
    pub decision: String,
    /// Reason for the decision, 1 to 2000 characters. The author of a design that is taken down can read it, and so can the owner of a deck.
    #[schema(example = "Copied from a book.", min_length = 1, max_length = 2000)]
    pub note: String,
    /// Whether the decision also applies to the artwork of all revisions of the reported design: `upheld` takes it down wherever it is shown, and nobody can
    /// upload it again; `dismissed` restores it. Ignored in reports that are not about a design.
    #[serde(default)]
    #[schema(example = false)]
    pub artwork: bool,
    /// The `created_at` of the newest report about the same thing that you have read, or its `decided_at`, if that is later. If another moderator has decided about this report since,
    /// nothing is decided (`edit_conflict`). With `dismissed`, and in reports about players, reports that were sent later wait for
    /// another decision, and nothing is decided if this report itself was sent again since (`edit_conflict`). `upheld` hides what is reported for all, and so also decides the later
    /// ones. Older clients leave it out; then all reports about the same thing are decided.
    #[serde(default)]
    #[schema(value_type = Option<chrono::DateTime<chrono::Utc>>, example = "2026-11-30T09:30:00Z")]
    pub read_until: Option<Moment>,
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

/// Decides a report, together with the undecided reports about the same thing.
///
/// With `read_until`, a dismissal does not decide reports that you cannot have read, and no decision replaces one of another moderator that you cannot have read.
/// `upheld` takes a design or a deck down, hides a comment, or hides a suggestion from the author of the design; `dismissed` restores what was taken down or hidden; a
/// comment that the owner of the design or deck had hidden before stays hidden by the owner. Only its author and moderators see a design that was taken down. The
/// author cannot change it; it keeps its identifier and revisions. A deck that was taken down is private: its owner reads and changes it, but cannot publish it. When it is
/// restored, it has its visibility from before, or stays private if its owner has changed it meanwhile or has asked for that. A decision about a player does not change the account: only admins ban accounts. A report can be
/// decided again; the last decision applies. Reports about yourself or about something that you wrote do not exist for you: another moderator decides them.
#[utoipa::path(
    post, path = "/v1/abuse-reports/{report}/decide", tag = "designs", security(("bearer" = [])), request_body = DecideReportRequest,
    params(("report" = Uuid, Path, description = "Id of the report")),
    responses(
        (status = 200, body = AbuseReportResponse),
        (status = 409, description = "`design_name_taken`: another design now has the name of the design to restore; `edit_conflict`: the report was sent again, or another moderator has decided about it, after `read_until`."),
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
    let DecideReportRequest { artwork, read_until, .. } = body.value;
    let read_until = read_until.map(|Moment(read_until)| read_until);
    let verdict = Verdict { decision, note: &note, artwork, read_until };
    let decided = abuse_reports::decide(&state, &by, AbuseReportId(*report), &verdict).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(decided))
}
