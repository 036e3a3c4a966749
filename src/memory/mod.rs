//! What a process keeps in memory: caches of cards and responses that follow the change feed, short-lived caches of
//! credentials and counts, and limits on concurrent work.
//!
//! This layer uses the store, but neither use cases nor HTTP. The tasks that keep it up to date are in `jobs`.

pub mod caches;
pub mod card_effects;
pub mod catalogue;
pub mod deck_cards;
pub mod event_watch;
pub mod file_limiter;
pub mod gallery_designs;
mod gallery_search;
pub mod identities;
pub mod listed_designs;
pub mod pictures;
pub mod places;
pub mod rate_limiter;
pub mod recent;
pub mod rendered;
pub mod shared_attempts;
mod spelled_cards;

use thiserror::Error;

use crate::store::StoreError;
use crate::work::WorkError;

/// Why a value for a cache could not be computed.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// Reading from the database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The computation failed.
    #[error(transparent)]
    Work(#[from] WorkError),
}
