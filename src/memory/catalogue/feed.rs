//! What is read of the change feed, for who keeps the index of cards. `jobs/feed.rs` reads it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::store::catalogue::changes::ChangeBatch;

/// A stretch of the feed, with the moment before it was read.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub batch: Arc<ChangeBatch>,
    pub began: Instant,
}

/// Who hears of changes beside the kept cards. A card costs 16 bytes until it is applied.
#[derive(Debug, Default)]
pub struct Feed(Mutex<Option<UnboundedSender<Heard>>>);

impl Feed {
    /// From now on everything that is read of the feed, without gaps; it ends when the follower begins anew.
    pub(crate) fn subscribe(&self) -> UnboundedReceiver<Heard> {
        let (send, receive) = unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
        receive
    }

    /// Hands a stretch on.
    pub(crate) fn tell(&self, heard: Heard) {
        let mut listener = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listener.as_ref().is_some_and(|listener| listener.send(heard).is_err()) {
            *listener = None;
        }
    }

    /// Everybody who listened has missed something.
    pub(crate) fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
