//! Uploads as people send them, and as attackers do.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod accepted;
mod bombs;
mod colours;
mod damaged;
mod metadata;
mod orientation;
mod refused;
mod support;
