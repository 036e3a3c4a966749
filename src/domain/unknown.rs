//! Values of another program: texts from the database that no enum of this one knows.

use thiserror::Error;

/// A newer program wrote it, or somebody by hand. It is never taken for another value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("unknown {what} `{value}`")]
pub struct UnknownValue {
    /// What it should be one of: `role`, `scope` ….
    pub what: &'static str,
    /// What it is.
    pub value: String,
}
