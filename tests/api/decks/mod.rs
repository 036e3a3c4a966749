//! Deck lists and reports.

mod deck_lists;
mod deck_reports;
pub mod permissions;
