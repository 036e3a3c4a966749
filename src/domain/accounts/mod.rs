//! What may be a password, how often secrets may be tried, and what an account wants to hear of.

pub mod attempts;
pub mod blocks;
pub mod optional_events;
pub mod password;
