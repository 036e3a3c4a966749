//! The `cardscape` program: parses its arguments and hands over to a subcommand.
#![warn(clippy::print_stderr)]

use std::process::ExitCode;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    cardscape::cli::main()
}
