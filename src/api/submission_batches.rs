//! Several submissions at once: what a player types in after opening a display of packs.

use std::collections::HashMap;

use actix_web::{HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::extract::{Body, ClientNetwork, May};
use super::problem::{InputFault, Problem, ProblemCode};
use super::serial_attempts::SerialAttempts;
use super::state::AppState;
use super::submissions::{SubmissionResponse, SubmitRequest, new_submission};
use crate::auth::permission::SubmitSerials;
use crate::domain::ids::SubmissionId;
use crate::store::serials::{self, NewSubmission, SubmissionRow, Submitted};

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
    /// What was registered, now or before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submission: Option<SubmissionResponse>,
    /// For people: what is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Code and name do not belong together")]
    pub detail: Option<String>,
    /// The dispute that is open, when the copy is registered to somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dispute_id: Option<Uuid>,
}

impl BatchVerdict {
    fn problem(problem: &Problem) -> Self {
        Self {
            verdict: problem.code().code(),
            submission: None,
            detail: Some(problem.text()),
            dispute_id: None,
        }
    }

    fn new(submitted: Submitted, rows: &HashMap<Uuid, SubmissionRow>) -> Self {
        let of = |verdict, SubmissionId(id): SubmissionId| Self {
            verdict,
            submission: rows.get(&id).cloned().map(Into::into),
            detail: None,
            dispute_id: None,
        };
        match submitted {
            Submitted::Registered { submission, .. } => of("registered", submission),
            Submitted::Repeat(submission) | Submitted::AlreadyYours(submission) => {
                of("already_yours", submission)
            }
            Submitted::RegisteredToAnother { dispute } => {
                let problem = Problem::new(ProblemCode::RegisteredToAnother);
                Self { dispute_id: Some(dispute.0), ..Self::problem(&problem) }
            }
            Submitted::Rejected => Self::problem(&Problem::new(ProblemCode::SubmissionRejected)),
        }
    }
}

fn submission_of(submitted: Submitted) -> Option<SubmissionId> {
    match submitted {
        Submitted::Registered { submission, .. }
        | Submitted::Repeat(submission)
        | Submitted::AlreadyYours(submission) => Some(submission),
        Submitted::RegisteredToAnother { .. } | Submitted::Rejected => None,
    }
}

/// Registers several copies at once, each with its own verdict.
///
/// One wrong submission does not keep the others from counting. Each rejected one is an attempt, like one that comes alone; when
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
        .map(|request| Ok(new_submission(&state, &network, request.claim(&state)?, at)))
        .collect();
    let batch: Vec<NewSubmission> = read.iter().flatten().cloned().collect();
    let mut submitted = Vec::with_capacity(batch.len());
    // Right ones give their attempts back, for those that come after.
    while submitted.len() < batch.len() {
        let rest = &batch[submitted.len()..];
        let wanted = u32::try_from(rest.len()).unwrap_or(u32::MAX);
        let attempts =
            match SerialAttempts::reserve(&state, by.account(), &network, wanted, at).await {
                Ok(attempts) => attempts,
                Err(used_up) if submitted.is_empty() => return Err(used_up),
                Err(_) => break,
            };
        let looked_at = usize::try_from(attempts.units()).unwrap_or(rest.len());
        // When the store fails nobody knows how far it came: the attempts stay used.
        let decided = serials::submit_batch(&state.store, &by, &rest[..looked_at]).await?;
        let guesses = decided.iter().filter(|one| one.verdict().is_guess()).count();
        attempts.settle(&state, u32::try_from(guesses).unwrap_or(u32::MAX)).await?;
        submitted.extend(decided);
    }
    for one in &submitted {
        metrics::counter!("submissions_total", "verdict" => one.verdict().as_str()).increment(1);
    }
    let registered =
        submitted.iter().filter(|one| matches!(one, Submitted::Registered { .. })).count();
    tracing::info!(account = %by.account(), submissions = requests.len(), registered, "batch of serials");

    let ids: Vec<SubmissionId> = submitted.iter().copied().filter_map(submission_of).collect();
    let mut conn = state.store.connection().await?;
    let rows = serials::find_batch(&mut conn, &by, &ids).await?;
    let rows: HashMap<Uuid, SubmissionRow> = rows.into_iter().map(|row| (row.id, row)).collect();
    let mut submitted = submitted.into_iter();
    let data = read.into_iter().map(|request| match (request, &mut submitted) {
        (Err(problem), _) => BatchVerdict::problem(&problem),
        (Ok(_), submitted) => submitted.next().map_or_else(
            || BatchVerdict::problem(&Problem::new(ProblemCode::SerialAttemptsUsedUp)),
            |submitted| BatchVerdict::new(submitted, &rows),
        ),
    });
    let body = BatchResponse { data: data.collect() };
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(body))
}
