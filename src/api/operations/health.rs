//! For load balancers and monitoring.

use std::time::Duration;

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::http::extract::client_address;
use crate::store::Readiness;

/// State of the instance.
#[derive(Serialize, ToSchema)]
pub struct HealthResponse {
    /// `ok`.
    #[schema(example = "ok")]
    pub status: &'static str,
    /// Version of the service.
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}

const OK: HealthResponse = HealthResponse { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// Tells whether the process answers.
#[utoipa::path(get, path = "/healthz", tag = "service", responses((status = 200, body = HealthResponse)))]
pub async fn healthz() -> web::Json<HealthResponse> {
    web::Json(OK)
}

/// Tells whether requests should be sent here: the database answers and takes writes, and the instance is not about to
/// stop. The problem's `detail` says what is not so.
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses((status = 200, body = HealthResponse), (status = 503, description = "Not ready."))
)]
pub async fn readyz(state: web::Data<AppState>) -> Result<web::Json<HealthResponse>, Problem> {
    if state.is_draining() {
        return Err(Problem::new(ProblemCode::Unavailable)
            .detail("This instance is about to stop.")
            .retry_after(1));
    }
    let asked = tokio::time::timeout(Duration::from_secs(2), state.store.readiness()).await;
    let detail = match asked.unwrap_or(Readiness::Silent) {
        Readiness::Ready => return Ok(web::Json(OK)),
        Readiness::Silent => "The database does not answer.",
        Readiness::ReadOnly => "The database takes no writes: it is read-only.",
        Readiness::Full => "The database took no writes a moment ago: its disk is full.",
    };
    Err(Problem::new(ProblemCode::Unavailable).detail(detail).retry_after(2))
}

/// Shows metrics in Prometheus' text format.
///
/// For this machine and configured networks only; a 404 to others.
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses(
        (status = 200, body = String, content_type = "text/plain"),
        (status = 404, description = "Not for your network.")
    )
)]
pub async fn metrics(
    req: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, Problem> {
    let address = client_address(&req, &state.settings.trusted_proxies);
    let allowed = address.is_some_and(|address| {
        let networks = &state.settings.metrics_networks;
        address.is_loopback() || networks.iter().any(|network| network.contains(&address))
    });
    if !allowed {
        return Err(Problem::not_found());
    }
    let (used, open) = state.store.usage();
    metrics::gauge!("database_connections_used")
        .set(f64::from(u32::try_from(used).unwrap_or(u32::MAX)));
    metrics::gauge!("database_connections_open")
        .set(f64::from(u32::try_from(open).unwrap_or(u32::MAX)));
    let (used, open) = state.searches.usage();
    metrics::gauge!("search_connections_used")
        .set(f64::from(u32::try_from(used).unwrap_or(u32::MAX)));
    metrics::gauge!("search_connections_open")
        .set(f64::from(u32::try_from(open).unwrap_or(u32::MAX)));
    state.card_cache.measure();
    state.deck_cards.measure();
    state.catalogue.measure();
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4").body(state.metrics.render()))
}
