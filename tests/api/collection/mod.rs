//! Counts, imports, progress.

mod collection_files;
mod collection_imports;
pub mod counts;
pub mod permissions;
