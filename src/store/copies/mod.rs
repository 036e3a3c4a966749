//! Copies, their ledger, moderation, disputes, trades, wants and haves.

pub mod copy_records;
pub mod disputes;
pub(in crate::store) mod ledger;
pub mod trade_answers;
pub mod trade_lists;
pub mod trade_offers;
pub mod trades;
