//! Passes batches of the change feed from their reader, `jobs/feed.rs`, to the task that maintains the card index.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::store::catalogue::changes::ChangeBatch;

/// A batch of changes, with the moment before it was read.
#[derive(Clone, Debug)]
pub(crate) struct ReadBatch {
    pub batch: Arc<ChangeBatch>,
    pub began: Instant,
}

/// The channel to the subscriber. A changed card takes 16 bytes until it is applied.
#[derive(Debug, Default)]
pub struct Feed(Mutex<Option<UnboundedSender<ReadBatch>>>);

impl Feed {
    /// Subscribes to all further batches, without gaps; the channel ends when the reader of the feed starts again.
    pub(crate) fn subscribe(&self) -> UnboundedReceiver<ReadBatch> {
        let (send, receive) = unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
        receive
    }

    /// Sends a batch to the subscriber.
    pub(crate) fn publish(&self, batch: ReadBatch) {
        let mut subscriber = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if subscriber.as_ref().is_some_and(|subscriber| subscriber.send(batch).is_err()) {
            *subscriber = None;
        }
    }

    /// Ends the subscription: the subscriber may have missed changes.
    pub(crate) fn disconnect(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
