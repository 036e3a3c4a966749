//! Tests of uploads through the public interface: ordinary, damaged and malicious files.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod accepted;
mod bombs;
mod colours;
mod damaged;
mod metadata;
mod orientation;
mod refused;
mod support;
