//! Errors of the store that callers distinguish.

use std::time::Duration;

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use thiserror::Error;

use super::health::OUTDATED;

/// The result of every store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a store function failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Postgres is not reachable, starting, overloaded, full or read-only, or did not answer in time. A retry may
    /// succeed a little later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// The statement timed out. A retry may succeed a little later.
    #[error("a statement took too long")]
    TooLong,
    /// Conflicts with other transactions, several times: a deadlock or a serialisation failure, or a migration that
    /// invalidated a prepared statement. A retry may succeed.
    #[error("other transactions were in the way: {0}")]
    Contended(String),
    /// The search queue is full. A retry may succeed a little later.
    #[error("too many searches at once")]
    Crowded,
    /// The session or personal access token of the request has ended, or its account was banned or has lost the role.
    /// Nothing was written.
    #[error("the credential is not valid any more")]
    Revoked,
    /// A unique constraint refused the change.
    #[error("conflict with {constraint}")]
    Conflict {
        /// Name of the constraint or index.
        constraint: String,
    },
    /// Any other error: a bug.
    #[error("database error: {0}")]
    Fault(#[source] DieselError),
}

/// Limits the time of a database request: [`StoreError::Unavailable`] when there is no answer within `limit`, also when
/// the server is silent without closing the connection.
pub async fn in_time<T>(
    limit: Duration,
    request: impl Future<Output = StoreResult<T>>,
) -> StoreResult<T> {
    tokio::time::timeout(limit, request).await.unwrap_or_else(|_| Err(StoreError::silent()))
}

impl StoreError {
    /// The error for a server that does not answer.
    pub(super) fn silent() -> Self {
        Self::Unavailable("no answer in time".to_owned())
    }

    /// Whether this is a conflict with the constraint or index of that name.
    pub fn conflicts_with(&self, name: &str) -> bool {
        matches!(self, Self::Conflict { constraint } if constraint == name)
    }

    /// Whether a row was found whose content cannot be decoded.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Fault(DieselError::DeserializationError(_)))
    }

    /// Whether an immediate retry of the transaction may succeed: after a deadlock, a serialisation failure, or the
    /// invalidation of a prepared statement by a migration.
    pub(in crate::store) fn is_transient(&self) -> bool {
        matches!(self, Self::Contended(_))
    }
}

/// Class of an error by its SQLSTATE: <https://www.postgresql.org/docs/current/errcodes-appendix.html>
enum ErrorClass {
    /// The same statement may succeed a little later.
    Transient,
    /// The statement timed out, or was cancelled.
    TooLong,
    /// There were conflicts with other transactions.
    Contended,
    /// Any other error.
    Other,
}

impl ErrorClass {
    fn of(state: &str) -> Self {
        match state {
            // It may succeed at once on another connection, or when prepared again.
            _ if OUTDATED.contains(&state) => Self::Contended,
            "57014" => Self::TooLong,             // query_canceled
            "40001" | "40P01" => Self::Contended, // serialization_failure, deadlock_detected
            "25006" => Self::Transient,           // read_only_sql_transaction
            "25P03" => Self::Transient,           // idle_in_transaction_session_timeout
            "25P04" => Self::Transient,           // transaction_timeout
            "55P03" => Self::Transient,           // lock_not_available
            "58030" => Self::Transient,           // io_error
            _ => match state.get(..2) {
                // connection_exception, insufficient_resources, operator_intervention
                Some("08" | "53" | "57") => Self::Transient,
                _ => Self::Other,
            },
        }
    }
}

/// The SQLSTATE of an error. Diesel drops it, so [`wire`](super::wire) writes it into the hint.
pub(super) fn sql_state(info: &(dyn DatabaseErrorInformation + Send + Sync)) -> &str {
    info.hint().filter(|hint| hint.len() == 5).unwrap_or_default()
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        use DatabaseErrorKind as Kind;
        match error {
            DieselError::DatabaseError(Kind::UniqueViolation, info) => {
                Self::Conflict { constraint: info.constraint_name().unwrap_or_default().to_owned() }
            }
            DieselError::DatabaseError(
                Kind::UnableToSendCommand | Kind::ClosedConnection,
                info,
            ) => Self::Unavailable(info.message().to_owned()),
            DieselError::DatabaseError(kind, info) => match ErrorClass::of(sql_state(&*info)) {
                ErrorClass::Transient => Self::Unavailable(info.message().to_owned()),
                ErrorClass::TooLong => Self::TooLong,
                ErrorClass::Contended => Self::Contended(info.message().to_owned()),
                ErrorClass::Other => Self::Fault(DieselError::DatabaseError(kind, info)),
            },
            DieselError::BrokenTransactionManager => {
                Self::Unavailable("transaction lost".to_owned())
            }
            other => Self::Fault(other),
        }
    }
}
