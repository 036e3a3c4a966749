//! `cardscape mint`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use uuid::Uuid;

use super::database::Database;
use super::{ExitError, Outcome, block_on, print_message, say};
use crate::auth::permission::Operator;
use crate::config::{DatabaseOptions, public_url};
use crate::domain::catalogue::import::without_mark;
use crate::domain::clock::Clock;
use crate::domain::ids::CommitmentId;
use crate::domain::printing::minting::PrintPlan;
use crate::domain::printing::packs::{PackParameters, PackPlan};
use crate::store::printing::discarded_runs;
use crate::store::printing::press::{
    self, MintError, MintOrder, Minted, Planned, PrintFormat, QrCodes, RunRequest, RunToMint,
};
use crate::store::{Store, StoreResult};

#[derive(Args)]
pub(super) struct MintCommand {
    /// Code of the game
    #[arg(long, value_name = "CODE", required_unless_present = "commitment")]
    game: Option<String>,
    /// Code of the set; a run always contains every card of it
    #[arg(long, value_name = "CODE", required_unless_present = "commitment")]
    set: Option<String>,
    /// Copies of each card, shared by its rarities
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), required_unless_present = "commitment")]
    copies_per_card: Option<u64>,
    /// Print the run that was announced under this id, and nothing else
    #[arg(long, value_name = "ID", conflicts_with_all = ["game", "set", "copies_per_card", "packs", "pack_size", "remainder"])]
    commitment: Option<Uuid>,
    /// Deal the run into packs; FILE is JSON with what differs from the defaults: card_mg, cards_per_pack, insert_max_mg,
    /// insert_min_mg, insert_shapes, insert_step_mg, lore_cards, lore_max_mg, lore_min_mg, rarity_mg, remainder, tolerance_mg
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    #[allow(clippy::option_option, reason = "absent, without a file, with one")]
    packs: Option<Option<PathBuf>>,
    /// Cards in a pack, the lore card not counted
    #[arg(long, value_name = "N", requires = "packs")]
    pack_size: Option<u32>,
    /// Leave out cards that do not fill a pack, instead of refusing the run
    #[arg(long, requires = "packs")]
    remainder: bool,
    /// The print file to write, mode 0600; the file must not exist yet
    #[arg(long, value_name = "FILE", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// The packing list to write for a run in packs, mode 0600: CSV without codes; the file must not exist yet
    #[arg(long, value_name = "FILE")]
    packing_list: Option<PathBuf>,
    /// Form of the print file
    #[arg(long, default_value = "csv")]
    format: FormatOption,
    /// Write an address for a QR code beside each code, in a column `address`: the page of this service on which the code is typed. URL is where browsers find the service
    #[arg(long, value_name = "URL", value_parser = public_url)]
    public_url: Option<String>,
    /// A sheet of labels to write, mode 0600: a PDF for A4 sheets of 24 labels of 70 × 37 mm, each with the QR code of a code; the file must not exist yet
    #[arg(long, value_name = "FILE", requires = "public_url")]
    sheet: Option<PathBuf>,
    /// Only show what the run would contain
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
        let run = self.run_to_mint()?;
        let database = Database::open(&self.database)?;
        let minted = block_on(async {
            // A dry run changes nothing.
            if self.dry_run {
                database.require_tables().await?;
            } else {
                database.migrate().await?;
                database.require_session("minting").await?;
            }
            let store = Store::new(&database.settings)?;
            let operator = Operator::at_the_machine();
            let mut conn = store.connection().await?;
            let looked_up = press::look_up(&mut conn, &operator, &run).await;
            drop(conn);
            let planned = match looked_up {
                Ok(planned) => planned,
                Err(error) => return Ok(Err(error)),
            };
            show(&planned)?;
            let file = match self.out {
                Some(file) if !self.dry_run => file,
                _ => return Ok(Ok(())),
            };
            let keys = database.key_file()?.keys_for(&database).await?;
            let key = keys.serials().first().context("there is no serial key")?;
            let order = MintOrder {
                run,
                file: file.clone(),
                format: self.format.into(),
                qr_codes: self
                    .public_url
                    .clone()
                    .map(|public_url| QrCodes { public_url, sheet: self.sheet.clone() }),
                packing_list: self.packing_list.clone(),
            };
            let bar = progress_bar(planned.plan.copy_count() * 2, "making and storing codes");
            let progress = bar.clone();
            let progress: press::Progress = Arc::new(move |count| progress.set_position(count));
            let clock = Clock::system();
            let minted =
                press::mint(&store, &database.settings, &operator, key, order, &clock, progress)
                    .await;
            bar.finish_and_clear();
            if let Ok(minted) = &minted {
                let reported =
                    report(minted, &file, self.packing_list.as_deref(), self.sheet.as_deref());
                if let Err(error) = delete_leftovers(&store).await {
                    print_message(format_args!(
                        "warning: some codes of print runs that were broken off are still stored ({error}); the service goes on"
                    ));
                }
                reported.with_context(|| {
                    format!(
                        "the print run {} is minted and {} is its print file",
                        minted.run,
                        file.display()
                    )
                })?;
            }
            Ok(minted.map(drop))
        })?;
        match minted {
            Ok(()) => Ok(ExitCode::SUCCESS),
            Err(error) if error.is_refusal() => {
                print_message(format_args!("cardscape: {error}"));
                Ok(ExitCode::FAILURE)
            }
            Err(error) => Err(MintError::into(error)),
        }
    }

    fn run_to_mint(&self) -> anyhow::Result<RunToMint> {
        if let Some(id) = self.commitment {
            return Ok(RunToMint::Announced(CommitmentId(id)));
        }
        let given = (self.game.clone(), self.set.clone(), self.copies_per_card);
        let (Some(game), Some(set), Some(copies_per_card)) = given else {
            return Err(ExitError::usage("name what to print with --game, --set and --copies-per-card, or an announced run with --commitment").into());
        };
        let mut packs =
            self.packs.as_ref().map(|file| pack_parameters(file.as_deref())).transpose()?;
        if let Some(packs) = &mut packs {
            packs.cards_per_pack = self.pack_size.unwrap_or(packs.cards_per_pack);
            packs.remainder |= self.remainder;
        }
        Ok(RunToMint::New(RunRequest { game, set, copies_per_card, packs }))
    }
}

/// The defaults, with the changes from a file.
fn pack_parameters(file: Option<&Path>) -> anyhow::Result<PackParameters> {
    let Some(file) = file else { return Ok(PackParameters::default()) };
    let text = std::fs::read_to_string(file)
        .map_err(|error| ExitError::usage(format!("cannot read {}: {error}", file.display())))?;
    serde_json::from_str(without_mark(&text)).map_err(|error| {
        ExitError::usage(format!("{} does not say how packs are made: {error}", file.display()))
            .into()
    })
}

fn report(
    minted: &Minted,
    file: &Path,
    packing_list: Option<&Path>,
    sheet: Option<&Path>,
) -> anyhow::Result<()> {
    say(format_args!("print run:  {}", minted.run))?;
    say(format_args!("commitment: {}", minted.commitment))?;
    say(format_args!("codes:      {}", minted.codes))?;
    say(format_args!("print file: {}", file.display()))?;
    say(format_args!("SHA-256:    {}", minted.file_sha256))?;
    if let (Some(list), Some(hash)) = (packing_list, &minted.packing_sha256) {
        say(format_args!("packing list: {}", list.display()))?;
        say(format_args!("SHA-256:      {hash}"))?;
    }
    if let (Some(sheet), Some(hash)) = (sheet, &minted.sheet_sha256) {
        say(format_args!("labels:     {}", sheet.display()))?;
        say(format_args!("SHA-256:    {hash}"))?;
    }
    Ok(())
}

/// Deletes what abandoned runs left in the database. The new run is already complete, so this may be interrupted: the
/// service's housekeeping or the next mint continues.
async fn delete_leftovers(store: &Store) -> StoreResult<()> {
    let left = discarded_runs::count_copies_to_delete(&mut *store.connection().await?).await?;
    if left == 0 {
        return Ok(());
    }
    print_message(
        "deleting the codes of print runs that were broken off; this may be interrupted, and goes on by itself later",
    );
    let bar = progress_bar(left, "deleting codes");
    let now = Clock::system().now();
    discarded_runs::delete_copies(store, usize::MAX, now, |count| bar.set_position(count)).await?;
    bar.finish_and_clear();
    Ok(())
}

/// A progress bar on standard error, if that is a terminal.
fn progress_bar(length: u64, message: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length).with_message(message);
    match ProgressStyle::with_template("{bar:40} {percent}% {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// Prints the table of a plan, its packs, and warnings before printing.
fn show(planned: &Planned) -> anyhow::Result<()> {
    let Planned { plan, opening, .. } = planned;
    show_plan(&opening.plan.game, &opening.plan.set, plan)?;
    if let Some(packs) = PackPlan::new(&opening.plan)? {
        show_packs(&packs)?;
    }
    for warning in plan.warnings() {
        print_message(format_args!("warning: {warning}"));
    }
    Ok(())
}

pub(super) fn show_packs(packs: &PackPlan<'_>) -> anyhow::Result<()> {
    let parameters = packs.parameters();
    say(format_args!(
        "{} packs of {} cards and a lore card, {} copies left over",
        packs.packs, parameters.cards_per_pack, packs.remainder
    ))?;
    say(format_args!(
        "a pack weighs {} mg, {} mg more or less at most; inserts of {} to {} mg in {} shapes",
        packs.target_mg,
        parameters.tolerance_mg,
        parameters.insert_min_mg,
        packs.heaviest_insert_mg,
        parameters.insert_shapes
    ))
}

fn show_plan(game: &str, set: &str, plan: &PrintPlan) -> anyhow::Result<()> {
    say(format_args!(
        "{game}/{set}: {} cards, {} copies of each, {} codes",
        plan.card_count(),
        plan.copies_per_card(),
        plan.copy_count()
    ))?;
    say(format_args!(
        "{:<16} {:>8} {:>16} {:>12}",
        "rarity", "weight", "copies per card", "copies"
    ))?;
    for share in plan.shares() {
        let per_card = if share.fewest == share.most {
            share.most.to_string()
        } else {
            format!("{} to {}", share.fewest, share.most)
        };
        say(format_args!(
            "{:<16} {:>8} {per_card:>16} {:>12}",
            share.rarity, share.weight, share.copies
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_pack_parameters_may_have_a_byte_order_mark() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("packs.json");
        std::fs::write(&file, "\u{feff}{\"cards_per_pack\": 7}").unwrap();
        assert_eq!(pack_parameters(Some(&file)).unwrap().cards_per_pack, 7);
    }
}
