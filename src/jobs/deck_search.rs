//! Prepares the search rows of public decks that no request prepared: decks that another version of the program
//! published, and all decks on each new day.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;

use crate::app::decks::deck_search;
use crate::app::state::{AppState, Shared};
use crate::store::Store;
use crate::store::db::search_queue::SearchQueue;

/// Pause between checks for rows that are due.
const INTERVAL: Duration = Duration::from_secs(5);
/// Pause after each batch of a hundred decks: judging a million decks on a new day must take only part of one
/// processor.
const PAUSE: Duration = Duration::from_millis(50);
/// How far the first check goes back for unlocked cards: older rows are renewed every day anyway.
const FIRST_LOOK: TimeDelta = TimeDelta::hours(25);
/// How far each check overlaps with the previous one, for unlocks and rows whose transactions were not committed then.
const OVERLAP: TimeDelta = TimeDelta::minutes(10);

pub(super) async fn run(shared: Arc<Shared>, store: Store, searches: SearchQueue) {
    let app = AppState { store, searches, shared };
    let mut since = app.clock.now() - FIRST_LOOK;
    loop {
        let now = app.clock.now();
        let delay = match deck_search::make_due(&app, now, since).await {
            Ok(Some(0)) => {
                since = now - OVERLAP;
                INTERVAL
            }
            // Another process does the work, and may stop before it is complete.
            Ok(None) => INTERVAL,
            Ok(Some(decks)) => {
                tracing::debug!(decks, "prepared public decks for the search");
                PAUSE
            }
            Err(problem) => {
                tracing::warn!(code = ?problem.code(), "could not prepare public decks for the search");
                INTERVAL
            }
        };
        tokio::time::sleep(delay).await;
    }
}
