//! Rows that older versions of the program stored without something, or by older rules: completed in batches.

use std::time::{Duration as Period, Instant};

use crate::store::{Connection, Store, StoreResult};

/// A turn that ends only when all rows are complete.
pub const UNTIL_DONE: Period = Period::MAX;

/// Rows per transaction.
const BATCH: i64 = 200;

/// One kind of rows that may be incomplete.
pub(in crate::store) trait Backlog {
    /// What is read of a row to complete it.
    type Row: Send + Sync;

    /// Reads up to `limit` incomplete rows, and locks them. Skips rows that others have locked, so that several
    /// instances may do this at once.
    fn read(
        conn: &mut Connection,
        limit: i64,
    ) -> impl Future<Output = StoreResult<Vec<Self::Row>>> + Send;

    /// Completes rows: [`Self::read`] does not find them again.
    fn complete(
        conn: &mut Connection,
        rows: &[Self::Row],
    ) -> impl Future<Output = StoreResult<()>> + Send;
}

/// Completes rows until there are no more, or until `turn` is over, but at least one batch; returns how many rows.
pub(in crate::store) async fn work_off<B: Backlog>(
    store: &Store,
    turn: Period,
) -> StoreResult<usize> {
    let begun = Instant::now();
    let mut done = 0;
    loop {
        let batch = store.transaction(async |conn| complete_some::<B>(conn).await).await?;
        done += batch;
        if batch == 0 || begun.elapsed() >= turn {
            return Ok(done);
        }
    }
}

async fn complete_some<B: Backlog>(conn: &mut Connection) -> StoreResult<usize> {
    let rows = B::read(conn, BATCH).await?;
    if !rows.is_empty() {
        B::complete(conn, &rows).await?;
    }
    Ok(rows.len())
}
