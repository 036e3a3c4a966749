//! Promises of revealed print runs. A plan grows with its set, and anonymous clients may request it, so each plan is read once and cached.

use std::sync::Arc;

use uuid::Uuid;

use super::print_commitments;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::domain::ids::CommitmentId;
use crate::domain::printing::promise::RunPromise;

/// The promise of an announced print run, read from its revealed seed and plan; `None`: they are not revealed, or cannot be read.
pub async fn find(
    app: &AppState,
    id: Uuid,
    is_revealed: bool,
) -> Result<Option<Arc<RunPromise>>, Problem> {
    if !is_revealed {
        return Ok(None);
    }
    // A revealed plan never changes.
    if let Some(known) = app.run_promises.find(&id) {
        return Ok(known);
    }
    let found = print_commitments::find(app, CommitmentId(id)).await?;
    let Some(opening) = found.opening else { return Ok(None) };
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
