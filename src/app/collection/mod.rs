//! The caller's collection: counts of cards, their import and export, and how complete it is.

pub mod collection_export;
pub mod collection_imports;
pub mod collection_progress;
pub mod counts;
pub mod import_responses;
