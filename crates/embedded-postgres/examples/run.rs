//! Runs a private PostgreSQL in a directory until the standard input ends (Ctrl-D), and prints how to connect to it.
//!
//! ```sh
//! cargo run -p embedded-postgres --example run -- /tmp/notes
//! psql 'postgres:///postgres?host=%2Ftmp%2Fnotes%2Frun&user=notes'
//! ```
#![allow(clippy::print_stdout, reason = "a program for a terminal")]

use std::error::Error;

use embedded_postgres::{EmbeddedPostgres, Settings};

fn main() -> Result<(), Box<dyn Error>> {
    let data_dir = std::env::args_os().nth(1).ok_or("give a directory as the argument")?;
    let mut settings = Settings::new("notes", data_dir);
    settings.search_path = std::env::var_os("PATH");
    let postgres = EmbeddedPostgres::start(settings)?;
    println!("psql '{}'", postgres.url("postgres"));
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
    postgres.stop()?;
    Ok(())
}
