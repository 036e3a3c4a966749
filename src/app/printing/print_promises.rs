//! What revealed print runs have promised. A plan grows with its set, and anonymous clients may ask: each is read once.

use std::sync::Arc;

use uuid::Uuid;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::printing::promise::RunPromise;

/// What the run of an announcement promises, by what opens it; `None`: that is not revealed, or cannot be read.
pub async fn find(
    app: &AppState,
    id: Uuid,
    opening: Option<String>,
) -> Result<Option<Arc<RunPromise>>, Problem> {
    let Some(opening) = opening else { return Ok(None) };
    // What is revealed never changes.
    if let Some(known) = app.run_promises.get(&id) {
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
