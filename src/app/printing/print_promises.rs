//! Promises of revealed print runs. A plan grows with its set, and anonymous clients may request it, so each plan is read once and cached.

use std::sync::Arc;

use uuid::Uuid;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::printing::promise::RunPromise;

/// The promise of an announced print run, read from its revealed seed and plan; `None`: they are not revealed, or cannot be read.
pub async fn find(
    app: &AppState,
    id: Uuid,
    opening: Option<String>,
) -> Result<Option<Arc<RunPromise>>, Problem> {
    let Some(opening) = opening else { return Ok(None) };
    // A revealed plan never changes.
    if let Some(known) = app.run_promises.find(&id) {
        return Ok(known);
    }
    let promise = match app.work.run(move || RunPromise::read(&opening)).await? {
        Ok(promise) => Some(Arc::new(promise)),
        Err(error) => {
            tracing::warn!(%error, announcement = %id, "an announcement cannot be read");
            None
        }
    };
    app.run_promises.insert(id, promise.clone());
    Ok(promise)
}
