//! Reads the change feed for all caches of the process and for the card index.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::state::Shared;
use crate::memory::catalogue::feed::ReadBatch;
use crate::store::catalogue::changes::{self, ChangeBatch};
use crate::store::{Store, StoreResult};

/// How often the feed is read.
const READ_INTERVAL: Duration = Duration::from_millis(300);

/// Follows the feed until the process ends.
pub async fn follow(shared: Arc<Shared>, store: Store) {
    // After a panic of this task, changes may have been missed.
    shared.games.forget_list();
    shared.card_cache.forget();
    shared.cached_answers.forget();
    shared.deck_cards.forget();
    shared.card_effects.forget();
    shared.card_pictures.forget();
    shared.gallery_pages.forget();
    shared.feed.disconnect();
    let mut known = None;
    loop {
        let began = Instant::now();
        let mut pause = READ_INTERVAL;
        match read(&store, known).await {
            Ok(batch) => {
                known = Some(batch.up_to);
                let batch = Arc::new(batch);
                if batch.is_broken || batch.some_game_changed {
                    shared.games.forget_list();
                }
                shared.card_cache.apply(&batch);
                shared.deck_cards.apply(&batch);
                shared.card_effects.apply(&batch);
                shared.card_pictures.apply(&batch);
                if batch.is_about_catalogue() {
                    shared.cached_answers.forget();
                    // The meaning of a query depends on the manifests.
                    shared.gallery_pages.forget();
                }
                if batch.is_last {
                    shared.card_cache.clock().advance_to(began);
                    shared.cached_answers.clock().advance_to(began);
                } else {
                    pause = Duration::ZERO;
                }
                shared.feed.publish(ReadBatch { batch, began });
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

/// Reads the next batch. The first read only finds the end of the feed and drops all cached values, because they may be
/// old.
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
