//! Submissions: players register the serial codes of cards that they own.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::Page;
use crate::app::problem::{InputFault, Problem};
use crate::app::problem_member::ProblemMember;
use crate::app::serials::submission_answers::{AcceptedResponse, SubmissionResponse};
use crate::app::serials::submissions::{self, NamedSerial};
use crate::app::state::AppState;
use crate::auth::permission::{ReadOwnSubmissions, SubmitSerials};
use crate::domain::code::{Code, CodeError};
use crate::domain::ids::SubmissionId;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::text::TextError;
use crate::http::extract::{
    Caller, ClientNetwork, IdempotencyKey, Judge, JudgedBody, May, PageQuery, Params, cacheable,
};
use crate::memory::rendered::Freshness;

/// A serial code and the name of the card that it is printed on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitRequest {
    /// The code: 16 symbols; case, spaces and hyphens do not matter.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub serial: String,
    /// Name of the card: 1 to 200 characters; case and punctuation do not matter.
    #[schema(example = "Nobody's Shadow", min_length = 1, max_length = 200)]
    pub name: String,
    /// Code of the game; case, and white space around it, do not matter. If it is given, a copy of another game is rejected. A game that does not exist is `invalid_body` and uses up no
    /// attempt; if the serial code cannot be read either, it is among the `errors` of that problem.
    #[schema(example = "ttcg")]
    pub game: Option<String>,
}

impl SubmitRequest {
    /// Code and name, each with its fault, and the game: its code as codes are stored, or the fault.
    fn read(&self) -> (Result<SerialCode, SerialError>, Result<String, TextError>, ReadGame) {
        let (code, name) = NamedSerial::read(&self.serial, &self.name);
        let game = self.game.as_deref().map(Code::parse_typed).transpose();
        (code, name, game.map(|game| game.as_ref().map(Code::lower_case)))
    }

    /// The game that is named, if its code can be read.
    pub(super) fn named_game(&self) -> Option<Code> {
        let code = Code::parse_typed(self.game.as_deref()?).ok()?;
        Some(code.lower_case())
    }

    /// Parses the members. [`with_game_fault`] adds the fault that needs a look-up.
    pub(super) fn parse(self) -> Result<NamedSerial, Problem> {
        match self.read() {
            (Ok(code), Ok(name), Ok(game)) => Ok(NamedSerial { code, name, game }),
            (Ok(_), name, game) => Err(Problem::invalid(faults_beside_code(name, game))),
            (Err(error), name, game) => Err(unreadable(error, faults_beside_code(name, game))),
        }
    }
}

impl Judge for SubmitRequest {
    fn judge(&self) -> Result<(), Problem> {
        let (code, name, game) = self.read();
        let code = code.err().map(|error| InputFault::at("/serial", error));
        let faults: Vec<InputFault> =
            code.into_iter().chain(faults_beside_code(name, game)).collect();
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}

/// A submission that cannot be read, with the fault of its game if this is one of those that do not exist: all faults are reported together.
pub(super) fn with_game_fault(
    refused: Problem,
    game: Option<&Code>,
    unknown: &BTreeMap<Code, InputFault>,
) -> Problem {
    let fault = game.and_then(|game| unknown.get(game));
    let faults = refused.faults().iter().chain(fault).cloned().collect();
    refused.errors(faults)
}

/// Parses a single code.
pub(in crate::api) fn read_serial(typed: &str) -> Result<SerialCode, Problem> {
    SerialCode::parse(typed).map_err(|error| unreadable(error, Vec::new()))
}

/// The code of the game in a request, if it has one.
type ReadGame = Result<Option<Code>, CodeError>;

/// The faults of the members beside the code.
fn faults_beside_code(name: Result<String, TextError>, game: ReadGame) -> Vec<InputFault> {
    let name = name.err().map(|error| InputFault::at("/name", error));
    let game = game.err().map(|error| InputFault::at("/game", error));
    name.into_iter().chain(game).collect()
}

/// The failure for a malformed code, together with faults of the members beside it, if any.
fn unreadable(error: SerialError, others: Vec<InputFault>) -> Problem {
    let faults = [InputFault::at("/serial", error)].into_iter().chain(others).collect();
    let problem = Problem::new(submissions::unreadable(error)).errors(faults);
    match error {
        SerialError::Symbol(position) => problem.with(ProblemMember::Position, position),
        SerialError::Length(_) | SerialError::Check => problem,
    }
}

/// Submits a serial code: the copy is registered to you.
///
/// The copy is yours from now on, and you see its card. Your first submission for a hidden card counts for its unlock. If the unlock policy holds it
/// back, `state` is `held`, `held_for` has the reason, and `unlock` does not include it.
///
/// An unknown code, the name of another card and a void copy get the same answer, `submission_rejected`, which uses up an attempt. A typing error is
/// reported at once and uses up no attempt; so is a `game` that does not exist. If the same request is sent many times at once, it uses up at most one attempt. A copy that you got in
/// another way, such as a trade, is yours already.
#[utoipa::path(
    post, path = "/v1/submissions", tag = "serials", security(("bearer" = [])), request_body = SubmitRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 200, description = "The copy was yours already.", body = AcceptedResponse,
            headers(("Location" = String, description = "The submission"))),
        (status = 201, body = AcceptedResponse, headers(("Location" = String, description = "The submission"))),
        (status = 409, description = "`registered_to_another`: your dispute about the copy is `dispute_id`; `copy_passed_on`: the copy was yours once; \
                                      `idempotency_in_progress`"),
        (status = 422, description = "`serial_malformed` (with `position` if a symbol is not allowed), `serial_mistyped`, \
                                      `submission_rejected`, `invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`serial_attempts_used_up`: too many were rejected, or (`Retry-After: 2`) others of the account or network are still being decided; `rate_limited`"),
    )
)]
pub async fn create_submission(
    state: web::Data<AppState>,
    by: May<SubmitSerials>,
    network: ClientNetwork,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<SubmitRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_submission", &body);
    let game = body.value.named_game();
    let serial = match body.value.parse() {
        Ok(serial) => serial,
        Err(refused) => {
            let games = game.iter().cloned().collect();
            let unknown = submissions::game_faults(&state, games).await?;
            return Err(with_game_fault(refused, game.as_ref(), &unknown));
        }
    };
    let answer = submissions::submit(&state, &by, network.0, &serial, key.as_ref()).await?;
    let mut response =
        if answer.already_registered { HttpResponse::Ok() } else { HttpResponse::Created() };
    Ok(response
        .insert_header(("location", answer.location()))
        .insert_header(("cache-control", "no-store"))
        .json(answer))
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
    let (before, viewer) = (query.after()?, caller.viewer());
    let page = submissions::list(&state, &by, viewer, before, query.limit).await?;
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
    let (viewer, submission) = (caller.viewer(), SubmissionId(*submission));
    let answer = submissions::find(&state, &by, viewer, submission).await?;
    cacheable(&req, Freshness::Private, None, &answer)
}
