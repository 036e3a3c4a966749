//! Submissions: a player registers the serial of a card she holds.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::serial_attempts;
use crate::app::catalogue::cards::CardUnlock;
use crate::app::page::{Page, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnSubmissions, SubmitSerials};
use crate::domain::copies::dispute::DisputeState;
use crate::domain::ids::{CopyId, SubmissionId};
use crate::domain::network::Network;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::serials::submission::{CountingState, HoldReason};
use crate::domain::text;
use crate::http::extract::{
    Body, Caller, ClientNetwork, IdempotencyKey, May, PageQuery, Params, cacheable,
};
use crate::memory::rendered::Freshness;
use crate::memory::shared_attempts::SameClaim;
use crate::store::SubmissionClaim;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::serials::submissions::{
    self, CardOfCopy, NamedSubmission, NewSubmission, OwnedRow, SubmissionRow, Submitted,
};

/// Longest card name that is looked up, in characters.
const LONGEST_NAME: usize = 200;

/// The card that a copy is of. Its content is under `href`, for its holder to see.
#[derive(Serialize, ToSchema)]
pub struct SubmittedCard {
    /// Id.
    pub id: Uuid,
    /// Code of its game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// Code of its set.
    #[schema(example = "veil")]
    pub set: String,
    /// Its number in the set.
    #[schema(example = "001")]
    pub number: String,
    /// Its name, in lists and where one submission is read. Absent in the answer to a submission, which brought the name along, and
    /// where the card is hidden from you: you passed the copy on, and the card is still hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nobody's Shadow")]
    pub name: Option<String>,
    /// Where the whole card is: whoever registered a copy sees it, hidden or not.
    #[schema(example = "/v1/cards/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub href: String,
}

/// A registered copy and its card.
#[derive(Serialize, ToSchema)]
pub struct SubmittedCopy {
    /// Id of the copy: what decks and trades call it.
    pub copy: Uuid,
    /// The card.
    pub card: SubmittedCard,
    /// Rarity of the copy.
    #[schema(example = "common")]
    pub rarity: String,
    /// How far the card is now; absent for a card that never was hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unlock: Option<CardUnlock>,
}

impl From<CardOfCopy> for SubmittedCopy {
    fn from(of: CardOfCopy) -> Self {
        Self {
            copy: of.copy_id.0,
            unlock: of.progress().map(Into::into),
            rarity: of.rarity,
            card: SubmittedCard {
                href: format!("/v1/cards/{}", of.card_id),
                id: of.card_id.0,
                game: of.game_code,
                set: of.set_code,
                number: of.number,
                name: None,
            },
        }
    }
}

/// What a submission counts for the unlock of its card.
#[derive(Serialize, ToSchema)]
pub struct SubmissionStanding {
    /// `counted`: it counts, or did when the card was unlocked. `held`: it does not count yet, because the unlock policy holds it back;
    /// `held_for` says why. `not_counted`: it does not count. The card never was hidden or was unlocked before, your account counts for
    /// this card already, the account is banned, the copy is void, or a moderator refused the submission.
    #[schema(example = "counted")]
    pub state: &'static str,
    /// Why it is held: `review`, a moderator must confirm it first; `account_age`, the account is too young; `network`, as many accounts
    /// of its network as may count do so already. Absent unless `state` is `held`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "review")]
    pub held_for: Option<&'static str>,
    /// From when on the account is old enough. Only with `account_age`; the submission is counted a few seconds later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_until: Option<DateTime<Utc>>,
    /// Whether `state` is `counted`.
    pub counted: bool,
}

impl From<CountingState> for SubmissionStanding {
    fn from(standing: CountingState) -> Self {
        let hold = standing.hold();
        Self {
            state: standing.as_str(),
            held_for: hold.map(HoldReason::as_str),
            held_until: hold.and_then(HoldReason::until),
            counted: standing == CountingState::Counted,
        }
    }
}

/// A serial that was accepted.
#[derive(Serialize, ToSchema)]
pub struct SubmissionResponse {
    /// Id of the submission.
    pub submission: Uuid,
    /// The copy and its card.
    #[serde(flatten)]
    pub of: SubmittedCopy,
    /// What it counts for the unlock of its card.
    #[serde(flatten)]
    pub standing: SubmissionStanding,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

impl SubmissionResponse {
    /// As it is at that time.
    fn new(submission: NamedSubmission, at: DateTime<Utc>) -> Self {
        let NamedSubmission { row, name } = submission;
        let mut response = Self {
            submission: row.id.0,
            standing: row.standing(at).into(),
            created_at: row.created_at,
            of: row.of.into(),
        };
        response.of.card.name = name;
        response
    }
}

/// The answer to a submission.
#[derive(Serialize, ToSchema)]
pub struct AcceptedResponse {
    /// Your submission of the copy; absent when the copy came to you by a trade or a decision: then somebody else submitted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<Uuid>,
    /// The copy and its card.
    #[serde(flatten)]
    pub of: SubmittedCopy,
    /// What your submission counts for the unlock of its card; `not_counted` without a submission of yours.
    #[serde(flatten)]
    pub standing: SubmissionStanding,
    /// When the copy was registered.
    pub created_at: DateTime<Utc>,
    /// Whether the copy was yours before this request.
    pub already_registered: bool,
}

impl AcceptedResponse {
    fn submitted(row: SubmissionRow, at: DateTime<Utc>, already_registered: bool) -> Self {
        Self {
            submission: Some(row.id.0),
            standing: row.standing(at).into(),
            created_at: row.created_at,
            of: row.of.into(),
            already_registered,
        }
    }

    fn owned(row: OwnedRow) -> Self {
        Self {
            submission: None,
            of: row.of.into(),
            standing: CountingState::NotCounted.into(),
            created_at: row.registered_at,
            already_registered: true,
        }
    }

    fn location(&self) -> String {
        match self.submission {
            Some(submission) => format!("/v1/submissions/{submission}"),
            None => format!("/v1/copies/{}", self.of.copy),
        }
    }
}

/// A serial code and the card it is printed on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitRequest {
    /// The code: 16 symbols; case, spaces and hyphens do not matter.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub serial: String,
    /// Name of the card: 1 to 200 characters; case and punctuation do not matter.
    #[schema(example = "Nobody's Shadow", min_length = 1, max_length = 200)]
    pub name: String,
    /// Code of the game, when you want it checked, too.
    #[schema(example = "ttcg")]
    pub game: Option<String>,
}

/// Submits a serial code: the copy is registered to you.
///
/// The copy is yours from now on, and you see its card. The first of your submissions for a hidden card counts for its unlock. Where the
/// unlock policy does not let it count yet, the answer says `state: held` and why, and `unlock` is what it was before.
/// An unknown code, another card's name and a voided copy get the same answer, `submission_rejected`, and use up an attempt. A
/// typing error is told at once and uses up nothing. The same request sent many times at once uses up one attempt at most. A copy that was given to you in a trade is yours already.
#[utoipa::path(
    post, path = "/v1/submissions", tag = "serials", security(("bearer" = [])), request_body = SubmitRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 200, description = "The copy was yours already.", body = AcceptedResponse),
        (status = 201, body = AcceptedResponse, headers(("Location" = String, description = "The submission"))),
        (status = 409, description = "`registered_to_another`: see the dispute `dispute_id`; `copy_passed_on`: it was yours once; \
                                      `idempotency_in_progress`"),
        (status = 422, description = "`serial_malformed` (with `position` where one symbol is to blame), `serial_mistyped`, \
                                      `submission_rejected`, `invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`serial_attempts_used_up`, `rate_limited`"),
    )
)]
pub async fn create_submission(
    state: web::Data<AppState>,
    by: May<SubmitSerials>,
    network: ClientNetwork,
    key: IdempotencyKey,
    body: Body<SubmitRequest>,
) -> Result<HttpResponse, Problem> {
    let claim = body.value.claim(&state)?;
    let key = key.claim(&state, by.account(), "create_submission", &body);
    let new = new_submission(&state, network.0, claim, state.clock.now());
    if let Some(earlier) = repeated(&state, &by, key.as_ref()).await? {
        return Ok(earlier);
    }
    let attempt = state.shared_attempts.join(SameClaim::of(by.account(), &new));
    attempt.reserve(serial_attempts::reserve(&state, by.account(), network.0, 1, new.at)).await?;
    let submitted =
        submissions::submit(&state.store, &state.registration_groups, &by, &new, key.as_ref())
            .await;
    let guess = match &submitted {
        Ok(submitted) => Some(submitted.verdict().is_guess()),
        // When the store failed nobody knows how far it came: the attempt stays used.
        Err(IdempotentError::Store(_)) => None,
        Err(_) => Some(false),
    };
    if let Some(guess) = guess
        && let Some(reserved) = attempt.settle(guess)
    {
        serial_attempts::settle(&state, &reserved, u32::from(guess)).await?;
    }
    let submitted = submitted?;
    submissions::record(by.account(), &submitted);
    Ok(told(answer_to(&state, &by, submitted).await?))
}

/// What a submission is answered with.
pub(super) async fn answer_to(
    state: &AppState,
    by: &May<SubmitSerials>,
    submitted: Submitted,
) -> Result<AcceptedResponse, Problem> {
    match submitted {
        Submitted::Registered { submission, .. } => {
            Ok(AcceptedResponse::submitted(*submission, state.clock.now(), false))
        }
        Submitted::Repeat(submission) => accepted(state, by, submission, false).await,
        Submitted::AlreadyYours { submission: Some(submission), .. } => {
            accepted(state, by, submission, true).await
        }
        Submitted::AlreadyYours { copy, submission: None } => owned(state, by, copy).await,
        Submitted::RegisteredToAnother { dispute, state: dispute_state } => {
            tracing::info!(account = %by.account(), %dispute, "serial is registered to another account");
            let detail = match dispute_state {
                DisputeState::Open => {
                    "Code and name are right, so you seem to hold the card. Your claim is noted under this dispute id for the moderators; keep the card at hand."
                }
                _ => {
                    "Code and name are right. Your claim to this copy was closed before: the dispute says how."
                }
            };
            Err(Problem::new(ProblemCode::RegisteredToAnother)
                .detail(detail)
                .with("dispute_id", dispute.to_string())
                .with("dispute_state", dispute_state.as_str()))
        }
        Submitted::PassedOn => {
            tracing::info!(account = %by.account(), "serial of a copy that was passed on");
            Err(Problem::new(ProblemCode::CopyPassedOn).detail(
                "You know the code because the copy was yours. If the card came back to you, ask the one who gave it to offer you the copy in a trade.",
            ))
        }
        Submitted::Rejected => Err(Problem::new(ProblemCode::SubmissionRejected)),
    }
}

/// The answer to a request that was answered before under its `Idempotency-Key`. No guess, so no attempt: a lost reply can be
/// asked for again when none is left.
async fn repeated(
    state: &AppState,
    by: &May<SubmitSerials>,
    key: Option<&IdempotencyClaim>,
) -> Result<Option<HttpResponse>, Problem> {
    let Some(key) = key else { return Ok(None) };
    let mut conn = state.store.connection().await?;
    let earlier = idempotency::answered(&mut conn, key).await?;
    drop(conn);
    match earlier {
        None => Ok(None),
        Some(id) => Ok(Some(told(accepted(state, by, SubmissionId(id), false).await?))),
    }
}

async fn accepted(
    state: &AppState,
    by: &May<SubmitSerials>,
    submission: SubmissionId,
    already_registered: bool,
) -> Result<AcceptedResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let row = submissions::find_submitted(&mut conn, by, submission)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(AcceptedResponse::submitted(row, state.clock.now(), already_registered))
}

/// The answer about a copy that came to the submitter by a trade or a decision.
async fn owned(
    state: &AppState,
    by: &May<SubmitSerials>,
    copy: CopyId,
) -> Result<AcceptedResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let row = submissions::find_owned(&mut conn, by, copy).await?.ok_or_else(Problem::not_found)?;
    Ok(AcceptedResponse::owned(row))
}

fn told(answer: AcceptedResponse) -> HttpResponse {
    let mut response =
        if answer.already_registered { HttpResponse::Ok() } else { HttpResponse::Created() };
    response
        .insert_header(("location", answer.location()))
        .insert_header(("cache-control", "no-store"))
        .json(answer)
}

/// A submission of that claim, from that network.
pub(super) fn new_submission(
    state: &AppState,
    network: Network,
    claim: SubmissionClaim,
    at: DateTime<Utc>,
) -> NewSubmission {
    let mac = |network: Network| {
        state.keys.short_lookup("unlock_network", &[network.to_string().as_bytes()])
    };
    let wider_macs = network.counted().skip(1).map(|(network, _)| mac(network)).collect();
    NewSubmission { id: SubmissionId::fresh(), claim, network_mac: mac(network), wider_macs, at }
}

impl SubmitRequest {
    /// Reads code and name. What is wrong with them by themselves is told without a look at the database.
    pub(in crate::api) fn claim(&self, state: &AppState) -> Result<SubmissionClaim, Problem> {
        let code = SerialCode::parse(&self.serial).map_err(unreadable)?;
        let name = text::line(&self.name, 1, LONGEST_NAME)
            .map_err(|error| Problem::invalid(vec![InputFault::at("/name", error)]))?;
        Ok(SubmissionClaim {
            prefix: code.prefix(),
            macs: state.keys.serials().iter().map(|key| key.serial_mac(&code)).collect(),
            name_key: cardscape_engine::name_key(&name),
            game: self.game.clone(),
        })
    }
}

fn unreadable(error: SerialError) -> Problem {
    let fault = vec![InputFault::at("/serial", error)];
    match error {
        SerialError::Length(_) => Problem::new(ProblemCode::SerialMalformed).errors(fault),
        SerialError::Symbol(position) => {
            Problem::new(ProblemCode::SerialMalformed).errors(fault).with("position", position)
        }
        SerialError::Check => Problem::new(ProblemCode::SerialMistyped).errors(fault),
    }
}

/// Lists your submissions, the newest first.
#[utoipa::path(
    get, path = "/v1/submissions", tag = "serials", security(("bearer" = [])), params(PageQuery),
    responses((status = 200, body = Page<SubmissionResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_submissions(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnSubmissions>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.after()?;
    let mut conn = state.store.connection().await?;
    let rows =
        submissions::list(&mut conn, &by, caller.viewer(), before, query.limit.rows()).await?;
    let now = state.clock.now();
    let shown = |submission| SubmissionResponse::new(submission, now);
    let page = paged(rows, query.limit, |submission| submission.row.id, shown);
    page.answer(&req, Freshness::Private)
}

/// Shows one of your submissions.
#[utoipa::path(
    get, path = "/v1/submissions/{submission}", tag = "serials", security(("bearer" = [])),
    params(("submission" = Uuid, Path, description = "Id of the submission")),
    responses((status = 200, body = SubmissionResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_submission(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadOwnSubmissions>,
    submission: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let found = submissions::find(&mut conn, &by, caller.viewer(), SubmissionId(*submission))
        .await?
        .ok_or_else(Problem::not_found)?;
    let response = SubmissionResponse::new(found, state.clock.now());
    cacheable(&req, Freshness::Private, None, &response)
}
