//! Copies, their ledger, moderation, disputes, trades, wants and haves.

pub mod copy_moderation;
pub mod disputes;
pub mod own_copies;
pub mod trade_lists;
pub mod trades;
pub mod trading;
