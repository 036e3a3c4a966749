//! Accounts: registration, credentials (passwords, sessions, tokens, second factors), limits on attempts, blocks, and
//! events.

pub mod account_events;
pub(crate) mod attempts;
pub mod blocks;
pub mod event_settings;
pub mod first_log_in;
pub mod own_account;
pub mod own_password;
pub mod people;
pub mod second_factor;
mod second_factor_attempts;
pub mod sessions;
pub mod tokens;
