//! Where effect texts are put together: on threads of their own, so many at once.

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::problem::{Problem, ProblemCode};

/// How many wait for each that is at work.
const WAITING: usize = 32;

/// A bound on work with effect texts, which takes a core for as long as it lasts. Each piece of work has bounds of its own.
#[derive(Clone, Debug)]
pub struct EffectWork {
    permits: Arc<Semaphore>,
    /// Whoever comes when this many wait is sent away, so that a flood ends in 503 and not in a long queue.
    queue: Arc<Semaphore>,
}

impl Default for EffectWork {
    /// As many at once as half of the cores: the others are for everything else.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let at_once = (cores / 2).max(1);
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            queue: Arc::new(Semaphore::new(at_once * WAITING)),
        }
    }
}

impl EffectWork {
    /// Does a piece of work when it is its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let busy = || {
            Problem::new(ProblemCode::Unavailable)
                .detail("Too many effect texts are being put together at once.")
                .retry_after(1)
        };
        let place = self.queue.clone().try_acquire_owned().map_err(|_| busy())?;
        let permit = self.permits.clone().acquire_owned().await.map_err(Problem::internal)?;
        // Both go along: a client that hangs up frees its place only when the work is really over.
        let done = tokio::task::spawn_blocking(move || {
            let (_place, _permit) = (place, permit);
            work()
        });
        done.await.map_err(Problem::internal)
    }
}
