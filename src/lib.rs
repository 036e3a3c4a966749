//! Cardscape: a card database and collection service.
//!
//! The rooms, and who may know whom: `engine ← domain ← search ← store ← webhooks ← api ← cli`, with `auth` beside
//! `search`, which is a crate of its own. Nobody imports upwards; a test looks. `work` and
//! `fair_work` bound what takes a core; everybody may know them.

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
pub mod webhooks;
pub mod work;

/// Which cards somebody looks for: the query language, as a crate of its own.
pub use cardscape_search as search;
