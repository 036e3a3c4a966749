//! Observations about the server by all connections of a process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How long a write error is remembered.
const REMEMBERED: Duration = Duration::from_secs(15);

/// SQLSTATE `disk_full`.
pub(super) const DISK_FULL: &str = "53100";

/// SQLSTATEs of invalid prepared statements: `feature_not_supported`, "cached plan must not change result type" (the
/// type of a selected column has changed), and `invalid_sql_statement_name` (the statement was deallocated).
pub(super) const OUTDATED: [&str; 2] = ["0A000", "26000"];

/// Observations about the server, shared by all pools of a process.
#[derive(Debug, Default)]
pub struct Health {
    observations: Mutex<Observations>,
    /// How often requests have taken a connection from a pool.
    taken: AtomicU64,
}

#[derive(Debug, Default)]
struct Observations {
    suspect: Option<Instant>,
    disk_full: Option<Instant>,
    outdated: Option<Instant>,
}

impl Health {
    fn observations(&self) -> MutexGuard<'_, Observations> {
        self.observations.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a connection that a request takes from a pool.
    pub(super) fn count_taken(&self) {
        self.taken.fetch_add(1, Ordering::Relaxed);
    }

    /// How often requests have taken a connection from a pool, without background work: tests count what a use case needs.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Records that a connection has had no answer since `since`: other connections without an answer since then may
    /// hang, too.
    pub(super) fn suspect(&self, since: Instant) {
        let mut observations = self.observations();
        observations.suspect = observations.suspect.max(Some(since));
    }

    /// Connections that last received data at or before this time must not be used again.
    pub(super) fn suspects(&self) -> Option<Instant> {
        self.observations().suspect
    }

    /// Records that the server reported an error with this SQLSTATE.
    pub(super) fn record_error(&self, code: &str) {
        if code == DISK_FULL {
            self.observations().disk_full = Some(Instant::now());
        }
        if OUTDATED.contains(&code) {
            self.observations().outdated = Some(Instant::now());
        }
    }

    /// When the server last refused a prepared statement: statements prepared before that must be prepared again.
    pub(super) fn outdated(&self) -> Option<Instant> {
        self.observations().outdated
    }

    /// Whether a write failed within the last seconds because the server's disk is full.
    pub(in crate::store) fn is_full(&self) -> bool {
        self.observations().disk_full.is_some_and(|at| at.elapsed() < REMEMBERED)
    }
}
