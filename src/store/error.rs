//! What can go wrong in the store, as far as callers tell it apart.

use std::time::Duration;

use diesel::result::{DatabaseErrorKind, Error as DieselError};
use thiserror::Error;

use crate::domain::unknown::UnknownValue;

/// The result of every store function.
pub type StoreResult<T> = Result<T, StoreError>;

/// A store function failed.
#[derive(Debug, Error)]
pub enum StoreError {
    /// No answer from Postgres in time: gone, starting, overloaded, or the statement ran into its time limit. Worth another
    /// try a little later.
    #[error("the database is not available: {0}")]
    Unavailable(String),
    /// Too many searches wait already that read much of the catalogue. Worth another try a little later.
    #[error("too many wide searches at once")]
    Crowded,
    /// The session or personal access token behind the request has ended, or its account was banned or has lost the role. Nothing was written.
    #[error("the credential is not valid any more")]
    Revoked,
    /// A unique constraint refused the change; its name tells which.
    #[error("conflict with {constraint}")]
    Conflict {
        /// Name of the constraint or index.
        constraint: String,
    },
    /// Anything else: a fault of ours.
    #[error("database error: {0}")]
    Fault(#[source] DieselError),
}

/// What is asked of the database; [`StoreError::Unavailable`] when there is no answer within `limit`. A server that is silent, without closing
/// the connection, is none.
pub async fn in_time<T>(
    limit: Duration,
    asked: impl Future<Output = StoreResult<T>>,
) -> StoreResult<T> {
    tokio::time::timeout(limit, asked).await.unwrap_or_else(|_| Err(StoreError::silent()))
}

impl StoreError {
    /// Postgres says nothing.
    pub(super) fn silent() -> Self {
        Self::Unavailable("no answer in time".to_owned())
    }

    /// Whether this is a conflict with the constraint or index of that name.
    pub fn conflicts_with(&self, name: &str) -> bool {
        matches!(self, Self::Conflict { constraint } if constraint == name)
    }

    /// Whether the same transaction may well succeed when it is run again at once: a deadlock or a serialisation failure.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::Fault(DieselError::DatabaseError(DatabaseErrorKind::SerializationFailure, _)) => {
                true
            }
            Self::Fault(DieselError::DatabaseError(_, info)) => {
                info.message() == "deadlock detected"
            }
            _ => false,
        }
    }
}

/// Messages of Postgres that mean "not now". Diesel keeps the message, not the SQLSTATE; the service's sessions run with
/// `lc_messages = C`, so these are fixed texts.
const NOT_NOW: [&str; 6] = [
    "canceling statement due to",
    "terminating connection",
    "the database system is",
    "sorry, too many clients",
    "remaining connection slots",
    "idle-in-transaction timeout",
];

impl From<UnknownValue> for StoreError {
    fn from(error: UnknownValue) -> Self {
        Self::Fault(DieselError::DeserializationError(Box::new(error)))
    }
}

impl From<DieselError> for StoreError {
    fn from(error: DieselError) -> Self {
        match error {
            DieselError::DatabaseError(DatabaseErrorKind::UniqueViolation, info) => {
                Self::Conflict { constraint: info.constraint_name().unwrap_or_default().to_owned() }
            }
            DieselError::DatabaseError(
                DatabaseErrorKind::UnableToSendCommand | DatabaseErrorKind::ClosedConnection,
                info,
            ) => Self::Unavailable(info.message().to_owned()),
            DieselError::DatabaseError(DatabaseErrorKind::Unknown, info)
                if NOT_NOW.iter().any(|text| info.message().contains(text)) =>
            {
                Self::Unavailable(info.message().to_owned())
            }
            DieselError::BrokenTransactionManager => {
                Self::Unavailable("transaction lost".to_owned())
            }
            other => Self::Fault(other),
        }
    }
}
