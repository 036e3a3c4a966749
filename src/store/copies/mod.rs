//! Copies, their ledger, moderation, disputes, trades, wants and haves.
//!
//! A transaction locks accounts first, then trades, then copies, so that two transactions cannot deadlock: a block locks
//! two accounts and then closes the offers between them, and a counter-offer locks its account before the offer that it
//! answers. Several rows of one kind are locked in the order of their keys.

pub mod copy_records;
pub mod disputes;
pub(in crate::store) mod ledger;
pub mod trade_answers;
pub mod trade_lists;
pub mod trade_offers;
pub mod trades;
