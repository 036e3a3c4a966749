//! The `cardscape` program: parses its arguments and hands over to a subcommand.

use std::process::ExitCode;

fn main() -> ExitCode {
    cardscape::cli::main()
}
