//! A game's manifest: what its cards look like and how its decks are built.

mod conditions;
mod positions;
mod read_design;
mod read_identity;
mod read_images;
mod read_play;
mod read_rules;
mod read_schema;
mod reader;
mod syntax;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use thiserror::Error;

use crate::characters::quoted;
use crate::date::Date;
use crate::decision::Decision;
use crate::design::DesignGuide;
use crate::format::Format;
use crate::hash::fingerprint;
use crate::images::Images;
use crate::name::name_key;
use crate::play::PlayRules;
use crate::rule::{Rule, RuleReference};
use crate::schema::{Kind, Rarity, Zone, word_key};
use crate::selector::Selector;
use crate::set_check::UNLOCK_THRESHOLD_MAX;
use crate::zone_words::meant_zone;
use reader::{Faults, Reader, Texts};

/// A game: card schema, rarities, zones and formats, as its manifest (`game.toml`) defines them.
///
/// Cloning is cheap. Serialised, it is the manifest as JSON.
#[derive(Debug, Clone)]
pub struct Game(Arc<GameData>);

#[derive(Debug, Serialize)]
struct GameData {
    code: Arc<str>,
    name: String,
    description: String,
    rules_version: String,
    cards_start_hidden: bool,
    unlock_threshold: u32,
    unique_names: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    cards: RuleReference,
    rarities: Vec<Rarity>,
    zones: Arc<[Zone]>,
    kinds: Vec<Kind>,
    decisions: Vec<Decision>,
    design: DesignGuide,
    #[serde(skip_serializing_if = "Images::is_empty")]
    images: Images,
    #[serde(skip_serializing_if = "Option::is_none")]
    play: Option<PlayRules>,
    /// The latest version of each format, its default variant in force.
    formats: Vec<Format>,
    /// Every version of every format.
    #[serde(skip)]
    all_formats: Vec<Arc<Format>>,
    #[serde(skip)]
    selectors: Vec<Arc<Selector>>,
    /// Codes of the attributes of all kinds, which cards share.
    #[serde(skip)]
    attribute_codes: BTreeSet<Arc<str>>,
    #[serde(skip)]
    ladders: Vec<Rule>,
    #[serde(skip)]
    fingerprint: u64,
}

/// A manifest that does not define a game, with all faults found in it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ManifestError {
    /// The faults, in the order of the text as far as possible; never empty.
    pub faults: Vec<ManifestFault>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManifestFault {
    /// The key or entry, for example `formats[0].rules[2].zone_size.min`; empty: the whole, or a fault of the TOML.
    pub place: String,
    /// The position in the text. A missing key has the position of the table that lacks it, and none at the top of the file.
    pub position: Option<Position>,
    /// What is wrong there.
    pub problem: String,
}

/// A position in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Character of the line, from 1.
    pub column: usize,
}

impl Position {
    /// The position of a byte of the text.
    fn of(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

impl fmt::Display for ManifestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the manifest has {} fault(s):", self.faults.len())?;
        for fault in &self.faults {
            write!(f, "\n  {fault}")?;
        }
        Ok(())
    }
}

impl fmt::Display for ManifestFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Position { line, column }) = self.position {
            write!(f, "line {line}, column {column}: ")?;
        }
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        f.write_str(&self.problem)
    }
}

impl Game {
    /// Reads a manifest.
    ///
    /// # Errors
    /// Every fault with its place and position: TOML syntax (then nothing else), lists that are too long (then nothing else), unknown and missing
    /// keys, wrong types, and references to kinds, attributes, styles, zones or rarities that the manifest does not define.
    pub fn from_toml(text: &str) -> Result<Self, ManifestError> {
        Self::read(text, Texts::Stored)
    }

    /// Reads a manifest that is to be stored: like [`Game::from_toml`], but no text may have characters that nobody sees or that change its direction, no name may be
    /// longer than that of a card, no word may mean two zones, two rarities or two values, no condition may have a value or a range that its attribute cannot have in any kind,
    /// and no choice may be one that no card can meet. Manifests that are stored already may have such faults, and are still read.
    ///
    /// # Errors
    /// As [`Game::from_toml`].
    pub fn from_new_toml(text: &str) -> Result<Self, ManifestError> {
        Self::read(text, Texts::New)
    }

    fn read(text: &str, texts: Texts) -> Result<Self, ManifestError> {
        let table = match toml::from_str::<toml::Table>(text) {
            Ok(table) => table,
            Err(error) => {
                return Err(ManifestError { faults: positions::syntax_faults(text, &error) });
            }
        };
        let read = read_table(&table, text, texts);
        // Positions are found by parsing the text again, which takes as much memory.
        drop(table);
        read.map_err(|mut faults| {
            positions::locate(text, &mut faults);
            ManifestError { faults }
        })
    }

    /// Code, for example `ttcg`.
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// Name for people.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What it is, in a sentence or two.
    pub fn description(&self) -> &str {
        &self.0.description
    }

    /// Version of the rulebook that the manifest describes.
    pub fn rules_version(&self) -> &str {
        &self.0.rules_version
    }

    /// Whether the cards of a set without a policy of its own start hidden.
    pub fn cards_start_hidden(&self) -> bool {
        self.0.cards_start_hidden
    }

    /// Distinct accounts whose submissions unlock a card, for sets without a number of their own; at least 1.
    pub fn unlock_threshold(&self) -> u32 {
        self.0.unlock_threshold
    }

    /// Whether names are unique in the game, over all sets. If not, deck lists distinguish cards of the same name by set and number.
    pub fn unique_names(&self) -> bool {
        self.0.unique_names
    }

    /// The attribute with the external ids of cards (the ids that other programs use), for lists that have only ids.
    pub fn external_id(&self) -> Option<&str> {
        self.0.external_id.as_deref()
    }

    /// Rarities from the lowest tier up; never empty.
    pub fn rarities(&self) -> &[Rarity] {
        &self.0.rarities
    }

    /// The rarity of this code.
    pub fn rarity(&self, code: &str) -> Option<&Rarity> {
        self.0.rarities.iter().find(|rarity| rarity.code == code)
    }

    /// The rarity that a word means: the one with this code, or else with this alias or name. Case, spaces and punctuation do not count; other signs (`R+`, `🌕`) count
    /// if a rarity has them.
    pub fn rarity_called(&self, word: &str) -> Option<&Rarity> {
        // Most decks write the code.
        let exact = self.rarity(word);
        exact
            .or_else(|| self.rarity_alike(word, name_key))
            .or_else(|| self.rarity_alike(word, word_key))
    }

    /// The rarity whose code, or else whose alias or name, has the same key as the word. Games of older versions may have a word for two rarities.
    fn rarity_alike(&self, word: &str, key_of: fn(&str) -> String) -> Option<&Rarity> {
        let key = key_of(word);
        let rarities = self.0.rarities.as_slice();
        let is = |own: &str| !key.is_empty() && key_of(own) == key;
        let by_code = rarities.iter().find(|one| is(&one.code));
        let by_alias = || rarities.iter().find(|one| one.aliases.iter().any(|alias| is(alias)));
        by_code.or_else(by_alias).or_else(|| rarities.iter().find(|one| is(&one.name)))
    }

    /// The rarity of the base printing: the one of the lowest tier.
    pub fn base_rarity(&self) -> &Rarity {
        &self.0.rarities[0]
    }

    /// Zones; the first is the main one.
    pub fn zones(&self) -> &[Zone] {
        &self.0.zones
    }

    /// The zone that a word means in lists: its code, its name or an alias, or a word that lists of all games have for such a zone (`Sideboard`). `main` and
    /// `Deck` mean the first zone, unless another one is named so.
    pub fn zone_called(&self, word: &str) -> Option<&Zone> {
        meant_zone(&self.0.zones, word).map(|at| &self.0.zones[at])
    }

    pub fn kinds(&self) -> &[Kind] {
        &self.0.kinds
    }

    /// The kind of this code.
    pub fn kind(&self, code: &str) -> Option<&Kind> {
        self.0.kinds.iter().find(|kind| kind.code == code)
    }

    /// What the rulebook leaves open about cards, and how the manifest answers it. The formats have the questions about decks.
    pub fn decisions(&self) -> &[Decision] {
        &self.0.decisions
    }

    /// The manifest's advice for designers of cards; empty if there is none.
    pub fn design_guide(&self) -> &DesignGuide {
        &self.0.design
    }

    /// The addresses of pictures of the real cards; empty if the manifest has none.
    pub fn images(&self) -> &Images {
        &self.0.images
    }

    /// What the manifest says about hands and draws; `None` if it says nothing.
    pub fn play(&self) -> Option<&PlayRules> {
        self.0.play.as_ref()
    }

    /// The latest version of each format, its default variant in force.
    pub fn formats(&self) -> &[Format] {
        &self.0.formats
    }

    /// The latest version of a format.
    pub fn format(&self, code: &str) -> Option<&Format> {
        self.0.formats.iter().find(|format| &*format.code == code)
    }

    /// A format as it was on a day: the version then in force, with the rules (limit lists, for example) of that day.
    pub fn format_on(&self, code: &str, day: Date) -> Option<Arc<Format>> {
        self.0
            .all_formats
            .iter()
            .filter(|format| {
                &*format.code == code && format.effective_from.is_none_or(|from| from <= day)
            })
            .max_by_key(|format| format.effective_from)
            .map(|format| format.on(day))
    }

    /// A format for readers, who want to know what holds on a day: as in [`Self::format_on`], or the latest version if none has begun by then.
    pub fn format_shown_on(&self, code: &str, day: Date) -> Option<Arc<Format>> {
        self.format_on(code, day).or_else(|| self.format(code).cloned().map(Arc::new))
    }

    /// The first day of a format's first version; `None` when the game has no such format, or has always had it.
    pub fn format_begins_on(&self, code: &str) -> Option<Date> {
        let versions = self.0.all_formats.iter().filter(|format| &*format.code == code);
        versions.map(|format| format.effective_from).min().flatten()
    }

    pub(crate) fn card_reference(&self) -> &RuleReference {
        &self.0.cards
    }

    pub(crate) fn shared_zones(&self) -> &Arc<[Zone]> {
        &self.0.zones
    }

    pub(crate) fn attribute_codes(&self) -> &BTreeSet<Arc<str>> {
        &self.0.attribute_codes
    }

    pub(crate) fn selectors(&self) -> &[Arc<Selector>] {
        &self.0.selectors
    }

    pub(crate) fn ladders(&self) -> &[Rule] {
        &self.0.ladders
    }

    pub(crate) fn fingerprint(&self) -> u64 {
        self.0.fingerprint
    }
}

impl Serialize for Game {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

fn read_game(reader: Reader<'_>, fingerprint: u64) -> GameData {
    let unnumbered = RuleReference { rule: "cards".to_owned(), ..RuleReference::default() };
    let cards_table = reader.table("cards");
    let cards = cards_table
        .as_ref()
        .map_or_else(|| unnumbered.clone(), |table| read_schema::reference(table, &unnumbered));
    let unique_names =
        cards_table.as_ref().and_then(|table| table.optional("unique_names")).unwrap_or(true);
    let rarities = read_schema::rarities(&reader);
    let zones: Arc<[Zone]> = read_schema::zones(&reader).into();
    let code: Arc<str> = reader.game_code("code").into();
    let mut registry = read_rules::Registry::default();
    let kinds = read_schema::kinds(&reader, &cards, &rarities);
    let external_id =
        cards_table.as_ref().and_then(|table| read_schema::external_id(table, &kinds));
    let scope = read_rules::Scope { game: &code, kinds: &kinds, zones: &zones, fingerprint };
    let all_formats = read_rules::formats(&reader, &scope, &mut registry);
    let design = read_design::design(&reader, &scope);
    let mut formats: Vec<Format> = Vec::new();
    for (at, format) in all_formats.iter().enumerate() {
        let is_of_same_day = |known: &Format| {
            known.code == format.code && known.effective_from == format.effective_from
        };
        // Stored manifests may have such versions before the latest one.
        let again = reader.is_new() && all_formats[..at].iter().any(is_of_same_day);
        match formats.iter_mut().find(|known| known.code == format.code) {
            Some(known) if known.effective_from < format.effective_from => *known = format.clone(),
            Some(known) if again || known.effective_from == format.effective_from => {
                reader.fault(
                    "formats",
                    format!("two versions of {} begin on the same day", quoted(&format.code)),
                );
            }
            Some(_) => {}
            None => formats.push(format.clone()),
        }
    }
    let unlock_threshold = reader.number_in("unlock_threshold", 1..=UNLOCK_THRESHOLD_MAX);
    let unlock_threshold = unlock_threshold.unwrap_or(5);
    // Expired rules stay in `all_formats`, for reports on past days, but are not part of the current formats.
    for format in &mut formats {
        format.rules.retain(|rule| rule.effective_until.is_none());
        format.common_rules.retain(|rule| rule.effective_until.is_none());
        for variant in &mut format.variants {
            variant.rules.retain(|rule| rule.effective_until.is_none());
        }
    }
    let attribute_codes = kinds.iter().flat_map(|kind| kind.attributes.keys());
    GameData {
        attribute_codes: attribute_codes.map(|code| code.as_str().into()).collect(),
        decisions: read_rules::decisions(&reader, &[]),
        design,
        images: read_images::images(&reader),
        play: read_play::play(&reader),
        name: reader.name("name"),
        description: reader.optional("description").unwrap_or_default(),
        rules_version: reader.text("rules_version"),
        cards_start_hidden: reader.optional("cards_start_hidden").unwrap_or(false),
        unlock_threshold,
        unique_names,
        external_id,
        code,
        cards,
        rarities,
        zones,
        kinds,
        formats,
        all_formats: all_formats.into_iter().map(Arc::new).collect(),
        selectors: registry.selectors,
        ladders: registry.ladders,
        fingerprint,
    }
}

fn read_table(table: &toml::Table, text: &str, texts: Texts) -> Result<Game, Vec<ManifestFault>> {
    let faults = Faults::default();
    reader::check_bounds(table, &faults);
    let too_long = faults.into_list();
    if !too_long.is_empty() {
        return Err(too_long);
    }
    let faults = Faults::default();
    reader::check_texts(table, texts, &faults);
    let data = read_game(Reader::new(table, texts, &faults), fingerprint(text));
    let faults = faults.into_list();
    if faults.is_empty() { Ok(Game(Arc::new(data))) } else { Err(faults) }
}
