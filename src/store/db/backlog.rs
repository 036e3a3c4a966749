//! Rows that older versions of the program stored without something, or by older rules: completed in batches.

use std::time::{Duration as Period, Instant};

use crate::store::{Connection, Store, StoreError, StoreResult};

/// A turn that ends only when all rows are complete.
pub const UNTIL_DONE: Period = Period::MAX;

/// Rows per transaction.
const BATCH: i64 = 200;

/// Most repetitions of batches in one turn, after conflicts with others.
const MAX_REPETITIONS: u32 = 10;

/// One kind of rows that may be incomplete.
pub(in crate::store) trait Backlog {
    /// What is read of a row to complete it.
    type Row: Send + Sync;

    /// Reads up to `limit` incomplete rows, and locks them. Skips rows that others have locked, so that several
    /// instances may do this at once.
    fn read(
        &self,
        conn: &mut Connection,
        limit: i64,
    ) -> impl Future<Output = StoreResult<Vec<Self::Row>>> + Send;

    /// Completes rows: [`Self::read`] does not find them again.
    fn complete(
        &self,
        conn: &mut Connection,
        rows: &[Self::Row],
    ) -> impl Future<Output = StoreResult<()>> + Send;

    /// Whether a batch failed only because of a change by others, so that it is read and completed again.
    fn may_be_repeated(&self, _error: &StoreError) -> bool {
        false
    }
}

/// Completes rows until there are no more, or until `turn` is over, but at least one batch; returns how many rows.
pub(in crate::store) async fn work_off<B: Backlog + Sync>(
    backlog: &B,
    store: &Store,
    turn: Period,
) -> StoreResult<usize> {
    let begun = Instant::now();
    let (mut done, mut repetitions) = (0, 0);
    loop {
        let mut transaction = store.begin().await?;
        let batch = complete_some(backlog, transaction.conn()).await;
        match transaction.end(batch).await {
            Ok(0) => return Ok(done),
            Ok(batch) => done += batch,
            Err(error)
                if repetitions < MAX_REPETITIONS
                    && (error.is_transient() || backlog.may_be_repeated(&error)) =>
            {
                repetitions += 1;
            }
            Err(error) => return Err(error),
        }
        if begun.elapsed() >= turn {
            return Ok(done);
        }
    }
}

async fn complete_some<B: Backlog + Sync>(
    backlog: &B,
    conn: &mut Connection,
) -> StoreResult<usize> {
    let rows = backlog.read(conn, BATCH).await?;
    if !rows.is_empty() {
        backlog.complete(conn, &rows).await?;
    }
    Ok(rows.len())
}
