//! The only room that knows actix-web and utoipa: routes, extractors, and one file of handlers for each noun.
//!
//! A request's way: route → extractors (who, may they, parsed input) → handler → a decision by `domain` or the engine → one
//! `store` function → answer. What goes wrong becomes a [`crate::app::problem::Problem`].

pub mod accounts;
pub mod catalogue;
pub mod collection;
pub mod contract;
pub mod copies;
pub mod decks;
mod docs;
pub mod effects;
mod openapi;
pub mod operations;
pub mod printing;
mod problem_help;
pub mod problems;
pub mod routes;
pub mod serials;

use actix_web::web::ServiceConfig;

/// Mounts the API and its documentation.
pub fn configure(config: &mut ServiceConfig) {
    config
        .app_data(contract::without_query())
        .configure(routes::configure)
        .configure(docs::configure);
}
