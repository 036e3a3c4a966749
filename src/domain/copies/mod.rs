//! What can happen to a copy: its ledger, trades, disputes.

pub mod dispute;
pub mod ledger;
pub mod trade;
