//! Reads TOML tables key by key and records every fault with its place, instead of stopping at the first.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use toml::{Table, Value};

use super::ManifestFault;
use crate::card_check::{CODE_MAX, NAME_MAX, SET_CODE_FORM, is_code};
use crate::characters::{in_words, is_drawn_as_nothing, is_seen, quoted, refused_in_text};
use crate::date::Date;
use crate::near::{did_you_mean, near};

/// Maximum number of faults that are listed: a file that is not a manifest has one for each of its keys.
pub(super) const FAULTS_MAX: usize = 1_000;

/// The faults found so far; shared by all readers of one manifest.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: RefCell<Vec<ManifestFault>>,
    /// Number of faults after the first [`FAULTS_MAX`].
    more: Cell<usize>,
}

impl Faults {
    pub(super) fn add(&self, place: impl Into<String>, problem: impl Into<String>) {
        let mut list = self.list.borrow_mut();
        if list.len() < FAULTS_MAX {
            list.push(ManifestFault {
                place: place.into(),
                position: None,
                problem: problem.into(),
            });
        } else {
            self.more.set(self.more.get() + 1);
        }
    }

    pub(super) fn into_list(self) -> Vec<ManifestFault> {
        let (mut list, more) = (self.list.into_inner(), self.more.get());
        if more > 0 {
            let problem = format!("{more} further faults are not listed");
            list.push(ManifestFault { place: String::new(), position: None, problem });
        }
        list
    }
}

/// Maximum number of zones, rarities or kinds: entries of other lists are compared with each of them.
const DEFINITIONS_MAX: usize = 100;
/// Maximum number of tables in any other list, for example cards of a fixed box.
const TABLES_MAX: usize = 1_000;
/// Maximum number of entries of a list of values, for example of forbidden names, and of keys of a table.
const ENTRIES_MAX: usize = 10_000;
/// Most characters of an alias in a new manifest.
const ALIAS_MAX: usize = 60;
/// Maximum number of characters of the code of a format or variant in a new manifest. The service knows no name of a format with a longer one.
const FORMAT_CODE_MAX: usize = 32;

/// Reports lists and tables with too many entries. This comes before everything else, because readers compare the entries of lists with each other.
pub(super) fn check_bounds(table: &Table, faults: &Faults) {
    bounds_of_table(table, &mut String::new(), faults);
}

fn bounds_of_table(table: &Table, place: &mut String, faults: &Faults) {
    bound(table.len(), ENTRIES_MAX, "keys", place, faults);
    let length = place.len();
    for (key, value) in table {
        if length > 0 {
            place.push('.');
        }
        place.push_str(key);
        match value {
            Value::Table(inner) => bounds_of_table(inner, place, faults),
            Value::Array(items) => bounds_of_list(items, place, faults),
            _ => {}
        }
        place.truncate(length);
    }
}

fn bounds_of_list(items: &[Value], place: &mut String, faults: &Faults) {
    let most = match place.as_str() {
        "zones" | "rarities" | "kinds" => DEFINITIONS_MAX,
        _ if items.first().is_some_and(Value::is_table) => TABLES_MAX,
        _ => ENTRIES_MAX,
    };
    bound(items.len(), most, "entries", place, faults);
    let length = place.len();
    for (at, item) in items.iter().enumerate() {
        match item {
            Value::Table(_) | Value::Array(_) => place.push_str(&format!("[{at}]")),
            _ => continue,
        }
        match item {
            Value::Table(inner) => bounds_of_table(inner, place, faults),
            Value::Array(inner) => bounds_of_list(inner, place, faults),
            _ => {}
        }
        place.truncate(length);
    }
}

/// The keys of texts that may have several lines; all other texts have one.
const LONG_TEXTS: [&str; 3] = ["description", "question", "text"];

/// Whether the texts of a manifest are stored already. These may have characters and other faults that were refused later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Texts {
    Stored,
    New,
}

impl Texts {
    /// The first character that a text or key may not have. `is_name`: it is the name of something.
    fn refused(self, text: &str, is_name: bool, may_have: impl Fn(char) -> bool) -> Option<char> {
        if self == Self::Stored {
            return text.chars().find(|c| c.is_control() && !may_have(*c));
        }
        let shows_nothing = !text.chars().any(is_seen);
        let unseen = |c: &char| is_drawn_as_nothing(*c) || (shows_nothing && !c.is_whitespace());
        let unseen = || text.chars().find(unseen).filter(|_| is_name);
        refused_in_text(text, may_have).or_else(unseen)
    }
}

/// Reports control characters in keys and texts: the database cannot store some of them, and pages show none. In new texts also other characters that nobody sees, or
/// that change the direction of the text.
pub(super) fn check_texts(table: &Table, texts: Texts, faults: &Faults) {
    texts_of_table(table, texts, &mut String::new(), faults);
}

fn texts_of_table(table: &Table, texts: Texts, place: &mut String, faults: &Faults) {
    let length = place.len();
    for (key, value) in table {
        if texts.refused(key, false, |_| false).is_some() {
            // The place of the table: that of the key would have the character, too.
            faults.add(
                &**place,
                format!("has the key {key:?}; keys have no control or invisible characters"),
            );
            continue;
        }
        if length > 0 {
            place.push('.');
        }
        place.push_str(key);
        texts_of_value(value, (texts, key), place, faults);
        place.truncate(length);
    }
}

/// Checks the texts of a value of this key.
fn texts_of_value(value: &Value, of: (Texts, &str), place: &mut String, faults: &Faults) {
    match value {
        Value::Table(inner) => texts_of_table(inner, of.0, place, faults),
        Value::Array(items) => {
            let length = place.len();
            for (at, item) in items.iter().enumerate() {
                place.push_str(&format!("[{at}]"));
                texts_of_value(item, of, place, faults);
                place.truncate(length);
            }
        }
        Value::String(text) => {
            if let Some(problem) = text_fault(text, of) {
                faults.add(&**place, problem);
            }
        }
        _ => {}
    }
}

/// What is wrong with the characters of a text of this key, if it has some that it may not have.
fn text_fault(text: &str, (texts, key): (Texts, &str)) -> Option<String> {
    let is_long = LONG_TEXTS.contains(&key);
    let may_have = |character| is_long && matches!(character, '\n' | '\r' | '\t');
    let bad = texts.refused(text, key == "name", may_have)?;
    // Another fault says that it is blank.
    if text.trim().is_empty() {
        return None;
    }
    Some(match bad {
        '\n' | '\r' => "must be one line, without line breaks".to_owned(),
        '\t' => "must not contain tabs; write spaces instead".to_owned(),
        other => format!("must not contain {}", in_words(other)),
    })
}

fn bound(count: usize, most: usize, what: &str, place: &str, faults: &Faults) {
    if count > most {
        faults.add(place, format!("has {count} {what}, but may have {most} at most"));
    }
}

/// One table of the manifest. Keys that were never read are faults, which are reported on drop.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    table: &'a Table,
    place: String,
    texts: Texts,
    faults: &'a Faults,
    read_keys: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    /// A reader of the whole manifest.
    pub(super) fn new(table: &'a Table, texts: Texts, faults: &'a Faults) -> Self {
        Self { table, place: String::new(), texts, faults, read_keys: RefCell::default() }
    }

    fn inner(&self, table: &'a Table, place: String) -> Self {
        Self { table, place, texts: self.texts, faults: self.faults, read_keys: RefCell::default() }
    }

    /// Whether the manifest is to be stored: then it may not have the faults that older versions accepted.
    pub(super) fn is_new(&self) -> bool {
        self.texts == Texts::New
    }

    pub(super) fn place(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    pub(super) fn fault(&self, key: &str, problem: impl Into<String>) {
        self.faults.add(self.place(key), problem);
    }

    /// Whether further faults are only counted, so that their words do not matter.
    pub(super) fn is_full(&self) -> bool {
        self.faults.list.borrow().len() >= FAULTS_MAX
    }

    fn wrong_type(&self, key: &str, wanted: &str, value: Option<&Value>) {
        self.faults
            .add(self.place(key), value.map_or(String::new(), |value| must_be(wanted, value)));
    }

    pub(super) fn fault_here(&self, problem: impl Into<String>) {
        self.faults.add(self.place.clone(), problem);
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    /// Whether there is a text to check. A value of another type has already been reported.
    pub(super) fn has_text(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(Value::is_str)
    }

    /// Whether there is a table to check.
    pub(super) fn has_table(&self, key: &str) -> bool {
        self.table.get(key).is_some_and(Value::is_table)
    }

    /// Whether there is a list of texts to check.
    pub(super) fn has_list(&self, key: &str) -> bool {
        let list = self.table.get(key).and_then(Vec::<String>::from_toml);
        list.is_some()
    }

    fn raw(&self, key: &'static str) -> Option<&'a Value> {
        self.read_keys.borrow_mut().push(key);
        self.table.get(key)
    }

    /// The value of a key, or `None` when it is absent or (with a fault) of the wrong type.
    pub(super) fn optional<T: FromToml<'a>>(&self, key: &'static str) -> Option<T> {
        let read = T::from_toml(self.raw(key)?);
        if read.is_none() {
            self.wrong_type(key, T::EXPECTED, self.table.get(key));
        }
        read
    }

    /// The whole number of a key, or `None` when it is absent or (with a fault) no such number.
    pub(super) fn number_in(&self, key: &'static str, range: RangeInclusive<u32>) -> Option<u32> {
        let value = self.raw(key)?;
        let read = u32::from_toml(value).filter(|number| range.contains(number));
        if read.is_none() {
            let wanted = format!("a whole number from {} to {}", range.start(), range.end());
            self.wrong_type(key, &wanted, Some(value));
        }
        read
    }

    /// The value of a key. If it is absent or of the wrong type, reports a fault and returns an empty value.
    pub(super) fn required<T: FromToml<'a> + Default>(&self, key: &'static str) -> T {
        if !self.has(key) {
            self.raw(key);
            self.fault(key, "is missing");
            return T::default();
        }
        self.optional(key).unwrap_or_default()
    }

    /// A required text that is not blank.
    pub(super) fn text(&self, key: &'static str) -> String {
        let text: String = self.required(key);
        if self.has_text(key) && text.trim().is_empty() {
            self.fault(key, "must not be blank");
        }
        text
    }

    /// A required name: a text that is not blank, and in new manifests as short as the name of a card.
    pub(super) fn name(&self, key: &'static str) -> String {
        let name = self.text(key);
        self.check_length(key, &name, NAME_MAX);
        name
    }

    /// Other words for a zone or rarity.
    pub(super) fn aliases(&self) -> Vec<String> {
        let aliases: Vec<String> = self.optional("aliases").unwrap_or_default();
        for (at, alias) in aliases.iter().enumerate() {
            self.check_length(&format!("aliases[{at}]"), alias, ALIAS_MAX);
        }
        aliases
    }

    /// Reports a text of a new manifest that is too long.
    pub(super) fn check_length(&self, key: &str, text: &str, most: usize) {
        if self.is_new() && text.chars().nth(most).is_some() {
            let count = text.chars().count();
            self.fault(key, format!("has {count} characters, but may have {most} at most"));
        }
    }

    /// A required code: lower-case letters, digits, `-` and `_`.
    pub(super) fn code(&self, key: &'static str) -> String {
        self.code_up_to(key, CODE_MAX)
    }

    fn code_up_to(&self, key: &'static str, most: usize) -> String {
        let code: String = self.required(key);
        if self.has_text(key) && !(is_code(&code) && code.len() <= most) {
            let form = "lower-case letters, digits, hyphens or underscores";
            self.fault(key, format!("must be 1 to {most} {form}"));
        }
        code
    }

    /// The code of a format or variant: in new manifests short enough for the names of formats, such as `game/format:variant`.
    pub(super) fn format_code(&self, key: &'static str) -> String {
        self.code_up_to(key, if self.is_new() { FORMAT_CODE_MAX } else { CODE_MAX })
    }

    /// The code of a game, which is a part of URLs: see [`is_set_code`](crate::card_check::is_set_code).
    pub(super) fn game_code(&self, key: &'static str) -> String {
        let code: String = self.required(key);
        if self.has_text(key) && !crate::card_check::is_set_code(&code) {
            self.fault(key, format!("must be {SET_CODE_FORM}"));
        }
        code
    }

    pub(super) fn table(&self, key: &'static str) -> Option<Reader<'a>> {
        let table: &Table = self.optional(key)?;
        Some(self.inner(table, self.place(key)))
    }

    /// The tables of an array; empty when the key is absent.
    pub(super) fn tables(&self, key: &'static str) -> Vec<Reader<'a>> {
        let Some(items) = self.optional::<&Vec<Value>>(key) else { return Vec::new() };
        let mut tables = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("{}[{at}]", self.place(key));
            match item {
                Value::Table(table) => tables.push(self.inner(table, place)),
                other => self.faults.add(place, must_be("a table", other)),
            }
        }
        tables
    }

    /// The entries of a table with free keys.
    pub(super) fn map<T: FromToml<'a>>(&self, key: &'static str) -> BTreeMap<String, T> {
        let Some(table) = self.optional::<&Table>(key) else { return BTreeMap::new() };
        let mut map = BTreeMap::new();
        for (name, value) in table {
            match T::from_toml(value) {
                Some(read) => drop(map.insert(name.clone(), read)),
                None => self.wrong_type(&format!("{key}.{name}"), T::EXPECTED, Some(value)),
            }
        }
        map
    }

    /// The sub-tables of a table with free keys.
    pub(super) fn named_tables(&self, key: &'static str) -> Vec<(String, Reader<'a>)> {
        self.map::<&Table>(key)
            .into_iter()
            .map(|(name, table)| {
                let place = self.place(&format!("{key}.{name}"));
                (name, self.inner(table, place))
            })
            .collect()
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let read_keys = self.read_keys.borrow();
        for key in self.table.keys().filter(|key| !read_keys.contains(&key.as_str())) {
            let near = did_you_mean(&near(key, read_keys.iter().copied()));
            self.fault(key, format!("is not known here{near}"));
        }
    }
}

/// The fault of a value of the wrong type.
fn must_be(wanted: &str, value: &Value) -> String {
    let found = match value {
        Value::String(text) if text.chars().count() <= 20 => quoted(text),
        Value::String(_) => "text".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(day) => format!("{day}, which has no quotation marks"),
        // The value is a list, but its entries have the wrong type.
        Value::Array(_) if wanted.starts_with("a list") => return format!("must be {wanted}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    };
    format!("must be {wanted}, not {found}")
}

/// Values that can be read from TOML.
pub(super) trait FromToml<'a>: Sized {
    /// What a value should have been, for faults.
    const EXPECTED: &'static str;
    fn from_toml(value: &'a Value) -> Option<Self>;
}

impl FromToml<'_> for String {
    const EXPECTED: &'static str = "text";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl FromToml<'_> for bool {
    const EXPECTED: &'static str = "true or false";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_bool()
    }
}

impl FromToml<'_> for i64 {
    const EXPECTED: &'static str = "a whole number";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_integer()
    }
}

impl FromToml<'_> for u32 {
    const EXPECTED: &'static str = "a whole number from 0 to 4294967295";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_integer().and_then(|number| Self::try_from(number).ok())
    }
}

impl FromToml<'_> for Date {
    const EXPECTED: &'static str = "an existing day in quotation marks, such as \"2026-01-31\"";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_str().and_then(|text| text.parse().ok())
    }
}

impl<'a> FromToml<'a> for Vec<String> {
    const EXPECTED: &'static str = "a list of texts";
    fn from_toml(value: &'a Value) -> Option<Self> {
        value.as_array()?.iter().map(String::from_toml).collect()
    }
}

impl<'a> FromToml<'a> for Vec<u32> {
    const EXPECTED: &'static str = "a list of whole numbers from 0 to 4294967295";
    fn from_toml(value: &'a Value) -> Option<Self> {
        value.as_array()?.iter().map(u32::from_toml).collect()
    }
}

impl<'a> FromToml<'a> for &'a Vec<Value> {
    const EXPECTED: &'static str = "a list";
    fn from_toml(value: &'a Value) -> Option<Self> {
        value.as_array()
    }
}

impl<'a> FromToml<'a> for &'a Table {
    const EXPECTED: &'static str = "a table";
    fn from_toml(value: &'a Value) -> Option<Self> {
        value.as_table()
    }
}

impl<'a> FromToml<'a> for &'a Value {
    const EXPECTED: &'static str = "a value";
    fn from_toml(value: &'a Value) -> Option<Self> {
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Game;

    const GAME: &str = "code = \"pond\"\nname = \"Pond\"\nrules_version = \"pond/1\"\n";
    const KIND: &str = "[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n";

    fn faults(text: &str) -> Vec<(String, String)> {
        let faults = Game::from_toml(text).map_or_else(|error| error.faults, |_| Vec::new());
        faults.into_iter().map(|fault| (fault.place, fault.problem)).collect()
    }

    #[test]
    fn lists_that_are_too_long_are_refused_before_they_are_read() {
        let zones = |count: usize| -> String {
            (0..count).map(|at| format!("[[zones]]\ncode = \"z{at}\"\nname = \"Z\"\n")).collect()
        };
        assert_eq!(faults(&(GAME.to_owned() + KIND + &zones(DEFINITIONS_MAX))), []);
        let found = faults(&(GAME.to_owned() + KIND + &zones(30_000)));
        let expected = "has 30000 entries, but may have 100 at most";
        assert_eq!(found, [("zones".to_owned(), expected.to_owned())]);
        for (text, place, most) in [
            (format!("{GAME}a = [{}]\n{KIND}", "0,".repeat(10_001)), "a", "10000"),
            (
                format!("{GAME}{KIND}[[formats]]\n{}", "[[formats.rules]]\n".repeat(1_001)),
                "formats[0].rules",
                "1000",
            ),
            (format!("{GAME}a = [[{}]]\n{KIND}", "{},".repeat(1_001)), "a[0]", "1000"),
        ] {
            let found = faults(&text);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0].0, place);
            assert!(found[0].1.ends_with(&format!("may have {most} at most")), "{found:?}");
        }
        let keys: String = (0..10_001).map(|at| format!("k{at} = 0\n")).collect();
        assert_eq!(faults(&format!("{GAME}{KIND}[t]\n{keys}"))[0].0, "t");
    }

    #[test]
    fn faults_state_the_found_and_the_expected_type() {
        for (line, expected) in [
            ("unlock_threshold = \"3\"", "must be a whole number from 1 to 100000, not \"3\""),
            ("unlock_threshold = -1", "must be a whole number from 1 to 100000, not -1"),
            ("description = true", "must be text, not true"),
            ("description = [1]", "must be text, not a list"),
            ("zones = { a = 1 }", "must be a list, not a table"),
            ("descripton = \"x\"", "is not known here; did you mean description?"),
        ] {
            let found = faults(&format!("{GAME}{line}\n{KIND}"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert_eq!(found[0].1, expected, "{line}");
        }
    }

    #[test]
    fn texts_have_no_control_characters() {
        for (line, place, problem) in [
            (r#"description = "a\u0000b""#, "description", "a control character, U+0000"),
            (r#"cards = { text = "a\u007fb" }"#, "cards.text", "U+007F"),
            (r#"cards = { rule = "C\n1" }"#, "cards.rule", "one line"),
            (r#"cards = { section = "C\t1" }"#, "cards.section", "tabs"),
        ] {
            let found = faults(&format!("{GAME}{line}\n{KIND}"));
            assert_eq!(found.len(), 1, "{line}: {found:?}");
            assert_eq!(found[0].0, place, "{line}");
            assert!(found[0].1.contains(problem), "{line}: {found:?}");
        }
        let name = GAME.replace("Pond", "Har\\nbour");
        assert_eq!(faults(&(name + KIND))[0].0, "name");
        let list = "[kinds.attributes.type]\ntype = \"choice\"\nvalues = [\"a\", \"b\\u0000\"]\n";
        let found = faults(&format!("{GAME}{KIND}{list}"));
        assert_eq!(found[0].0, "kinds[0].attributes.type.values[1]", "{found:?}");
        let key = faults(&format!("{GAME}\"a\\u0000\" = 1\n{KIND}"));
        assert!(
            key.iter().any(|(place, problem)| place.is_empty() && problem.contains("has the key"))
        );
        for large in ["9223372036854775808", "-99999999999999999999", "1e400"] {
            let found = faults(&format!("{GAME}unlock_threshold = {large}\n{KIND}"));
            assert!(found.len() == 1 && !found[0].1.is_empty(), "{large}: {found:?}");
        }
        let long = "description = \"\"\"\nOne line.\n\tAnother.\"\"\"\n";
        assert_eq!(faults(&format!("{GAME}{long}{KIND}")), []);
    }

    /// Stored manifests are read although they have them.
    #[test]
    fn new_texts_have_no_characters_that_nobody_sees() {
        let new = |text: &str| match Game::from_new_toml(text) {
            Ok(_) => Vec::new(),
            Err(error) => error.faults.into_iter().map(|one| (one.place, one.problem)).collect(),
        };
        let turned = "a character that changes the direction of the text, U+202E";
        let unseen = "an invisible character, U+FEFF";
        for (line, place, problem) in [
            ("description = \"a\\u202Eb\"", "description", turned),
            ("cards = { text = \"a\\uFEFFb\" }", "cards.text", unseen),
        ] {
            let text = format!("{GAME}{line}\n{KIND}");
            assert_eq!(new(&text), [(place.to_owned(), format!("must not contain {problem}"))]);
            assert_eq!(faults(&text), [], "{line}");
        }
        for (name, character) in [("\u{3164}", "U+3164"), ("\u{2066}", "U+2066")] {
            let found = new(&(GAME.replace("Pond", &format!("Po{name}nd")) + KIND));
            assert_eq!((found.len(), &*found[0].0), (1, "name"), "{found:?}");
            assert!(found[0].1.ends_with(character), "{found:?}");
        }
        for blank in ["\u{200B}", "\u{200D}", " \u{FE0F} "] {
            let found = new(&(GAME.replace("Pond", blank) + KIND));
            assert_eq!((found.len(), &*found[0].0), (1, "name"), "{found:?}");
        }
        let key = new(&format!("{GAME}\"a\\u202E\" = 1\n{KIND}"));
        assert!(key.iter().any(|(_, problem)| problem.contains("has the key")), "{key:?}");
        for name in ["مرحبا", "👩🏻\u{200D}❤\u{FE0F}\u{200D}👨🏼", "می\u{200C}خواهم"]
        {
            assert_eq!(new(&(GAME.replace("Pond", name) + KIND)), [], "{name}");
        }
    }

    #[test]
    fn the_code_of_a_game_fits_urls_and_the_threshold_the_service() {
        let found = faults(&(GAME.replacen("pond", "the_pond", 1) + KIND));
        assert_eq!(found[0].0, "code");
        assert!(found[0].1.starts_with("must be 1 to 32"), "{found:?}");
        for threshold in [-1, 0, 100_001, 5_000_000_000_i64] {
            let found = faults(&format!("{GAME}unlock_threshold = {threshold}\n{KIND}"));
            let expected = format!("must be a whole number from 1 to 100000, not {threshold}");
            assert_eq!(found, [("unlock_threshold".to_owned(), expected)]);
        }
        assert_eq!(faults(&format!("{GAME}unlock_threshold = 100000\n{KIND}")), []);
    }

    #[test]
    fn the_list_of_faults_is_bounded() {
        let keys: String = (0..5_000).map(|at| format!("k{at} = 0\n")).collect();
        let found = faults(&(GAME.to_owned() + &keys + KIND));
        assert_eq!(found.len(), FAULTS_MAX + 1);
        assert_eq!(found[FAULTS_MAX].1, "4000 further faults are not listed");
    }
}
