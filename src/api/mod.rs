//! JSON over HTTP: request types, handlers of a few lines, and the route table of each capability.
//!
//! A handler passes typed input and proofs of permission to a use case of [`crate::app`], and sends its response.
//! Failures are a [`crate::app::problem::Problem`].

pub mod accounts;
pub mod catalogue;
pub mod collection;
pub mod contract;
pub mod copies;
pub mod decks;
pub mod designs;
pub mod effects;
pub mod feedback;
mod openapi;
pub mod operations;
pub mod printing;
mod problem_help;
pub mod problems;
pub mod route_table;
pub mod routes;
pub mod serials;

use crate::http::router::Mounts;

/// Mounts the API.
pub fn configure(mounts: &mut Mounts<'_>) {
    mounts.app_data(contract::without_query()).configure(routes::configure);
}
