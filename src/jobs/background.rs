//! Tasks that run until the service stops; a task that ends earlier is restarted.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::app::state::Shared;
use crate::store::Store;
use crate::work::supervise::supervise;

/// How long a stopping service waits for a task that was asked to stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(1);

/// A task that runs until it is stopped, also by dropping this.
pub(super) struct Task {
    /// Stops the task when it is dropped.
    stop: oneshot::Sender<()>,
    handle: JoinHandle<()>,
}

impl Task {
    /// Waits for the task to end by itself, for `time_limit` at most, and then stops it at the point where it waits next.
    pub(super) async fn end_after(self, time_limit: Duration) {
        let Self { stop, mut handle } = self;
        if tokio::time::timeout(time_limit, &mut handle).await.is_ok() {
            return;
        }
        drop(stop);
        let _ = tokio::time::timeout(STOP_TIMEOUT, handle).await;
    }
}

/// Runs a task until it ends or the sender of `stopped` is dropped.
async fn until_stopped(task: impl Future<Output = ()>, stopped: oneshot::Receiver<()>) {
    tokio::select! {
        () = task => {}
        _ = stopped => {}
    }
}

/// Starts a task that runs until the service stops.
pub(super) fn spawn<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    store: &Store,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> Task {
    let (watched, shared, store) = (shared.clone(), shared.clone(), store.clone());
    let is_over = move || watched.is_draining();
    let task = supervise(name, is_over, move || run(shared.clone(), store.clone()));
    let (stop, stopped) = oneshot::channel();
    Task { stop, handle: tokio::spawn(until_stopped(task, stopped)) }
}

/// Starts a task that runs until the service stops, on its own thread with low priority. The blocking threads of its
/// runtime have low priority, too.
pub(super) fn spawn_at_low_priority<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    store: &Store,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> anyhow::Result<Task> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(lower_priority)
        .build()?;
    let (watched, shared, store) = (shared.clone(), shared.clone(), store.clone());
    let is_over = move || watched.is_draining();
    let (stop, stopped) = oneshot::channel();
    let (ending, end) = oneshot::channel::<()>();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        lower_priority();
        let task = supervise(name, is_over, move || run(shared.clone(), store.clone()));
        runtime.block_on(until_stopped(task, stopped));
        // With its connections: the end is told after they are closed.
        drop(runtime);
        drop(ending);
    })?;
    let handle = tokio::spawn(async move {
        let _ = end.await;
    });
    Ok(Task { stop, handle })
}

/// With this niceness, a thread gets about a tenth of a processor that another thread wants, too. With 19, it might
/// hold a lock for a long time.
const LOW_PRIORITY: i32 = 10;

/// Lowers the priority of the current thread. On Linux, each thread has its own priority.
fn lower_priority() {
    if let Err(error) = rustix::process::setpriority_process(None, LOW_PRIORITY) {
        tracing::warn!(%error, "cannot lower the priority of a background thread");
    }
}
