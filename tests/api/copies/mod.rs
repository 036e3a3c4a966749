//! Copies, their ledger, moderation, disputes, trades, wants and haves.

mod disputes;
mod ledger;
mod own_copies;
pub mod permissions;
mod trade_lists;
mod trades;
