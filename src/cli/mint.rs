//! `cardscape mint`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::database::Database;
use super::{Outcome, block_on, say};
use crate::auth::permission::Operator;
use crate::config::DatabaseOptions;
use crate::domain::clock::Clock;
use crate::domain::minting::PrintPlan;
use crate::store::Store;
use crate::store::press::{self, MintError, MintOrder, PrintFormat};

#[derive(Args)]
pub(super) struct MintCommand {
    /// Code of the game
    #[arg(long, value_name = "CODE")]
    game: String,
    /// Code of the set; a run always holds every card of it
    #[arg(long, value_name = "CODE")]
    set: String,
    /// Copies of each card, shared by its rarities
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    copies_per_card: u64,
    /// The print file to write, mode 0600; nothing may be there yet
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Form of the print file
    #[arg(long, default_value = "csv")]
    format: FormatOption,
    /// Only show what the run would hold
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    database: DatabaseOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatOption {
    /// A header line, then one line for each code
    Csv,
    /// One JSON object a line
    Ndjson,
}

impl From<FormatOption> for PrintFormat {
    fn from(option: FormatOption) -> Self {
        match option {
            FormatOption::Csv => Self::Csv,
            FormatOption::Ndjson => Self::Ndjson,
        }
    }
}

impl MintCommand {
    pub(super) fn run(self) -> Outcome {
        let database = Database::open(&self.database)?;
        let minted = block_on(async {
            // A dry run only looks.
            if !self.dry_run {
                database.migrate().await?;
            }
            let store = Store::new(&database.settings)?;
            let operator = Operator::at_the_machine();
            let mut conn = store.connection().await?;
            let planned =
                press::plan(&mut conn, &operator, &self.game, &self.set, self.copies_per_card)
                    .await;
            drop(conn);
            let plan = match planned {
                Ok((_, plan)) => plan,
                Err(error) => return Ok(Err(error)),
            };
            show(&self.game, &self.set, &plan);
            let file = match self.out {
                Some(file) if !self.dry_run => file,
                _ => return Ok(Ok(())),
            };
            let keys = database.keys()?;
            let key = keys.serials().first().context("there is no serial key")?;
            let order = MintOrder {
                game: self.game,
                set: self.set,
                copies_per_card: self.copies_per_card,
                file: file.clone(),
                format: self.format.into(),
            };
            let bar = progress_bar(plan.copy_count() * 2)?;
            let progress = bar.clone();
            let progress: press::Progress = Arc::new(move |count| progress.set_position(count));
            let now = Clock::system().now();
            let minted =
                press::mint(&store, &database.settings, &operator, key, order, now, progress).await;
            bar.finish_and_clear();
            Ok(minted.map(|minted| {
                say(format_args!("print run:  {}", minted.run));
                say(format_args!("codes:      {}", minted.codes));
                say(format_args!("print file: {}", file.display()));
                say(format_args!("SHA-256:    {}", minted.file_sha256));
            }))
        })?;
        match minted {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) if error.is_refusal() => {
                eprintln!("cardscape: {error}");
                Ok(ExitCode::FAILURE)
            }
            Err(error) => Err(MintError::into(error)),
        }
    }
}

/// Drawn on standard error when that is a terminal.
fn progress_bar(length: u64) -> anyhow::Result<ProgressBar> {
    let style = ProgressStyle::with_template("{bar:40} {percent}% {elapsed} {msg}")?;
    Ok(ProgressBar::new(length).with_style(style).with_message("making and storing codes"))
}

/// The table of a plan, and what to know before printing it.
fn show(game: &str, set: &str, plan: &PrintPlan) {
    say(format_args!(
        "{game}/{set}: {} cards, {} copies of each, {} codes",
        plan.card_count(),
        plan.copies_per_card(),
        plan.copy_count()
    ));
    say(format_args!(
        "{:<16} {:>8} {:>16} {:>12}",
        "rarity", "weight", "copies per card", "copies"
    ));
    for share in plan.shares() {
        let per_card = if share.fewest == share.most {
            share.most.to_string()
        } else {
            format!("{} to {}", share.fewest, share.most)
        };
        say(format_args!(
            "{:<16} {:>8} {per_card:>16} {:>12}",
            share.rarity, share.weight, share.copies
        ));
    }
    for warning in plan.warnings() {
        eprintln!("warning: {warning}");
    }
}
