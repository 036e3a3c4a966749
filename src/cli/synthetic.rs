//! `cardscape seed --synthetic N`

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use indicatif::ProgressBar;
use tokio::sync::mpsc;

use super::seed::{counting_bar, import_game};
use super::{ExitError, Outcome, say};
use crate::domain::catalogue::import::{GameImport, GameSource, SourceFile, StoredTexts};
use crate::domain::catalogue::synthetic::{MAX_CARDS, SetOutline, Synthetic};
use crate::store::Store;
use crate::store::catalogue::games::{GameCache, LoadedGame, StoredManifest};
use crate::store::catalogue::import::{self, Base, ImportError, ImportSummary};
use crate::store::catalogue::{games, sets};

/// Which synthetic cards to add.
#[derive(Args, Clone)]
pub(super) struct SyntheticOptions {
    /// Generate this number of cards in all, in sets synthetic-0001, synthetic-0002 …, for trials and measurements. Those that are
    /// there already are not made again
    #[arg(long, value_name = "N", conflicts_with = "check", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_CARDS)))]
    pub synthetic: Option<u32>,
    /// The game of the synthetic cards
    #[arg(long, value_name = "CODE", default_value = "ttcg", requires = "synthetic")]
    game: String,
    /// Another seed makes other cards
    #[arg(long, value_name = "NUMBER", default_value = "0", requires = "synthetic")]
    seed: u64,
    /// Number of synthetic sets that start hidden: the first ones
    #[arg(long, value_name = "N", default_value = "0", requires = "synthetic")]
    hidden_sets: u32,
}

impl SyntheticOptions {
    /// Whether the game has been loaded.
    pub(super) async fn game_is_stored(&self, store: &Store) -> anyhow::Result<bool> {
        Ok(games::manifest(&mut *store.connection().await?, &self.game).await?.is_some())
    }

    /// Fails if there is no folder that the game could be loaded from.
    pub(super) fn require_folder(&self, folder: &Path) -> Result<(), ExitError> {
        if folder.join("games").is_dir() {
            return Ok(());
        }
        Err(ExitError::usage(format!(
            "there is no game {:?} (--game) in the database, and no folder {} to load it from: name another game, or the folder with the game",
            self.game,
            folder.join("games").display()
        )))
    }

    /// Makes the cards and imports them, some sets at a time, each time in one transaction. An interrupted run can be
    /// continued.
    pub(super) async fn load(&self, store: &Store, cards: u32) -> Outcome {
        let mut conn = store.connection().await?;
        let (Some(loaded), Some(manifest)) = (
            GameCache::default().find(&mut conn, &self.game).await?,
            games::manifest(&mut conn, &self.game).await?,
        ) else {
            return Err(
                ExitError::usage(format!("there is no game {:?} (--game)", self.game)).into()
            );
        };
        drop(conn);
        let bar = counting_bar(u64::from(cards));
        bar.set_message(self.game.clone());
        let mut tally = Tally::default();
        // While some sets are written, the next ones are made and checked.
        let (ready, mut next) = mpsc::channel(1);
        let (options, maker_store) = (self.clone(), store.clone());
        let making = tokio::spawn(async move {
            let synthetic = Synthetic::new(&loaded.game, options.seed);
            let mut outlines = synthetic.outlines(cards, options.hidden_sets).peekable();
            while outlines.peek().is_some() {
                let group = first_sets(&mut outlines);
                let prepared = options.prepare(&maker_store, &loaded, &manifest, group).await?;
                if ready.send(prepared).await.is_err() {
                    break;
                }
            }
            anyhow::Ok(())
        });
        while let Some(Prepared { new, known }) = next.recv().await {
            tally.known += known;
            if let Some(new) = new {
                tally.add(write(store, new, &bar).await?);
            }
        }
        making.await??;
        bar.finish_and_clear();
        say(format_args!("{}: {tally}", self.game))?;
        Ok(ExitCode::SUCCESS)
    }

    /// Makes and checks the sets that are not stored yet.
    async fn prepare(
        &self,
        store: &Store,
        loaded: &Arc<LoadedGame>,
        manifest: &StoredManifest,
        group: Vec<SetOutline>,
    ) -> anyhow::Result<Prepared> {
        let mut conn = store.connection().await?;
        let mut wanted = Vec::new();
        for outline in group {
            let stored = sets::find(&mut conn, &self.game, &outline.code).await?;
            let name = Synthetic::new(&loaded.game, self.seed).set_name(&outline);
            if let Some(stored) = stored.as_ref().filter(|stored| stored.name != name) {
                return Err(ExitError::no(format!(
                    "the stored set {} ({}) was made with another --seed: the cards of two seeds do not mix",
                    stored.code, stored.name
                ))
                .into());
            }
            wanted.push(outline.at_least(stored.map_or(0, |stored| stored.card_count)));
        }
        let of_group = wanted.len();
        let (loaded, seed) = (loaded.clone(), self.seed);
        // On a blocking thread, because this task also writes the sets before.
        let files = tokio::task::spawn_blocking(move || {
            let synthetic = Synthetic::new(&loaded.game, seed);
            wanted.iter().map(|outline| synthetic.set_file(outline)).collect::<Vec<_>>()
        })
        .await?;
        let manifest_file = SourceFile::new("game.toml", &manifest.text);
        let mut new = Vec::new();
        for file in files {
            let source = GameSource { manifest: manifest_file.clone(), sets: vec![file] };
            if !import::is_current(&mut conn, &source).await? {
                new.extend(source.sets);
            }
        }
        drop(conn);
        let known = of_group - new.len();
        if new.is_empty() {
            return Ok(Prepared { new: None, known });
        }
        let source = GameSource { manifest: manifest_file, sets: new };
        let check = move || GameImport::check_with(&source, StoredTexts::OfManifestAndSets);
        let checked = tokio::task::spawn_blocking(check).await?;
        let import = checked.map_err(|faults| {
            let first = faults.first().map(ToString::to_string).unwrap_or_default();
            ExitError::no(format!("no synthetic cards fit the rules of {:?}: {first}", self.game))
        })?;
        let revision = manifest.revision;
        Ok(Prepared { new: Some(NewSets { import, revision }), known })
    }
}

/// Cards that are made and imported together, if the last set does not add more.
const CARDS_TOGETHER: u32 = 5_000;

/// The next sets, until they have enough cards.
fn first_sets(outlines: &mut impl Iterator<Item = SetOutline>) -> Vec<SetOutline> {
    let (mut sets, mut cards) = (Vec::new(), 0);
    while cards < CARDS_TOGETHER
        && let Some(outline) = outlines.next()
    {
        cards += outline.cards;
        sets.push(outline);
    }
    sets
}

/// Some sets, made and checked.
struct Prepared {
    /// Those that are not stored yet.
    new: Option<NewSets>,
    /// Number of the others.
    known: usize,
}

/// Sets that were checked against a revision of their game.
struct NewSets {
    import: GameImport,
    revision: i64,
}

async fn write(
    store: &Store,
    NewSets { import, revision }: NewSets,
    bar: &ProgressBar,
) -> anyhow::Result<ImportSummary> {
    match import_game(store, &import, Base::Revision(revision), false, bar).await {
        Ok(summary) => Ok(summary),
        Err(ImportError::Refused(faults)) => {
            faults.iter().try_for_each(say)?;
            Err(ExitError::no(format!("{} faults; the sets before these are loaded", faults.len()))
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

/// What was done in all.
#[derive(Default)]
struct Tally {
    sets: usize,
    known: usize,
    added: usize,
    changed: usize,
}

impl Tally {
    fn add(&mut self, summary: ImportSummary) {
        for set in summary.sets {
            self.sets += 1;
            self.added += set.cards_added;
            self.changed += set.cards_changed;
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { sets, known, added, changed } = self;
        write!(
            f,
            "{added} synthetic cards added and {changed} changed in {sets} sets; {known} sets were there already"
        )
    }
}
