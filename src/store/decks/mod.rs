//! Deck lists: stored, changed, and what they were.

pub mod deck_deletions;
pub mod deck_lists;
pub mod deck_ownership;
pub mod deck_pool;
pub mod deck_revisions;
mod stored_content;
