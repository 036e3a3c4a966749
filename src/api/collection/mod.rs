//! Counts, imports, progress.

pub mod collection_imports;
pub mod collection_progress;
pub mod counts;
