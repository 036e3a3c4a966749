//! What holds for every input: nothing panics, reports depend on the content of a deck alone, and a single wrong edit is
//! found out.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used)]

#[path = "../support/mod.rs"]
mod support;

mod edits;
mod generators;
mod hostile;
mod reports;
