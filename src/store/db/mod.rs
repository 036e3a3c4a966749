//! Connections, transactions, errors, the schema, codecs and the statement cache.

pub mod backlog;
pub(in crate::store) mod batch_queue;
pub(in crate::store) mod codecs;
pub mod deadlines;
pub mod error;
pub(in crate::store) mod health;
mod joins;
pub(in crate::store) mod like;
pub mod migrations;
pub mod pages;
pub mod pool;
pub mod pooler;
pub mod private_postgres;
#[allow(missing_docs, reason = "columns are explained in the migrations")]
pub(in crate::store) mod schema;
pub mod search_queue;
pub(in crate::store) mod session;
mod shared_connection;
pub(in crate::store) mod statement;
mod wait_budget;
pub(in crate::store) mod wire;
