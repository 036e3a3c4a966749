//! How long a response of a connection has been pending.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

use crate::store::db::wait_budget::WaitBudget;

/// Tolerance for responses shortly after the server's own time limit.
const TRAILING: Duration = Duration::from_millis(100);

/// The pending responses of one connection, shared by its users and the stream below it.
pub(in crate::store) struct Pulse(Mutex<State>);

struct State {
    /// Longest wait for one response.
    limit: Duration,
    /// The budget for all waits of the request.
    budget: Option<Arc<WaitBudget>>,
    /// Number of pending responses.
    owed: u32,
    /// When the oldest pending response was requested, or when the response before it arrived.
    since: Instant,
    /// When data last arrived from the server.
    received: Instant,
    process: Option<i32>,
    /// Waits until no response is pending.
    settled: Option<oneshot::Sender<()>>,
}

/// A response did not arrive in time.
pub(super) struct LateResponse {
    /// When the response was requested, if the full time of a statement has passed; `None`: only the budget of one
    /// request is exhausted.
    pub silent_since: Option<Instant>,
}

impl Pulse {
    pub(super) fn new(limit: Duration) -> Arc<Self> {
        let now = Instant::now();
        let (owed, since, received) = (0, now, now);
        Arc::new(Self(Mutex::new(State {
            limit,
            budget: None,
            owed,
            since,
            received,
            process: None,
            settled: None,
        })))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on a response must arrive within `limit`, and all of them within the budget.
    pub(in crate::store) fn lend(&self, limit: Duration, budget: Option<Arc<WaitBudget>>) {
        let mut state = self.state();
        state.limit = limit;
        state.budget = budget;
    }

    /// Whether a response is pending.
    pub(in crate::store) fn owes(&self) -> bool {
        self.state().owed > 0
    }

    /// Waits for pending responses, as long as the tolerance for those that are on their way. `false`: one is still
    /// pending, as that of a statement that was dropped between its rows; or no data has arrived since `suspect`.
    pub(in crate::store) async fn settles(&self, suspect: Option<Instant>) -> bool {
        let (settled, until) = {
            let mut state = self.state();
            if suspect.is_some_and(|suspect| state.received <= suspect) {
                return false;
            }
            if state.owed == 0 {
                return true;
            }
            let (sender, settled) = oneshot::channel();
            state.settled = Some(sender);
            (settled, state.since + TRAILING)
        };
        matches!(timeout_at(until, settled).await, Ok(Ok(())))
    }

    /// The server process that the server reported for this connection. A pooler reports an invented one.
    pub(in crate::store) fn process(&self) -> Option<i32> {
        self.state().process
    }

    pub(super) fn record_sent(&self, questions: u32) {
        let mut state = self.state();
        if state.owed == 0 {
            state.since = Instant::now();
        }
        state.owed += questions;
    }

    pub(super) fn record_received(&self, answers: u32, process: Option<i32>) {
        let now = Instant::now();
        let mut state = self.state();
        state.received = now;
        state.process = process.or(state.process);
        if answers > 0 {
            if let Some(budget) = &state.budget {
                budget.spend(now - state.since);
            }
            state.owed = state.owed.saturating_sub(answers);
            state.since = now;
            if state.owed == 0
                && let Some(settled) = state.settled.take()
            {
                // Whoever waited may have given up.
                let _ = settled.send(());
            }
        }
    }

    /// When the next response is late; `None`: none is pending.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let state = self.state();
        let left = state.budget.as_ref().map_or(state.limit, |budget| budget.remaining());
        (state.owed > 0).then(|| state.since + state.limit.min(left))
    }

    pub(super) fn late_response(&self) -> LateResponse {
        let state = self.state();
        let silent = state.since.elapsed() >= state.limit;
        LateResponse { silent_since: silent.then_some(state.since) }
    }
}
