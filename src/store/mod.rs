//! The only layer that uses diesel: rows and queries, with a folder for each capability and one file for each noun, the
//! same nouns as in `api`.
//!
//! Functions take a connection and, where they change or reveal something, the proof of permission. Rows must not be
//! serialised outside of this layer.

pub mod accounts;
mod card_content;
pub mod catalogue;
pub mod collection;
mod conditions;
pub mod copies;
pub mod db;
pub mod decks;
pub mod designs;
pub mod effects;
pub mod feedback;
mod indexed_words;
pub mod operations;
pub mod printing;
pub mod serials;

pub use card_content::submission::SubmissionClaim;
pub use db::error::{StoreError, StoreResult, in_time};
pub use db::health::Health;
pub(in crate::store) use db::pool::OpenTransaction;
pub use db::pool::{AsStoreError, Connection, Readiness, Store, StoreSettings};
pub use db::session::PooledConnection;
