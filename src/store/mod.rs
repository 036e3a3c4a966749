//! The only room that knows diesel: rows and queries, one file for each noun, the same nouns as in `api`.
//!
//! Functions take a connection and, where they change or reveal something, the proof that it was permitted. Rows never leave
//! this room as something that serialises.

pub mod account_events;
pub mod accounts;
pub mod attempt_batches;
pub mod attempts;
pub mod audit;
mod budget;
pub mod bulk_files;
pub mod card_migrations;
pub mod cards;
pub mod changes;
mod codes;
pub mod collection;
pub mod collection_imports;
pub mod community;
pub mod copies;
pub mod credentials;
pub mod deadlines;
pub mod deck_pool;
pub mod decks;
pub mod discarded_runs;
pub mod disputes;
mod door;
pub mod effect_texts;
pub mod embedded;
pub mod error;
mod express;
pub mod games;
mod health;
pub mod history;
pub mod idempotency;
pub mod import;
mod json;
pub mod key_fingerprints;
pub mod lane;
mod ledger;
pub mod migrations;
pub mod name_skeletons;
mod orders;
pub mod pool;
pub mod pooler;
pub mod press;
pub mod print_commitments;
pub mod print_runs;
pub mod print_statistics;
pub mod registration_groups;
mod registrations;
pub mod retention;
pub mod rulings;
#[allow(missing_docs, reason = "columns are explained in the migrations")]
mod schema;
pub mod second_factors;
pub mod seed_loads;
pub mod serials;
mod session;
pub mod sessions;
pub mod sets;
mod statement;
mod stored;
pub mod submission_reviews;
pub mod tokens;
pub mod trade_lists;
pub mod trades;
pub mod unlock_policies;
pub mod unlocks;
mod votes;
pub mod webhook_deliveries;
pub mod webhooks;
mod wire;

pub use door::submission::SubmissionClaim;
pub use error::{StoreError, StoreResult, in_time};
pub use health::Health;
pub use pool::{AsStoreError, Connection, Readiness, Store, StoreSettings};
pub use session::Held;
