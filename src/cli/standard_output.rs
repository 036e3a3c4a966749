//! Standard output and standard error. What cannot be written to standard output is an error: results and secrets must not be lost without a word.

use std::fmt::Display;
use std::io::{self, Write as _};

use anyhow::Context as _;

/// Prints a line of a command's result. A reader that has closed the pipe, such as `head`, has read enough.
pub(super) fn say(line: impl Display) -> anyhow::Result<()> {
    allow_closed_pipe(print(line))
}

/// Prints what somebody must be able to read, such as a password: here, a closed pipe is an error. Lines that belong together
/// are written together, so that a reader of the first ones does not close the pipe before the last ones.
pub(super) fn print(lines: impl Display) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(format!("{lines}\n").as_bytes())?;
    output.flush()
}

/// Prints a line about a command to standard error. It is lost if nobody can read it: what the command does, and its exit code, stay the same.
pub(super) fn print_message(line: impl Display) {
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The outcome of writing a result to standard output.
pub(super) fn allow_closed_pipe(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.context("cannot write standard output"),
    }
}
