//! Cardscape: a card database and collection service.
//!
//! Each module is a layer, and knows those before it: `domain ← work ← auth ← store ← memory ← app ← {http, jobs, webhooks} ← {api, web} ← {cli, config}`. Nobody
//! imports upwards; `tests/house` looks. docs/ARCHITECTURE.md describes what each of them contains.

// `eprintln!` panics if standard error cannot be written; `cli::print_message` does not.
#![warn(clippy::print_stderr)]

pub mod api;
pub mod app;
pub mod auth;
pub mod cli;
pub mod config;
pub mod domain;
pub mod http;
pub mod jobs;
pub mod memory;
pub mod store;
pub mod web;
pub mod webhooks;
pub mod work;

/// Which cards somebody looks for: the query language, as a crate of its own.
pub use cardscape_search as search;
