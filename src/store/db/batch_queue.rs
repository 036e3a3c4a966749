//! Batches the jobs of many requests: one task of the process takes all jobs that arrived while it processed the
//! previous batch. So a commit, or a lock that all of them need, is paid for once per batch, and batches grow with the
//! load.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Processes batches of jobs.
pub(in crate::store) trait BatchWorker: Clone + Send + 'static {
    /// A request's job, with the channel for its result.
    type Job: Send + 'static;
    /// Most jobs in a batch.
    const MAX_BATCH: usize;

    /// Waits until it is worthwhile to take the next jobs.
    fn ready(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Processes a batch, and answers each job. Dropping a job sends an error to its request.
    fn work(&self, jobs: Vec<Self::Job>) -> impl Future<Output = ()> + Send;
}

/// A queue of jobs; one per process, shared by its worker threads.
pub(in crate::store) struct BatchQueue<T>(Arc<Shared<T>>);

struct Shared<T> {
    /// The runtime of the task. Not that of the first request, whose worker thread may end before others.
    runtime: Handle,
    waiting: Mutex<Waiting<T>>,
    /// Signals that all jobs are done.
    done: Notify,
}

struct Waiting<T> {
    jobs: Vec<T>,
    /// Whether a task is processing jobs.
    has_worker: bool,
}

impl<T> Clone for BatchQueue<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> BatchQueue<T> {
    /// An empty queue. Jobs run in the tokio runtime in which this is called.
    pub(in crate::store) fn new() -> Self {
        let runtime = Handle::current();
        let waiting = Mutex::new(Waiting { jobs: Vec::new(), has_worker: false });
        Self(Arc::new(Shared { runtime, waiting, done: Notify::new() }))
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Send + 'static> BatchQueue<T> {
    /// Adds jobs, which are processed together if a batch has room for them, and starts a task if none is running.
    pub(in crate::store) fn push<C: BatchWorker<Job = T>>(
        &self,
        jobs: impl IntoIterator<Item = T>,
        worker: &C,
    ) {
        let mut waiting = self.waiting();
        waiting.jobs.extend(jobs);
        if !std::mem::replace(&mut waiting.has_worker, true) {
            drop(waiting);
            // A separate task, because other requests wait for it, too. The guard is created here, so that it is
            // dropped even if the task never runs.
            let serving = RunningWorker { jobs: self.clone(), has_ended: false };
            self.0.runtime.spawn(serving.run(worker.clone()));
        }
    }

    /// Adds jobs from the running task, which takes them next.
    pub(in crate::store) fn add(&self, jobs: impl IntoIterator<Item = T>) {
        self.waiting().jobs.extend(jobs);
    }

    /// Waits until no job is queued or running.
    pub(in crate::store) async fn wait_until_empty(&self) {
        loop {
            let done = self.0.done.notified();
            tokio::pin!(done);
            done.as_mut().enable();
            if !self.waiting().has_worker {
                return;
            }
            done.await;
        }
    }

    /// Takes the next jobs; `None`: there are none, and the task ends.
    fn next(&self, most: usize) -> Option<Vec<T>> {
        let mut waiting = self.waiting();
        if waiting.jobs.is_empty() {
            waiting.has_worker = false;
            self.0.done.notify_waiters();
            return None;
        }
        let most = waiting.jobs.len().min(most);
        Some(waiting.jobs.drain(..most).collect())
    }
}

/// The running task. If it is dropped before its end, with its runtime, the requests of its jobs get an error, and the
/// next job starts another task.
struct RunningWorker<T> {
    jobs: BatchQueue<T>,
    has_ended: bool,
}

impl<T: Send + 'static> RunningWorker<T> {
    async fn run<C: BatchWorker<Job = T>>(mut self, worker: C) {
        // Lets other tasks that are ready run first.
        tokio::task::yield_now().await;
        loop {
            worker.ready().await;
            let Some(jobs) = self.jobs.next(C::MAX_BATCH) else { break };
            worker.work(jobs).await;
        }
        self.has_ended = true;
    }
}

impl<T> Drop for RunningWorker<T> {
    fn drop(&mut self) {
        if !self.has_ended {
            let mut waiting = self.jobs.waiting();
            waiting.has_worker = false;
            waiting.jobs.clear();
            self.jobs.0.done.notify_waiters();
        }
    }
}
