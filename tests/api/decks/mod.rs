//! Deck lists: stored, read, compared and judged.

mod deck_availability;
mod deck_deletions;
mod deck_lists;
mod deck_masks;
mod deck_reports;
mod deck_revisions;
mod deck_statistics;
mod deck_texts;
pub mod permissions;
mod public_decks;
