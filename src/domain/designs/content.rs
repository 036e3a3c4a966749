//! The content of a design: one immutable document for each revision.

use std::fmt::Display;

use cardscape_engine::{CardDefinition, Effect, Game, PrintingDefinition, name_key, search_key};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use thiserror::Error;

use crate::domain::code::{Code, CodeError};
use crate::domain::designs::artwork::{DesignArtwork, MAX_ALT};
use crate::domain::text::{
    NamePart, TextError, check_letters, name_skeleton, prose_line, prose_lines,
};

/// Most characters of a name, the same as for cards.
pub const MAX_NAME: usize = 120;
/// Most bytes of a name in the forms in which names are compared. Indexes take 2,704, the code of the game included.
const MAX_KEY: usize = 2_600;
pub type DesignNamePart = NamePart<MAX_NAME>;
/// Most attributes of a design, and of each of its printings.
pub const MAX_ATTRIBUTES: usize = 64;
/// Most values of an attribute that is a list.
pub const MAX_VALUES: usize = 100;
/// Most characters of an attribute that is a text.
pub const MAX_VALUE: usize = 500;
/// Most effects. The engine checks how many effects a card of the kind may have.
pub const MAX_EFFECTS: usize = 12;
/// Most characters of the sentence of an effect.
pub const MAX_EFFECT: usize = 500;
/// Most printings with numbers of their own.
pub const MAX_PRINTINGS: usize = 32;
/// Most characters of the line of flavour.
pub const MAX_FLAVOUR: usize = 200;
/// Most characters of the lore, the same as for cards.
pub const MAX_LORE: usize = 2_000;
/// Most characters of the credits.
pub const MAX_CREDITS: usize = 200;

/// What the author allows others to do with a design. The codes contain the version of the terms, because a revision keeps the terms under which it was
/// created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Licence {
    /// Others may only read the design in this service. It cannot be submitted for release.
    #[default]
    #[serde(rename = "none")]
    None,
    /// Cardscape may print and publish it as a card of the game, with the author's name.
    #[serde(rename = "release-1")]
    Release,
    /// Creative Commons Attribution 4.0, which includes release.
    #[serde(rename = "cc-by-4.0")]
    CcBy,
    /// Creative Commons Zero 1.0, which includes release.
    #[serde(rename = "cc0-1.0")]
    Cc0,
}

impl Licence {
    /// All values.
    pub const ALL: [Self; 4] = [Self::None, Self::Release, Self::CcBy, Self::Cc0];

    /// The code on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Release => "release-1",
            Self::CcBy => "cc-by-4.0",
            Self::Cc0 => "cc0-1.0",
        }
    }

    /// Whether the design may become an official card.
    pub fn allows_release(self) -> bool {
        self != Self::None
    }
}

/// The content of a design. Its texts are composed, trimmed and of allowed length: [`DesignContent::normalised`] ensures this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DesignContent {
    /// Name of the card; empty if the author has not chosen one.
    pub name: String,
    /// Code of the kind of card.
    pub kind: String,
    /// Attributes by code; those that differ between printings have the base printing's values.
    #[serde(default)]
    pub attributes: Map<String, Value>,
    /// Effects in printed order.
    #[serde(default)]
    pub effects: Vec<Effect>,
    /// Printings with numbers that the author chose; the others are derived.
    #[serde(default)]
    pub printings: Vec<PrintingDefinition>,
    /// Flavour text: a line about the world of the game, printed on the card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flavour: Option<String>,
    /// Background, with the markup of [`super::markup`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lore: Option<String>,
    /// Credits of other people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits: Option<String>,
    /// What others may do with the design.
    #[serde(default)]
    pub licence: Licence,
    /// The picture in the artwork box. An older version of the service ignores this member and reads the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artwork: Option<DesignArtwork>,
}

/// A part of a design that cannot be stored, whatever the rules of the game are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentFault {
    /// JSON pointer (RFC 6901) into the design.
    pub pointer: String,
    /// Why it cannot be stored.
    pub reason: ContentReason,
}

/// Why a part of a design cannot be stored.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ContentReason {
    /// The text cannot be stored.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The text is not a code.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// There are more items than allowed.
    #[error("must have at most {most} items, not {actual}")]
    TooMany {
        /// The maximum.
        most: usize,
        /// The actual number.
        actual: usize,
    },
    /// The name of an attribute is not a code.
    #[error("has a name that is not a code: {0}")]
    AttributeName(CodeError),
    /// The value is of a form that no attribute can have.
    #[error("must be a text, a number, true, false, or a list of these")]
    Value,
    /// The number has an exponent as JSON.
    #[error(
        "must be a 64-bit whole number, or 0, or have an absolute value of at least 0.00001 and less than 1e16"
    )]
    Range,
    /// The name is within the limit of characters, but these are too long to be compared.
    #[error("must be shorter: its characters consist of too many parts")]
    LongKey,
}

impl DesignContent {
    /// Normalises every text for storage, or returns every fault. The rules of the game are not checked.
    pub fn normalised(self) -> Result<Self, Vec<ContentFault>> {
        self.normalised_with(1)
    }

    /// Like [`Self::normalised`], but effects may have empty texts.
    pub fn normalised_unfinished(self) -> Result<Self, Vec<ContentFault>> {
        self.normalised_with(0)
    }

    /// `least`: fewest characters of an effect.
    fn normalised_with(mut self, least: usize) -> Result<Self, Vec<ContentFault>> {
        let mut faults = Faults::default();
        self.name = if self.name.trim().is_empty() {
            String::new()
        } else {
            let named = prose_line(&self.name, 1, MAX_NAME).map_err(ContentReason::from);
            faults.take("/name", named.and_then(comparable))
        };
        self.kind = faults.code("/kind", &self.kind);
        self.attributes = faults.attributes("/attributes", self.attributes);
        faults.most("/effects", self.effects.len(), MAX_EFFECTS);
        for (at, effect) in self.effects.iter_mut().enumerate().take(MAX_EFFECTS) {
            let text = prose_line(&effect.text, least, MAX_EFFECT);
            effect.text = faults.take(format_args!("/effects/{at}/text"), text);
            for (member, code) in [("style", &mut effect.style), ("slot", &mut effect.slot)] {
                if let Some(code) = code {
                    *code = faults.code(format_args!("/effects/{at}/{member}"), code);
                }
            }
        }
        faults.most("/printings", self.printings.len(), MAX_PRINTINGS);
        for (at, printing) in self.printings.iter_mut().enumerate().take(MAX_PRINTINGS) {
            let pointer = format!("/printings/{at}");
            printing.rarity = faults.code(format_args!("{pointer}/rarity"), &printing.rarity);
            let attributes = std::mem::take(&mut printing.attributes);
            let pointer = format!("{pointer}/attributes");
            printing.attributes = faults.attributes(&pointer, attributes.into()).into();
        }
        self.flavour = faults.optional("/flavour", self.flavour, MAX_FLAVOUR, prose_line);
        self.lore = faults.optional("/lore", self.lore, MAX_LORE, prose_lines);
        self.credits = faults.optional("/credits", self.credits, MAX_CREDITS, prose_line);
        if let Some(artwork) = &mut self.artwork {
            let alt = artwork.alt.take();
            artwork.alt = faults.optional("/artwork/alt", alt, MAX_ALT, prose_line);
        }
        if faults.0.is_empty() { Ok(self) } else { Err(faults.0) }
    }

    /// The design as a card of its game for the engine, with the numbers of all printings. The card number is a placeholder that violates no rule.
    pub fn definition(&self, game: &Game) -> CardDefinition {
        let mut card = CardDefinition {
            number: "0".to_owned(),
            name: self.name.clone(),
            kind: self.kind.clone(),
            attributes: self.attributes.clone().into(),
            effects: self.effects.clone(),
            lore: self.lore.clone(),
            printings: self.printings.clone(),
        };
        card.printings = game.derive_printings(&card);
        card
    }

    /// The key of the name: case, spaces and punctuation do not count. Empty without a name.
    pub fn name_key(&self) -> String {
        name_key(&self.name)
    }

    /// Whether the name has a letter, a digit or a symbol such as an emoji, or is empty. Combining marks and punctuation
    /// alone are not names, although older versions accepted them.
    pub fn has_proper_name(&self) -> bool {
        // The key drops punctuation, unless there is nothing else, and the marks on the letter before them.
        self.name.is_empty() || search_key(&format!("a{}", self.name)) != "a"
    }

    /// Whether the name is too long to be compared, although older versions accepted it: no index takes it.
    pub fn has_long_key(&self) -> bool {
        has_long_key(&self.name)
    }

    /// The skeleton of the name: public designs of a game must have different ones.
    pub fn name_skeleton(&self) -> String {
        name_skeleton(&self.name)
    }
}

/// The name, if it can be compared with others.
fn comparable(name: String) -> Result<String, ContentReason> {
    check_letters(&name)?;
    if name_key(&name).is_empty() {
        return Err(TextError::Blank.into());
    }
    if has_long_key(&name) { Err(ContentReason::LongKey) } else { Ok(name) }
}

fn has_long_key(name: &str) -> bool {
    name_key(name).len().max(name_skeleton(name).len()) > MAX_KEY
}

/// Whether the number has an exponent as JSON. Postgres would store it with all its digits, which may be hundreds, and give it back as an integer if it is whole.
fn has_exponent(number: &Number) -> bool {
    number.is_f64() && number.to_string().contains('e')
}

#[derive(Default)]
struct Faults(Vec<ContentFault>);

impl Faults {
    /// Pointers are written only for faults, because most designs have none.
    fn push(&mut self, pointer: impl Display, reason: impl Into<ContentReason>) {
        self.0.push(ContentFault { pointer: pointer.to_string(), reason: reason.into() });
    }

    fn most(&mut self, pointer: impl Display, count: usize, most: usize) {
        if count > most {
            self.push(pointer, ContentReason::TooMany { most, actual: count });
        }
    }

    fn take<E: Into<ContentReason>>(
        &mut self,
        pointer: impl Display,
        read: Result<String, E>,
    ) -> String {
        read.unwrap_or_else(|error| {
            self.push(pointer, error);
            String::new()
        })
    }

    fn code(&mut self, pointer: impl Display, text: &str) -> String {
        match Code::try_from(text.trim()) {
            Ok(code) => code.into_string(),
            Err(error) => {
                self.push(pointer, error);
                String::new()
            }
        }
    }

    /// Like [`Self::take`], but an empty text becomes `None`.
    fn optional(
        &mut self,
        pointer: &str,
        text: Option<String>,
        most: usize,
        read: fn(&str, usize, usize) -> Result<String, TextError>,
    ) -> Option<String> {
        let text = text.filter(|text| !text.trim().is_empty())?;
        Some(self.take(pointer, read(&text, 0, most)))
    }

    fn attributes(&mut self, pointer: &str, attributes: Map<String, Value>) -> Map<String, Value> {
        self.most(pointer, attributes.len(), MAX_ATTRIBUTES);
        let mut read = Map::new();
        for (name, value) in attributes.into_iter().take(MAX_ATTRIBUTES) {
            if let Err(error) = Code::try_from(name.as_str()) {
                // The message does not repeat the name, which may be as long as the body.
                self.push(pointer, ContentReason::AttributeName(error));
                continue;
            }
            let value = match value {
                Value::Array(items) => {
                    self.most(format_args!("{pointer}/{name}"), items.len(), MAX_VALUES);
                    let items = items.into_iter().take(MAX_VALUES).enumerate();
                    items
                        .map(|(place, item)| {
                            self.scalar(format_args!("{pointer}/{name}/{place}"), item)
                        })
                        .collect()
                }
                other => self.scalar(format_args!("{pointer}/{name}"), other),
            };
            read.insert(name, value);
        }
        read
    }

    fn scalar(&mut self, pointer: impl Display, value: Value) -> Value {
        match value {
            Value::String(text) => self.take(pointer, prose_line(&text, 0, MAX_VALUE)).into(),
            Value::Number(ref number) if has_exponent(number) => {
                self.push(pointer, ContentReason::Range);
                Value::Bool(false)
            }
            Value::Number(_) | Value::Bool(_) => value,
            Value::Null | Value::Array(_) | Value::Object(_) => {
                self.push(pointer, ContentReason::Value);
                Value::Bool(false)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content(document: Value) -> DesignContent {
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn texts_are_stored_composed_and_trimmed() {
        let written = content(json!({
            "name": " Cafe\u{301} Owl ", "kind": "unit", "attributes": { "subtypes": ["beast "] },
            "effects": [{ "style": "normal", "text": " Draw one card. " }],
            "flavour": "  ", "lore": "One.\r\n\r\nTwo. ",
        }));
        let read = written.normalised().unwrap();
        assert_eq!((read.name.as_str(), read.flavour), ("Café Owl", None));
        assert_eq!(read.effects[0].text, "Draw one card.");
        assert_eq!(read.lore.as_deref(), Some("One.\n\nTwo."));
        assert_eq!(read.attributes["subtypes"], json!(["beast"]));
        assert_eq!(read.licence, Licence::None);
    }

    #[test]
    fn a_name_has_more_than_punctuation_and_marks() {
        let is_proper =
            |name: &str| content(json!({ "name": name, "kind": "unit" })).has_proper_name();
        for name in ["", "A", "7", "Ø", "🔥", "+4", "é...", "水", "\u{301}a"] {
            assert!(is_proper(name), "{name:?}");
        }
        for name in ["...", "!?", "—", "…", "\u{301}", "\u{301}\u{302}", ". \u{308}", "- -"] {
            assert!(!is_proper(name), "{name:?}");
        }
    }

    #[test]
    fn a_name_can_be_stored_in_an_index() {
        let faults_of = |name: String| -> Vec<ContentFault> {
            let named = content(json!({ "name": name, "kind": "unit" }));
            named.normalised().err().unwrap_or_default()
        };
        // A sign with seven modifiers is one character of 32 bytes; the other sign folds to fifteen letters of two bytes.
        let modified = format!("\u{20000}{}", "\u{1f3fb}".repeat(7));
        for long in [modified.repeat(100), "\u{fdfa}".repeat(120)] {
            let fault =
                ContentFault { pointer: "/name".to_owned(), reason: ContentReason::LongKey };
            assert_eq!(faults_of(long), [fault]);
        }
        let family = "👨\u{200d}👩\u{200d}👧\u{200d}👦".repeat(120);
        for fitting in [modified.repeat(60), "\u{fdfa}".repeat(60), family] {
            assert!(faults_of(fitting).is_empty());
        }
    }

    #[test]
    fn every_fault_has_its_place() {
        let written = content(json!({
            "name": "a\tb", "kind": "a kind",
            "attributes": { "rank": null, "b c": 1, "deep": [{}], "text": "x\u{202e}y" },
            "effects": [{ "text": "" }, { "text": "ok", "style": "*" }],
            "printings": [{ "rarity": "", "attributes": { "attack": [[1]] } }],
            "artwork": { "id": "0".repeat(64), "alt": "a".repeat(501) },
            "flavour": "two\nlines", "lore": format!("a{}", "\u{301}".repeat(50)), "credits": "c".repeat(201),
        }));
        let faults = written.normalised().unwrap_err();
        let pointers: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/name",
                "/kind",
                "/attributes",
                "/attributes/deep/0",
                "/attributes/rank",
                "/attributes/text",
                "/effects/0/text",
                "/effects/1/style",
                "/printings/0/rarity",
                "/printings/0/attributes/attack/0",
                "/flavour",
                "/lore",
                "/credits",
                "/artwork/alt",
            ]
        );
    }

    #[test]
    fn numbers_with_an_exponent_are_refused() {
        let faults_of = |number: Value| -> Vec<ContentFault> {
            let attributes = json!({ "attack": [1, number] });
            let numbered = json!({ "name": "Owl", "kind": "unit", "attributes": attributes });
            content(numbered).normalised().err().unwrap_or_default()
        };
        for refused in [1e308, f64::MAX, -1e16, 1e16, 9.9e-6, -1e-300, f64::from_bits(1)] {
            let fault = ContentFault {
                pointer: "/attributes/attack/1".to_owned(),
                reason: ContentReason::Range,
            };
            assert_eq!(faults_of(refused.into()), [fault], "{refused}");
        }
        // Whole numbers of more than 64 bits are read as numbers with a fraction.
        for refused in ["18446744073709551616", "-9223372036854775809"] {
            let number = serde_json::from_str(refused).unwrap();
            assert_eq!(faults_of(number).len(), 1, "{refused}");
        }
        let whole = [i64::MIN.into(), u64::MAX.into(), json!(0)];
        let others: [f64; 5] = [-0.0, 1e2, 1.5, 1e-5, -9_999_999_999_999_998.0];
        for fitting in whole.into_iter().chain(others.map(Value::from)) {
            assert_eq!(faults_of(fitting.clone()), [], "{fitting}");
        }
    }

    #[test]
    fn effects_and_printings_beyond_the_limit_are_only_counted() {
        let written = content(json!({
            "name": "Owl", "kind": "unit",
            "effects": vec![json!({ "text": "" }); 1_000],
            "printings": vec![json!({ "rarity": "" }); 1_000],
        }));
        let faults = written.normalised().unwrap_err();
        let count = |list: &str| faults.iter().filter(|one| one.pointer.starts_with(list)).count();
        // One more for the number of items.
        assert_eq!(count("/effects"), MAX_EFFECTS + 1);
        assert_eq!(count("/printings"), MAX_PRINTINGS + 1);
    }

    /// Revisions that were stored before artwork existed can be read, and are written again without a change.
    #[test]
    fn revisions_without_artwork_are_read_and_written_unchanged() {
        let old = json!({ "name": "Owl", "kind": "unit", "attributes": {}, "effects": [], "printings": [], "licence": "none" });
        let read = content(old.clone());
        assert_eq!(read.artwork, None);
        assert_eq!(serde_json::to_value(read).unwrap(), old);
        let artwork = json!({ "id": "ab".repeat(32), "alt": " " });
        let read = content(changed(old.clone(), artwork)).normalised().unwrap();
        let written = serde_json::to_value(read).unwrap();
        assert_eq!(written, changed(old, json!({ "id": "ab".repeat(32) })));
    }

    fn changed(mut document: Value, artwork: Value) -> Value {
        document["artwork"] = artwork;
        document
    }

    #[test]
    fn a_licence_is_stored_by_its_code() {
        for licence in Licence::ALL {
            assert_eq!(serde_json::to_value(licence).unwrap(), licence.as_str());
        }
        assert!(!Licence::None.allows_release() && Licence::Cc0.allows_release());
    }
}
