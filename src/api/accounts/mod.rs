//! Accounts, sessions, tokens, second factors, own events.

pub mod account_events;
pub mod own_account;
pub mod own_password;
pub mod people;
pub mod second_factor;
pub mod sessions;
pub mod tokens;
