//! What runs beside requests for as long as the process does: [`start`] starts all of it.

pub mod account_events;
mod background;
mod bulk_files;
pub mod card_index;
mod discarded_runs;
pub mod feed;
mod housekeeping;
mod keys;
mod unlocking;
mod webhooks;

pub use bulk_files::BulkFileOptions;
pub use webhooks::Posting;

use std::sync::Arc;

use crate::app::state::Shared;
use crate::store::{Store, StoreResult, StoreSettings};
use crate::webhooks::sender::Sender;

/// Starts every job. Those that must never wait for others have connections of their own, by `settings`; the others share `store`. Without
/// options for bulk files none are built.
pub fn start(
    shared: &Arc<Shared>,
    store: &Store,
    settings: &StoreSettings,
    bulk_files: Option<BulkFileOptions>,
    sender: Sender,
) -> anyhow::Result<Posting> {
    background::spawn("feed", shared, &one_connection(settings)?, feed::follow);
    background::spawn("card_index", shared, &card_index::store(settings)?, card_index::follow);
    let for_events = one_connection(settings)?;
    background::spawn("account_events", shared, &for_events, account_events::follow);
    if let Some(options) = bulk_files {
        let run = move |shared, store| bulk_files::run(shared, store, options);
        let for_files = one_connection(settings)?;
        background::spawn_at_low_priority("bulk_files", shared, &for_files, run)?;
    }
    background::spawn("unlocking", shared, store, unlocking::run);
    let posting = webhooks::start(shared, store, sender);
    background::spawn("housekeeping", shared, store, housekeeping::run);
    Ok(posting)
}

/// A store for one job, which never waits for others to give a connection back.
fn one_connection(settings: &StoreSettings) -> StoreResult<Store> {
    Store::new(&StoreSettings { pool_size: 1, ..settings.clone() })
}
