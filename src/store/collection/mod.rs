//! Counts, imports, progress.

pub mod collection_imports;
pub mod counts;
