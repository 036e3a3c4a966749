//! Health checks for load balancers and monitoring.

use actix_web::{HttpRequest, HttpResponse, web};

use crate::app::operations::health::{self, HealthResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::http::extract::client_address;

/// Reports that the process answers.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = HealthResponse)))]
pub async fn healthz() -> HttpResponse {
    current(&health::report_alive())
}

/// An answer that no cache may store: it is true only at this moment.
fn current(state: &HealthResponse) -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(state)
}

/// Shows whether this instance can take requests.
///
/// It can if the database answers and accepts writes, and the instance is not about to stop. If it cannot, `detail` of the problem has the reason.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, body = HealthResponse), (status = 503, description = "The instance cannot take requests at this moment."))
)]
pub async fn readyz(state: web::Data<AppState>) -> Result<HttpResponse, Problem> {
    Ok(current(&health::check_readiness(&state).await?))
}

/// Shows metrics in the text format of Prometheus.
///
/// Only for this machine and the networks that the operator configured; for others the answer is 404. A request of a trusted proxy counts for the client that it
/// names in `X-Forwarded-For`, and is a 404 if it names none.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 404, description = "Not available to your network.")
    )
)]
pub async fn metrics(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    let client = client_address(&req, &state.settings.trusted_proxies);
    let text = health::render_metrics(&state, client)?;
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(text))
}
