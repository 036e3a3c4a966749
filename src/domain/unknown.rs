//! Texts from the database that no enum of this program knows.

use thiserror::Error;

/// A newer version wrote it, or it was changed by hand. It is never replaced by a default.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown {what} `{value}`")]
pub struct UnknownValue {
    /// What it should be one of: `role`, `scope` ….
    pub what: &'static str,
    /// What it is.
    pub value: String,
}
