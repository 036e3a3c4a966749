//! Deck lists: stored, changed, and what they were.

pub mod deck_deletions;
pub mod deck_lists;
pub mod deck_ownership;
pub mod deck_pool;
pub mod deck_revisions;
pub mod deck_search;
pub mod public_decks;
mod stored_content;
