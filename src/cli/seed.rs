//! `cardscape seed`

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use cardscape_engine::Game;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::database::Database;
use super::seed_data::SeedGames;
use super::seed_effect_texts::{LoadedTexts, SeededTexts, ValidTexts};
use super::synthetic::SyntheticOptions;
use super::{Outcome, block_on, print_message, say, seed_data, seed_effect_texts};
use crate::auth::permission::{Importer, Operator};
use crate::config::DatabaseOptions;
use crate::domain::catalogue::import::{
    GameImport, GameSource, ImportFault, SourceFile, StoredTexts,
};
use crate::domain::clock::Clock;
use crate::store::catalogue::import::{self, Base, ImportError, ImportSummary};
use crate::store::catalogue::seed_loads::LoadedFiles;
use crate::store::catalogue::{changes, games, seed_loads};
use crate::store::db::deadlines;
use crate::store::{Connection, Store};

#[derive(Args)]
pub(super) struct SeedCommand {
    /// Folder with games and sets
    #[arg(default_value = "seed-data", value_name = "DIR")]
    folder: PathBuf,
    /// Only read and check every file, without a database; exit code 1 when there is any fault
    #[arg(long)]
    check: bool,
    /// Compare the folder with the database, which this version has migrated, and print what would change, without changing anything
    #[arg(long, conflicts_with_all = ["check", "synthetic"])]
    dry_run: bool,
    #[command(flatten)]
    synthetic: SyntheticOptions,
    #[command(flatten)]
    database: DatabaseOptions,
}

impl SeedCommand {
    pub(super) fn run(self) -> Outcome {
        if self.check {
            return check(&self.folder);
        }
        if self.synthetic.synthetic.is_none() {
            // Checked first, so that no database is created without need.
            seed_data::read(&self.folder)?;
        }
        if self.dry_run {
            let database = Database::open(&self.database)?;
            return block_on(async {
                // Not migrated: that would be a change.
                database.require_tables().await?;
                let store = Store::new(&database.settings)?;
                Box::pin(self.load_folder(&store)).await
            });
        }
        let database = Database::open_or_create(&self.database)?;
        block_on(async {
            database.migrate().await?;
            let store = Store::new(&database.settings)?;
            let loading = Box::pin(async {
                match self.synthetic.synthetic {
                    Some(cards) => self.add_synthetic(&store, cards).await,
                    None => self.load_folder(&store).await,
                }
            });
            let outcome = import::with_upkeep(&store, loading).await;
            // Assigns numbers to the new events; otherwise the first reader of the feed would have to do this, and a
            // service that starts after a large import could not use its caches until it is done. Also runs when a part
            // was refused, because the rest was imported.
            if let Err(error) = changes::extent(&store).await {
                print_message(format_args!(
                    "cardscape: the events are left for the service to number: {error}"
                ));
            }
            outcome
        })
    }

    async fn load_folder(&self, store: &Store) -> Outcome {
        // Games and effect texts are checked before anything is written.
        let found = seed_data::read(&self.folder)?;
        let games = check_differing(store, &found).await?;
        let (games, texts) = match (games, seed_effect_texts::check(&self.folder)?) {
            (Ok(games), Ok(texts)) => (games, texts),
            (games, texts) => return refuse_folder(games, texts),
        };
        if self.dry_run {
            say("This is a dry run: nothing is stored.")?;
        }
        let seeded = import_games(store, &found, &games, self.dry_run).await?;
        // Everything is loaded before anything is printed of it, because standard output may fail.
        let texts = if self.dry_run {
            seed_effect_texts::find_differing(store, &texts, &seeded.conflicting).await
        } else {
            seed_effect_texts::load(store, &texts, &seeded.conflicting).await
        };
        let (has_happened, of_refused, nothing) = if self.dry_run {
            ("nothing is stored", "a game with faults would not be loaded", "Nothing would change.")
        } else {
            (LOADED, "a game with faults is not loaded, the others are", "Nothing changed.")
        };
        let mut changed = seeded.loaded.iter().filter(|summary| summary.changed());
        let reported = changed.try_for_each(report);
        let texts = texts?;
        reported.and_then(|()| report_texts(&texts)).context(has_happened)?;
        if !seeded.refused.is_empty() {
            return refuse(&seeded.refused, of_refused);
        }
        if texts.is_empty() && !seeded.loaded.iter().any(ImportSummary::changed) {
            say(nothing).context(has_happened)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Adds synthetic cards to a game that is stored, or that the folder contains.
    async fn add_synthetic(&self, store: &Store, cards: u32) -> Outcome {
        if !self.synthetic.game_is_stored(store).await? {
            self.synthetic.require_folder(&self.folder)?;
            let loaded = self.load_folder(store).await?;
            if loaded != ExitCode::SUCCESS {
                return Ok(loaded);
            }
        }
        self.synthetic.load(store, cards).await
    }
}

fn check(folder: &Path) -> Outcome {
    // Without a database, nothing is known of stored texts.
    let games = check_games(&seed_data::read(folder)?, StoredTexts::None);
    let texts = seed_effect_texts::check(folder)?;
    match (games, texts) {
        (Ok(imports), Ok(texts)) => {
            for import in &imports {
                let (sets, cards) = (import.sets().len(), import.card_count());
                let code = import.game().code();
                say(format_args!("{code}: {sets} sets, {cards} cards, no fault"))?;
            }
            for found in &texts {
                say(format_args!("{}: {} templates, no fault", found.file(), found.templates()))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        (games, texts) => refuse_folder(games, texts),
    }
}

/// Checks all games; returns every fault of every file, also of files that cannot be read.
fn check_games(
    found: &SeedGames,
    stored: StoredTexts,
) -> Result<Vec<GameImport>, Vec<ImportFault>> {
    match seed_data::check(found, stored) {
        Ok(imports) if found.faults.is_empty() => Ok(imports),
        checked => {
            let others = checked.err().into_iter().flatten();
            Err(found.faults.iter().cloned().chain(others).collect())
        }
    }
}

/// The checked games of a folder; no games if none differs from the stored ones: a check takes longer than a comparison.
async fn check_differing(
    store: &Store,
    found: &SeedGames,
) -> anyhow::Result<Result<Vec<GameImport>, Vec<ImportFault>>> {
    let mut conn = store.connection().await?;
    let mut current = found.faults.is_empty();
    for source in &found.games {
        current = current && import::is_current(&mut conn, source).await?;
    }
    drop(conn);
    Ok(if current { Ok(Vec::new()) } else { check_games(found, StoredTexts::OfSets) })
}

/// Prints the faults of all files of a folder.
fn refuse_folder(
    games: Result<Vec<GameImport>, Vec<ImportFault>>,
    texts: Result<Vec<ValidTexts>, Vec<ImportFault>>,
) -> Outcome {
    let faults: Vec<ImportFault> = games.err().into_iter().chain(texts.err()).flatten().collect();
    refuse(&faults, "nothing is loaded from a folder with faults")
}

fn refuse(faults: &[ImportFault], consequence: &str) -> Outcome {
    faults.iter().try_for_each(say)?;
    let all = match faults.len() {
        1 => "1 fault".to_owned(),
        number => format!("{number} faults"),
    };
    print_message(format_args!("cardscape: {all}; {consequence}"));
    Ok(ExitCode::FAILURE)
}

fn report(summary: &ImportSummary) -> anyhow::Result<()> {
    if summary.manifest_changed {
        say(format_args!("{}: manifest loaded", summary.game))?;
    }
    for set in &summary.sets {
        say(format_args!(
            "{}/{}: {} cards added, {} changed, {} unlocked by a lower threshold",
            summary.game, set.set, set.cards_added, set.cards_changed, set.cards_unlocked
        ))?;
        if set.printings_added > 0 || set.printings_removed > 0 {
            say(format_args!(
                "{}/{}: printings of stored cards: {} added, {} removed",
                summary.game, set.set, set.printings_added, set.printings_removed
            ))?;
        }
    }
    Ok(())
}

fn report_texts(texts: &[LoadedTexts]) -> anyhow::Result<()> {
    texts.iter().try_for_each(|LoadedTexts { game, templates }| {
        say(format_args!("{game}: {templates} templates of effect texts loaded"))
    })
}

/// What has happened if only the report about it fails.
const LOADED: &str = "what has no faults in the folder is loaded";

/// The result of loading a folder.
#[derive(Default)]
pub(super) struct Seeded {
    /// What changed, for each game that was loaded.
    loaded: Vec<ImportSummary>,
    /// Why games were not loaded. After a fault in any file no game is loaded; after a conflict with the database, only that
    /// game is not loaded.
    refused: Vec<ImportFault>,
    /// Whether a file has a fault.
    has_faulty_files: bool,
    /// Codes of the games that were not loaded because of a conflict with the database.
    conflicting: Vec<String>,
    /// Manifest files of the games that were not loaded because the stored manifest changed after it was read.
    stale: Vec<String>,
}

/// Loads games and sets, if no file has a fault. Costs almost nothing when nothing changed since the last time.
async fn load(store: &Store, found: &SeedGames) -> anyhow::Result<Seeded> {
    match check_differing(store, found).await? {
        Ok(imports) => import_games(store, found, &imports, false).await,
        Err(refused) => Ok(Seeded { refused, has_faulty_files: true, ..Seeded::default() }),
    }
}

/// Imports checked games, each in a transaction of its own; a dry run changes nothing.
async fn import_games(
    store: &Store,
    found: &SeedGames,
    imports: &[GameImport],
    dry_run: bool,
) -> anyhow::Result<Seeded> {
    let bar = counting_bar(imports.iter().map(|import| import.card_count() as u64).sum());
    let mut seeded = Seeded::default();
    for game in imports {
        bar.set_message(game.game().code().to_owned());
        let manifest = &game.manifest().name;
        let read = found.stored_manifests.get(manifest);
        let base = read.map_or(Base::Whatever, |revision| Base::Revision(*revision));
        match import_game(store, game, base, dry_run, &bar).await {
            Ok(summary) | Err(ImportError::Rehearsed(summary)) => seeded.loaded.push(summary),
            Err(ImportError::Stale) => seeded.stale.push(manifest.clone()),
            Err(ImportError::Refused(faults)) => {
                seeded.refused.extend(faults);
                seeded.conflicting.push(game.game().code().to_owned());
            }
            Err(error) => return Err(error.into()),
        }
    }
    bar.finish_and_clear();
    Ok(seeded)
}

/// Imports a game and its sets in one transaction, if the stored version is still `base`. A dry run changes nothing, and its result is
/// [`ImportError::Rehearsed`].
pub(super) async fn import_game(
    store: &Store,
    game: &GameImport,
    base: Base,
    dry_run: bool,
    bar: &ProgressBar,
) -> Result<ImportSummary, ImportError> {
    let (importer, now) = (Importer::from(Operator::at_the_machine()), Clock::system().now());
    let start = bar.position();
    let progress = |cards: usize| bar.inc(cards as u64);
    store
        .with_deadline(deadlines::CATALOGUE)
        .transaction(async |conn| {
            // The transaction may be repeated after a deadlock.
            bar.set_position(start);
            let summary = import::import(conn, &importer, game, base, now, &progress).await?;
            // An error rolls the transaction back.
            if dry_run { Err(ImportError::Rehearsed(summary)) } else { Ok(summary) }
        })
        .await
}

/// A progress bar for cards, shown only on a terminal.
pub(super) fn counting_bar(cards: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(cards);
    if let Ok(style) = ProgressStyle::with_template("{msg:12} {wide_bar} {pos}/{len} cards") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Loads the files that differ from those that the last start loaded. Other changes by admins since then are kept.
async fn load_changed(store: &Store, folder: &Path) -> anyhow::Result<Seeded> {
    let mut loaded = Vec::new();
    loop {
        let mut seeded = Box::pin(load_changed_once(store, folder)).await?;
        loaded.append(&mut seeded.loaded);
        // If another instance changed a manifest that was read here, the changed one is read.
        if seeded.stale.is_empty() {
            return Ok(Seeded { loaded, ..seeded });
        }
    }
}

/// Like [`load_changed`], without the games whose manifests changed after they were read.
async fn load_changed_once(store: &Store, folder: &Path) -> anyhow::Result<Seeded> {
    let mut conn = store.connection().await?;
    let SeedGames { games, faults, .. } = seed_data::read(folder)?;
    let (mut changed, mut parts) = (Vec::new(), Vec::new());
    let mut stored_manifests = BTreeMap::new();
    for source in games {
        let loaded = seed_loads::find(&mut conn, &source).await?;
        match &loaded {
            Some(loaded) if loaded.are(&source) => {
                // An older program has not recorded the single files.
                if !loaded.contain(&source.manifest) {
                    seed_loads::record_load(&mut conn, &source, Clock::system().now()).await?;
                }
            }
            _ => {
                let (part, stored) = changed_part(&mut conn, &source, loaded.as_ref()).await?;
                stored_manifests
                    .extend(stored.map(|revision| (part.manifest.name.clone(), revision)));
                parts.push(part);
                changed.push(source);
            }
        }
    }
    drop(conn);
    let parts = SeedGames { games: parts, faults, stored_manifests };
    let seeded = load(store, &parts).await?;
    let mut conn = store.connection().await?;
    let is_in = |source: &&GameSource| {
        let files = source.sets.iter().chain([&source.manifest]);
        files.clone().all(|file| seeded.refused.iter().all(|fault| fault.file != file.name))
            && !seeded.stale.contains(&source.manifest.name)
    };
    // After a fault in any file, no game is loaded.
    let loaded_any = seeded.refused.is_empty() || !seeded.loaded.is_empty();
    for source in changed.iter().filter(is_in).filter(|_| loaded_any) {
        seed_loads::record_load(&mut conn, source, Clock::system().now()).await?;
    }
    Ok(seeded)
}

/// What a start has to load of the files of a game, if they differ from those that the last start loaded: if the manifest is the same as then, the stored manifest
/// stays, and so do the sets whose files are the same. Another manifest may change what the files of all sets mean; then only edited sets stay whose files are the same.
///
/// With it, the revision of the stored manifest, if that one stays.
async fn changed_part(
    conn: &mut Connection,
    source: &GameSource,
    loaded: Option<&LoadedFiles>,
) -> anyhow::Result<(GameSource, Option<i64>)> {
    let (Some(loaded), Ok(game)) = (loaded, Game::from_toml(&source.manifest.text)) else {
        return Ok((source.clone(), None));
    };
    let stored = games::manifest(conn, game.code()).await?;
    let stored = stored.filter(|_| loaded.contain(&source.manifest));
    let edited = seed_loads::edited_sets(conn, game.code()).await?;
    let stays = |file: &SourceFile, code: Option<String>| {
        loaded.contain(file)
            && (stored.is_some() || code.is_some_and(|code| edited.contains(&code)))
    };
    let sets = source.sets.iter().zip(source.codes_of_sets());
    let sets = sets.filter_map(|(file, code)| (!stays(file, code)).then(|| file.clone()));
    let sets: Vec<SourceFile> = sets.collect();
    let revision = stored.as_ref().map(|stored| stored.revision);
    let mut manifest = source.manifest.clone();
    if let Some(stored) = stored
        && stored.text != manifest.text
    {
        tracing::info!(
            game = game.code(),
            "the stored manifest stays: it was changed since a start loaded the one of the folder"
        );
        manifest.text = stored.text;
    }
    Ok((GameSource { manifest, sets }, revision))
}

/// Loads the effect texts after the games, except those of the games that conflict with the database. After a fault in a file of a game, they are only checked.
async fn load_texts_at_start(
    store: &Store,
    folder: &Path,
    seeded: &Seeded,
) -> anyhow::Result<SeededTexts> {
    if !seeded.has_faulty_files {
        return seed_effect_texts::load_changed(store, folder, &seeded.conflicting).await;
    }
    let refused = seed_effect_texts::check(folder)?.err().unwrap_or_default();
    Ok(SeededTexts { refused, ..SeededTexts::default() })
}

/// For `serve`: loads the folder. Refused games are reported in the log and on standard error, and the service starts
/// with the stored data: a set that has been printed since must not prevent the start.
pub(super) async fn load_at_start(store: &Store, folder: &Path) -> anyhow::Result<()> {
    let seeded = load_changed(store, folder).await;
    let seeded = seeded.with_context(|| format!("cannot load {}", folder.display()))?;
    for summary in seeded.loaded.iter().filter(|summary| summary.changed()) {
        let added: usize = summary.sets.iter().map(|set| set.cards_added).sum();
        let changed: usize = summary.sets.iter().map(|set| set.cards_changed).sum();
        let sets: Vec<&str> = summary.sets.iter().map(|set| set.set.as_str()).collect();
        tracing::info!(
            game = %summary.game, manifest = summary.manifest_changed, sets = sets.join(" "), cards_added = added, cards_changed = changed,
            "seed data loaded"
        );
    }
    let texts = load_texts_at_start(store, folder, &seeded).await;
    let texts = texts.with_context(|| format!("cannot load {}", folder.display()))?;
    for loaded in &texts.loaded {
        tracing::info!(game = loaded.game, templates = loaded.templates, "effect texts loaded");
    }
    for fault in seeded.refused.iter().chain(&texts.refused) {
        tracing::error!(%fault, "seed data refused");
    }
    let nothing = seeded.loaded.is_empty() && !seeded.refused.is_empty();
    if nothing && !games::any(&mut *store.connection().await?).await? {
        let faults = seeded.refused.len();
        bail!("{} has {faults} faults (see `cardscape seed --check`)", folder.display());
    }
    Ok(())
}
