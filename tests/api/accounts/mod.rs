//! Accounts, sessions, tokens, second factors, own events.

mod access_tokens;
mod account_events;
mod log_in_races;
mod own_account;
mod people;
pub mod permissions;
mod recovery_codes;
mod revoked_credentials;
mod second_factor;
mod second_factor_demand;
mod second_factor_limits;
mod sessions;
mod tokens;
