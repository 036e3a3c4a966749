//! Connections, transactions, errors, the schema, codecs and the statement cache.

mod budget;
pub(in crate::store) mod codecs;
pub mod deadlines;
pub mod error;
mod express;
pub(in crate::store) mod health;
pub mod lane;
pub mod migrations;
pub(in crate::store) mod orders;
pub mod pool;
pub mod pooler;
pub mod private_postgres;
#[allow(missing_docs, reason = "columns are explained in the migrations")]
pub(in crate::store) mod schema;
pub(in crate::store) mod session;
pub(in crate::store) mod statement;
pub(in crate::store) mod wire;
