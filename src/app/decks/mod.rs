//! Deck lists: stored, read, written, compared, judged, liked, watched and followed.

pub mod deck_availability;
mod deck_cards;
pub mod deck_charts;
pub mod deck_deletions;
pub mod deck_exports;
pub mod deck_files;
pub mod deck_formats;
mod deck_holdings;
pub mod deck_input;
pub mod deck_likes;
pub mod deck_lists;
pub mod deck_overviews;
pub mod deck_pick_lists;
pub mod deck_reports;
pub mod deck_reservations;
pub mod deck_revisions;
pub mod deck_search;
pub mod deck_sheets;
pub mod deck_statistics;
pub mod deck_trades;
pub mod deck_watches;
pub mod followed_authors;
pub mod list_reading;
mod masks;
pub mod public_decks;
pub mod report_responses;
pub mod shared_decks;
