//! Every few minutes: deletes expired rows, counts ratings and votes that have become valid, and completes rows that
//! older versions of the program wrote.

use std::sync::Arc;
use std::time::Duration;

use chrono::DateTime;

use super::{discarded_runs, keys};
use crate::app::state::Shared;
use crate::store::accounts::name_skeletons;
use crate::store::catalogue::cards;
use crate::store::copies::trade_lists;
use crate::store::designs::design_ratings;
use crate::store::designs::{design_releases, design_search, reserved_names};
use crate::store::operations::retention;
use crate::store::serials::unlock_policies;
use crate::store::{Store, StoreResult};
use crate::work::ticks::ticks;

/// Time in each round for completing one kind of rows that older versions wrote, so that the other jobs do not wait long.
const TURN: Duration = Duration::from_mins(1);

pub(super) async fn run(shared: Arc<Shared>, store: Store) {
    let mut tick = ticks(Duration::from_mins(5));
    loop {
        tick.tick().await;
        shared.rate_limiter.sweep();
        shared.picture_rate_limiter.sweep();
        shared.metrics.run_upkeep();
        if let Err(error) = retention::sweep(&store, shared.clock.now()).await {
            tracing::warn!(%error, "cannot delete expired rows");
        }
        // A set may have got hidden cards after its release day, or its unlock may have failed on that day.
        if let Err(error) =
            unlock_policies::unlock_due_sets(&store, DateTime::UNIX_EPOCH, shared.clock.now()).await
        {
            tracing::warn!(%error, "cannot unlock sets that are due");
        }
        if let Err(error) = design_ratings::count_due(&store, shared.clock.now()).await {
            tracing::warn!(%error, "cannot count the ratings of accounts that are old enough now");
        }
        if let Err(error) = keys::compare(&shared, &store).await {
            tracing::warn!(%error, "could not compare the keys");
        }
        // An instance of an older version may have imported cards.
        if let Err(error) = cards::refresh_words(&store, TURN).await {
            tracing::warn!(%error, "cannot fold texts for the search");
        }
        // Older versions may also have registered accounts.
        if let Err(error) = name_skeletons::fill_in(&store, TURN).await {
            tracing::warn!(%error, "cannot store the skeletons of names");
        }
        // Or written lists of wants and haves.
        if let Err(error) = trade_lists::fill_in(&store, TURN).await {
            tracing::warn!(%error, "cannot store which items are on public lists");
        }
        if let Err(error) = reserved_names::fill_in(&store, TURN).await {
            tracing::warn!(%error, "cannot store what names of designs are compared by");
        }
        // A transaction may have locked the design at the moment when its card was unlocked. Before the search, which it
        // may be listed in from then on.
        if let Err(error) = design_releases::open_released(&store).await {
            tracing::warn!(%error, "cannot mark released designs as official");
        }
        // Older versions may also have shared designs, and a new manifest changes their derived rows.
        if let Err(error) = fill_in_designs(&shared, &store).await {
            tracing::warn!(%error, "could not prepare designs for the search");
        }
        if let Err(error) = discarded_runs::discard(&store, shared.clock.now()).await {
            tracing::warn!(%error, "cannot discard abandoned print runs");
        }
        // Last, because it takes several turns after the update that began to store it.
        if let Err(error) = cards::fill_in_name_looks(&store, TURN).await {
            tracing::warn!(%error, "cannot store what names of cards are compared by");
        }
    }
}

async fn fill_in_designs(shared: &Shared, store: &Store) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    let games = shared.games.read_list(&mut conn).await?;
    drop(conn);
    let filled = design_search::fill_in(store, &games, TURN).await?;
    if filled > 0 {
        tracing::info!(designs = filled, "designs prepared for the search");
    }
    Ok(())
}
