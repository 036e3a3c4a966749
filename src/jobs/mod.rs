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
pub use webhooks::PostingTask;

use std::sync::Arc;

use crate::app::state::Shared;
use crate::store::db::search_queue::SearchQueue;
use crate::store::{Store, StoreResult, StoreSettings};
use crate::webhooks::sender::Sender;

/// Starts all tasks. Those that must not wait for connections have their own, by `settings`; the others share `store`. Without options for bulk
/// files none are built.
pub fn start(
    shared: &Arc<Shared>,
    store: &Store,
    (settings, searches): (&StoreSettings, &SearchQueue),
    bulk_files: Option<BulkFileOptions>,
    sender: Sender,
) -> anyhow::Result<PostingTask> {
    background::spawn("feed", shared, &one_connection(settings)?, feed::follow);
    background::spawn("card_index", shared, &card_index::store(settings)?, card_index::follow);
    background::spawn(
        "listed_designs",
        shared,
        &listed_designs::store(settings)?,
        listed_designs::follow,
    );
    let for_events = one_connection(settings)?;
    background::spawn("account_events", shared, &for_events, account_events::follow);
    if let Some(options) = bulk_files {
        let run = move |shared, store| bulk_files::run(shared, store, options);
        let for_files = one_connection(settings)?;
        background::spawn_at_low_priority("bulk_files", shared, &for_files, run)?;
    }
    let for_decks = searches.clone();
    background::spawn("deck_search", shared, store, move |shared, store| {
        deck_search::run(shared, store, for_decks.clone())
    });
    let for_watches = searches.clone();
    background::spawn("deck_watches", shared, store, move |shared, store| {
        deck_watches::run(shared, store, for_watches.clone())
    });
    background::spawn("unlocking", shared, store, unlocking::run);
    let posting = webhooks::start(shared, store, sender);
    background::spawn("housekeeping", shared, store, housekeeping::run);
    Ok(posting)
}

/// Connections of tasks that have their own: the feed, two of the index of cards, listed designs, account events, bulk files.
pub const OWN_CONNECTIONS: usize = 6;

/// A store with one connection, for a task that must not wait for others.
fn one_connection(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings { pool_size: 1, ..settings.clone() })
}
