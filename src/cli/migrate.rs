//! `cardscape migrate`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;

use super::database::Database;
use super::{Outcome, block_on, say};
use crate::config::DatabaseOptions;

#[derive(Args)]
pub(super) struct MigrateCommand {
    #[command(flatten)]
    database: DatabaseOptions,
}

impl MigrateCommand {
    pub(super) fn run(self) -> Outcome {
        let database = Database::open_or_create(&self.database)?;
        let applied = block_on(database.migrate())?;
        match applied.len() {
            0 => say("The database is up to date.")?,
            count => say(format_args!("Applied {count} migrations: {}", applied.join(", ")))
                .context("the database has all migrations now")?,
        }
        Ok(ExitCode::SUCCESS)
    }
}
