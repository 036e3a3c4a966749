//! Accounts, sessions, tokens, second factors, counts of attempts and daily activities, account events.

pub mod account_events;
pub mod account_records;
mod acting_transactions;
pub mod attempt_batches;
pub mod attempts;
pub mod blocks;
pub mod credentials;
pub mod daily_counts;
pub mod event_settings;
pub mod name_skeletons;
pub mod people;
pub mod second_factors;
pub mod sessions;
pub mod tokens;
mod unsettled_attempts;
