//! The one follower of the change feed, for everything that a process keeps of the catalogue.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::api::state::Shared;
use crate::store::catalogue::changes::{self, ChangeBatch};
use crate::store::{Store, StoreResult};

/// How often the feed is read.
const INTERVAL: Duration = Duration::from_millis(300);

/// A stretch of the feed, with the moment before it was read.
#[derive(Clone, Debug)]
pub(super) struct Heard {
    pub batch: Arc<ChangeBatch>,
    pub began: Instant,
}

/// Who hears of changes beside the kept cards. A card costs 16 bytes until it is applied.
#[derive(Debug, Default)]
pub struct Feed(Mutex<Option<UnboundedSender<Heard>>>);

impl Feed {
    /// From now on everything that is read of the feed, without gaps; it ends when the follower begins anew.
    pub(super) fn subscribe(&self) -> UnboundedReceiver<Heard> {
        let (send, receive) = unbounded_channel();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(send);
        receive
    }

    fn tell(&self, heard: Heard) {
        let mut listener = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listener.as_ref().is_some_and(|listener| listener.send(heard).is_err()) {
            *listener = None;
        }
    }

    /// Follows the feed as long as the process runs.
    pub async fn follow(shared: Arc<Shared>, store: Store) {
        // After a panic nobody knows what was missed.
        shared.card_cache.forget();
        shared.kept_answers.forget();
        shared.deck_cards.forget();
        *shared.feed.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let mut known = None;
        loop {
            let began = Instant::now();
            let mut pause = INTERVAL;
            match read(&store, known).await {
                Ok(batch) => {
                    let is_new = known != Some(batch.up_to);
                    known = Some(batch.up_to);
                    let batch = Arc::new(batch);
                    shared.card_cache.hear(&batch);
                    shared.deck_cards.hear(&batch);
                    if is_new {
                        shared.kept_answers.forget();
                    }
                    if batch.is_last {
                        shared.card_cache.clock().is_known_until(began);
                        shared.kept_answers.clock().is_known_until(began);
                    } else {
                        pause = Duration::ZERO;
                    }
                    shared.feed.tell(Heard { batch, began });
                }
                // The private Postgres ends with the service.
                Err(_) if shared.is_draining() => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot follow the changes: cards come from the database");
                }
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// The next stretch. The first look only finds out where the feed ends: whatever was kept before that may be old.
async fn read(store: &Store, known: Option<i64>) -> StoreResult<ChangeBatch> {
    match known {
        Some(known) => changes::batch(store, known).await,
        None => {
            let newest = changes::extent(store).await?.newest;
            let unknown = ChangeBatch { up_to: newest, is_last: true, ..ChangeBatch::default() };
            Ok(ChangeBatch { is_broken: true, ..unknown })
        }
    }
}
