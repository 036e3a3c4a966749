//! Work that takes a core for as long as it lasts: on blocking threads, a bounded number at once, behind a bounded queue.

pub mod fair;
pub mod supervise;

use std::sync::Arc;

use thiserror::Error;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The work was not done.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum WorkError {
    /// As many are at work, or wait, as may be.
    #[error("too much is to be done at once")]
    Busy,
    /// It panicked, or the process is about to end.
    #[error("work was broken off")]
    BrokenOff,
}

/// A bound on one kind of work. Clones share it. Each piece of work has bounds of its own.
#[derive(Clone, Debug)]
pub struct BoundedWork {
    permits: Arc<Semaphore>,
    /// Whoever comes when this many wait is sent away, so that a flood ends in 503 and not in a long queue.
    places: Arc<Semaphore>,
}

/// Somebody who waits or works. Frees the place when it is dropped.
#[derive(Debug)]
pub struct Place {
    permits: Arc<Semaphore>,
    _place: OwnedSemaphorePermit,
}

/// Somebody whose turn it is. Others wait for as long as it lives.
#[derive(Debug)]
pub struct Turn {
    _place: Place,
    _permit: OwnedSemaphorePermit,
}

impl BoundedWork {
    /// So many at once, and so many in all with those that wait; at least one.
    pub fn new(at_once: usize, in_all: usize) -> Self {
        let at_once = at_once.max(1);
        Self {
            permits: Arc::new(Semaphore::new(at_once)),
            places: Arc::new(Semaphore::new(in_all.max(at_once))),
        }
    }

    /// As many at once as half of the cores, for the others are for everything else, and so many in all for each of them.
    pub fn on_half_the_cores(in_all_for_each: usize) -> Self {
        let at_once = (cores() / 2).max(1);
        Self::new(at_once, at_once * in_all_for_each)
    }

    /// Takes a place in the queue.
    pub fn enter(&self) -> Result<Place, WorkError> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| WorkError::Busy)?;
        Ok(Place { permits: self.permits.clone(), _place: place })
    }

    /// Does a piece of work when it is its turn.
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
    pub async fn turn(self) -> Result<Turn, WorkError> {
        let permit =
            self.permits.clone().acquire_owned().await.map_err(|_| WorkError::BrokenOff)?;
        Ok(Turn { _place: self, _permit: permit })
    }
}

impl Turn {
    /// Does a piece of work. The turn goes along: a client that hangs up makes room only when the work is really over.
    pub async fn run<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T), WorkError> {
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            (self, done)
        });
        done.await.map_err(|_| WorkError::BrokenOff)
    }
}

/// Does a piece of work on a thread that answers no requests, at once. What bounds the number of such pieces is the caller's.
pub async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, WorkError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| WorkError::BrokenOff)
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
    async fn who_finds_no_place_is_sent_away_and_given_up_work_keeps_its_own() {
        let work = BoundedWork::new(1, 2);
        let (release, released) = mpsc::channel::<()>();
        let first = work.enter().unwrap().turn().await.unwrap();
        let given_up = tokio::spawn(first.run(move || released.recv().ok()));
        let second = work.enter().unwrap();
        assert_eq!(work.enter().unwrap_err(), WorkError::Busy);
        // The one who waits for the result goes away; the work goes on.
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
    async fn a_panic_frees_the_place() {
        let work = BoundedWork::new(1, 1);
        assert_eq!(work.run(|| panic!("in a test")).await, Err::<(), _>(WorkError::BrokenOff));
        assert_eq!(work.run(|| 8).await, Ok(8));
    }
}
