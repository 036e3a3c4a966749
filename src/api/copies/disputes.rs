//! Disputes: two players both claim to hold the same copy.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::own_copies::moderator_access;
use crate::app::accounts::people::Person;
use crate::app::copies::copy_moderation::reason;
use crate::app::copies::dispute_responses::{DisputeResponse, DisputeSummaryResponse};
use crate::app::copies::disputes::{self, Decision, DisputeFilter, WhoseDisputes};
use crate::app::copies::own_copies::ModeratorAccess;
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ArgueOwnDisputes, ModerateCopies, ReadOwnDisputes};
use crate::domain::copies::dispute::{DisputeSide, DisputeState, Outcome};
use crate::domain::ids::{AccountId, DisputeId};
use crate::http::extract::{
    Caller, IdempotencyKey, Judge, JudgedBody, May, Moment, Params, cacheable,
};
use crate::memory::rendered::Freshness;

/// The role in which the caller lists disputes.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeRole {
    /// Your claims.
    Claimant,
    /// Claims to your copies.
    Owner,
    /// All disputes; for moderators.
    Moderator,
}

/// The state of a dispute.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStateParam {
    /// It is not closed yet.
    Open,
    /// A moderator left the copy with its owner.
    ForOwner,
    /// A moderator gave the copy to the claimant.
    ForClaimant,
    /// The claimant withdrew the claim.
    Withdrawn,
    /// The claimant got the copy by a trade.
    Settled,
    /// The copy was declared void.
    Voided,
}

impl From<DisputeStateParam> for DisputeState {
    fn from(state: DisputeStateParam) -> Self {
        match state {
            DisputeStateParam::Open => Self::Open,
            DisputeStateParam::ForOwner => Self::ForOwner,
            DisputeStateParam::ForClaimant => Self::ForClaimant,
            DisputeStateParam::Withdrawn => Self::Withdrawn,
            DisputeStateParam::Settled => Self::Settled,
            DisputeStateParam::Voided => Self::Voided,
        }
    }
}

/// Which disputes, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DisputesQuery {
    /// `claimant`: your claims; `owner`: claims to your copies; `moderator`: all disputes, for moderators. If absent: your claims and the claims to
    /// your copies.
    #[param(inline)]
    role: Option<DisputeRole>,
    /// `true`: only open disputes; `false`: only closed disputes.
    open: Option<bool>,
    /// Only disputes in this state.
    #[param(inline)]
    state: Option<DisputeStateParam>,
    /// Only disputes in which this account claims the copy, has it now, or lost it by the decision: its id or its whole name (`ada`). Only with
    /// `role=moderator`.
    #[param(value_type = Option<String>)]
    account: Option<Person>,
    /// Only disputes that were opened at this time or later: a time, or a day, which means its start in UTC.
    #[param(value_type = Option<String>, example = "2026-11-16")]
    from: Option<Moment>,
    /// Only disputes that were opened before this time: a time, or a day, which means its start in UTC.
    #[param(value_type = Option<String>, example = "2026-11-23")]
    until: Option<Moment>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your disputes, the newest first: your claims, and claims to your copies. Moderators can list all disputes.
#[utoipa::path(
    get, path = "/v1/disputes", tag = "copies", security(("bearer" = [])), params(DisputesQuery),
    responses((status = 200, body = Page<DisputeSummaryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_disputes(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnDisputes>,
    query: Params<DisputesQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key::<Uuid>).transpose()?;
    let whose = query.whose(&caller)?;
    let filter = DisputeFilter {
        open: query.open,
        state: query.state.map(DisputeState::from),
        from: query.from.map(|Moment(from)| from),
        until: query.until.map(|Moment(until)| until),
    };
    let (viewer, limit) = (caller.viewer(), query.limit);
    let page = disputes::list(&state, &by, viewer, &whose, filter, before, limit).await?;
    page.answer(&req, Freshness::Private)
}

impl DisputesQuery {
    fn whose(&self, caller: &Caller) -> Result<WhoseDisputes, Problem> {
        let account = self.account.as_ref();
        Ok(match self.role {
            Some(DisputeRole::Moderator) => {
                let moderator_access =
                    ModeratorAccess { copies: caller.must()?, accounts: caller.may() };
                WhoseDisputes::All(moderator_access, Person::filter(account, || caller.must())?)
            }
            // This filter would reveal the other side to a side of a dispute.
            _ if account.is_some() => return Err(for_moderators("?account")),
            Some(DisputeRole::Claimant) => WhoseDisputes::Own(Some(DisputeSide::Claimant)),
            Some(DisputeRole::Owner) => WhoseDisputes::Own(Some(DisputeSide::Owner)),
            None => WhoseDisputes::Own(None),
        })
    }
}

/// The fault of a parameter that only moderators may use.
fn for_moderators(parameter: &'static str) -> Problem {
    let fault = InputFault::at(parameter, "is for moderators, with role=moderator");
    Problem::new(ProblemCode::InvalidQuery).errors(vec![fault])
}

/// Shows a dispute to its two sides and to moderators.
///
/// Neither side sees who the other side is, or what it has stated.
#[utoipa::path(
    get, path = "/v1/disputes/{dispute}", tag = "copies", security(("bearer" = [])),
    params(("dispute" = Uuid, Path, description = "Id of the dispute")),
    responses((status = 200, body = DisputeResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_dispute(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnDisputes>,
    dispute: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (moderator_access, viewer) = (moderator_access(&caller), caller.viewer());
    let id = DisputeId(*dispute);
    let dispute = disputes::find(&state, &by, moderator_access.as_ref(), viewer, id).await?;
    cacheable(&req, Freshness::Private, None, &dispute)
}

/// A statement in a dispute.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementRequest {
    /// The statement, for moderators: 1 to 2000 characters; line breaks are allowed.
    #[schema(
        example = "I bought it at the fair in Ulm; the receipt is with the organisers.",
        min_length = 1,
        max_length = 2000
    )]
    pub text: String,
}

/// Adds a statement to an open dispute, as claimant or owner; each side may write five.
///
/// Moderators can read it; the other side cannot.
#[utoipa::path(
    post, path = "/v1/disputes/{dispute}/statements", tag = "copies", security(("bearer" = [])), request_body = StatementRequest,
    params(
        ("dispute" = Uuid, Path, description = "Id of the dispute"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = DisputeResponse, headers(("Location" = String, description = "The dispute"))),
        (status = 409, description = "`dispute_closed`: see `state`; `too_many_statements`, `idempotency_in_progress`"),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_statement(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ArgueOwnDisputes>,
    dispute: web::Path<Uuid>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<StatementRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_statement", &body);
    let text = body.value.parse()?;
    let (viewer, id) = (caller.viewer(), DisputeId(*dispute));
    let dispute = disputes::create_statement(&state, &by, viewer, id, &text, key.as_ref()).await?;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/disputes/{id}")))
        .insert_header(("cache-control", "no-store"))
        .json(dispute))
}

/// Withdraws your claim, permanently. Repeating the request gets the same answer.
#[utoipa::path(
    post, path = "/v1/disputes/{dispute}/withdraw", tag = "copies", security(("bearer" = [])),
    params(("dispute" = Uuid, Path, description = "Id of the dispute")),
    responses(
        (status = 200, body = DisputeResponse),
        (status = 409, description = "`dispute_closed`: see `state`; `not_your_turn`"),
    )
)]
pub async fn withdraw_dispute(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ArgueOwnDisputes>,
    dispute: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let dispute = disputes::withdraw(&state, &by, caller.viewer(), DisputeId(*dispute)).await?;
    Ok(changed(&dispute))
}

fn changed(dispute: &DisputeResponse) -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(dispute)
}

/// A moderator's decision about a dispute.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "outcome": "for_claimant", "reason": "A photograph shows card and code", "statements": 0 }))]
pub struct DecisionRequest {
    /// `for_owner`: the owner keeps the copy. `for_claimant`: the copy belongs to the claimant from now on.
    pub outcome: Outcome,
    /// The reason: 1 to 500 characters. Both sides can read it.
    #[schema(example = "A photograph shows card and code", min_length = 1, max_length = 500)]
    pub reason: String,
    /// Id of the account that owned the copy when you read the dispute (`parties.owner_id`). If it belongs to another account now, nothing is decided (`edit_conflict`). Older
    /// clients leave it out; then the decision is about the owner that there is.
    #[serde(default)]
    pub owner: Option<Uuid>,
    /// Number of the statements that you have read. If there are more now, nothing is decided (`edit_conflict`). Older clients leave it out.
    #[serde(default)]
    #[schema(example = 2)]
    pub statements: Option<u32>,
}

/// Decides a dispute, for moderators.
///
/// With the `owner` and the number of `statements` that you have read, nothing is decided if the copy belongs to somebody else now, or if a side has said more since. Other claims to the copy stay open, against the account that owns it after the decision. Repeating the decision changes nothing.
#[utoipa::path(
    post, path = "/v1/disputes/{dispute}/decide", tag = "copies", security(("bearer" = [])), request_body = DecisionRequest,
    params(("dispute" = Uuid, Path, description = "Id of the dispute")),
    responses(
        (status = 200, body = DisputeResponse),
        (status = 409, description = "`dispute_closed`: see `state`; `own_case`; `edit_conflict`: the copy has another `owner`, or there are other `statements`, than the request says"),
    )
)]
pub async fn decide_dispute(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateCopies>,
    dispute: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<DecisionRequest>,
) -> Result<HttpResponse, Problem> {
    let reason = reason(&body.value.reason)?;
    let (viewer, accounts) = (caller.viewer(), caller.may());
    let (id, body) = (DisputeId(*dispute), body.value);
    let decision = Decision {
        outcome: body.outcome,
        reason: &reason,
        owner: body.owner.map(AccountId),
        statements: body.statements.map(i64::from),
    };
    let dispute = disputes::decide(&state, &by, viewer, accounts.as_ref(), id, decision).await?;
    Ok(changed(&dispute))
}

impl Judge for DecisionRequest {
    fn judge(&self) -> Result<(), Problem> {
        reason(&self.reason).map(drop)
    }
}

impl Judge for StatementRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.parse().map(drop)
    }
}

impl StatementRequest {
    /// Checks the text.
    fn parse(&self) -> Result<String, Problem> {
        disputes::read_statement(&self.text)
    }
}
