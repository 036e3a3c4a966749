//! Passes batches of the change feed from their reader, `jobs/feed.rs`, to the task that maintains the card index.

use std::sync::atomic::{AtomicI64, Ordering};
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

/// The channel to the subscriber, and how far the feed was read. A changed card takes 16 bytes until it is applied.
#[derive(Debug, Default)]
pub struct Feed {
    subscriber: Mutex<Option<UnboundedSender<ReadBatch>>>,
    /// Number of the last event up to which the caches were corrected.
    read_up_to: AtomicI64,
    /// The same of the card index.
    indexed_up_to: AtomicI64,
}

impl Feed {
    /// Subscribes to all further batches, without gaps; the channel ends when the reader of the feed starts again.
    pub(crate) fn subscribe(&self) -> UnboundedReceiver<ReadBatch> {
        let (send, receive) = unbounded_channel();
        *self.subscriber.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
        receive
    }

    /// Sends a batch to the subscriber, after the caches were corrected by it.
    pub(crate) fn publish(&self, batch: ReadBatch) {
        let up_to = batch.batch.up_to;
        self.send(batch);
        self.read_up_to.store(up_to, Ordering::Release);
    }

    /// Whether the caches were corrected up to the event with this number.
    pub(crate) fn has_read(&self, seq: i64) -> bool {
        self.read_up_to.load(Ordering::Acquire) >= seq
    }

    /// Records that the card index was corrected up to the event with this number.
    pub(crate) fn set_indexed(&self, seq: i64) {
        self.indexed_up_to.store(seq, Ordering::Release);
    }

    /// Whether the card index was corrected up to the event with this number.
    pub(crate) fn has_indexed(&self, seq: i64) -> bool {
        self.indexed_up_to.load(Ordering::Acquire) >= seq
    }

    fn send(&self, batch: ReadBatch) {
        let mut subscriber = self.subscriber.lock().unwrap_or_else(PoisonError::into_inner);
        if subscriber.as_ref().is_some_and(|subscriber| subscriber.send(batch).is_err()) {
            *subscriber = None;
        }
    }

    /// Ends the subscription: the subscriber may have missed changes.
    pub(crate) fn disconnect(&self) {
        *self.subscriber.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
