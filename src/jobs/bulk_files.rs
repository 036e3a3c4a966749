//! Rebuilds the bulk files of a game after it changed.

use std::sync::Arc;
use std::time::Duration;

use crate::app::state::Shared;
use crate::store::Store;
use crate::store::catalogue::bulk_files::{self, BulkCard, FailedBuilds, Layout, RowSource};
use crate::store::decks::deck_rows::BulkDeck;
use crate::work::ticks::ticks;

/// How bulk files are built.
#[derive(Clone, Copy)]
pub struct BulkFileOptions {
    /// Shortest time between two builds of the files of a game.
    pub interval: Duration,
    /// How cards are written into them.
    pub cards: Layout<BulkCard>,
    /// How public decks are written into them.
    pub decks: Layout<BulkDeck>,
}

/// Builds the files of these rows again and again. It looks for changes more often than it builds, so that a change
/// after a quiet time is soon in the files.
pub(super) async fn run<S: RowSource>(
    shared: Arc<Shared>,
    store: Store,
    interval: Duration,
    layout: Layout<S::Row>,
) {
    let mut tick = ticks((interval / 4).min(Duration::from_secs(5)));
    let min_age = chrono::Duration::from_std(interval).unwrap_or(chrono::Duration::MAX);
    let mut failed = FailedBuilds::default();
    loop {
        tick.tick().await;
        if shared.is_draining() {
            return;
        }
        let (games, clock) = (&shared.games, &shared.clock);
        let refreshed =
            bulk_files::refresh::<S>(&store, games, layout, clock, min_age, &mut failed).await;
        if let Err(error) = refreshed {
            tracing::warn!(%error, "cannot update the bulk files");
        }
    }
}
