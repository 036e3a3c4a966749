//! Discards abandoned print runs, and deletes their copies.

use chrono::{DateTime, Utc};

use crate::store::printing::discarded_runs;
use crate::store::{Store, StoreResult};

/// Most transactions of one pass; the next pass continues. They delete two million copies in a minute or two.
const MAX_TRANSACTIONS: usize = 1_000;

pub(super) async fn discard(store: &Store, now: DateTime<Utc>) -> StoreResult<()> {
    discarded_runs::discard_abandoned(store, now).await?;
    let deleted = discarded_runs::delete_copies(store, MAX_TRANSACTIONS, now, |_| {}).await?;
    if deleted > 0 {
        let left = discarded_runs::count_copies_to_delete(&mut *store.connection().await?).await?;
        tracing::info!(
            copies = deleted,
            at_most_left = left.saturating_sub(deleted),
            "deleted copies of discarded print runs"
        );
    }
    Ok(())
}
