//! How a subcommand ends: its result, and the exit codes of the program.

use std::process::ExitCode;

/// The result of a subcommand.
pub(super) type Outcome = anyhow::Result<ExitCode>;

/// The answer is negative.
pub(super) const NO: u8 = 1;
/// The command line is wrong.
pub(super) const USAGE: u8 = 2;
pub(super) const FAILED: u8 = 70;

/// An error with its own exit code.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct ExitError {
    pub(super) code: u8,
    pub(in crate::cli) message: String,
}

impl ExitError {
    /// A negative answer.
    pub(super) fn no(message: impl Into<String>) -> Self {
        Self { code: NO, message: message.into() }
    }

    /// The command line is wrong.
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self { code: USAGE, message: message.into() }
    }
}
