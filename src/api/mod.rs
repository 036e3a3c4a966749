//! The only room that knows actix-web and utoipa: routes, extractors, and one file of handlers for each noun.
//!
//! A request's way: route → extractors (who, may they, parsed input) → handler → a decision by `domain` or the engine → one
//! `store` function → answer. What goes wrong becomes a [`problem::Problem`].

pub mod account_events;
pub mod accounts;
pub mod audit_log;
pub mod bulk_files;
pub mod card_cache;
pub mod card_edits;
pub mod card_list;
pub mod card_lookups;
pub mod card_migrations;
mod card_text;
pub mod cards;
pub mod changes;
pub mod collection;
pub mod collection_imports;
pub mod collection_progress;
pub mod community;
pub mod copies;
pub mod copy_moderation;
mod deck_input;
pub mod deck_reports;
pub mod decks;
pub mod disputes;
pub mod extract;
pub mod facets;
pub mod games;
pub mod health;
pub mod history;
pub mod import;
pub mod middleware;
pub mod openapi;
pub mod print_commitments;
pub mod print_plans;
pub mod print_runs;
pub mod print_statistics;
pub mod problem;
pub mod routes;
pub mod rulings;
mod serial_attempts;
pub mod server;
pub mod sessions;
pub mod sets;
pub mod state;
pub mod submission_batches;
pub mod submission_reviews;
pub mod submissions;
pub mod tokens;
pub mod trade_lists;
pub mod trades;
pub mod trading;
pub mod unlock_policies;
pub mod unlocks;
pub mod webhook_deliveries;
pub mod webhooks;
pub mod wire;
