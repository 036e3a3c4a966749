//! Imports of game and set files, which are read and checked as a whole before anything is written.

use std::borrow::Cow;
use std::collections::BTreeMap;

use cardscape_engine::{
    Attributes, CardDefinition, Game, Position, SET_FAULTS_MAX, SetDefinition, Violation,
    check_set, is_collector_number, is_no_text, name_key,
};
use chrono::NaiveDate;
use serde::Serialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::set_file::SetFile;
use crate::domain::pointer::push_token;

/// Must be increased when an import of the same files would write different data than before.
const IMPORT_VERSION: u8 = 1;

/// Largest manifest, in bytes; manifests of large games have ten thousand.
pub const MAX_MANIFEST: usize = 512 * 1024;

/// Largest set file, in bytes: about ten thousand cards.
pub const MAX_SET_FILE: usize = 8 * 1024 * 1024;

/// A text file, with its name for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Path or other name.
    pub name: String,
    /// Content.
    pub text: String,
}

impl SourceFile {
    /// A file from its content. A byte order mark at the start is removed.
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        Self { name: name.into(), text: without_mark(text).to_owned() }
    }

    /// A file from its content as bytes, which must be text in UTF-8.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Box<ImportFault>> {
        let text = in_utf8(bytes).map_err(|position| ImportFault {
            position: Some(position),
            ..ImportFault::new(name, "", "this is not UTF-8 text: save the file as UTF-8")
        })?;
        Ok(Self::new(name, text))
    }

    /// SHA-256 of the file as one of several that are loaded together and have the hash `all` ([`GameSource::hash`]).
    pub fn hash_among(&self, all: &[u8]) -> [u8; 32] {
        Sha256::new()
            .chain_update([IMPORT_VERSION])
            .chain_update(all)
            .chain_update(Sha256::digest(&self.name))
            .chain_update(Sha256::digest(&self.text))
            .finalize()
            .into()
    }
}

/// A text without the byte order mark that some editors put at its start.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// A text in UTF-8, or the position of the first byte that is not.
pub fn in_utf8(bytes: &[u8]) -> Result<&str, Position> {
    std::str::from_utf8(bytes)
        .map_err(|error| position_after(bytes.get(..error.valid_up_to()).unwrap_or_default()))
}

/// The position after some text.
pub fn position_after(before: &[u8]) -> Position {
    let lines = before.split(|byte| *byte == b'\n');
    let last = lines.clone().next_back().unwrap_or_default();
    Position { line: lines.count(), column: String::from_utf8_lossy(last).chars().count() + 1 }
}

/// The files of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameSource {
    /// The manifest, `game.toml`.
    pub manifest: SourceFile,
    pub sets: Vec<SourceFile>,
}

impl GameSource {
    /// All files, the manifest first.
    pub fn files(&self) -> impl Iterator<Item = &SourceFile> {
        std::iter::once(&self.manifest).chain(&self.sets)
    }

    /// SHA-256 of each set file together with the manifest. The same hash means the same import.
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

    /// The code in the first set file, if it can be read, even if the file has other faults.
    pub fn code_of_set(&self) -> Option<String> {
        self.codes_of_sets().next().flatten()
    }

    /// The code in each set file, if it can be read, even if the file has other faults.
    pub fn codes_of_sets(&self) -> impl Iterator<Item = Option<String>> {
        self.sets.iter().map(|set| {
            let file = SetFile::read(&set.text);
            file.has_text("code").then_some(file.set.code)
        })
    }

    /// SHA-256 of all files, in the order of the folder.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new_with_prefix(Sha256::digest(&self.manifest.text));
        for (set, hash) in self.sets.iter().zip(self.set_hashes()) {
            hasher.update(Sha256::digest(&set.name));
            hasher.update(hash);
        }
        hasher.finalize().into()
    }
}

/// A fault of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportFault {
    /// Name of the file.
    pub file: String,
    /// The place: a JSON pointer (RFC 6901); empty: the whole file. Pointers are also used for the tables of a manifest, which is TOML.
    pub pointer: String,
    /// The card, if the fault is about a card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<FaultyCard>,
    /// A code for API clients: a violation code of the engine, if a rule of the game is broken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Number of the broken rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// A message for people.
    pub message: String,
    /// The fault as a value, if pages have their own text for it.
    #[serde(skip)]
    pub known: Option<CardFault>,
    /// The position in the text, for a fault of a manifest, for bytes that are not UTF-8, and where a set file cannot be read further.
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    pub position: Option<Position>,
}

/// The card that a fault is about, as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FaultyCard {
    /// Code of the set, for a card that is stored; a card of the file is in the file's set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub set: Option<String>,
    /// Collector number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The text is not a collector number.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("must be 1 to 16 letters and digits, with single hyphens between them")]
pub struct NumberFault;

/// A fault of a card for which pages have their own text instead of [`ImportFault::message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardFault {
    /// A rule of the game is broken.
    Rule(Box<Violation>),
    /// Another card has the name.
    NameTaken {
        /// Code of its set.
        set: String,
        number: String,
    },
    /// The card was printed with this name.
    PrintedAs(String),
    /// Another card has the same name but for accents, or one that looks the same.
    NameLike {
        /// Whether that card is hidden.
        hidden: bool,
        /// Code of its set.
        set: String,
        number: String,
    },
    /// The set of a new card has been printed.
    SetPrinted,
    /// Another card of the set has this number.
    NumberTaken(String),
    /// The card that had the number was moved or merged.
    NumberGone {
        /// What became of it.
        became: String,
    },
}

impl CardFault {
    /// Set and number of the other card that has the name.
    pub fn namesake(&self) -> Option<(&str, &str)> {
        match self {
            Self::NameTaken { set, number } | Self::NameLike { set, number, .. } => {
                Some((set.as_str(), number.as_str()))
            }
            Self::Rule(_)
            | Self::PrintedAs(_)
            | Self::SetPrinted
            | Self::NumberTaken(_)
            | Self::NumberGone { .. } => None,
        }
    }
}

impl std::fmt::Display for CardFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rule(violation) => f.write_str(&violation.message()),
            Self::NameTaken { set, number } => {
                write!(f, "card {number} of the set {set} has this name already")
            }
            Self::PrintedAs(before) => write!(
                f,
                "the card was printed as {before:?}: a printed card keeps its name (case and punctuation may change), and a \
                 number its card"
            ),
            Self::NameLike { hidden, set, number } => {
                let what = if *hidden { "hidden card" } else { "card" };
                write!(
                    f,
                    "the {what} {number} of the set {set} has the same name, or one that looks the same"
                )
            }
            Self::SetPrinted => f.write_str(
                "the set has been printed: each card of a set has the same number of copies, so new cards need a new set",
            ),
            Self::NumberTaken(number) => write!(f, "the set has a card {number} already"),
            Self::NumberGone { became } => {
                write!(f, "the card of this number {became}: no other card takes its number")
            }
        }
    }
}

impl ImportFault {
    /// A fault of a card at a place of a file.
    pub fn of_card(file: &str, pointer: impl Into<String>, fault: CardFault) -> Self {
        let message = fault.to_string();
        Self { known: Some(fault), ..Self::new(file, pointer, message) }
    }

    /// A fault at a place of a file.
    pub fn new(file: &str, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            pointer: pointer.into(),
            card: None,
            code: None,
            rule: None,
            message: message.into(),
            known: None,
            position: None,
        }
    }

    /// A broken rule of the game.
    pub fn broken_rule(file: &str, pointer: impl Into<String>, violation: &Violation) -> Self {
        Self {
            code: Some(violation.code.to_string()),
            rule: Some(violation.rule.clone()),
            ..Self::of_card(file, pointer, CardFault::Rule(Box::new(violation.clone())))
        }
    }

    /// Whether it is about a character that texts could have before such characters were refused.
    pub fn is_about_character(&self) -> bool {
        matches!(&self.known, Some(CardFault::Rule(violation)) if violation.refused_character().is_some())
    }

    /// Sets the card that the fault is about.
    #[must_use]
    pub fn about(mut self, card: Option<FaultyCard>) -> Self {
        self.card = card;
        self
    }
}

/// In one line, for a terminal: characters that are no text are shown by their numbers.
impl std::fmt::Display for ImportFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.file)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if !self.pointer.is_empty() {
            write!(f, ": {}", printable(&self.pointer))?;
        }
        if let Some(card) = &self.card {
            // Most messages already contain the name of the card.
            let name = card.name.as_deref().filter(|name| !self.message.contains(name));
            let parts = [card.set.as_deref(), card.number.as_deref(), name];
            let parts: Vec<&str> =
                parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            if !parts.is_empty() {
                write!(f, " ({})", printable(&parts.join(" ")))?;
            }
        }
        if let Some(code) = &self.code {
            write!(f, ": {code}")?;
        }
        write!(f, ": {}", printable(&self.message))
    }
}

/// A text of a file without what would act on a terminal or change the direction of the line.
fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_no_text) {
        return text.into();
    }
    let mut printable = String::new();
    for character in text.chars() {
        if is_no_text(character) {
            printable.extend(character.escape_unicode());
        } else {
            printable.push(character);
        }
    }
    printable.into()
}

/// Whether a fault is about a character in a text of a card that was stored before such characters were refused, and does not change now. A printed card keeps its
/// name, so that nothing of it could be changed otherwise. `place` is the JSON pointer of the text in the card.
pub fn is_about_old_text(fault: &ImportFault, place: &str, before: &Value, after: &Value) -> bool {
    fault.is_about_character() && before.pointer(place) == after.pointer(place)
}

/// Which texts of checked files may be stored already. These may have characters that new texts may not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredTexts {
    /// None: all texts are new.
    None,
    /// Those of the sets: see [`SetImport::refused_texts`].
    OfSets,
    /// Those of the sets, and the manifest, which is the stored one.
    OfManifestAndSets,
}

/// A game with its sets, without a fault. Only [`GameImport::check`] and [`GameImport::check_with`] create it.
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
    /// Faults for texts with characters that were accepted once: the import is refused with those that the stored set does not have already.
    pub refused_texts: Vec<ImportFault>,
}

/// A card of a set.
#[derive(Clone, Debug)]
pub struct CardImport {
    /// The definition in the file.
    pub definition: CardDefinition,
    /// [`name_key`] of its name.
    pub name_key: String,
    /// Its printings; never empty.
    pub printings: Vec<PrintingImport>,
}

/// A printing of a card.
#[derive(Clone, Debug)]
pub struct PrintingImport {
    pub rarity: String,
    /// Place of the rarity in the game's list, from 1.
    pub tier: i16,
    /// The attributes that differ by rarity.
    pub attributes: Attributes,
}

impl GameImport {
    /// Reads and checks the files of a game, and returns every fault of every file. All texts count as new.
    pub fn check(source: &GameSource) -> Result<Self, Vec<ImportFault>> {
        Self::check_with(source, StoredTexts::None)
    }

    /// The same for files with texts that may be stored already.
    pub fn check_with(source: &GameSource, stored: StoredTexts) -> Result<Self, Vec<ImportFault>> {
        let files: Vec<SetFile> =
            source.sets.iter().map(|file| SetFile::read(&file.text)).collect();
        let mut faults = Vec::new();
        for (source, file) in source.sets.iter().zip(&files) {
            faults.extend(structural_faults(source, file));
        }
        let game = match read_manifest(&source.manifest, stored) {
            Ok(game) => game,
            // Without the game's rules, its cards cannot be checked.
            Err(mut found) => {
                found.append(&mut faults);
                return Err(found);
            }
        };
        let pairs: Vec<(&SourceFile, &SetFile)> = source.sets.iter().zip(&files).collect();
        let of_sets: Vec<Vec<ImportFault>> =
            pairs.iter().map(|(source, file)| rule_faults(&game, source, file)).collect();
        let repeated = duplicates(&pairs, game.unique_names());
        let may_be_old =
            |fault: &ImportFault| stored != StoredTexts::None && fault.is_about_character();
        let is_refused = !of_sets.iter().flatten().all(may_be_old);
        if is_refused || !faults.is_empty() || !repeated.is_empty() {
            faults.extend(of_sets.into_iter().flatten());
            faults.extend(repeated);
            return Err(faults);
        }
        let hashed = source.sets.iter().zip(source.set_hashes());
        let sets = hashed
            .zip(files)
            .zip(of_sets)
            .map(|(((source, hash), file), refused_texts)| SetImport {
                refused_texts,
                ..set_import(&game, source, hash, file.set)
            })
            .collect();
        Ok(Self { game, manifest: source.manifest.clone(), sets })
    }

    pub fn game(&self) -> &Game {
        &self.game
    }

    pub fn manifest(&self) -> &SourceFile {
        &self.manifest
    }

    pub fn sets(&self) -> &[SetImport] {
        &self.sets
    }

    /// Number of cards in all sets.
    pub fn card_count(&self) -> usize {
        self.sets.iter().map(|set| set.cards.len()).sum()
    }
}

fn read_manifest(file: &SourceFile, stored: StoredTexts) -> Result<Game, Vec<ImportFault>> {
    if file.text.contains('\0') {
        return Err(vec![ImportFault::new(&file.name, "", "must not contain the NUL character")]);
    }
    let read = match stored {
        StoredTexts::None | StoredTexts::OfSets => Game::from_new_toml(&file.text),
        StoredTexts::OfManifestAndSets => Game::from_toml(&file.text),
    };
    read.map_err(|error| {
        let fault = |fault: &cardscape_engine::ManifestFault| ImportFault {
            position: fault.position,
            ..ImportFault::new(&file.name, pointer_of(&fault.place), &fault.problem)
        };
        error.faults.iter().map(fault).collect()
    })
}

/// The JSON pointer of a dotted path: `formats[0].rules[2]` is `/formats/0/rules/2`.
fn pointer_of(place: &str) -> String {
    let mut pointer = String::new();
    for part in place.split(['.', '[', ']']).filter(|part| !part.is_empty()) {
        push_token(&mut pointer, part);
    }
    pointer
}

/// The card that a pointer into a set file leads to.
fn card_at(file: &SetFile, pointer: &str) -> Option<FaultyCard> {
    file.card_at(pointer).map(|(number, name)| FaultyCard { set: None, number, name })
}

pub(super) fn structural_faults(source: &SourceFile, file: &SetFile) -> Vec<ImportFault> {
    let fault = |(at, (pointer, message)): (usize, &(String, String))| ImportFault {
        position: file.stopped_at.filter(|_| at + 1 == file.faults.len()),
        ..ImportFault::new(&source.name, pointer, message).about(card_at(file, pointer))
    };
    file.faults.iter().enumerate().map(fault).collect()
}

/// The faults in the readable part of a file that break rules of the game, or that the database or URLs do not allow.
pub(super) fn rule_faults(game: &Game, source: &SourceFile, file: &SetFile) -> Vec<ImportFault> {
    let (mut faults, is_cut) = set_faults(game, &source.name, &file.set);
    faults.retain(|fault| match fault.pointer.as_str() {
        // Values that could not be read are already reported.
        "/code" => file.has_text("code"),
        "/name" => file.has_text("name"),
        "/cards" => !file.lists_cards(),
        _ => true,
    });
    for fault in &mut faults {
        fault.pointer = in_file(&fault.pointer, &file.places);
        fault.card = card_at(file, &fault.pointer);
    }
    if is_cut {
        let message = "there are so many faults that this list may not be complete";
        faults.push(ImportFault::new(&source.name, "/cards", message));
    }
    faults
}

/// The faults of a set that break rules of the game, or that the database or URLs do not allow; and whether there are so many that there may be
/// further ones. `file`: the name of the file, for messages.
pub(super) fn set_faults(game: &Game, file: &str, set: &SetDefinition) -> (Vec<ImportFault>, bool) {
    let found = check_set(game, set);
    let is_cut = found.len() >= SET_FAULTS_MAX;
    let mut faults: Vec<ImportFault> = found
        .into_iter()
        .map(|found| ImportFault::broken_rule(file, found.pointer, &found.violation))
        .collect();
    let storage = storage_faults(set).into_iter();
    faults.extend(storage.map(|(pointer, text)| ImportFault::new(file, pointer, text)));
    (faults, is_cut)
}

/// Converts a pointer into the list of readable cards to a pointer into the file, which may also contain unreadable cards.
fn in_file(pointer: &str, places: &[usize]) -> String {
    let moved = || {
        let (at, rest) = pointer
            .strip_prefix("/cards/")
            .map(|rest| rest.split_at(rest.find('/').unwrap_or(rest.len())))?;
        let place = places.get(at.parse::<usize>().ok()?)?;
        Some(format!("/cards/{place}{rest}"))
    };
    moved().unwrap_or_else(|| pointer.to_owned())
}

fn threshold(game: &Game, set: &SetDefinition) -> u32 {
    set.unlock_threshold.unwrap_or(game.unlock_threshold())
}

/// A set without a fault, ready to be stored.
pub(super) fn set_import(
    game: &Game,
    source: &SourceFile,
    hash: [u8; 32],
    set: SetDefinition,
) -> SetImport {
    SetImport {
        file: source.name.clone(),
        hash,
        // Neither conversion can fail: the engine accepts only existing days, and the highest threshold is far below the limit of the type.
        released_on: set.released_on.as_deref().and_then(|day| day.parse().ok()),
        unlock_threshold: i32::try_from(threshold(game, &set)).unwrap_or(i32::MAX),
        code: set.code,
        name: set.name,
        hidden: set.hidden.unwrap_or(game.cards_start_hidden()),
        cards: set.cards.into_iter().map(|card| card_import(game, card)).collect(),
        refused_texts: Vec::new(),
    }
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
            attributes: Attributes::new(),
        });
    }
    printings.sort_by_key(|printing| printing.tier);
    CardImport { name_key: name_key(&definition.name), definition, printings }
}

/// Faults of values that the database cannot store.
fn storage_faults(set: &SetDefinition) -> Vec<(String, String)> {
    let mut faults = Vec::new();
    for (at, card) in set.cards.iter().enumerate() {
        if serde_json::to_value(card).is_ok_and(|card| contains_nul(&card)) {
            faults.push((format!("/cards/{at}"), "must not contain the NUL character".to_owned()));
        }
    }
    faults
}

fn contains_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(contains_nul),
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.contains('\0') || contains_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What is wrong with a collector number, if anything is.
pub fn number_fault(number: &str) -> Option<NumberFault> {
    (!is_collector_number(number)).then_some(NumberFault)
}

/// Faults of codes that two sets of the game share, and of card names, if names are unique.
fn duplicates(sets: &[(&SourceFile, &SetFile)], unique_names: bool) -> Vec<ImportFault> {
    let mut faults = Vec::new();
    let mut codes: BTreeMap<&str, &str> = BTreeMap::new();
    let mut names: BTreeMap<String, (&str, &str)> = BTreeMap::new();
    for (source, file) in sets {
        let set = &file.set;
        if file.has_text("code")
            && let Some(first) = codes.insert(&set.code, &source.name)
        {
            faults.push(ImportFault::new(
                &source.name,
                "/code",
                format!("{first} has the same set code {:?}", set.code),
            ));
        }
        for (card, place) in set.cards.iter().zip(&file.places) {
            let key = name_key(&card.name);
            let here = (source.name.as_str(), card.number.as_str());
            // A name without a key is not valid, which is already reported.
            if !key.is_empty()
                && let Some((first, number)) = names.insert(key, here)
                && unique_names
                && first != source.name
            {
                let pointer = format!("/cards/{place}/name");
                let message = format!("card {number} of {first} has the same name {:?}", card.name);
                let about = card_at(file, &pointer);
                faults.push(ImportFault::new(&source.name, pointer, message).about(about));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_or_number_that_does_not_fit_has_one_fault() {
        let game =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let sets = |code: &str, number: &str| {
            let text = format!(
                r#"{{"code":"{code}","name":"S","cards":[{{"number":"{number}","name":"Carp","kind":"fish"}}]}}"#
            );
            let source = GameSource {
                manifest: SourceFile::new("game.toml", game),
                sets: vec![SourceFile::new("s.json", &text)],
            };
            let faults = GameImport::check(&source).err().unwrap_or_default();
            faults.into_iter().map(|fault| fault.pointer).collect::<Vec<_>>()
        };
        for good in ["ttcg", "uno-emoji", "a1"] {
            assert!(sets(good, good).is_empty(), "{good}");
        }
        for bad in ["", "-a", "a-", "a--b", "a_b", "ä", &"a".repeat(33)] {
            assert_eq!(sets(bad, "1"), ["/code"], "{bad}");
            assert_eq!(sets("s", bad), ["/cards/0/number"], "{bad}");
        }
    }

    /// The check may have ended with the last card.
    #[test]
    fn a_list_of_very_many_faults_is_not_said_to_lack_some() {
        let game =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let attributes: Vec<String> = (0..500).map(|at| format!(r#""a{at}":1"#)).collect();
        let attributes = attributes.join(",");
        let card = |at: usize| {
            format!(
                r#"{{"number":"{at}","name":"Carp {at}","kind":"fish","attributes":{{{attributes}}}}}"#
            )
        };
        let cards: Vec<String> = (0..SET_FAULTS_MAX / 500).map(card).collect();
        let text = format!(r#"{{"code":"s","name":"S","cards":[{}]}}"#, cards.join(","));
        let source = GameSource {
            manifest: SourceFile::new("game.toml", game),
            sets: vec![SourceFile::new("s.json", &text)],
        };
        let faults = GameImport::check(&source).err().unwrap_or_default();
        assert_eq!(faults.len(), SET_FAULTS_MAX + 1);
        let last = faults.last().map(|fault| fault.message.as_str());
        assert_eq!(last, Some("there are so many faults that this list may not be complete"));
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
    fn pointers_to_readable_cards_become_pointers_into_the_file() {
        let places = [0, 2, 5];
        assert_eq!(in_file("/cards/1/attributes/x", &places), "/cards/2/attributes/x");
        assert_eq!(in_file("/cards/2", &places), "/cards/5");
        assert_eq!(in_file("/cards", &places), "/cards");
        assert_eq!(in_file("/code", &places), "/code");
    }

    #[test]
    fn a_line_names_the_card_once() {
        let card = FaultyCard {
            set: None,
            number: Some("7".to_owned()),
            name: Some("Regular".to_owned()),
        };
        let mut fault =
            ImportFault::new("a.json", "/cards/0", "“Regular” is odd.").about(Some(card));
        fault.code = Some("ODD".to_owned());
        assert_eq!(fault.to_string(), "a.json: /cards/0 (7): ODD: “Regular” is odd.");
        fault.message = "unknown key".to_owned();
        assert_eq!(fault.to_string(), "a.json: /cards/0 (7 Regular): ODD: unknown key");
    }

    #[test]
    fn a_set_file_that_cannot_be_read_has_its_position() {
        let game =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let only = |set: &str| {
            let source = GameSource {
                manifest: SourceFile::new("game.toml", game),
                sets: vec![SourceFile::new("s.json", set)],
            };
            let faults = GameImport::check(&source).unwrap_err();
            assert_eq!(faults.len(), 1, "{faults:?}");
            faults[0].to_string()
        };
        assert_eq!(only(""), "s.json:1:1: the file ends before its JSON is complete");
        assert_eq!(
            only("{\n \"cards\": [{ \"cost\": 1e400 }]}"),
            "s.json:2:22: /cards/0/cost: number out of range"
        );
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_file() {
        assert_eq!(SourceFile::new("a", "\u{feff}x"), SourceFile::new("a", "x"));
    }

    #[test]
    fn the_hash_depends_on_both_files() {
        let source = |manifest: &str, set: &str| GameSource {
            manifest: SourceFile::new("game.toml", manifest),
            sets: vec![SourceFile::new("a.json", set)],
        };
        let hash = source("m", "s").set_hashes();
        assert_eq!(hash, source("m", "s").set_hashes());
        assert_ne!(hash, source("m2", "s").set_hashes());
        assert_ne!(hash, source("m", "s2").set_hashes());
    }
}
