//! `cardscape keys generate|replace-lost`

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand};

use super::database::Database;
use super::key_file::loss_message;
use super::{Outcome, block_on, say};
use crate::auth::keys::KeyRing;
use crate::auth::permission::Operator;
use crate::config::DatabaseOptions;
use crate::domain::clock::Clock;
use crate::store::Store;
use crate::store::printing::key_fingerprints::{self, LostKeys};

#[derive(Subcommand)]
pub(super) enum KeysCommand {
    /// Write a file of fresh keys, mode 0600; an existing file is never overwritten
    Generate {
        /// Where to write it
        file: PathBuf,
    },
    /// Go on with other keys, because those that the database was used with are lost for good
    ///
    /// Makes the key file if there is none. Whatever was made with the lost keys is lost with them: no serial code that was printed with
    /// them can ever be checked again, and webhooks have other secrets. Stop the service first.
    ReplaceLost(ReplaceCommand),
}

#[derive(Args)]
pub(super) struct ReplaceCommand {
    #[command(flatten)]
    database: DatabaseOptions,
}

impl KeysCommand {
    pub(super) fn run(self) -> Outcome {
        match self {
            Self::Generate { file } => {
                KeyRing::create(&file)?;
                say(format_args!(
                    "Wrote {}. Keep a copy: without it no serial code can be checked again.",
                    file.display()
                ))
                .with_context(|| format!("the key file {} is complete", file.display()))?;
                Ok(ExitCode::SUCCESS)
            }
            Self::ReplaceLost(command) => command.run(),
        }
    }
}

impl ReplaceCommand {
    fn run(self) -> Outcome {
        // Fails if a service runs the private Postgres: that service would continue with the old keys.
        let database = Database::start_existing(&self.database)?;
        let file = database.key_file()?;
        block_on(async {
            database.migrate().await?;
            let store = Store::new(&database.settings)?;
            let (path, had_file) = (file.path().to_owned(), file.exists());
            let ring = file.ring_or_new()?;
            let (fingerprints, now) = (ring.fingerprints(), Clock::system().now());
            match key_fingerprints::check_and_register(&store, &fingerprints, now).await? {
                Ok(()) => say(format_args!(
                    "Nothing is lost: the keys in {} are those that this database depends on.",
                    path.display()
                ))?,
                Err(missing) => {
                    let opening = ring.opening_ids();
                    let lost = if had_file {
                        LostKeys::These { missing: &missing, opening: &opening }
                    } else {
                        LostKeys::File
                    };
                    let dependents = key_fingerprints::count_dependents(&store, lost).await?;
                    let operator = Operator::at_the_machine();
                    key_fingerprints::replace(&store, &operator, &fingerprints, now).await?;
                    let shown = path.display();
                    say(format_args!(
                        "The database depends on the keys in {shown} now. Back that file up, and start every instance with it."
                    ))
                    .and_then(|()| say(loss_message(&dependents)))
                    .with_context(|| format!("the database depends on the keys in {shown} now"))?;
                }
            }
            Ok(ExitCode::SUCCESS)
        })
    }
}
