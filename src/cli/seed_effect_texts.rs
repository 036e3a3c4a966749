//! The effect texts in the seed-data folder.

use std::path::Path;

use cardscape_engine::Game;

use super::seed_data::{self, SeedEffectTexts};
use crate::auth::permission::{Importer, Operator};
use crate::domain::catalogue::import::ImportFault;
use crate::domain::clock::Clock;
use crate::domain::effects::effect_texts::{EffectFiles, EffectTexts};
use crate::store::effects::effect_texts::{self, TextsBase, TextsChange};
use crate::store::{Store, StoreResult};

/// The result of loading effect texts.
#[derive(Default)]
pub(super) struct SeededTexts {
    /// The games whose effect texts are new or changed.
    pub(super) loaded: Vec<LoadedTexts>,
    /// Why effect texts were not loaded. A fault prevents the effect texts of its game from being loaded.
    pub(super) refused: Vec<ImportFault>,
}

/// Effect texts that were loaded.
pub(super) struct LoadedTexts {
    /// Game code.
    pub(super) game: String,
    /// Number of its templates.
    pub(super) templates: usize,
}

/// Checked effect texts without faults.
pub(super) struct ValidTexts {
    /// Name of the file with the templates.
    pub(super) file: String,
    /// Number of templates.
    pub(super) templates: usize,
}

/// Checks the effect texts of all games; returns every fault of every file.
pub(super) fn check(folder: &Path) -> anyhow::Result<Result<Vec<ValidTexts>, Vec<ImportFault>>> {
    let SeedEffectTexts { games, mut faults } = seed_data::read_effect_texts(folder)?;
    let mut sound = Vec::new();
    for (_, files) in games {
        match files.check() {
            Ok(library) => sound.push(ValidTexts {
                file: files.templates.name,
                templates: library.texts().templates.len(),
            }),
            Err(found) => faults.extend(found),
        }
    }
    Ok(if faults.is_empty() { Ok(sound) } else { Err(faults) })
}

/// Loads the effect texts of games that are stored.
pub(super) async fn load(store: &Store, folder: &Path) -> anyhow::Result<SeededTexts> {
    load_where(store, folder, Which::Differing).await
}

/// Loads effect texts whose files differ from those that the last start loaded. Changes by admins since then are kept.
pub(super) async fn load_changed(store: &Store, folder: &Path) -> anyhow::Result<SeededTexts> {
    load_where(store, folder, Which::NotLoadedLast).await
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    /// All that differ from the stored texts.
    Differing,
    /// All that the last start did not load.
    NotLoadedLast,
}

async fn load_where(store: &Store, folder: &Path, which: Which) -> anyhow::Result<SeededTexts> {
    let SeedEffectTexts { games, faults } = seed_data::read_effect_texts(folder)?;
    let mut seeded = SeededTexts { refused: faults, ..SeededTexts::default() };
    for (manifest, files) in games {
        // The fault of the manifest was reported already, and its game was not loaded.
        let Ok(game) = Game::from_toml(&manifest.text) else { continue };
        let (game, hash) = (game.code().to_owned(), files.hash());
        let at_start = which == Which::NotLoadedLast;
        if at_start && effect_texts::is_known(&mut *store.connection().await?, &game, &hash).await?
        {
            continue;
        }
        let library = match files.check() {
            Ok(library) => library,
            Err(faults) => {
                seeded.refused.extend(faults);
                continue;
            }
        };
        let note = at_start.then_some(&hash);
        match store_texts(store, &game, library.texts(), &files, note).await? {
            Stored::Changed => {
                let templates = library.texts().templates.len();
                seeded.loaded.push(LoadedTexts { game, templates });
            }
            Stored::Unchanged | Stored::NoGame => {}
        }
    }
    Ok(seeded)
}

enum Stored {
    Changed,
    Unchanged,
    /// Its manifest was refused.
    NoGame,
}

async fn store_texts(
    store: &Store,
    game: &str,
    texts: &EffectTexts,
    files: &EffectFiles,
    note: Option<&[u8; 32]>,
) -> StoreResult<Stored> {
    let (importer, now) = (Importer::from(Operator::at_the_machine()), Clock::system().now());
    let details = serde_json::json!({ "part": "everything", "file": files.templates.name });
    store
        .transaction(async |conn| {
            let is_stored = effect_texts::find(conn, game).await?.as_ref() == Some(texts);
            let mut stored = Stored::Unchanged;
            if !is_stored {
                let base = TextsBase::Whatever;
                match effect_texts::change(conn, &importer, game, texts, base, &details, now)
                    .await?
                {
                    TextsChange::Done { .. } => stored = Stored::Changed,
                    // Another process has just loaded them.
                    TextsChange::Stale => {}
                    TextsChange::Missing => return Ok(Stored::NoGame),
                }
            }
            if let Some(hash) = note {
                effect_texts::record_load(conn, game, hash).await?;
            }
            Ok(stored)
        })
        .await
}
