//! Disputes: two players who both say that they hold a copy.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::copy_moderation::reason;
use super::own_copies::{CopyCard, card_of};
use crate::api::accounts::people::Person;
use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{
    ArgueOwnDisputes, Granted, ModerateCopies, OverseeCopies, ReadOwnDisputes,
};
use crate::domain::copies::dispute::{DisputeSide, DisputeState, MAX_STATEMENT, Outcome};
use crate::domain::ids::{AccountId, DisputeId};
use crate::domain::text;
use crate::http::extract::{Body, Caller, IdempotencyKey, May, Moment, Params, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::copies::disputes::{
    self, Argued, DisputeFilter, DisputePermission, DisputeView, DisputesOf, StatementRow,
};

/// Who two sides of a dispute are: for moderators.
#[derive(Serialize, ToSchema)]
pub struct DisputeParties {
    /// Who claims the copy.
    pub claimant_id: Uuid,
    /// Name of the claimant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ben")]
    pub claimant_name: Option<String>,
    /// Who has it now.
    pub owner_id: Uuid,
    /// Name of the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub owner_name: Option<String>,
    /// Who had it before a moderator gave it to the claimant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lost_by: Option<Uuid>,
    /// Name of the former owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub lost_by_name: Option<String>,
    /// Which moderator decided; absent while nobody did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<Uuid>,
    /// Name of the moderator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the moderator")]
    pub decided_by_name: Option<String>,
}

/// Everybody who a dispute names to moderators.
fn people_in(view: &DisputeView) -> impl Iterator<Item = Uuid> {
    let some = [Some(view.claimant), Some(view.copy.owner), view.lost_by, view.decided_by];
    some.into_iter().flatten().map(|account| account.0)
}

/// A dispute without what was said in it.
#[derive(Serialize, ToSchema)]
pub struct DisputeSummaryResponse {
    /// Its id.
    pub id: Uuid,
    /// `open`, `for_owner`, `for_claimant`, `withdrawn`, `settled` (the copy came to the claimant by a trade) or `voided`.
    #[schema(example = "open")]
    pub state: &'static str,
    /// Your side: `claimant` or `owner`; absent for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "owner")]
    pub role: Option<&'static str>,
    /// Id of the copy: for its owner and moderators. The claimant knows its code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<Uuid>,
    /// Card of the copy.
    pub card: CopyCard,
    /// When it was opened.
    pub opened_at: DateTime<Utc>,
    /// When it was closed; absent while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<DateTime<Utc>>,
    /// What the moderator who decided it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "A photograph shows card and code")]
    pub reason: Option<String>,
    /// Who the sides are: for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parties: Option<DisputeParties>,
}

impl DisputeSummaryResponse {
    /// `names` are for overseers: who the sides are is told to nobody else.
    fn new(view: DisputeView, reader: AccountId, names: Option<&Names>) -> Self {
        let side = view.side(reader);
        let overseer = names.is_some();
        let parties = names.map(|names| {
            let name = |account: Option<AccountId>| account.and_then(|account| names.of(account.0));
            DisputeParties {
                claimant_id: view.claimant.0,
                claimant_name: name(Some(view.claimant)),
                owner_id: view.copy.owner.0,
                owner_name: name(Some(view.copy.owner)),
                lost_by: view.lost_by.map(|account| account.0),
                lost_by_name: name(view.lost_by),
                decided_by: view.decided_by.map(|account| account.0),
                decided_by_name: name(view.decided_by),
            }
        });
        Self {
            id: view.id.0,
            state: view.state.as_str(),
            role: side.map(DisputeSide::as_str),
            // With the id the claimant could find the owner, who may show her copies.
            copy: (overseer || view.copy.owner == reader).then_some(view.copy.id.0),
            card: card_of(&view.copy),
            opened_at: view.opened_at,
            closed_at: view.closed_at,
            reason: view.reason,
            parties,
        }
    }
}

/// Something that was said in a dispute.
#[derive(Serialize, ToSchema)]
pub struct StatementResponse {
    /// By whom: `claimant` or `owner`.
    #[schema(example = "owner")]
    pub by: &'static str,
    /// What.
    #[schema(example = "I bought it at the fair in Ulm; the receipt is with the organisers.")]
    pub text: String,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Who said it: for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<Uuid>,
    /// The name of who said it: for moderators.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub account_name: Option<String>,
}

/// A dispute.
#[derive(Serialize, ToSchema)]
pub struct DisputeResponse {
    /// The dispute itself.
    #[serde(flatten)]
    pub summary: DisputeSummaryResponse,
    /// What was said, in order: by you; for moderators, by both sides.
    pub statements: Vec<StatementResponse>,
}

impl DisputeResponse {
    fn new(
        view: DisputeView,
        statements: Vec<StatementRow>,
        reader: AccountId,
        names: Option<&Names>,
    ) -> Self {
        let statement = |row: StatementRow| StatementResponse {
            by: row.side.as_str(),
            text: row.text,
            created_at: row.created_at,
            account_id: names.is_some().then_some(row.account_id),
            account_name: names.and_then(|names| names.of(row.account_id)),
        };
        Self {
            summary: DisputeSummaryResponse::new(view, reader, names),
            statements: statements.into_iter().map(statement).collect(),
        }
    }
}

/// Whose disputes to list.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeRole {
    /// Your claims.
    Claimant,
    /// Claims to your copies.
    Owner,
    /// All disputes: for moderators.
    Moderator,
}

/// How far a dispute may be.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DisputeStateParam {
    /// Nobody has decided it yet.
    Open,
    /// A moderator left the copy with its owner.
    ForOwner,
    /// A moderator gave the copy to the claimant.
    ForClaimant,
    /// The claimant gave up the claim.
    Withdrawn,
    /// The copy came to the claimant by a trade.
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

/// Which disputes.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DisputesQuery {
    /// As what you ask; as claimant and as owner when absent.
    #[param(inline)]
    role: Option<DisputeRole>,
    /// Only disputes that are open, or only those that are not.
    open: Option<bool>,
    /// Only disputes in this state.
    #[param(inline)]
    state: Option<DisputeStateParam>,
    /// Only disputes in which this account claims the copy, has it now, or lost it by the decision: its id or its whole name, `ada`. With
    /// `role=moderator` only.
    #[param(value_type = Option<String>)]
    account: Option<Person>,
    /// Only disputes that were opened then or later: a time, or a day (its beginning, UTC).
    #[param(value_type = Option<String>, example = "2026-11-16")]
    from: Option<Moment>,
    /// Only disputes that were opened before that: a time, or a day (its beginning, UTC).
    #[param(value_type = Option<String>, example = "2026-11-23")]
    until: Option<Moment>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists your disputes, the newest first: your claims, and claims to your copies. Moderators list all.
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
    let overseer = match query.role {
        Some(DisputeRole::Moderator) => Some(caller.must::<OverseeCopies>()?),
        // To a side of a dispute the answer would tell who the other is.
        _ if query.account.is_some() => return Err(for_moderators("?account")),
        _ => None,
    };
    let mut conn = state.store.connection().await?;
    let about =
        PersonFilter::id(Person::filter(query.account.as_ref(), &caller)?.as_ref(), &mut conn)
            .await?;
    let of = match (query.role, &overseer) {
        (_, Some(overseer)) => DisputesOf::All(overseer, about),
        (Some(DisputeRole::Claimant), None) => DisputesOf::Own(Some(DisputeSide::Claimant)),
        (Some(DisputeRole::Owner), None) => DisputesOf::Own(Some(DisputeSide::Owner)),
        _ => DisputesOf::Own(None),
    };
    let filter = DisputeFilter {
        open: query.open,
        state: query.state.map(DisputeState::from),
        from: query.from.map(|Moment(from)| from),
        until: query.until.map(|Moment(until)| until),
    };
    let (viewer, limit) = (caller.viewer(), query.limit.rows());
    let views = disputes::list(&mut conn, &by, viewer, of, filter, before, limit).await?;
    let names = match overseer {
        Some(_) => Some(
            Names::read(&mut conn, caller.may().as_ref(), views.iter().flat_map(people_in)).await?,
        ),
        None => None,
    };
    let summary = |view| DisputeSummaryResponse::new(view, by.account(), names.as_ref());
    paged(views, query.limit, |view| view.id.0, summary).answer(&req, Freshness::Private)
}

/// A parameter that only moderators may send, as such.
fn for_moderators(parameter: &'static str) -> Problem {
    let fault = InputFault::at(parameter, "is for moderators, with role=moderator");
    Problem::new(ProblemCode::InvalidQuery).errors(vec![fault])
}

/// Shows a dispute, to its two sides and to moderators. Neither side learns who the other is, nor what the other says.
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
    let overseer = caller.may::<OverseeCopies>().is_some();
    let answer = whole(&state, &caller, &by, overseer, DisputeId(*dispute)).await?;
    cacheable(&req, Freshness::Private, None, &answer)
}

async fn whole<P: DisputePermission>(
    state: &AppState,
    caller: &Caller,
    by: &Granted<P>,
    overseer: bool,
    id: DisputeId,
) -> Result<DisputeResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let found = disputes::find(&mut conn, by, overseer, caller.viewer(), id).await?;
    let (view, statements) = found.ok_or_else(Problem::not_found)?;
    let names = if overseer {
        let said = statements.iter().map(|statement| statement.account_id);
        Some(Names::read(&mut conn, caller.may().as_ref(), people_in(&view).chain(said)).await?)
    } else {
        None
    };
    Ok(DisputeResponse::new(view, statements, by.account(), names.as_ref()))
}

/// What somebody says.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StatementRequest {
    /// 1 to 2000 characters, for moderators to read. Lines may be broken.
    #[schema(
        example = "I bought it at the fair in Ulm; the receipt is with the organisers.",
        min_length = 1,
        max_length = 2000
    )]
    pub text: String,
}

/// Adds a statement to an open dispute, as claimant or owner: five of each side at most.
///
/// Moderators read it; the other side does not.
#[utoipa::path(
    post, path = "/v1/disputes/{dispute}/statements", tag = "copies", security(("bearer" = [])), request_body = StatementRequest,
    params(
        ("dispute" = Uuid, Path, description = "Id of the dispute"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 201, body = DisputeResponse),
        (status = 409, description = "`dispute_closed`: see `state`; `too_many_statements`, `idempotency_in_progress`"),
    )
)]
pub async fn create_statement(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ArgueOwnDisputes>,
    dispute: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Body<StatementRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_statement", &body);
    let text = text::lines(&body.value.text, 1, MAX_STATEMENT)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/text", error)]))?;
    let (id, now) = (DisputeId(*dispute), state.clock.now());
    let argued = state
        .write(&by, async |conn, by| disputes::state(conn, by, id, &text, key.as_ref(), now).await)
        .await?;
    done(argued)?;
    if argued == Argued::Done {
        tracing::info!(account = %by.account(), dispute = %id, "statement in a dispute");
    }
    let answer = whole(&state, &caller, &by, false, id).await?;
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/disputes/{id}")))
        .insert_header(("cache-control", "no-store"))
        .json(answer))
}

/// Withdraws your claim, for good. Withdrawing it again answers the same.
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
    let (id, now) = (DisputeId(*dispute), state.clock.now());
    let argued =
        state.write(&by, async |conn, by| disputes::withdraw(conn, by, id, now).await).await?;
    done(argued)?;
    if argued == Argued::Done {
        tracing::info!(account = %by.account(), dispute = %id, "dispute withdrawn");
    }
    let answer = whole(&state, &caller, &by, false, id).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}

/// How a moderator decides.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DecisionRequest {
    /// `for_owner`: the copy stays where it is. `for_claimant`: it is the claimant's from now on.
    #[schema(value_type = String, example = "for_claimant")]
    pub outcome: Outcome,
    /// 1 to 500 characters. Both sides read it.
    #[schema(example = "A photograph shows card and code", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Decides a dispute, for moderators.
///
/// Other claims to the copy stay open, against whoever has it then. Deciding the same again changes nothing.
#[utoipa::path(
    post, path = "/v1/disputes/{dispute}/decide", tag = "copies", security(("bearer" = [])), request_body = DecisionRequest,
    params(("dispute" = Uuid, Path, description = "Id of the dispute")),
    responses(
        (status = 200, body = DisputeResponse),
        (status = 409, description = "`dispute_closed`: see `state`; `own_case`"),
    )
)]
pub async fn decide_dispute(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateCopies>,
    dispute: web::Path<Uuid>,
    body: Body<DecisionRequest>,
) -> Result<HttpResponse, Problem> {
    let reason = reason(&body.value.reason)?;
    let (id, outcome, now) = (DisputeId(*dispute), body.value.outcome, state.clock.now());
    let argued = state
        .write(&by, async |conn, by| disputes::decide(conn, by, id, outcome, &reason, now).await)
        .await?;
    done(argued)?;
    if argued == Argued::Done {
        tracing::info!(dispute = %id, by = %by.account(), outcome = outcome.state().as_str(), "dispute decided");
    }
    let answer = whole(&state, &caller, &by, true, id).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}

fn done(argued: Argued) -> Result<(), Problem> {
    let closed = |state: DisputeState| {
        Problem::new(ProblemCode::DisputeClosed).with("state", state.as_str())
    };
    match argued {
        Argued::Done | Argued::Before => Ok(()),
        Argued::Missing => Err(Problem::not_found()),
        Argued::NotYourTurn => Err(Problem::new(ProblemCode::NotYourTurn)),
        Argued::Closed(state) => Err(closed(state)),
        Argued::TooMany => Err(Problem::new(ProblemCode::TooManyStatements)),
        Argued::OwnCase => Err(Problem::new(ProblemCode::OwnCase)),
    }
}
