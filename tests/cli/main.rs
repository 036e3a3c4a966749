//! Commands that need no service, started as people start them; `tests/process` has those that serve and those beside a service.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod deck;
mod deck_convert;
mod effects;
mod schema;
mod seed;
