//! The catalogue in the memory of this process, kept up to date by the change feed.

pub mod cached_answers;
pub mod card_cache;
pub mod change_watch;
pub mod clock;
pub(crate) mod derived;
pub mod downloads;
pub mod feed;
pub mod index;
mod progress;
