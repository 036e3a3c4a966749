//! The command line: one file for each subcommand.
//!
//! Exit codes: 0 success, 1 a negative answer (an illegal deck, a refused run), 2 wrong usage, 70 a failure.

mod admin;
mod completions;
mod database;
mod deck;
mod deck_convert;
mod effects;
mod key_file;
mod keys;
mod log_format;
mod log_writer;
mod logging;
mod man;
mod metrics;
mod migrate;
mod mint;
mod openapi;
mod outcome;
mod schema;
mod seed;
mod seed_data;
mod seed_effect_texts;
mod serve;
mod standard_output;
mod synthetic;
mod verify_run;

pub use metrics::metrics_handle;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::config::LogOptions;
use outcome::{ExitError, FAILED, NO, Outcome, USAGE};
use standard_output::{print_message, say};

/// Card database and collection service.
///
/// Without DATABASE_URL it runs a private PostgreSQL in its data directory.
#[derive(Parser)]
#[command(name = "cardscape", version, after_help = EXIT_CODES)]
struct Cli {
    #[command(flatten)]
    log: LogOptions,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 negative result, 2 wrong usage, 70 failed";

#[derive(Subcommand)]
enum Command {
    /// Run the service: migrate, load the seed data, answer requests until it is stopped
    Serve(serve::ServeCommand),
    /// Bring the database to the schema of this program
    Migrate(migrate::MigrateCommand),
    /// Load games and sets from a folder, only check them, or generate test cards
    Seed(seed::SeedCommand),
    /// Create admins, reset passwords, remove second factors
    #[command(subcommand)]
    Admin(admin::AdminCommand),
    /// Make the key file that a database of your own needs, or replace one that is lost
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Check deck lists, and write them in other dialects
    #[command(subcommand)]
    Deck(deck::DeckCommand),
    /// Effect texts: expand templates, tag effects by category, sort
    #[command(subcommand)]
    Effects(effects::EffectsCommand),
    /// Mint a print run: write its serial codes into a print file and register their hashes
    ///
    /// The plain codes are in the print file, and on the labels of `--sheet`, and nowhere else, ever. Keep them safe until
    /// the cards are printed, then delete them. A file that is left of a mint that was broken off contains codes that nobody can register: delete it, too.
    Mint(mint::MintCommand),
    /// Check a revealed print run against its commitment, without a database
    VerifyRun(verify_run::VerifyRunCommand),
    /// Print the OpenAPI document
    Openapi,
    /// Print the JSON Schemas of manifests and set files, for editors
    #[command(subcommand)]
    Schema(schema::SchemaCommand),
    /// Print a script that completes commands and options in a shell
    ///
    /// For bash: `cardscape completions bash > ~/.local/share/bash-completion/completions/cardscape`.
    Completions(completions::CompletionsCommand),
    /// Write man pages, one for each command
    ///
    /// `cardscape man ~/.local/share/man/man1`, then `man cardscape-serve`.
    Man(man::ManCommand),
}

/// Runs the program.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    // Tools for files write no log and start at once. Dropped last, so that all log lines are written before the
    // program ends.
    let writes_log =
        !matches!(cli.command, Command::Effects(_) | Command::Completions(_) | Command::Man(_));
    let log = writes_log.then(|| logging::start(&cli.log)).transpose();
    let _log = match log {
        Ok(log) => log,
        Err(error) => {
            print_message(format_args!("cardscape: cannot start the log: {error}"));
            return ExitCode::from(FAILED);
        }
    };
    let outcome = match cli.command {
        Command::Serve(command) => command.run(),
        Command::Migrate(command) => command.run(),
        Command::Seed(command) => command.run(),
        Command::Admin(command) => command.run(),
        Command::Keys(command) => command.run(),
        Command::Deck(command) => command.run(),
        Command::Effects(command) => command.run(),
        Command::Mint(command) => command.run(),
        Command::VerifyRun(command) => command.run(),
        Command::Openapi => openapi::run(),
        Command::Schema(command) => command.run(),
        Command::Completions(command) => command.run(Cli::command()),
        Command::Man(command) => command.run(Cli::command()),
    };
    outcome.unwrap_or_else(|error| {
        print_message(format_args!("cardscape: {}", chain(&error)));
        ExitCode::from(error.downcast_ref::<ExitError>().map_or(FAILED, |exit| exit.code))
    })
}

/// An error with its causes, except causes whose text the message before already contains.
fn chain(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |text, cause| match text.as_str() {
        "" => cause,
        _ if text.contains(&cause) => text,
        _ => format!("{text}: {cause}"),
    })
}

/// Runs async work on its own runtime.
fn block_on<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}
