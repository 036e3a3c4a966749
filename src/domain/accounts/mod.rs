//! Rules for accounts: passwords, attempt limits, daily limits, blocks, and optional events.

pub mod attempts;
pub mod blocks;
pub mod daily_limits;
pub mod optional_events;
pub mod password;
