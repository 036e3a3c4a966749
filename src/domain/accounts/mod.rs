//! What may be a password, how often secrets may be tried, how much may be done on a day, and what an account wants to hear of.

pub mod attempts;
pub mod blocks;
pub mod daily_limits;
pub mod optional_events;
pub mod password;
