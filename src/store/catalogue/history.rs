//! What changed about cards. What changed about a hidden card stays behind the door with the card.

pub use crate::store::card_content::history::{Change, HistoryEntry, list};
