//! Batches the jobs of many requests: one task of the process takes all jobs that came while it worked on the batch before. So a commit, or a
//! lock that all of them need, is paid for once per batch, and batches grow with the load.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Works on batches of jobs.
pub(in crate::store) trait BatchWorker: Clone + Send + 'static {
    /// What a request wants, with the channel for its answer.
    type Job: Send + 'static;
    /// Most jobs that are worked on together.
    const MAX_BATCH: usize;

    /// Waits until it is worth while to take the next jobs.
    fn ready(&self) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Works on a batch, and answers each job. A job that is dropped tells its request so.
    fn work(&self, jobs: Vec<Self::Job>) -> impl Future<Output = ()> + Send;
}

/// A queue of jobs; one per process, shared by its worker threads.
pub(in crate::store) struct BatchQueue<T>(Arc<Shared<T>>);

struct Shared<T> {
    /// The runtime of the task. Not that of the first request, whose worker thread may end before those of others.
    runtime: Handle,
    waiting: Mutex<Waiting<T>>,
    /// All jobs are done.
    done: Notify,
}

struct Waiting<T> {
    jobs: Vec<T>,
    /// A task works on them.
    has_worker: bool,
}

impl<T> Clone for BatchQueue<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> BatchQueue<T> {
    /// An empty queue. Jobs are worked on in the runtime of tokio in which this is called.
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
    /// Adds a job, and begins to work if nobody does.
    pub(in crate::store) fn push<C: BatchWorker<Job = T>>(&self, job: T, worker: &C) {
        let mut waiting = self.waiting();
        waiting.jobs.push(job);
        if !std::mem::replace(&mut waiting.has_worker, true) {
            drop(waiting);
            // A task of its own, since other requests wait for it, too. The guard is made here, so that it is dropped even if the task never runs.
            let serving = RunningWorker { jobs: self.clone(), ended: false };
            self.0.runtime.spawn(serving.run(worker.clone()));
        }
    }

    /// Adds jobs of the task that serves, which takes them next.
    pub(in crate::store) fn add(&self, jobs: impl IntoIterator<Item = T>) {
        self.waiting().jobs.extend(jobs);
    }

    /// Waits until there is no job that waits or is worked on.
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

    /// The next jobs; `None`: there are none, and nobody serves any more.
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

/// A task that works on the jobs. When it is dropped half-way, with its runtime, the requests of its jobs get an error, and the next job starts another task.
struct RunningWorker<T> {
    jobs: BatchQueue<T>,
    ended: bool,
}

impl<T: Send + 'static> RunningWorker<T> {
    async fn run<C: BatchWorker<Job = T>>(mut self, worker: C) {
        // Requests that are ready to run come first.
        tokio::task::yield_now().await;
        loop {
            worker.ready().await;
            let Some(jobs) = self.jobs.next(C::MAX_BATCH) else { break };
            worker.work(jobs).await;
        }
        self.ended = true;
    }
}

impl<T> Drop for RunningWorker<T> {
    fn drop(&mut self) {
        if !self.ended {
            let mut waiting = self.jobs.waiting();
            waiting.has_worker = false;
            waiting.jobs.clear();
            self.jobs.0.done.notify_waiters();
        }
    }
}
