//! Tests of commands that need no running service, through the program itself. `tests/process` tests `serve` and commands
//! that run beside a service.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod database_url;
mod deck;
mod deck_convert;
mod effects;
#[path = "../environment/mod.rs"]
mod environment;
mod schema;
mod seed;
mod standard_output;
mod verify_run;

use std::process::Command;

/// The program, without settings of the developer's environment.
fn program() -> Command {
    environment::command(env!("CARGO_BIN_EXE_cardscape"))
}
