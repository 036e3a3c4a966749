//! The only room that knows actix-web and utoipa: routes, extractors, and one file of handlers for each noun.
//!
//! A request's way: route → extractors (who, may they, parsed input) → handler → a decision by `domain` or the engine → one
//! `store` function → answer. What goes wrong becomes a [`problem::Problem`].

pub mod accounts;
pub mod background;
pub mod catalogue;
pub mod collection;
pub mod connection;
pub mod copies;
pub mod decks;
mod docs;
pub mod effects;
pub mod extract;
mod kept;
pub mod middleware;
pub mod openapi;
pub mod operations;
pub mod places;
pub mod printing;
pub mod problem;
mod problem_help;
pub mod routes;
pub mod serials;
pub mod server;
pub mod shared_attempts;
pub mod sse;
pub mod state;
mod words;
