//! Several submissions in one request, such as the codes of a whole display of packs.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use super::submissions::{SubmitRequest, with_game_fault};
use crate::app::problem::{InputFault, Problem};
use crate::app::serials::submission_batches::{self, BatchResponse, MAX_BATCH};
use crate::app::serials::submissions::{self, NamedSerial};
use crate::app::state::AppState;
use crate::auth::permission::SubmitSerials;
use crate::domain::code::Code;
use crate::http::extract::{Body, ClientNetwork, May};

/// Serial codes, each with the name of the card that it is printed on.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SubmitBatchRequest {
    /// 1 to 50 submissions.
    #[schema(min_items = 1, max_items = 50)]
    pub submissions: Vec<SubmitRequest>,
}

/// Reads the submissions. The games of those that cannot be read are looked up here, so that all their faults are reported together; the others are
/// submitted.
async fn read_all(
    app: &AppState,
    requests: Vec<SubmitRequest>,
) -> Result<Vec<Result<NamedSerial, Problem>>, Problem> {
    let games: Vec<_> = requests.iter().map(SubmitRequest::named_game).collect();
    let read: Vec<_> = requests.into_iter().map(SubmitRequest::parse).collect();
    let of_refused = games.iter().zip(&read).filter(|(_, serial)| serial.is_err());
    let of_refused = of_refused.filter_map(|(game, _)| game.clone()).collect();
    let unknown = submissions::game_faults(app, of_refused).await?;
    let with_all_faults = |(serial, game): (Result<NamedSerial, Problem>, Option<Code>)| {
        serial.map_err(|refused| with_game_fault(refused, game.as_ref(), &unknown))
    };
    Ok(read.into_iter().zip(games).map(with_all_faults).collect())
}

/// Submits several serial codes at once; each gets its own verdict.
///
/// A wrong submission does not affect the others. Each rejected submission uses up an attempt, as it would alone. When no attempts are left, the rest
/// of the batch is not examined and gets the verdict `serial_attempts_used_up`. A batch can be sent again without harm: copies that it registered
/// before get the verdict `already_yours`.
///
/// A batch may be sent beside other submissions of the account or its network. It waits for up to two seconds while all attempts are reserved for others; then
/// the rest gets the same verdict, and can be sent again at once.
#[utoipa::path(
    post, path = "/v1/submissions/batch", tag = "serials", security(("bearer" = [])), request_body = SubmitBatchRequest,
    responses(
        (status = 200, body = BatchResponse),
        (status = 422, description = "`invalid_body`"),
        (status = 429, description = "`serial_attempts_used_up`: no attempt is left, or (`Retry-After: 2`) all are reserved for submissions that are still being decided; `rate_limited`"),
    )
)]
pub async fn create_submissions(
    state: web::Data<AppState>,
    by: May<SubmitSerials>,
    network: ClientNetwork,
    body: Body<SubmitBatchRequest>,
) -> Result<HttpResponse, Problem> {
    let requests = body.value.submissions;
    if !(1..=MAX_BATCH).contains(&requests.len()) {
        let detail = format!("must be 1 to {MAX_BATCH} submissions, not {}", requests.len());
        return Err(Problem::invalid(vec![InputFault::at("/submissions", detail)]));
    }
    let serials = read_all(&state, requests).await?;
    let answer = submission_batches::submit(&state, &by, network.0, serials).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
