//! The service, tested through its public API against a real Postgres: one module for each noun, as in `src/api`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests"
)]

mod support;

mod access_tokens;
mod account_events;
mod accounts;
mod bad_input;
mod bulk_files;
mod card_cache;
mod card_edits;
mod card_index;
mod card_legalities;
mod card_lookups;
mod card_migrations;
mod card_names;
mod cards;
mod catalogue_imports;
mod changes;
mod collection;
mod collection_files;
mod collection_imports;
mod community;
mod connections;
mod contract;
mod copies;
mod database_poolers;
mod database_refusals;
mod database_silence;
mod database_tls;
mod deck_reports;
mod decks;
mod disputes;
mod docs;
mod effect_texts;
mod examples;
mod facets;
mod games;
mod hidden_cards;
mod history;
mod import;
mod kept_answers;
mod key_fingerprints;
mod ledger;
mod log_in_races;

mod mint;
mod names;
mod networks;
mod openapi;
mod packs;
mod people;
mod permissions;
mod print_commitments;
mod print_plans;
mod print_runs;
mod print_statistics;
mod recovery_codes;
mod retention;
mod revoked_credentials;
mod rulings;
mod schema;
mod search;
mod second_factor;
mod second_factor_demand;
mod second_factor_limits;
mod serial_look_ups;
mod service;
mod sessions;
mod sets;
mod statements;
mod stored_words;
mod submission_batches;
mod submission_groups;
mod submissions;
mod tokens;
mod trade_lists;
mod trades;
mod unlock_policies;
mod unlocks;
mod votes;
mod webhooks;
