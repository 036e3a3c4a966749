//! Registered copies: their history, moderation, disputes, trades, and lists of wanted and offered cards.

pub mod copy_moderation;
pub mod dispute_responses;
pub mod disputes;
pub mod own_copies;
pub mod trade_lists;
pub mod trade_matches;
pub mod trade_responses;
pub mod trades;
pub mod trading;
