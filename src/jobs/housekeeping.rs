//! Every few minutes: deletes what is no longer needed, counts what has come to count, and completes rows that instances of an older version wrote.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;
use tokio::time::MissedTickBehavior;

use super::{discarded_runs, keys};
use crate::app::state::Shared;
use crate::store::accounts::name_skeletons;
use crate::store::catalogue::cards;
use crate::store::designs::design_ratings;
use crate::store::designs::{design_releases, design_search};
use crate::store::operations::retention;
use crate::store::serials::unlock_policies;
use crate::store::{Store, StoreResult};

pub(super) async fn run(shared: Arc<Shared>, store: Store) {
    let mut tick = tokio::time::interval(Duration::from_mins(5));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        shared.rate_limiter.sweep();
        shared.metrics.run_upkeep();
        if let Err(error) = retention::sweep(&store, shared.clock.now()).await {
            tracing::warn!(%error, "could not sweep");
        }
        // A set may have got hidden cards after its day, or could not be unlocked on it.
        if let Err(error) =
            unlock_policies::unlock_due_sets(&store, DateTime::UNIX_EPOCH, shared.clock.now()).await
        {
            tracing::warn!(%error, "could not look for sets to unlock");
        }
        if let Err(error) = design_ratings::count_due(&store, shared.clock.now()).await {
            tracing::warn!(%error, "could not count ratings of accounts that are old enough");
        }
        if let Err(error) = keys::compare(&shared, &store).await {
            tracing::warn!(%error, "could not compare the keys");
        }
        // An instance of an older version may have imported cards.
        if let Err(error) = cards::refresh_words(&store).await {
            tracing::warn!(%error, "could not fold texts for the search");
        }
        // It may also have registered accounts.
        if let Err(error) = name_skeletons::fill_in(&store).await {
            tracing::warn!(%error, "could not note what names look like");
        }
        // It may have shared designs as well, and manifests change what is worked out for them.
        if let Err(error) = fill_in_designs(&shared, &store).await {
            tracing::warn!(%error, "could not prepare designs for the search");
        }
        // Somebody may have held a design in the moment in which its card was unlocked.
        if let Err(error) = design_releases::open_released(&store).await {
            tracing::warn!(%error, "could not make designs official");
        }
        if let Err(error) = discarded_runs::discard(&store, shared.clock.now()).await {
            tracing::warn!(%error, "could not discard print runs that were broken off");
        }
    }
}

async fn fill_in_designs(shared: &Shared, store: &Store) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    let games = shared.games.read_list(&mut conn).await?;
    drop(conn);
    let filled = design_search::fill_in(store, &games).await?;
    if filled > 0 {
        tracing::info!(designs = filled, "designs prepared for the search");
    }
    Ok(())
}
