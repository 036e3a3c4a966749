//! Makes what public decks are found by where a request could not: decks that programs of another version published, and all of them on each new day.

use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;

use crate::app::decks::deck_search;
use crate::app::state::{AppState, Shared};
use crate::store::Store;
use crate::store::db::search_queue::SearchQueue;

/// Time between looks for rows that are due.
const INTERVAL: Duration = Duration::from_secs(5);
/// Pause after each batch of a hundred decks, so that judging a million decks on a new day takes at most a part of one processor.
const PAUSE: Duration = Duration::from_millis(50);
/// How far the first look goes back for unlocked cards: rows that are older are made anew each day.
const FIRST_LOOK: TimeDelta = TimeDelta::hours(25);
/// How far each look reaches back before the previous one, for unlocks and rows that were not committed then.
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
            // Another process does it, and may end before it has done all of it.
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
