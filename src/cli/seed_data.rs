//! The seed-data folder: `games/<game>/game.toml` and `games/<game>/sets/*.json`, with effect texts beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};

use crate::domain::catalogue::import::{GameImport, GameSource, ImportFault, SourceFile};
use crate::domain::effects::effect_texts::EffectFiles;

/// Reads the files of every game below `folder`, in order of their names.
pub(super) fn read(folder: &Path) -> anyhow::Result<Vec<GameSource>> {
    let games = folder.join("games");
    let mut found = Vec::new();
    for game in entries(&games)?.into_iter().filter(|path| path.is_dir()) {
        found.push(read_game(folder, &game)?);
    }
    if found.is_empty() {
        bail!("there is no game below {}", games.display());
    }
    Ok(found)
}

/// Reads the files of the game in the folder `game`, which is below `folder`.
pub(super) fn read_game(folder: &Path, game: &Path) -> anyhow::Result<GameSource> {
    let mut sets = Vec::new();
    let folder_of_sets = game.join("sets");
    if folder_of_sets.is_dir() {
        for file in entries(&folder_of_sets)? {
            if file.extension().is_some_and(|extension| extension == "json") {
                sets.push(source(folder, &file)?);
            }
        }
    }
    Ok(GameSource { manifest: source(folder, &game.join("game.toml"))?, sets })
}

/// Reads the effect-text files of every game below `folder` that has some, with the manifest that names the game.
pub(super) fn read_effect_texts(folder: &Path) -> anyhow::Result<Vec<(SourceFile, EffectFiles)>> {
    let mut found = Vec::new();
    for game in entries(&folder.join("games"))?.into_iter().filter(|path| path.is_dir()) {
        let templates = game.join("effects/all_effect_templates.txt");
        if !templates.is_file() {
            continue;
        }
        let mut placeholders = Vec::new();
        let folder_of_values = game.join("placeholders");
        if folder_of_values.is_dir() {
            for file in entries(&folder_of_values)? {
                let name = file.file_stem().and_then(|name| name.to_str()).map(str::to_owned);
                let is_text = file.extension().is_some_and(|extension| extension == "txt");
                if let Some(name) = name.filter(|_| is_text) {
                    placeholders.push((name, source(folder, &file)?));
                }
            }
        }
        let files = EffectFiles { templates: source(folder, &templates)?, placeholders };
        found.push((source(folder, &game.join("game.toml"))?, files));
    }
    Ok(found)
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn source(folder: &Path, file: &Path) -> anyhow::Result<SourceFile> {
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let name = file.strip_prefix(folder).unwrap_or(file).display().to_string();
    Ok(SourceFile::new(name, &text))
}

/// Checks all games; returns every fault of every file.
pub(super) fn check(sources: &[GameSource]) -> Result<Vec<GameImport>, Vec<ImportFault>> {
    let mut faults = Vec::new();
    let mut imports = Vec::new();
    let mut codes: BTreeMap<String, String> = BTreeMap::new();
    for source in sources {
        match GameImport::check(source) {
            Ok(import) => {
                let file = &import.manifest().name;
                if let Some(first) = codes.insert(import.game().code().to_owned(), file.clone()) {
                    faults.push(ImportFault::new(
                        file,
                        "/code",
                        format!("{first} has the same game code"),
                    ));
                }
                imports.push(import);
            }
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() { Ok(imports) } else { Err(faults) }
}
