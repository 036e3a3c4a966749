//! Background tasks that run as long as the process: [`start`] starts all of them.

pub mod account_events;
mod background;
mod bulk_files;
pub mod card_index;
mod deck_search;
mod deck_watches;
mod discarded_runs;
pub mod feed;
mod housekeeping;
mod keys;
pub mod listed_designs;
mod unlocking;
mod webhooks;

pub use bulk_files::BulkFileOptions;

use std::sync::Arc;
use std::time::Duration;

use background::Task;
use futures_util::future::join_all;
use webhooks::PostingTask;

use crate::app::state::Shared;
use crate::store::catalogue::bulk_files::CardRows;
use crate::store::db::search_queue::SearchQueue;
use crate::store::decks::deck_rows::DeckRows;
use crate::store::{Store, StoreResult, StoreSettings};
use crate::webhooks::sender::Sender;

/// All running tasks.
pub struct Jobs {
    posting: PostingTask,
    others: Vec<Task>,
}

impl Jobs {
    /// A function that lets no new posts to webhooks begin; those that run are finished.
    pub fn stopper(&self) -> impl FnOnce() + Send + use<> {
        self.posting.stopper()
    }

    /// Ends all tasks: must be awaited before the database is stopped, which would break off what they do there. Waits a few seconds at most.
    pub async fn finish(self) {
        self.posting.finish().await;
        join_all(self.others.into_iter().map(|task| task.end_after(Duration::ZERO))).await;
    }
}

/// Starts all tasks. Tasks that must not wait for connections get their own stores, made from `settings`; the others
/// share `store`. Without options for bulk files, none are built.
pub fn start(
    shared: &Arc<Shared>,
    store: &Store,
    (settings, searches): (&StoreSettings, &SearchQueue),
    bulk_files: Option<BulkFileOptions>,
    sender: Sender,
) -> anyhow::Result<Jobs> {
    let for_listed = listed_designs::store(settings)?;
    let for_events = one_connection(settings)?;
    let mut others = vec![
        background::spawn("feed", shared, &one_connection(settings)?, feed::follow),
        background::spawn("card_index", shared, &card_index::store(settings)?, card_index::follow),
        background::spawn("listed_designs", shared, &for_listed, listed_designs::follow),
        background::spawn("account_events", shared, &for_events, account_events::follow),
    ];
    if let Some(BulkFileOptions { interval, cards, decks }) = bulk_files {
        let of_cards =
            move |shared, store| bulk_files::run::<CardRows>(shared, store, interval, cards);
        let for_files = one_connection(settings)?;
        let of_cards =
            background::spawn_at_low_priority("bulk_files", shared, &for_files, of_cards)?;
        let of_decks =
            move |shared, store| bulk_files::run::<DeckRows>(shared, store, interval, decks);
        let for_files = one_connection(settings)?;
        let of_decks =
            background::spawn_at_low_priority("deck_files", shared, &for_files, of_decks)?;
        others.extend([of_cards, of_decks]);
    }
    let for_decks = searches.clone();
    others.push(background::spawn("deck_search", shared, store, move |shared, store| {
        deck_search::run(shared, store, for_decks.clone())
    }));
    let for_watches = searches.clone();
    others.push(background::spawn("deck_watches", shared, store, move |shared, store| {
        deck_watches::run(shared, store, for_watches.clone())
    }));
    others.push(background::spawn("unlocking", shared, store, unlocking::run));
    let posting = webhooks::start(shared, store, sender);
    others.push(background::spawn("housekeeping", shared, store, housekeeping::run));
    Ok(Jobs { posting, others })
}

/// Connections of tasks that have their own: the feed, two of the index of cards, listed designs, account events, bulk files of cards and of decks.
pub const OWN_CONNECTIONS: usize = 7;

/// A store with one connection, for a task that must not wait for others.
fn one_connection(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings { pool_size: 1, ..settings.clone() })
}
