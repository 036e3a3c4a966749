//! Judges watched decks again after changes, and notifies their watchers when a deck becomes illegal.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::app::decks::deck_watches;
use crate::app::problem::Problem;
use crate::app::state::{AppState, Shared};
use crate::store::Store;
use crate::store::db::search_queue::SearchQueue;

/// Pause between checks for reports that are due.
const INTERVAL: Duration = Duration::from_secs(5);
/// Pause after each batch: a new day, on which all decks are judged, must take only part of one processor.
const PAUSE: Duration = Duration::from_millis(50);

pub(super) async fn run(shared: Arc<Shared>, store: Store, searches: SearchQueue) {
    let app = AppState { store, searches, shared };
    let mut place = None;
    loop {
        let delay = match look(&app, &mut place, app.clock.now()).await {
            Ok(true) => PAUSE,
            Ok(false) => INTERVAL,
            Err(problem) => {
                tracing::warn!(code = ?problem.code(), "could not judge watched decks");
                INTERVAL
            }
        };
        tokio::time::sleep(delay).await;
    }
}

/// Reads the change feed after `place`, makes some reports, and notifies some watchers. Returns whether there is more
/// to do. A failure of one step does not prevent the others.
async fn look(
    app: &AppState,
    place: &mut Option<i64>,
    now: DateTime<Utc>,
) -> Result<bool, Problem> {
    let before = *place;
    let marked = deck_watches::mark_changed(app, before, now).await;
    let judged = deck_watches::make_due(app, now).await;
    let has_reported = deck_watches::notify_watchers(app, now).await?;
    let judged = judged?.unwrap_or_default();
    if judged > 0 {
        tracing::debug!(decks = judged, "judged watched decks");
    }
    *place = marked?;
    Ok(*place != before || judged > 0 || has_reported)
}
