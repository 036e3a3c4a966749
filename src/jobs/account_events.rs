//! Polls the database twice a second for all streams of account events of the process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::state::Shared;
use crate::memory::event_watch::{MAX_SILENCE, StreamEnd};
use crate::store::{Store, in_time};

/// How often the database is polled while there are streams.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// Polls for all streams until the service stops.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    let mut last_poll = Instant::now();
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let (demand, now) = (shared.settings.second_factor_demand, shared.clock.now());
        let poll = shared.account_events.poll(&store, demand, now);
        match in_time(MAX_SILENCE, poll).await {
            Ok(()) => last_poll = Instant::now(),
            // The private Postgres ends with the service.
            Err(_) if shared.is_draining() => return,
            Err(error) => {
                tracing::warn!(%error, "cannot poll for account events");
                if last_poll.elapsed() > MAX_SILENCE {
                    shared.account_events.end_all(StreamEnd::Unavailable);
                }
            }
        }
    }
}
