//! Tasks that run until the service stops; a task that ends earlier is restarted.

use std::sync::Arc;

use tokio::task::JoinHandle;

use crate::app::state::Shared;
use crate::store::Store;
use crate::work::supervise::supervise;

/// Starts a task that runs until the service stops.
pub(super) fn spawn<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    store: &Store,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> JoinHandle<()> {
    let (watched, shared, store) = (shared.clone(), shared.clone(), store.clone());
    let is_over = move || watched.is_draining();
    tokio::spawn(supervise(name, is_over, move || run(shared.clone(), store.clone())))
}

/// Starts a task that runs until the service stops, on its own thread with low priority. The blocking threads of its
/// runtime have low priority, too.
pub(super) fn spawn_at_low_priority<F: Future<Output = ()> + Send + 'static>(
    name: &'static str,
    shared: &Arc<Shared>,
    store: &Store,
    run: impl Fn(Arc<Shared>, Store) -> F + Send + Sync + 'static,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .on_thread_start(lower_priority)
        .build()?;
    let (watched, shared, store) = (shared.clone(), shared.clone(), store.clone());
    let is_over = move || watched.is_draining();
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        lower_priority();
        runtime.block_on(supervise(name, is_over, move || run(shared.clone(), store.clone())));
    })?;
    Ok(())
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
