//! Game and set files on their way into the catalogue: read and checked as a whole before anything is written.

use std::collections::BTreeMap;

use cardscape_engine::{CardDefinition, Game, SetDefinition, check_set, name_key};
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::pointer::json_pointer;

/// Raise it when an import of the same files would write something else than before.
const IMPORT_VERSION: u8 = 1;

/// Highest unlock threshold that a set may ask for.
const MAX_THRESHOLD: u32 = 100_000;

/// A text file and what to call it in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path or other name.
    pub name: String,
    /// Content.
    pub text: String,
}

/// The files of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSource {
    /// The manifest, `game.toml`.
    pub manifest: SourceFile,
    /// The set files.
    pub sets: Vec<SourceFile>,
}

impl GameSource {
    /// SHA-256 of each set file together with the manifest: the same hash, the same import.
    pub fn set_hashes(&self) -> Vec<[u8; 32]> {
        let manifest = Sha256::digest(&self.manifest.text);
        let hash = |set: &SourceFile| {
            Sha256::new()
                .chain_update([IMPORT_VERSION])
                .chain_update(manifest)
                .chain_update(&set.text)
                .finalize()
                .into()
        };
        self.sets.iter().map(hash).collect()
    }
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportFault {
    /// Name of the file.
    pub file: String,
    /// Where: a JSON pointer (RFC 6901); empty: the whole file. A manifest is TOML, whose tables have pointers all the same.
    pub pointer: String,
    /// Number and name of the card concerned, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// What is wrong, for people.
    pub message: String,
}

impl ImportFault {
    /// A fault at a place of a file.
    pub fn new(file: &str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), pointer: pointer.into(), card: None, message: message.into() }
    }
}

impl std::fmt::Display for ImportFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if !self.pointer.is_empty() {
            write!(f, ": {}", self.pointer)?;
        }
        if let Some(card) = &self.card {
            write!(f, " ({card})")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// A game with its sets, without a fault. Only [`GameImport::check`] makes one.
#[derive(Clone, Debug)]
pub struct GameImport {
    game: Game,
    manifest: SourceFile,
    sets: Vec<SetImport>,
}

/// A set without a fault.
#[derive(Clone, Debug)]
pub struct SetImport {
    /// Name of its file.
    pub file: String,
    /// SHA-256 of the file and the manifest.
    pub hash: [u8; 32],
    /// Set code.
    pub code: String,
    /// Name for people.
    pub name: String,
    /// Day of release.
    pub released_on: Option<NaiveDate>,
    /// Whether its cards start hidden.
    pub hidden: bool,
    /// Distinct accounts whose submissions unlock a card.
    pub unlock_threshold: i32,
    /// Its cards in the order of the file.
    pub cards: Vec<CardImport>,
}

/// A card of a set.
#[derive(Clone, Debug)]
pub struct CardImport {
    /// What stands in the file.
    pub definition: CardDefinition,
    /// [`name_key`] of its name.
    pub name_key: String,
    /// Its printings; never empty.
    pub printings: Vec<PrintingImport>,
}

/// A printing of a card.
#[derive(Clone, Debug)]
pub struct PrintingImport {
    /// Rarity code.
    pub rarity: String,
    /// Place of the rarity in the game's list, from 1.
    pub tier: i16,
    /// The attributes that differ by rarity.
    pub attributes: Map<String, Value>,
}

impl GameImport {
    /// Reads and checks the files of a game; every fault of every file at once.
    pub fn check(source: &GameSource) -> Result<Self, Vec<ImportFault>> {
        let game = read_manifest(&source.manifest)?;
        let mut faults = Vec::new();
        let mut sets = Vec::with_capacity(source.sets.len());
        for (file, hash) in source.sets.iter().zip(source.set_hashes()) {
            match read_set(&game, file, hash) {
                Ok(set) => sets.push(set),
                Err(found) => faults.extend(found),
            }
        }
        faults.extend(duplicates(&sets, game.unique_names()));
        if faults.is_empty() {
            Ok(Self { game, manifest: source.manifest.clone(), sets })
        } else {
            Err(faults)
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The manifest file.
    pub fn manifest(&self) -> &SourceFile {
        &self.manifest
    }

    /// The sets.
    pub fn sets(&self) -> &[SetImport] {
        &self.sets
    }

    /// How many cards it has in all.
    pub fn card_count(&self) -> usize {
        self.sets.iter().map(|set| set.cards.len()).sum()
    }
}

fn read_manifest(file: &SourceFile) -> Result<Game, Vec<ImportFault>> {
    if file.text.contains('\0') {
        return Err(vec![ImportFault::new(&file.name, "", "must not contain the NUL character")]);
    }
    let game = Game::from_toml(&file.text).map_err(|error| {
        let fault = |fault: &cardscape_engine::ManifestFault| {
            // Broken TOML has lines, but no tables yet.
            if fault.place.starts_with("line ") {
                let message = format!("{}: {}", fault.place, fault.problem);
                return ImportFault::new(&file.name, "", message);
            }
            ImportFault::new(&file.name, pointer_of(&fault.place), &fault.problem)
        };
        error.faults.iter().map(fault).collect::<Vec<_>>()
    })?;
    match code_fault(game.code()) {
        Some(message) => Err(vec![ImportFault::new(&file.name, "/code", message)]),
        None => Ok(game),
    }
}

/// The JSON pointer of a dotted path: `formats[0].rules[2]` is `/formats/0/rules/2`.
fn pointer_of(place: &str) -> String {
    let mut pointer = String::new();
    for part in place.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        pointer.push('/');
        pointer.push_str(&part.replace('~', "~0").replace('/', "~1"));
    }
    pointer
}

/// Number and name of the card that a pointer into a set file leads to.
fn card_at(set: &SetDefinition, pointer: &str) -> Option<String> {
    let at: usize = pointer.strip_prefix("/cards/")?.split('/').next()?.parse().ok()?;
    let card = set.cards.get(at)?;
    Some(format!("{} {}", card.number, card.name).trim().to_owned())
}

fn read_set(game: &Game, file: &SourceFile, hash: [u8; 32]) -> Result<SetImport, Vec<ImportFault>> {
    let fault = |pointer: String, message: String| ImportFault::new(&file.name, pointer, message);
    let set: SetDefinition =
        parse(&file.text).map_err(|(pointer, message)| vec![fault(pointer, message)])?;
    let mut faults: Vec<ImportFault> = check_set(game, &set)
        .into_iter()
        .map(|found| fault(found.pointer, found.violation.message()))
        .collect();
    faults
        .extend(storage_faults(&set).into_iter().map(|(pointer, message)| fault(pointer, message)));
    let threshold = set.unlock_threshold.unwrap_or(game.unlock_threshold());
    if threshold > MAX_THRESHOLD {
        faults.push(fault(
            "/unlock_threshold".to_owned(),
            format!("must be at most {MAX_THRESHOLD}"),
        ));
    }
    for fault in &mut faults {
        fault.card = card_at(&set, &fault.pointer);
    }
    let released_on = set.released_on.as_deref().map(str::parse).transpose();
    let (Ok(released_on), Ok(unlock_threshold), true) =
        (released_on, i32::try_from(threshold), faults.is_empty())
    else {
        return Err(faults);
    };
    Ok(SetImport {
        file: file.name.clone(),
        hash,
        code: set.code,
        name: set.name,
        released_on,
        hidden: set.hidden.unwrap_or(game.cards_start_hidden()),
        unlock_threshold,
        cards: set.cards.into_iter().map(|card| card_import(game, card)).collect(),
    })
}

fn card_import(game: &Game, definition: CardDefinition) -> CardImport {
    let tier = |rarity: &str| {
        let found = game.rarities().iter().find(|known| known.code == rarity);
        found.and_then(|known| i16::try_from(known.tier).ok()).unwrap_or(i16::MAX)
    };
    let mut printings: Vec<PrintingImport> = definition
        .printings
        .iter()
        .map(|printing| PrintingImport {
            tier: tier(&printing.rarity),
            rarity: printing.rarity.clone(),
            attributes: printing.attributes.clone(),
        })
        .collect();
    // A card that lists no printing exists in the game's lowest rarity.
    if printings.is_empty()
        && let Some(lowest) = game.rarities().iter().min_by_key(|rarity| rarity.tier)
    {
        printings.push(PrintingImport {
            rarity: lowest.code.clone(),
            tier: tier(&lowest.code),
            attributes: Map::new(),
        });
    }
    printings.sort_by_key(|printing| printing.tier);
    CardImport { name_key: name_key(&definition.name), definition, printings }
}

/// Reads a set file; pointer and message of what stops the reader.
fn parse(text: &str) -> Result<SetDefinition, (String, String)> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let set = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| (json_pointer(error.path()), error.into_inner().to_string()))?;
    reader.end().map_err(|error| (String::new(), error.to_string()))?;
    Ok(set)
}

/// What the database could not hold, or URLs could not name.
fn storage_faults(set: &SetDefinition) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    if let Some(message) = code_fault(&set.code) {
        faults.push(("/code".to_owned(), message));
    }
    for (at, card) in set.cards.iter().enumerate() {
        if !is_hyphenated(&card.number, 16, |byte| byte.is_ascii_alphanumeric()) {
            let message =
                "must be 1 to 16 letters and digits, with single hyphens between them".to_owned();
            faults.push((format!("/cards/{at}/number"), message));
        }
        if serde_json::to_value(card).is_ok_and(|card| holds_nul(&card)) {
            faults.push((format!("/cards/{at}"), "must not contain the NUL character".to_owned()));
        }
    }
    faults
}

fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(holds_nul),
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn code_fault(code: &str) -> Option<String> {
    let fits = is_hyphenated(code, 32, |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    (!fits).then(|| {
        "must be 1 to 32 small letters and digits, with single hyphens between them".to_owned()
    })
}

fn is_hyphenated(text: &str, max: usize, allowed: impl Fn(u8) -> bool) -> bool {
    text.len() <= max && text.split('-').all(|part| !part.is_empty() && part.bytes().all(&allowed))
}

/// Codes that two sets of the game share, and names, where names are unique.
fn duplicates(sets: &[SetImport], unique_names: bool) -> Vec<ImportFault> {
    let mut faults = Vec::new();
    let mut codes: BTreeMap<&str, &str> = BTreeMap::new();
    let mut names: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    for set in sets {
        if let Some(first) = codes.insert(&set.code, &set.file) {
            faults.push(ImportFault::new(
                &set.file,
                "/code",
                format!("{first} has the same set code {:?}", set.code),
            ));
        }
        for (at, card) in set.cards.iter().enumerate() {
            let here = (set.file.as_str(), card.definition.number.as_str());
            if let Some((file, number)) = names.insert(&card.name_key, here)
                && unique_names
                && file != set.file
            {
                let message =
                    format!("card {number} of {file} has the same name {:?}", card.definition.name);
                faults.push(ImportFault::new(&set.file, format!("/cards/{at}/name"), message));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_what_urls_and_the_database_take() {
        for good in ["ttcg", "uno-emoji", "a1"] {
            assert_eq!(code_fault(good), None, "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "A", "a_b", "ä", &"a".repeat(33)] {
            assert!(code_fault(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn a_place_in_a_manifest_has_a_pointer() {
        assert_eq!(
            pointer_of("formats[0].rules[2].zone_size.min"),
            "/formats/0/rules/2/zone_size/min"
        );
        assert_eq!(pointer_of("kinds[1].attributes.a/b"), "/kinds/1/attributes/a~1b");
        assert_eq!(pointer_of(""), "");
    }

    #[test]
    fn a_reader_says_where_it_stopped() {
        let (pointer, message) =
            parse(r#"{"code":"x","name":"X","cards":[{"number":1}]}"#).unwrap_err();
        assert_eq!(pointer, "/cards/0/number");
        assert!(message.contains("expected a string"), "{message}");
        assert!(parse(r#"{"code":"x","name":"X","cards":[]} x"#).is_err());
    }

    #[test]
    fn the_hash_depends_on_both_files() {
        let source = |manifest: &str, set: &str| GameSource {
            manifest: SourceFile { name: "game.toml".to_owned(), text: manifest.to_owned() },
            sets: vec![SourceFile { name: "a.json".to_owned(), text: set.to_owned() }],
        };
        let hash = source("m", "s").set_hashes();
        assert_eq!(hash, source("m", "s").set_hashes());
        assert_ne!(hash, source("m2", "s").set_hashes());
        assert_ne!(hash, source("m", "s2").set_hashes());
    }
}
