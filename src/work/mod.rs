//! CPU-bound work: runs on blocking threads, a limited number at a time, behind a limited queue.

pub mod back_off;
pub mod fair;
pub mod supervise;
pub mod ticks;

use std::sync::Arc;

use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Why a job was not done.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WorkError {
    /// The limit of running and waiting jobs is reached.
    #[error("too many jobs are waiting")]
    Busy,
    /// The job panicked, or the process is stopping.
    #[error("the job was aborted")]
    BrokenOff,
}

/// The limit for one kind of work. Clones share it. Other kinds have their own limits.
#[derive(Clone, Debug)]
pub struct BoundedWork {
    permits: Arc<Semaphore>,
    /// Requests beyond this many are refused, so that overload ends in 503 and not in a long queue.
    places: Arc<Semaphore>,
}

/// A place for a waiting or running job. Freed when it is dropped.
#[derive(Debug)]
pub struct Place {
    permits: Arc<Semaphore>,
    _place: OwnedSemaphorePermit,
}

/// The right to run; other jobs wait until it is dropped.
#[derive(Debug)]
pub struct WorkPermit {
    _place: Place,
    _permit: OwnedSemaphorePermit,
}

impl BoundedWork {
    /// At most `at_once` jobs run, and at most `in_all` run or wait; at least one.
    pub fn new(at_once: usize, in_all: usize) -> Self {
        let at_once = at_once.max(1);
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            places: Arc::new(Semaphore::new(in_all.max(at_once))),
        }
    }

    /// Runs as many jobs as half of the cores, so that the other half stays free, with `in_all_for_each` places for
    /// each.
    pub fn on_half_the_cores(in_all_for_each: usize) -> Self {
        let at_once = (cores() / 2).max(1);
        Self::new(at_once, at_once * in_all_for_each)
    }

    /// Takes a place in the queue.
    pub fn enter(&self) -> Result<Place, WorkError> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| WorkError::Busy)?;
        Ok(Place { permits: self.permits.clone(), _place: place })
    }

    /// Runs a job when it is its turn.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let (_, done) = self.enter()?.turn().await?.run(work).await?;
        Ok(done)
    }
}

impl Place {
    /// Waits for its turn.
    pub async fn turn(self) -> Result<WorkPermit, WorkError> {
        let permit =
            self.permits.clone().acquire_owned().await.map_err(|_| WorkError::BrokenOff)?;
        Ok(WorkPermit { _place: self, _permit: permit })
    }
}

impl WorkPermit {
    /// Runs a job. The job holds the turn: if the client disconnects, the turn is freed only when the job has ended.
    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T), WorkError> {
        on_blocking_thread(self, work).await
    }
}

/// Runs a job at once on a blocking thread. Callers limit the number of such jobs by what a job holds, such as a turn or
/// a lock: if the client disconnects, it is freed only when the job has ended.
pub async fn on_blocking_thread<H: Send + 'static, T: Send + 'static>(
    held: H,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(H, T), WorkError> {
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        (held, done)
    });
    done.await.map_err(|_| WorkError::BrokenOff)
}

/// How many cores the process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_full_queue_refuses_and_cancelled_work_keeps_its_place() {
        let work = BoundedWork::new(1, 2);
        let (release, released) = mpsc::channel::<()>();
        let first = work.enter().unwrap().turn().await.unwrap();
        let given_up = tokio::spawn(first.run(move || released.recv().ok()));
        let second = work.enter().unwrap();
        assert_eq!(work.enter().unwrap_err(), WorkError::Busy);
        // The task that waits for the result is cancelled; the job continues.
        tokio::task::yield_now().await;
        given_up.abort();
        assert!(given_up.await.is_err());
        assert_eq!(work.run(|| ()).await, Err(WorkError::Busy));
        assert_eq!(work.permits.available_permits(), 0);
        release.send(()).unwrap();
        let second = second.turn().await.unwrap();
        assert_eq!(second.run(|| 7).await.unwrap().1, 7);
        assert_eq!(work.run(|| 8).await, Ok(8));
    }

    #[tokio::test]
    async fn a_job_holds_its_lock_until_its_end_although_its_caller_is_gone() {
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        let (release, released) = mpsc::channel::<()>();
        let held = lock.clone().lock_owned().await;
        let given_up = tokio::spawn(on_blocking_thread(held, move || released.recv().ok()));
        tokio::task::yield_now().await;
        given_up.abort();
        assert!(given_up.await.is_err());
        assert!(lock.try_lock().is_err(), "the job goes on");
        release.send(()).unwrap();
        let held = lock.clone().lock_owned().await;
        let (held, done) = on_blocking_thread(held, || 7).await.unwrap();
        assert_eq!(done, 7);
        assert!(lock.try_lock().is_err(), "the caller has the lock again");
        drop(held);
        assert!(lock.try_lock().is_ok());
    }

    #[tokio::test]
    async fn a_panic_frees_the_place() {
        let work = BoundedWork::new(1, 1);
        assert_eq!(work.run(|| panic!("in a test")).await, Err::<(), _>(WorkError::BrokenOff));
        assert_eq!(work.run(|| 8).await, Ok(8));
    }
}
