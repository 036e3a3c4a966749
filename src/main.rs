//! The `cardscape` program: parses its arguments and hands over to a subcommand.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cardscape::cli::main()
}
