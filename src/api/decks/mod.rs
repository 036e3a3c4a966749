//! Deck lists and reports.

pub mod deck_lists;
pub mod deck_reports;
