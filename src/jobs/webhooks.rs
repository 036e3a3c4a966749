//! Posts to webhooks until the service stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::background;
use crate::app::operations::webhooks;
use crate::app::state::Shared;
use crate::store::Store;
use crate::webhooks::Dispatcher;
use crate::webhooks::sender::Sender;

/// How long a stopping service waits for receivers of webhooks to answer, after its own answers. What is broken off comes again.
const LAST_POSTS: Duration = Duration::from_secs(3);

/// The task that posts to webhooks.
pub struct Posting {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Posting {
    /// Stops the task when it is called: what is being posted is finished, nothing is begun.
    pub fn stopper(&self) -> impl FnOnce() + Send + use<> {
        let stop = self.stop.clone();
        move || {
            stop.send_replace(true);
        }
    }

    /// Waits until the task has finished, a few seconds at most.
    pub async fn finish(self) {
        let _ = tokio::time::timeout(LAST_POSTS, self.task).await;
    }
}

pub(super) fn start(shared: &Arc<Shared>, store: &Store, sender: Sender) -> Posting {
    let (stop, stopping) = watch::channel(false);
    let task = background::spawn("webhooks", shared, store, move |shared, store| {
        run(shared, store, sender.clone(), stopping.clone())
    });
    Posting { stop, task }
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
