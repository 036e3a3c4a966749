//! Performs unlocks that are due: sets on their release day, and cards when the accounts of their submitters are old enough.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;

use crate::app::state::Shared;
use crate::store::Store;
use crate::store::serials::unlock_policies;
use crate::work::ticks::ticks;

/// How far each check reaches back before the previous one, for submissions that were not committed then.
const OVERLAP: chrono::Duration = chrono::Duration::hours(1);

pub(super) async fn run(shared: Arc<Shared>, store: Store) {
    let mut tick = ticks(Duration::from_secs(5));
    // The first check covers all time: the service may have been stopped for long.
    let mut since = DateTime::UNIX_EPOCH;
    let mut left = BTreeSet::new();
    loop {
        tick.tick().await;
        let now = shared.clock.now();
        match unlock_policies::unlock_all_due(&store, since, now, &mut left).await {
            Ok(cards) => {
                since = now - OVERLAP;
                if cards > 0 {
                    tracing::info!(cards, "unlocked cards that became due");
                }
            }
            Err(error) => tracing::warn!(%error, "cannot unlock cards that are due"),
        }
    }
}
