//! The effect texts in the seed-data folder.

use std::path::Path;

use cardscape_engine::Game;

use super::seed_data::{self, SeedEffectTexts};
use crate::auth::permission::{Importer, Operator};
use crate::domain::catalogue::import::{ImportFault, SourceFile};
use crate::domain::clock::Clock;
use crate::domain::effects::effect_texts::{EffectFiles, EffectLibrary, EffectTexts};
use crate::store::effects::effect_texts::{self, TextsBase, TextsChange};
use crate::store::{Store, StoreResult};

/// The result of loading effect texts at a start.
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
    manifest: SourceFile,
    files: EffectFiles,
    library: EffectLibrary,
}

impl ValidTexts {
    /// Name of the file with the templates.
    pub(super) fn file(&self) -> &str {
        &self.files.templates.name
    }

    /// Number of templates.
    pub(super) fn templates(&self) -> usize {
        self.library.texts().templates.len()
    }

    /// Game code; `None`: the manifest has a fault, for which the folder is refused.
    fn game(&self) -> Option<String> {
        code_of(&self.manifest)
    }
}

fn code_of(manifest: &SourceFile) -> Option<String> {
    Game::from_toml(&manifest.text).ok().map(|game| game.code().to_owned())
}

/// Checks the effect texts of all games; returns every fault of every file.
pub(super) fn check(folder: &Path) -> anyhow::Result<Result<Vec<ValidTexts>, Vec<ImportFault>>> {
    let SeedEffectTexts { games, mut faults } = seed_data::read_effect_texts(folder)?;
    let mut sound = Vec::new();
    for (manifest, files) in games {
        match files.check() {
            Ok(library) => sound.push(ValidTexts { manifest, files, library }),
            Err(found) => faults.extend(found),
        }
    }
    Ok(if faults.is_empty() { Ok(sound) } else { Err(faults) })
}

/// Loads checked effect texts that differ from the stored ones, except those of the games `without`.
pub(super) async fn load(
    store: &Store,
    valid: &[ValidTexts],
    without: &[String],
) -> anyhow::Result<Vec<LoadedTexts>> {
    let mut loaded = Vec::new();
    for texts in valid {
        let Some(game) = texts.game().filter(|game| !without.contains(game)) else { continue };
        match store_texts(store, &game, texts.library.texts(), &texts.files, None).await? {
            Stored::Changed => loaded.push(LoadedTexts { game, templates: texts.templates() }),
            Stored::Unchanged | Stored::NoGame => {}
        }
    }
    Ok(loaded)
}

/// The checked effect texts that [`load`] would load.
pub(super) async fn find_differing(
    store: &Store,
    valid: &[ValidTexts],
    without: &[String],
) -> anyhow::Result<Vec<LoadedTexts>> {
    let mut conn = store.connection().await?;
    let mut differing = Vec::new();
    for texts in valid {
        let Some(game) = texts.game().filter(|game| !without.contains(game)) else { continue };
        let stored = effect_texts::find(&mut conn, &game).await?;
        if stored.as_ref() != Some(texts.library.texts()) {
            differing.push(LoadedTexts { game, templates: texts.templates() });
        }
    }
    Ok(differing)
}

/// Loads effect texts whose files differ from those that the last start loaded, except those of the games `without`, which are only checked. Changes by admins
/// since then are kept.
pub(super) async fn load_changed(
    store: &Store,
    folder: &Path,
    without: &[String],
) -> anyhow::Result<SeededTexts> {
    let SeedEffectTexts { games, faults } = seed_data::read_effect_texts(folder)?;
    let mut seeded = SeededTexts { refused: faults, ..SeededTexts::default() };
    for (manifest, files) in games {
        // The fault of the manifest was reported already, and its game was not loaded.
        let Some(game) = code_of(&manifest) else { continue };
        let hash = files.hash();
        if effect_texts::is_known(&mut *store.connection().await?, &game, &hash).await? {
            continue;
        }
        let library = match files.check() {
            Ok(library) => library,
            Err(faults) => {
                seeded.refused.extend(faults);
                continue;
            }
        };
        if without.contains(&game) {
            continue;
        }
        match store_texts(store, &game, library.texts(), &files, Some(&hash)).await? {
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
