//! Posts to webhooks until the service stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::background;
use crate::app::operations::webhooks;
use crate::app::state::Shared;
use crate::store::Store;
use crate::webhooks::Dispatcher;
use crate::webhooks::sender::Sender;

/// How long a stopping service waits for the answers to webhooks. A post that is interrupted is repeated by another instance, or later.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// The task that posts to webhooks.
pub(super) struct PostingTask {
    stop: watch::Sender<bool>,
    task: background::Task,
}

impl PostingTask {
    /// A function that stops the task: posts that run are finished, no new ones begin.
    pub(super) fn stopper(&self) -> impl FnOnce() + Send + use<> {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Waits until the task has finished, a few seconds at most.
    pub(super) async fn finish(self) {
        self.task.end_after(SHUTDOWN_TIMEOUT).await;
    }
}

pub(super) fn start(shared: &Arc<Shared>, store: &Store, sender: Sender) -> PostingTask {
    let (stop, stopping) = watch::channel(false);
    let task = background::spawn("webhooks", shared, store, move |shared, store| {
        run(shared, store, sender.clone(), stopping.clone())
    });
    PostingTask { stop, task }
}

async fn run(shared: Arc<Shared>, store: Store, sender: Sender, stopping: watch::Receiver<bool>) {
    let dispatcher = Dispatcher {
        store,
        keys: shared.keys.clone(),
        clock: shared.clock.clone(),
        sender,
        render: webhooks::render,
        stopping,
    };
    Arc::new(dispatcher).run().await;
}
