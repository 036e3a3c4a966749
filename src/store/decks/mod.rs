//! Deck lists: stored, changed, and what they were; who likes them and follows their authors.

pub mod deck_deletions;
pub mod deck_likes;
pub mod deck_lists;
pub mod deck_ownership;
pub mod deck_pool;
pub mod deck_revisions;
pub mod deck_search;
pub mod followed_authors;
pub mod public_decks;
pub mod shared_decks;
mod stored_content;

/// Whether everybody reads a deck and finds it in lists, from `decks d`.
pub(super) const IS_PUBLIC: &str = "d.visibility = 'public' AND d.deleted_at IS NULL";

/// Whether everybody may read the deck that `decks d` was made of.
pub(super) const TELLS_SOURCE: &str = "EXISTS (SELECT FROM decks source WHERE source.id = d.cloned_deck_id AND source.visibility = 'public' AND source.deleted_at IS NULL) AS tells_source";

/// Whether a deck takes feedback, from `decks d JOIN accounts a`: others can read it, and its owner is not banned.
pub(super) const TAKES_FEEDBACK: &str = "(d.visibility = 'public' OR d.unlisted AND d.bound_revision = d.revision) AND d.deleted_at IS NULL AND a.banned_at IS NULL";
