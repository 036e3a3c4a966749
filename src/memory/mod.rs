//! What a process keeps in memory: cards and answers about them by the change feed, credentials and counts of the last moments, and who holds places that
//! are few.
//!
//! It lies below what uses it: it knows the store, and neither use cases nor HTTP. The tasks that keep it up to date are in `jobs`.

pub mod catalogue;
pub mod deck_cards;
pub mod event_watch;
pub mod identities;
pub mod import_desk;
pub mod kept;
pub mod places;
pub mod rate_limiter;
pub mod recent;
pub mod rendered;
pub mod shared_attempts;

use thiserror::Error;

use crate::store::StoreError;
use crate::work::WorkError;

/// Why something that is to be kept could not be made.
#[derive(Debug, Error)]
pub enum MemoryError {
    /// It could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It could not be worked out.
    #[error(transparent)]
    Work(#[from] WorkError),
}
