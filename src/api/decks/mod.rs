//! Deck lists and reports.

pub(in crate::api) mod deck_cards;
mod deck_input;
pub mod deck_lists;
pub mod deck_reports;
