//! Deck lists: stored, read and judged.

mod deck_cards;
pub mod deck_input;
pub mod deck_lists;
pub mod deck_reports;
pub mod report_responses;
