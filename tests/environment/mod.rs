//! The environment in which tests, benchmarks and the tour start the program.

use std::ffi::OsStr;
use std::process::Command;

/// A command for a program, without the settings of a service that somebody runs with the same environment: its database and its keys
/// must stay as they are.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(is_setting) {
            command.env_remove(name);
        }
    }
    command
}

/// Whether a variable is a setting of a service, and not of the machine. `scripts/service.py` has the same rule.
pub(crate) fn is_setting(name: &str) -> bool {
    name == "DATABASE_URL" || name.starts_with("CARDSCAPE_") && name != "CARDSCAPE_PG_BIN"
}
