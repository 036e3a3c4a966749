//! The budget of one request: the total time that it may wait for the database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

tokio::task_local! {
    static BUDGET: Arc<WaitBudget>;
}

/// The time that a request may still wait for the database.
#[derive(Debug)]
pub(in crate::store) struct WaitBudget {
    micros: AtomicU64,
}

impl WaitBudget {
    /// Runs a request whose total wait for the database is limited by `limit`. Tasks that it spawns have no budget.
    pub(in crate::store) async fn scope<T>(limit: Duration, request: impl Future<Output = T>) -> T {
        let micros = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
        BUDGET.scope(Arc::new(Self { micros: AtomicU64::new(micros) }), request).await
    }

    /// The budget of the current request.
    pub(in crate::store) fn current() -> Option<Arc<Self>> {
        BUDGET.try_with(Clone::clone).ok()
    }

    /// The remaining time.
    pub(in crate::store) fn remaining(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }

    /// Subtracts the length of a wait.
    pub(super) fn spend(&self, wait: Duration) {
        let wait = u64::try_from(wait.as_micros()).unwrap_or(u64::MAX);
        let spend = |left: u64| Some(left.saturating_sub(wait));
        let _ = self.micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend);
    }
}
