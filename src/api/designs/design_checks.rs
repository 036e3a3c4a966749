//! Checks of a design while it is written.

use actix_web::{HttpResponse, web};

use crate::app::designs::design_bodies::DesignRequest;
use crate::app::designs::design_checks::{self, DesignCheckResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::{Body, Caller, ClientNetwork};

/// Checks a design without storing it.
///
/// Returns every rule that the design breaks in any rarity, the templates that make its sentences, and cards and designs with a similar name or with the same
/// effects. It is compared with open cards, shared designs and your own designs, but never with hidden cards, for any caller.
///
/// `artwork` must be your own, as when the design is stored; leave it out to check a design without an account, or a change that you suggest to somebody else's design.
#[utoipa::path(
    post, path = "/v1/design-checks", tag = "designs", security((), ("bearer" = [])), request_body = DesignRequest,
    responses(
        (status = 200, body = DesignCheckResponse),
        (status = 422, description = "`invalid_body`: the game does not exist, a text cannot be stored, or the artwork is none that you have uploaded. A design that breaks rules is not an error."),
    )
)]
pub async fn check_design(
    state: web::Data<AppState>,
    caller: Caller,
    network: ClientNetwork,
    body: Body<DesignRequest>,
) -> Result<HttpResponse, Problem> {
    let asker = caller.may();
    let answer = design_checks::check(&state, network.0, asker.as_ref(), body.value, None).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(answer))
}
