//! Tests of pictures through the public interface.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod artwork;
mod chart_files;
mod charts;
mod finishes;
mod fits;
mod hidden;
mod hostile;
mod pngs;
mod seed;
mod support;
