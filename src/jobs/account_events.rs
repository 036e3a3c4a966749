//! One look at the database, twice a second, for all streams of own events of the process.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::state::Shared;
use crate::memory::event_watch::{StreamEnd, TRUST};
use crate::store::{Store, in_time};

/// How often the database is asked while anybody listens.
const INTERVAL: Duration = Duration::from_millis(500);

/// Looks for all streams, as long as the process lives.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    let mut looked = Instant::now();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let (demand, now) = (shared.settings.second_factor_demand, shared.clock.now());
        let look = shared.account_events.look(&store, demand, now);
        match in_time(TRUST, look).await {
            Ok(()) => looked = Instant::now(),
            // The private Postgres ends with the service.
            Err(_) if shared.is_draining() => return,
            Err(error) => {
                tracing::warn!(%error, "cannot look for events of accounts");
                if looked.elapsed() > TRUST {
                    shared.account_events.end_all(StreamEnd::Unavailable);
                }
            }
        }
    }
}
