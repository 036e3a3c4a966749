//! Submissions: players register the serial codes of cards that they own.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::serial_attempts;
use super::submission_answers::{AcceptedResponse, SubmissionResponse};
use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnSubmissions, SubmitSerials, Viewer};
use crate::domain::code::Code;
use crate::domain::copies::dispute::DisputeState;
use crate::domain::ids::{CardId, SubmissionId};
use crate::domain::network::Network;
use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::text::{self, TextError};
use crate::memory::shared_attempts::{SameClaim, Share};
use crate::store::operations::idempotency::{IdempotencyClaim, IdempotentError};
use crate::store::serials::submissions::{self, NewSubmission, OwnCopy, Submitted};
use crate::store::{StoreResult, SubmissionClaim};

/// A serial code, with the name that is printed beside it.
pub struct NamedSerial {
    pub code: SerialCode,
    /// Name of the card.
    pub name: String,
    /// Code of the game, in lower case, if it is to be checked, too.
    pub game: Option<Code>,
}

/// Longest card name that is looked up, in characters.
const MAX_NAME: usize = 200;

impl NamedSerial {
    /// Parses a code and the name beside it, and returns the error of each separately.
    pub fn read(
        serial: &str,
        name: &str,
    ) -> (Result<SerialCode, SerialError>, Result<String, TextError>) {
        (SerialCode::parse(serial), text::line(name, 1, MAX_NAME))
    }

    /// The submission of this code from a network.
    pub(super) fn to_submission(
        &self,
        app: &AppState,
        network: Network,
        at: DateTime<Utc>,
    ) -> NewSubmission {
        let claim = SubmissionClaim {
            prefix: self.code.prefix(),
            macs: app.keys.serials().iter().map(|key| key.serial_mac(&self.code)).collect(),
            name_key: cardscape_engine::name_key(&self.name),
            game: self.game.clone().map(Code::into_string),
        };
        let mac = |network: Network| {
            app.keys.short_lookup("unlock_network", &[network.to_string().as_bytes()])
        };
        let wider_macs = network.counted().skip(1).map(|(network, _)| mac(network)).collect();
        NewSubmission {
            id: SubmissionId::generate(),
            claim,
            network_mac: mac(network),
            wider_macs,
            at,
        }
    }
}

/// The fault of a game that does not exist. Games are public, so that it says nothing about the code. It is found before an attempt is taken.
async fn game_fault(app: &AppState, game: &Code) -> Result<Option<InputFault>, Problem> {
    let unknown = app.named_game(game).await?.err();
    Ok(unknown.map(|unknown| InputFault::at("/game", unknown)))
}

/// The faults of those games that do not exist. Each game is looked up once.
pub async fn game_faults(
    app: &AppState,
    games: BTreeSet<Code>,
) -> Result<BTreeMap<Code, InputFault>, Problem> {
    let mut faults = BTreeMap::new();
    for game in games {
        if let Some(fault) = game_fault(app, &game).await? {
            faults.insert(game, fault);
        }
    }
    Ok(faults)
}

/// The problem code for a serial code that cannot be read.
pub fn unreadable(error: SerialError) -> ProblemCode {
    match error {
        SerialError::Length(_) | SerialError::Symbol(_) => ProblemCode::SerialMalformed,
        SerialError::Check => ProblemCode::SerialMistyped,
    }
}

/// Registers a copy to the account that submits its code.
///
/// An attempt is taken and committed before the code is looked up, and returned if the submission was not a guess. In
/// between, one transaction decides the submission and reads the response. A request thus takes at most three
/// connections from the pool, one after the other.
pub async fn submit(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    network: Network,
    serial: &NamedSerial,
    key: Option<&IdempotencyClaim>,
) -> Result<AcceptedResponse, Problem> {
    let new = serial.to_submission(app, network, app.clock.now());
    if let Some(earlier) = find_earlier_answer(app, by, key).await? {
        return Ok(earlier);
    }
    if let Some(game) = &serial.game
        && let Some(fault) = game_fault(app, game).await?
    {
        return Err(Problem::invalid(vec![fault]));
    }
    let attempt = app.shared_attempts.join(SameClaim::new(by.account(), &new));
    attempt.reserve(serial_attempts::reserve(app, by.account(), network, 1, new.at)).await?;
    let submitted = submissions::submit(&app.store, &app.registration_groups, by, &new, key).await;
    settle_attempt(app, attempt, &submitted).await?;
    let submitted = submitted?;
    submissions::record(by.account(), &submitted);
    answer(app, by, submitted)
}

/// Returns the attempt of a submission, unless it was a guess or may have been one.
async fn settle_attempt(
    app: &AppState,
    attempt: Share<'_, Problem>,
    submitted: &Result<Submitted, IdempotentError>,
) -> StoreResult<()> {
    let guess = match submitted {
        // The attempt stays used.
        Err(IdempotentError::Store(error)) if submissions::keeps_attempt(error) => return Ok(()),
        // Nothing was decided, so that nothing was learned about the code.
        Err(IdempotentError::Store(_)) => {
            if let Some(reserved) = attempt.settle(false) {
                serial_attempts::settle_later(app, &reserved, 0);
            }
            return Ok(());
        }
        Err(_) => false,
        Ok(submitted) => submitted.verdict().is_guess(),
    };
    match attempt.settle(guess) {
        Some(reserved) => serial_attempts::settle(app, &reserved, u32::from(guess)).await,
        None => Ok(()),
    }
}

/// The stored response to an earlier request with the same `Idempotency-Key`. It takes no attempt, so that a lost
/// response can be requested again when no attempts are left.
async fn find_earlier_answer(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    key: Option<&IdempotencyClaim>,
) -> Result<Option<AcceptedResponse>, Problem> {
    let Some(key) = key else { return Ok(None) };
    let earlier =
        app.store.read(async |conn: &_| submissions::find_answered(conn, by, key).await).await?;
    Ok(earlier.map(|row| AcceptedResponse::submitted(row, app.clock.now(), false)))
}

/// Converts a decided submission to its response.
pub(super) fn answer(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    submitted: Submitted,
) -> Result<AcceptedResponse, Problem> {
    let now = app.clock.now();
    match submitted {
        Submitted::Registered { submission, .. } | Submitted::Repeat(submission) => {
            Ok(AcceptedResponse::submitted(*submission, now, false))
        }
        Submitted::AlreadyYours(copy) => Ok(match *copy {
            OwnCopy::Submitted(submission) => AcceptedResponse::submitted(submission, now, true),
            OwnCopy::Received(copy) => AcceptedResponse::owned(copy),
        }),
        Submitted::RegisteredToAnother { dispute, state } => {
            tracing::info!(account = %by.account(), %dispute, "serial is already registered to another account");
            let detail = match state {
                DisputeState::Open => {
                    "Code and name are right, so you seem to hold the card. Your claim is noted under this dispute id for the moderators; keep the card at hand."
                }
                _ => {
                    "Code and name are right. Your claim to this copy is already closed: the dispute says how."
                }
            };
            Err(Problem::new(ProblemCode::RegisteredToAnother)
                .detail(detail)
                .with(ProblemMember::DisputeId, dispute.to_string())
                .with(ProblemMember::DisputeState, state.as_str()))
        }
        Submitted::PassedOn => {
            tracing::info!(account = %by.account(), "serial of a copy that this account gave away");
            Err(Problem::new(ProblemCode::CopyPassedOn).detail(
                "You know the code because the copy was yours. If the card came back to you, ask the player who gave it to offer you the copy in a trade.",
            ))
        }
        Submitted::Rejected => Err(Problem::new(ProblemCode::SubmissionRejected)),
    }
}

/// Lists the caller's submissions, the newest first, after the one with id `before`.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadOwnSubmissions>,
    viewer: Viewer,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<SubmissionResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = submissions::list(&mut conn, by, viewer, before, limit.rows()).await?;
    let now = app.clock.now();
    let item = |submission| SubmissionResponse::new(submission, now);
    Ok(paged(rows, limit, |submission| submission.row.id, item))
}

/// The names of cards of registered copies, as [`find`] shows them. A card that is hidden from the viewer has none.
pub async fn card_names(
    app: &AppState,
    viewer: Viewer,
    cards: Vec<CardId>,
) -> Result<BTreeMap<CardId, String>, Problem> {
    if cards.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut conn = app.store.connection().await?;
    Ok(submissions::find_card_names(&mut conn, viewer, &cards).await?)
}

/// Finds one of the caller's submissions.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnSubmissions>,
    viewer: Viewer,
    submission: SubmissionId,
) -> Result<SubmissionResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = submissions::find(&mut conn, by, viewer, submission)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(SubmissionResponse::new(found, app.clock.now()))
}
