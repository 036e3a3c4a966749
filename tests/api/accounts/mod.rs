//! Accounts, sessions, tokens, second factors, own events, blocks.

mod access_tokens;
mod account_events;
mod blocks;
mod event_links;
mod event_settings;
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
