//! Reads TOML tables key by key and notes every fault with its place, instead of stopping at the first.

use std::cell::RefCell;
use std::collections::BTreeMap;

use toml::{Table, Value};

use super::ManifestFault;
use crate::date::Date;

/// The faults found so far; shared by all readers of one manifest.
#[derive(Debug, Default)]
pub(super) struct Faults(RefCell<Vec<ManifestFault>>);

impl Faults {
    pub(super) fn add(&self, place: impl Into<String>, problem: impl Into<String>) {
        self.0.borrow_mut().push(ManifestFault { place: place.into(), problem: problem.into() });
    }

    pub(super) fn into_list(self) -> Vec<ManifestFault> {
        self.0.into_inner()
    }
}

/// One table of the manifest. Keys that nobody asked for are faults (reported on drop).
#[derive(Debug)]
pub(super) struct Reader<'a> {
    table: &'a Table,
    place: String,
    faults: &'a Faults,
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(table: &'a Table, place: String, faults: &'a Faults) -> Self {
        Self { table, place, faults, asked: RefCell::default() }
    }

    pub(super) fn place(&self, key: &str) -> String {
        if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) }
    }

    pub(super) fn fault(&self, key: &str, problem: impl Into<String>) {
        self.faults.add(self.place(key), problem);
    }

    pub(super) fn fault_here(&self, problem: impl Into<String>) {
        self.faults.add(self.place.clone(), problem);
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.table.contains_key(key)
    }

    fn raw(&self, key: &'static str) -> Option<&'a Value> {
        self.asked.borrow_mut().push(key);
        self.table.get(key)
    }

    /// The value of a key, or `None` when it is absent or (with a fault) of the wrong type.
    pub(super) fn optional<T: FromToml<'a>>(&self, key: &'static str) -> Option<T> {
        let read = T::from_toml(self.raw(key)?);
        if read.is_none() {
            self.fault(key, format!("expected {}", T::EXPECTED));
        }
        read
    }

    /// The value of a key; a fault and an empty value when it is absent or of the wrong type.
    pub(super) fn required<T: FromToml<'a> + Default>(&self, key: &'static str) -> T {
        if !self.has(key) {
            self.raw(key);
            self.fault(key, "is required");
            return T::default();
        }
        self.optional(key).unwrap_or_default()
    }

    /// A required text that is not blank.
    pub(super) fn text(&self, key: &'static str) -> String {
        let text: String = self.required(key);
        if self.has(key) && text.trim().is_empty() {
            self.fault(key, "must not be blank");
        }
        text
    }

    /// A required code: lower-case letters, digits, `-` and `_`.
    pub(super) fn code(&self, key: &'static str) -> String {
        let code: String = self.required(key);
        if self.has(key) && !crate::card_check::is_code(&code) {
            self.fault(key, "must be 1 to 64 lower-case letters, digits, hyphens or underscores");
        }
        code
    }

    pub(super) fn table(&self, key: &'static str) -> Option<Reader<'a>> {
        let table: &Table = self.optional(key)?;
        Some(Reader::new(table, self.place(key), self.faults))
    }

    /// The tables of an array; empty when the key is absent.
    pub(super) fn tables(&self, key: &'static str) -> Vec<Reader<'a>> {
        let Some(items) = self.optional::<&Vec<Value>>(key) else { return Vec::new() };
        let mut tables = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let place = format!("{}[{at}]", self.place(key));
            match item {
                Value::Table(table) => tables.push(Reader::new(table, place, self.faults)),
                _ => self.faults.add(place, "expected a table"),
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
                None => self.fault(&format!("{key}.{name}"), format!("expected {}", T::EXPECTED)),
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
                (name, Reader::new(table, place, self.faults))
            })
            .collect()
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let asked = self.asked.borrow();
        for key in self.table.keys().filter(|key| !asked.contains(&key.as_str())) {
            self.fault(key, "is not known here");
        }
    }
}

/// Values that can be read from TOML.
pub(super) trait FromToml<'a>: Sized {
    /// What a value should have been, for faults.
    const EXPECTED: &'static str;
    fn from_toml(value: &'a Value) -> Option<Self>;
}

impl FromToml<'_> for String {
    const EXPECTED: &'static str = "a string";
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
    const EXPECTED: &'static str = "an integer";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_integer()
    }
}

impl FromToml<'_> for u32 {
    const EXPECTED: &'static str = "an integer from 0 to 4294967295";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_integer().and_then(|number| Self::try_from(number).ok())
    }
}

impl FromToml<'_> for Date {
    const EXPECTED: &'static str = "a day in quotes, \"YYYY-MM-DD\"";
    fn from_toml(value: &Value) -> Option<Self> {
        value.as_str().and_then(|text| text.parse().ok())
    }
}

impl<'a> FromToml<'a> for Vec<String> {
    const EXPECTED: &'static str = "a list of strings";
    fn from_toml(value: &'a Value) -> Option<Self> {
        value.as_array()?.iter().map(String::from_toml).collect()
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
