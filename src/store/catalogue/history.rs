//! The history of cards, read through `card_content`.

pub use crate::store::card_content::history::{Change, HistoryEntry, list};
