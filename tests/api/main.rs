//! Tests of the service through its public API against a real Postgres: one module for each noun, as in `src/api`.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests"
)]

mod accounts;
mod catalogue;
mod collection;
mod copies;
mod decks;
mod designs;
mod effects;
#[path = "../environment/mod.rs"]
mod environment;
mod operations;
mod pages;
mod printing;
mod serials;
mod support;

mod bad_input;
mod connection_use;
mod connections;
mod contract;
mod database_poolers;
mod database_refusals;
mod database_silence;
mod database_tls;
mod docs;
mod documented_values;
mod examples;
mod hidden_cards;
mod key_fingerprints;

mod names;
mod networks;
mod openapi;
mod permissions;
mod schema;
mod service;
mod statements;
