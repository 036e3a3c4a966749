//! Health checks for load balancers and monitoring.

use std::net::IpAddr;
use std::time::Duration;

use serde::Serialize;
use utoipa::ToSchema;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::store::Readiness;

/// How long the readiness check waits for the database.
const TIME_LIMIT: Duration = Duration::from_secs(2);

/// State of the instance.
#[derive(Serialize, ToSchema)]
pub struct HealthResponse {
    /// Always `ok`.
    #[schema(example = "ok")]
    pub status: &'static str,
    /// Version of the service.
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}

const OK: HealthResponse = HealthResponse { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// Reports that the process is alive.
pub fn report_alive() -> HealthResponse {
    OK
}

/// Checks whether this instance should get requests: the database answers and accepts writes, and the instance is not
/// stopping.
pub async fn check_readiness(app: &AppState) -> Result<HealthResponse, Problem> {
    if app.is_draining() {
        return Err(Problem::new(ProblemCode::Unavailable)
            .detail("This instance is about to stop.")
            .retry_after(1));
    }
    let readiness = tokio::time::timeout(TIME_LIMIT, app.store.readiness()).await;
    let detail = match readiness.unwrap_or(Readiness::Silent) {
        Readiness::Ready => return Ok(OK),
        Readiness::Silent => "The database does not answer.",
        Readiness::ReadOnly => "The database takes no writes: it is read-only.",
        Readiness::Full => "The database took no writes a moment ago: its disk is full.",
    };
    Err(Problem::new(ProblemCode::Unavailable).detail(detail).retry_after(2))
}

/// Updates gauges that are measured on demand, and renders all metrics. Only for this machine and the networks that the
/// operator configured; 404 for others.
pub fn render_metrics(app: &AppState, client: Option<IpAddr>) -> Result<String, Problem> {
    let is_allowed = client.is_some_and(|address| {
        let networks = &app.settings.metrics_networks;
        address.is_loopback() || networks.iter().any(|network| network.contains(&address))
    });
    if !is_allowed {
        return Err(Problem::not_found());
    }
    let (used, open) = app.store.usage();
    metrics::gauge!("database_connections_used").set(count(used));
    metrics::gauge!("database_connections_open").set(count(open));
    let (used, open) = app.searches.usage();
    metrics::gauge!("search_connections_used").set(count(used));
    metrics::gauge!("search_connections_open").set(count(open));
    app.card_cache.measure();
    app.deck_cards.measure();
    app.catalogue.measure();
    app.listed_designs.measure();
    app.gallery_designs.measure();
    Ok(app.metrics.render())
}

fn count(connections: usize) -> f64 {
    f64::from(u32::try_from(connections).unwrap_or(u32::MAX))
}
