//! Several submissions in one request, such as the codes of a whole display of packs.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

use super::serial_attempts;
use super::submission_answers::AcceptedResponse;
use super::submissions::{NamedSerial, answer, game_faults};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, SubmitSerials};
use crate::domain::code::Code;
use crate::domain::network::Network;
use crate::store::db::deadlines;
use crate::store::serials::submissions::{self, DecidedBatch, NewSubmission, Submitted};

/// Most submissions of one batch.
pub const MAX_BATCH: usize = 50;

/// The result of a batch of submissions.
#[derive(Serialize, ToSchema)]
pub struct BatchResponse {
    /// A verdict for each submission, in the order of the request.
    pub data: Vec<BatchVerdict>,
}

/// The result of one submission of a batch.
#[derive(Serialize, ToSchema)]
pub struct BatchVerdict {
    /// `registered`, `already_yours`, or the code of the problem that the submission would get alone.
    #[schema(example = "registered")]
    pub verdict: &'static str,
    /// The answer that the submission would get alone; absent if it was not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedResponse>,
    /// What is wrong, for people; absent if the submission was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Code and name do not belong together")]
    pub detail: Option<String>,
    #[serde(flatten)]
    #[schema(value_type = VerdictMembers)]
    pub members: Map<String, Value>,
}

/// Further members of the problem that a submission of a batch would get alone; absent with other verdicts than the named ones.
#[derive(ToSchema)]
pub struct VerdictMembers {
    /// Id of the dispute in which your claim is recorded (`registered_to_another`).
    #[schema(required = false)]
    pub dispute_id: Uuid,
    /// State of this dispute (`registered_to_another`): `open`, `for_owner`, `for_claimant`, `withdrawn` or `settled`.
    #[schema(required = false, example = "open")]
    pub dispute_state: String,
    /// Place of the symbol that no serial code has, counted from 1 (`serial_malformed`; absent if the length or the check symbol is wrong).
    #[schema(required = false, example = 5, minimum = 1)]
    pub position: i64,
}

impl From<Result<AcceptedResponse, Problem>> for BatchVerdict {
    fn from(answer: Result<AcceptedResponse, Problem>) -> Self {
        match answer {
            Ok(accepted) => Self {
                verdict: if accepted.already_registered { "already_yours" } else { "registered" },
                accepted: Some(accepted),
                detail: None,
                members: Map::new(),
            },
            Err(problem) => Self {
                verdict: problem.code().code(),
                accepted: None,
                detail: Some(problem.text()),
                members: problem.members().clone(),
            },
        }
    }
}

/// Registers several copies, each with its own verdict. Serials that could not be parsed already have their verdict.
pub async fn submit(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    network: Network,
    serials: Vec<Result<NamedSerial, Problem>>,
) -> Result<BatchResponse, Problem> {
    let at = app.clock.now();
    let serials = with_known_games(app, serials).await?;
    let readable = serials.iter().flatten();
    let batch: Vec<NewSubmission> =
        readable.map(|serial| serial.to_submission(app, network, at)).collect();
    let Decided { submitted, refusal } = decide(app, by, network, &batch, at).await?;
    submitted.iter().for_each(Submitted::count_in_metrics);
    let registered =
        submitted.iter().filter(|one| matches!(one, Submitted::Registered { .. })).count();
    tracing::info!(account = %by.account(), submissions = serials.len(), registered, "batch of serials submitted");

    let mut submitted = submitted.into_iter();
    let mut data = Vec::with_capacity(serials.len());
    for serial in serials {
        let answer = match serial {
            Err(unreadable) => Err(unreadable),
            Ok(_) => match submitted.next() {
                Some(submitted) => answer(app, by, submitted),
                None => Err(refusal
                    .clone()
                    .unwrap_or_else(|| Problem::new(ProblemCode::SerialAttemptsUsedUp))),
            },
        };
        // A failure of the service is the answer to the whole request, not the verdict on one submission.
        match answer {
            Err(problem) if problem.code().status() >= 500 => return Err(problem),
            answer => data.push(answer.into()),
        }
    }
    Ok(BatchResponse { data })
}

/// Gives submissions that name a game that does not exist their verdict, before attempts are taken. Each game is looked up once.
async fn with_known_games(
    app: &AppState,
    serials: Vec<Result<NamedSerial, Problem>>,
) -> Result<Vec<Result<NamedSerial, Problem>>, Problem> {
    let games: BTreeSet<Code> =
        serials.iter().flatten().filter_map(|serial| serial.game.clone()).collect();
    let faults = game_faults(app, games).await?;
    let check = |serial: NamedSerial| match serial.game.as_ref().and_then(|game| faults.get(game)) {
        Some(fault) => Err(Problem::invalid(vec![fault.clone()])),
        None => Ok(serial),
    };
    Ok(serials.into_iter().map(|serial| serial.and_then(check)).collect())
}

/// The submissions of a batch that were decided, in order.
#[derive(Default)]
struct Decided {
    submitted: Vec<Submitted>,
    /// Why the others were not: no attempt was left.
    refusal: Option<Problem>,
}

/// Decides the submissions in order, part by part, while there are attempts; fails when there is none for the first.
async fn decide(
    app: &AppState,
    by: &Granted<SubmitSerials>,
    network: Network,
    batch: &[NewSubmission],
    at: DateTime<Utc>,
) -> Result<Decided, Problem> {
    let mut decided = Decided::default();
    if batch.is_empty() {
        return Ok(decided);
    }
    // A statement for many submissions may take longer than one for a single request.
    let store = app.store.with_deadline(deadlines::LARGE);
    let most = serial_attempts::most_at_once(app);
    let units = |left: usize| u32::try_from(left).unwrap_or(u32::MAX).min(most);
    let mut attempts =
        serial_attempts::reserve(app, by.account(), network, units(batch.len()), at).await?;
    loop {
        let rest = &batch[decided.submitted.len()..];
        let attempted = usize::try_from(attempts.units).unwrap_or(rest.len()).min(rest.len());
        let DecidedBatch { results, used, outcome } =
            submissions::submit_batch(&store, by, &rest[..attempted]).await;
        let used = u32::try_from(used).unwrap_or(u32::MAX);
        if let Err(error) = outcome {
            serial_attempts::settle_failed(app, &attempts, used).await;
            return Err(error.into());
        }
        decided.submitted.extend(results);
        let left = batch.len() - decided.submitted.len();
        if left == 0 {
            serial_attempts::settle(app, &attempts, used).await?;
            return Ok(decided);
        }
        // Accepted submissions return their attempts, which the following ones can use.
        match serial_attempts::renew(app, attempts, used, units(left)).await {
            Ok(renewed) => attempts = renewed,
            Err(refusal) if refusal.code() == ProblemCode::SerialAttemptsUsedUp => {
                decided.refusal = Some(refusal);
                return Ok(decided);
            }
            Err(problem) => return Err(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema as _;

    use super::*;
    use crate::app::problem_member::ProblemMember;

    /// The codes that a verdict has, apart from those without further members.
    const VERDICTS: [ProblemCode; 2] =
        [ProblemCode::RegisteredToAnother, ProblemCode::SerialMalformed];

    #[test]
    fn the_schema_declares_every_member_of_a_verdict() {
        let schema = serde_json::to_value(VerdictMembers::schema()).unwrap();
        let declared: BTreeSet<&str> =
            schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        let is_of_verdict =
            |member: &&ProblemMember| member.codes().iter().any(|code| VERDICTS.contains(code));
        let members: BTreeSet<&str> =
            ProblemMember::ALL.iter().filter(is_of_verdict).map(|member| member.as_str()).collect();
        assert_eq!(declared, members);
        assert_eq!(schema.get("required"), None::<&Value>);
    }
}
