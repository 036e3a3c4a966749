//! Errors of the store that callers distinguish.

use std::time::Duration;

use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error as DieselError};
use thiserror::Error;

use super::health::{DISK_FULL, OUTDATED};

/// The result of every store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a store function failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// Postgres is not reachable, starting or overloaded, or did not answer in time. A retry may succeed a little later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// Postgres is read-only, or its disk is full: reads still succeed. A retry may succeed later.
    #[error("the database takes no writes: {0}")]
    NoWrites(String),
    /// The statement timed out. A retry may succeed a little later.
    #[error("a statement took too long")]
    TooLong,
    /// Conflicts with other transactions, several times: a deadlock or a serialisation failure, rows that were changed or
    /// deleted after they were read, or a migration that invalidated a prepared statement. A retry may succeed.
    #[error("other transactions were in the way: {0}")]
    Contended(String),
    /// The response to COMMIT is missing: it is unknown whether the transaction was committed. A retry may succeed a
    /// little later.
    #[error("it is unknown whether the transaction was committed: {0}")]
    CommitUnclear(String),
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

    /// The error of a transaction whose COMMIT failed with this error: Postgres refused it, or its response is missing.
    pub(super) fn at_commit(self) -> Self {
        match self {
            Self::Unavailable(_) | Self::NoWrites(_) | Self::TooLong => self.unclear(),
            refused => refused,
        }
    }

    /// The error of work that may have been committed before this error.
    pub(in crate::store) fn unclear(self) -> Self {
        match self {
            Self::CommitUnclear(_) => self,
            error => Self::CommitUnclear(error.to_string()),
        }
    }

    /// The error of a statement whose rows refer to rows that the transaction has read: if one of those was deleted
    /// meanwhile, the transaction begins again, and reads what is there now.
    pub(in crate::store) fn of_references(error: DieselError) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::ForeignKeyViolation, info) => {
                Self::Contended(info.message().to_owned())
            }
            error => error.into(),
        }
    }

    /// Whether it is certain that a transaction that failed with this error wrote nothing: it failed before its COMMIT
    /// was sent, or Postgres refused to commit it.
    pub fn is_rolled_back(&self) -> bool {
        !matches!(self, Self::CommitUnclear(_))
    }

    /// Whether a row was found whose content cannot be decoded.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Fault(DieselError::DeserializationError(_)))
    }

    /// Whether an immediate retry of the transaction may succeed, as after all conflicts with other transactions.
    pub(in crate::store) fn is_transient(&self) -> bool {
        matches!(self, Self::Contended(_))
    }
}

/// Class of an error by its SQLSTATE: <https://www.postgresql.org/docs/current/errcodes-appendix.html>
enum ErrorClass {
    /// The same statement may succeed a little later.
    Transient,
    /// The server takes no writes.
    NoWrites,
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
            "57014" => Self::TooLong, // query_canceled
            // invalid_regular_expression: those of queries are checked before, so that only "too complex" is left.
            "2201B" => Self::TooLong,
            "40001" | "40P01" => Self::Contended, // serialization_failure, deadlock_detected
            "25006" | DISK_FULL => Self::NoWrites, // read_only_sql_transaction, disk_full
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

/// Whether it is certain that a statement that is a transaction by itself wrote nothing, because the server has refused
/// it. When a server stops, it may have committed before its error (class 57P). An error of class 08 reports a lost
/// connection, also that of a proxy to its server (PgBouncer: `08P01`): it says nothing about what was committed.
pub(in crate::store) fn is_refused(error: &DieselError) -> bool {
    let DieselError::DatabaseError(_, info) = error else { return false };
    let state = sql_state(&**info);
    !state.is_empty() && !state.starts_with("57P") && !state.starts_with("08")
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
                ErrorClass::NoWrites => Self::NoWrites(info.message().to_owned()),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with this SQLSTATE, which `wire` has written into the hint.
    struct StateError(&'static str);

    impl DatabaseErrorInformation for StateError {
        fn message(&self) -> &'static str {
            "server conn crashed?"
        }

        fn details(&self) -> Option<&str> {
            None
        }

        fn hint(&self) -> Option<&str> {
            Some(self.0)
        }

        fn table_name(&self) -> Option<&str> {
            None
        }

        fn column_name(&self) -> Option<&str> {
            None
        }

        fn constraint_name(&self) -> Option<&str> {
            None
        }

        fn statement_position(&self) -> Option<i32> {
            None
        }
    }

    fn error(state: &'static str) -> DieselError {
        DieselError::DatabaseError(DatabaseErrorKind::Unknown, Box::new(StateError(state)))
    }

    #[test]
    fn lost_connections_and_stopping_servers_do_not_refuse_statements() {
        for state in ["40P01", "55P03", "57014", "53300"] {
            assert!(is_refused(&error(state)), "{state}");
        }
        for state in ["", "57P01", "57P02", "08P01", "08006", "08003"] {
            assert!(!is_refused(&error(state)), "{state}");
        }
        let closed = DatabaseErrorKind::ClosedConnection;
        assert!(!is_refused(&DieselError::DatabaseError(closed, Box::new("closed".to_owned()))));
    }

    #[test]
    fn a_commit_without_the_response_of_the_server_is_unclear() {
        for (state, is_rolled_back) in [("08P01", false), ("57P01", false), ("40001", true)] {
            let error = StoreError::from(error(state)).at_commit();
            assert_eq!(error.is_rolled_back(), is_rolled_back, "{state}");
        }
    }
}
