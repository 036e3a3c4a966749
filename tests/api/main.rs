//! The service, tested through its public API against a real Postgres: one module for each noun, as in `src/api`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests"
)]

mod support;

mod accounts;
mod bad_input;
mod card_cache;
mod card_lookups;
mod cards;
mod catalogue_imports;
mod changes;
mod deck_reports;
mod decks;
mod facets;
mod games;
mod hidden_cards;
mod import;
mod mint;
mod openapi;
mod permissions;
mod print_runs;
mod schema;
mod search;
mod service;
mod sessions;
mod sets;
mod submissions;
mod tokens;
mod unlocks;
