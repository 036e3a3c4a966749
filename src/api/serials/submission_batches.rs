//! Several submissions at once: what a player types in after opening a display of packs.

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::serial_attempts;
use super::submissions::{AcceptedResponse, SubmitRequest, answer_to, new_submission};
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::SubmitSerials;
use crate::http::extract::{Body, ClientNetwork, May};
use crate::store::db::deadlines;
use crate::store::serials::submissions::{self, NewSubmission, Submitted};

/// Most submissions of one batch.
const MAX_BATCH: usize = 50;

/// Serial codes and the cards they are printed on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitBatchRequest {
    /// 1 to 50 submissions.
    #[schema(min_items = 1, max_items = 50)]
    pub submissions: Vec<SubmitRequest>,
}

/// What became of each submission.
#[derive(Serialize, ToSchema)]
pub struct BatchResponse {
    /// A verdict for each submission, in the order of the request.
    pub data: Vec<BatchVerdict>,
}

/// What became of one submission.
#[derive(Serialize, ToSchema)]
pub struct BatchVerdict {
    /// `registered`, `already_yours`, or the code of the problem that the submission alone would have been answered with.
    #[schema(example = "registered")]
    pub verdict: &'static str,
    /// What the submission alone would have been answered with, when it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<AcceptedResponse>,
    /// For people: what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Code and name do not belong together")]
    pub detail: Option<String>,
    /// Members of the problem: `dispute_id` and `dispute_state`, or the `position` of a wrong symbol.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub members: Map<String, Value>,
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

/// Registers several copies at once, each with its own verdict.
///
/// One wrong submission does not keep the others from counting. Each rejected one uses up an attempt, as it would alone; when
/// fewer attempts are left than there are submissions, the last ones are not looked at: `serial_attempts_used_up`. A batch that is sent
/// again is harmless: what it registered is `already_yours`.
#[utoipa::path(
    post, path = "/v1/submissions/batch", tag = "serials", security(("bearer" = [])), request_body = SubmitBatchRequest,
    responses(
        (status = 200, body = BatchResponse),
        (status = 422, description = "`invalid_body`"),
        (status = 429, description = "`serial_attempts_used_up`: none is left; `rate_limited`"),
    )
)]
pub async fn create_submissions(
    state: web::Data<AppState>,
    by: May<SubmitSerials>,
    network: ClientNetwork,
    body: Body<SubmitBatchRequest>,
) -> Result<HttpResponse, Problem> {
    let requests = &body.value.submissions;
    if !(1..=MAX_BATCH).contains(&requests.len()) {
        let detail = format!("must be 1 to {MAX_BATCH} submissions, not {}", requests.len());
        return Err(Problem::invalid(vec![InputFault::at("/submissions", detail)]));
    }
    let at = state.clock.now();
    let read: Vec<Result<NewSubmission, Problem>> = requests
        .iter()
        .map(|request| Ok(new_submission(&state, network.0, request.claim(&state)?, at)))
        .collect();
    let batch: Vec<NewSubmission> = read.iter().flatten().cloned().collect();
    let mut submitted = Vec::with_capacity(batch.len());
    // Each line has the time of a request for itself.
    let store = state.store.with_deadline(deadlines::LARGE);
    // Right ones give their attempts back, for those that come after.
    while submitted.len() < batch.len() {
        let rest = &batch[submitted.len()..];
        let wanted = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        let attempts = match serial_attempts::reserve(&state, by.account(), network.0, wanted, at)
            .await
        {
            Ok(attempts) => attempts,
            Err(problem)
                if problem.code() == ProblemCode::SerialAttemptsUsedUp && !submitted.is_empty() =>
            {
                break;
            }
            Err(problem) => return Err(problem),
        };
        let looked_at = usize::try_from(attempts.units).unwrap_or(rest.len());
        let (decided, ended) = submissions::submit_batch(&store, &by, &rest[..looked_at]).await;
        let guesses = decided.iter().filter(|one| one.verdict().is_guess()).count();
        // When the store failed, nobody knows how far it came with the others: their attempts stay used.
        let used = guesses + looked_at - decided.len();
        serial_attempts::settle(&state, &attempts, u32::try_from(used).unwrap_or(u32::MAX)).await?;
        ended?;
        submitted.extend(decided);
    }
    submitted.iter().for_each(Submitted::count);
    let registered =
        submitted.iter().filter(|one| matches!(one, Submitted::Registered { .. })).count();
    tracing::info!(account = %by.account(), submissions = requests.len(), registered, "batch of serials");

    let mut submitted = submitted.into_iter();
    let mut data = Vec::with_capacity(read.len());
    for request in read {
        let answer = match request {
            Err(unreadable) => Err(unreadable),
            Ok(_) => match submitted.next() {
                Some(submitted) => answer_to(&state, &by, submitted).await,
                None => Err(Problem::new(ProblemCode::SerialAttemptsUsedUp)),
            },
        };
        // What is the service's fault is not the submission's.
        match answer {
            Err(problem) if problem.code().status() >= 500 => return Err(problem),
            answer => data.push(answer.into()),
        }
    }
    let body = BatchResponse { data };
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(body))
}
