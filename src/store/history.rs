//! What changed about cards. What changed about a hidden card stays behind the door with the card.

pub use super::door::history::{Change, HistoryEntry, list};
