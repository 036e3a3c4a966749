//! The seed-data folder: `games/<game>/game.toml` and `games/<game>/sets/*.json`, with effect texts beside them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use cardscape_engine::{Game, near};

use crate::domain::catalogue::import::{
    GameImport, GameSource, ImportFault, SourceFile, StoredTexts,
};
use crate::domain::effects::effect_texts::EffectFiles;

/// The games of a folder.
pub(super) struct SeedGames {
    /// The games whose manifest can be read, with the sets that can be read.
    pub(super) games: Vec<GameSource>,
    /// Files that cannot be read, and files that would be ignored because of their names.
    pub(super) faults: Vec<ImportFault>,
    /// The games that have the stored manifest instead of that of the folder: the name of its file, and the revision that was read.
    pub(super) stored_manifests: BTreeMap<String, i64>,
}

/// Reads the files of every game below `folder`, in order of their names.
pub(super) fn read(folder: &Path) -> anyhow::Result<SeedGames> {
    let mut found =
        SeedGames { games: Vec::new(), faults: Vec::new(), stored_manifests: BTreeMap::new() };
    let games = folders_of_games(folder)?;
    for game in &games {
        found.games.extend(game_source(folder, game, &mut found.faults)?);
        found.faults.extend(misnamed_parts(folder, game)?);
        found.faults.extend(ignored_files(folder, &game.join("sets"), "json")?);
    }
    if games.is_empty() {
        bail!("there is no game below {}", folder.join("games").display());
    }
    Ok(found)
}

/// Reads the files of the game in the folder `game`, which is below `folder`. Fails at a file that cannot be read.
pub(super) fn read_game(folder: &Path, game: &Path) -> anyhow::Result<GameSource> {
    let mut faults = Vec::new();
    let source = game_source(folder, game, &mut faults)?;
    match (source, faults.first()) {
        (Some(source), None) => Ok(source),
        (_, Some(fault)) => bail!("{fault}"),
        (None, None) => bail!("cannot read {}", game.display()),
    }
}

/// Reads the files of a game. Files that cannot be read are faults; without its manifest, there is no game.
fn game_source(
    folder: &Path,
    game: &Path,
    faults: &mut Vec<ImportFault>,
) -> anyhow::Result<Option<GameSource>> {
    let manifest = readable(source(folder, &game.join(MANIFEST)), faults);
    let mut sets = Vec::new();
    for file in entries_of(&game.join("sets"))?.iter().filter(|file| has_ending(file, "json")) {
        sets.extend(readable(source(folder, file), faults));
    }
    Ok(manifest.map(|manifest| GameSource { manifest, sets }))
}

/// The effect texts of a folder.
pub(super) struct SeedEffectTexts {
    /// The files of each game that has some, with the manifest that names the game. Games with a file that cannot be read are left out.
    pub(super) games: Vec<(SourceFile, EffectFiles)>,
    /// Files that cannot be read, and files that would be ignored because of their names.
    pub(super) faults: Vec<ImportFault>,
}

/// Reads the effect-text files of every game below `folder` that has some.
pub(super) fn read_effect_texts(folder: &Path) -> anyhow::Result<SeedEffectTexts> {
    let mut found = SeedEffectTexts { games: Vec::new(), faults: Vec::new() };
    for game in folders_of_games(folder)? {
        let templates = game.join("effects").join(TEMPLATES);
        if templates.symlink_metadata().is_err() {
            found.faults.extend(misnamed_templates(folder, &game)?);
            continue;
        }
        let before = found.faults.len();
        let folder_of_values = game.join("placeholders");
        let mut placeholders = Vec::new();
        for file in entries_of(&folder_of_values)?.iter().filter(|file| has_ending(file, "txt")) {
            if let Some(name) = file.file_stem().and_then(|name| name.to_str())
                && let Some(read) = readable(source(folder, file), &mut found.faults)
            {
                placeholders.push((name.to_owned(), read));
            }
        }
        found.faults.extend(ignored_files(folder, &folder_of_values, "txt")?);
        let templates = readable(source(folder, &templates), &mut found.faults);
        // [`read`] reports a manifest that cannot be read.
        let manifest = source(folder, &game.join(MANIFEST)).ok();
        if let (Some(templates), Some(manifest)) = (templates, manifest)
            && found.faults.len() == before
        {
            found.games.push((manifest, EffectFiles { templates, placeholders }));
        }
    }
    Ok(found)
}

/// The folders below `games`, in order of their names. Hidden ones, such as those of version control, are no games.
fn folders_of_games(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let games = entries(&folder.join("games"))?.into_iter();
    Ok(games.filter(|path| path.is_dir() && !name_of(path).starts_with('.')).collect())
}

/// What is in a folder, which need not exist.
fn entries_of(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if folder.is_dir() { entries(folder) } else { Ok(Vec::new()) }
}

fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().with_context(|| format!("cannot read {}", folder.display()))?;
    paths.sort();
    Ok(paths)
}

fn source(folder: &Path, file: &Path) -> Result<SourceFile, Box<ImportFault>> {
    let name = path_below(folder, file);
    let fault = |message: String| Err(ImportFault::new(&name, "", message).into());
    // A named pipe would not end before somebody writes to it, and a device perhaps never.
    match std::fs::metadata(file) {
        Ok(found) if found.is_dir() => return fault("is a folder, not a file".to_owned()),
        Ok(found) if !found.is_file() => return fault("is not a regular file".to_owned()),
        Ok(_) | Err(_) => {}
    }
    match std::fs::read(file) {
        Ok(bytes) => SourceFile::from_bytes(&name, &bytes),
        Err(error) => fault(format!("cannot be read: {error}")),
    }
}

fn readable<T>(read: Result<T, Box<ImportFault>>, faults: &mut Vec<ImportFault>) -> Option<T> {
    read.map_err(|fault| faults.push(*fault)).ok()
}

fn path_below(folder: &Path, file: &Path) -> String {
    file.strip_prefix(folder).unwrap_or(file).display().to_string()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn has_ending(file: &Path, ending: &str) -> bool {
    has_extension(file, ending) && !is_auxiliary(file)
}

fn has_extension(file: &Path, ending: &str) -> bool {
    file.extension().is_some_and(|extension| extension == ending)
}

/// The parts of a game's folder that are read.
const PARTS: [&str; 4] = [MANIFEST, "sets", "effects", "placeholders"];

/// The file with the manifest of a game.
const MANIFEST: &str = "game.toml";

/// Parts of a game's folder that would be ignored because of capital letters in their names, or because they are no folders.
fn misnamed_parts(folder: &Path, game: &Path) -> anyhow::Result<Vec<ImportFault>> {
    let fault = |path: &PathBuf| {
        let name = name_of(path);
        let part = PARTS.into_iter().find(|part| part.eq_ignore_ascii_case(&name))?;
        let message = if name != part {
            format!("the name must be {part}, in small letters: rename it")
        } else if part != MANIFEST && !path.is_dir() {
            "must be a folder".to_owned()
        } else {
            return None;
        };
        Some(ImportFault::new(&path_below(folder, path), "", message))
    };
    Ok(entries(game)?.iter().filter_map(fault).collect())
}

/// The file with the effect templates of a game.
const TEMPLATES: &str = "all_effect_templates.txt";

/// The file that `cardscape effects combine` writes beside the templates.
const COMBINED: &str = "all_effects.txt";

/// What seems to be meant for [`TEMPLATES`], and values without templates, of a game that has no such file: its effect texts would be ignored.
fn misnamed_templates(folder: &Path, game: &Path) -> anyhow::Result<Vec<ImportFault>> {
    let fault =
        |path: &Path, message: String| ImportFault::new(&path_below(folder, path), "", message);
    let mut faults = Vec::new();
    for file in entries_of(&game.join("effects"))?.iter().filter(|file| may_be_templates(file)) {
        faults.push(fault(file, format!("is not read: the name must be {TEMPLATES}")));
    }
    for path in entries(game)?.iter().filter(|path| path.is_dir()) {
        let name = name_of(path);
        // [`misnamed_parts`] reports names with capital letters.
        if !name.eq_ignore_ascii_case("effects") && !near(&name, ["effects"]).is_empty() {
            let message = "is not read: the folder of the templates must be named effects";
            faults.push(fault(path, message.to_owned()));
        }
    }
    let values = game.join("placeholders");
    if faults.is_empty() && entries_of(&values)?.iter().any(|file| has_ending(file, "txt")) {
        let message =
            format!("is not read: the game has no effects/{TEMPLATES}; add it, or delete this");
        faults.push(fault(&values, message));
    }
    Ok(faults)
}

/// Whether a file in `effects` may be meant for [`TEMPLATES`].
fn may_be_templates(file: &Path) -> bool {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_text = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt"));
    (is_text || TEMPLATES.strip_suffix(".txt") == Some(&*stem))
        && name_of(file) != COMBINED
        && !is_auxiliary(file)
}

/// Files of a folder that would be ignored because of the end of their names, such as `port.JSON`, `port.jsn` and `port` for `json`.
fn ignored_files(folder: &Path, files: &Path, ending: &str) -> anyhow::Result<Vec<ImportFault>> {
    let is_ignored =
        |file: &PathBuf| !file.is_dir() && !has_ending(file, ending) && !is_auxiliary(file);
    let ignored = entries_of(files)?.into_iter().filter(is_ignored);
    let message = format!("is not read: the name must end in .{ending}");
    Ok(ignored.map(|file| ImportFault::new(&path_below(folder, &file), "", &message)).collect())
}

/// Whether a file is hidden, a backup of an editor, or a document about the others, as README.md is.
fn is_auxiliary(file: &Path) -> bool {
    let name = name_of(file);
    name.starts_with('.')
        || name.ends_with('~')
        || name.starts_with("README")
        || name.starts_with("LICENSE")
        || ["md", "bak", "old", "orig", "swp", "tmp"]
            .iter()
            .any(|ending| has_extension(file, ending))
}

/// Faults of the names of a game's folder and files, which must be the codes in them.
fn name_faults(source: &GameSource) -> Vec<ImportFault> {
    let fault = |file: &SourceFile, message| ImportFault::new(&file.name, "/code", message);
    let mut faults = Vec::new();
    let game = Game::from_toml(&source.manifest.text).ok();
    let folder = Path::new(&source.manifest.name).parent().map(name_of).unwrap_or_default();
    if let Some(code) = game.as_ref().map(Game::code).filter(|code| *code != folder) {
        let message =
            format!("the code is {code:?}, but the folder is named {folder}: rename one of them");
        faults.push(fault(&source.manifest, message));
    }
    for (file, code) in source.sets.iter().zip(source.codes_of_sets()) {
        let name = name_of(Path::new(&file.name));
        if let Some(code) = code.filter(|code| !code.is_empty() && format!("{code}.json") != name) {
            let message =
                format!("the code is {code:?}, but the file is named {name}: rename one of them");
            faults.push(fault(file, message));
        }
    }
    faults
}

/// Checks all games; returns every fault of every file. A stored manifest may break rules for new ones.
pub(super) fn check(
    found: &SeedGames,
    stored: StoredTexts,
) -> Result<Vec<GameImport>, Vec<ImportFault>> {
    let mut faults = Vec::new();
    let mut imports = Vec::new();
    let mut codes: BTreeMap<String, String> = BTreeMap::new();
    for source in &found.games {
        faults.extend(name_faults(source));
        let has_stored_manifest = found.stored_manifests.contains_key(&source.manifest.name);
        let stored = if has_stored_manifest { StoredTexts::OfManifestAndSets } else { stored };
        match GameImport::check_with(source, stored) {
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
