//! Copies: their ledger, trades and disputes.

pub mod dispute;
pub mod ledger;
pub mod trade;
