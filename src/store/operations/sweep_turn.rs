//! Deletes rows of one kind in batches, for a bounded time.

use std::time::{Duration as Period, Instant};

use crate::store::{StoreError, StoreResult};

/// Time limit for one kind of rows in a sweep, so that the other kinds get their turn.
const TURN: Period = Period::from_mins(1);
/// Size of the first batch of each kind; after a batch that timed out, smaller ones follow.
pub const BATCH: i64 = 1_000;

/// The batches of one kind of rows in a sweep.
pub(in crate::store) struct SweepTurn {
    rows: &'static str,
    /// Most rows of the next batch.
    pub(in crate::store) limit: i64,
    ends: Instant,
    deleted: usize,
    /// Whether the turn ended before all rows were deleted.
    is_cut_off: bool,
}

impl SweepTurn {
    pub(in crate::store) fn new(rows: &'static str, limit: i64) -> Self {
        let ends = Instant::now() + TURN;
        Self { rows, limit, ends, deleted: 0, is_cut_off: false }
    }

    /// Records the result of a batch: the number of deleted and read rows. Returns whether another batch follows. After
    /// a time-out, smaller batches follow, down to the smallest.
    pub(in crate::store) fn record_batch(
        &mut self,
        batch: StoreResult<(i64, i64)>,
    ) -> StoreResult<bool> {
        match batch {
            Ok((deleted, seen)) => {
                self.deleted += usize::try_from(deleted).unwrap_or_default();
                if seen < self.limit {
                    return Ok(false);
                }
            }
            Err(
                error @ (StoreError::TooLong
                | StoreError::Unavailable(_)
                | StoreError::CommitUnclear(_)),
            ) if self.limit > 1 => {
                self.limit = (self.limit / 8).max(1);
                tracing::debug!(rows = self.rows, limit = self.limit, %error, "a batch timed out: trying smaller ones");
            }
            Err(error) => {
                // Finished batches stay done, and are reported.
                self.report();
                return Err(error);
            }
        }
        self.is_cut_off = Instant::now() >= self.ends;
        Ok(!self.is_cut_off)
    }

    /// Ends the turn; returns the number of deleted rows.
    pub(in crate::store) fn end(self) -> usize {
        self.report();
        self.deleted
    }

    fn report(&self) {
        if self.deleted > 0 {
            let (rows, deleted, goes_on) = (self.rows, self.deleted, self.is_cut_off);
            metrics::counter!("housekeeping_rows_total", "rows" => rows).increment(deleted as u64);
            tracing::info!(rows, deleted, goes_on, "deleted rows that are not needed any more");
        }
    }
}
