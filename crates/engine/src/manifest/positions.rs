//! Finds the positions of keys and entries in the text of a manifest.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::FAULTS_MAX;
use super::syntax::{in_words, number_fault};
use super::{ManifestFault, Position};

/// The faults of a text that cannot be read as TOML: all that the parser can find, or else the numbers that are out of range, which are no faults of syntax. `first`:
/// the fault at which reading ended.
pub(super) fn syntax_faults(text: &str, first: &toml::de::Error) -> Vec<ManifestFault> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let fault = |error: &toml::de::Error| ManifestFault {
        place: String::new(),
        position: error.span().map(|span| Position::of(text, span.start)),
        problem: in_words(error.message()),
    };
    let mut faults: Vec<ManifestFault> = errors.iter().take(FAULTS_MAX).map(fault).collect();
    if faults.is_empty() {
        let mut numbers = Numbers { text, place: String::new(), faults: &mut faults };
        numbers.of_table(document.get_ref());
    }
    if faults.is_empty() {
        faults.push(fault(first));
    }
    // The parser reports lexical errors first.
    faults.sort_by_key(|fault| fault.position);
    faults
}

/// Finds the numbers that are out of range.
struct Numbers<'a> {
    text: &'a str,
    /// The place of the value that is searched.
    place: String,
    faults: &'a mut Vec<ManifestFault>,
}

impl Numbers<'_> {
    fn of_table(&mut self, table: &DeTable<'_>) {
        let length = self.place.len();
        for (key, value) in table {
            if length > 0 {
                self.place.push('.');
            }
            self.place.push_str(key.get_ref());
            self.of_value(value);
            self.place.truncate(length);
        }
    }

    fn of_value(&mut self, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.of_table(table),
            DeValue::Array(items) => {
                let length = self.place.len();
                for (at, item) in items.iter().enumerate() {
                    self.place.push_str(&format!("[{at}]"));
                    self.of_value(item);
                    self.place.truncate(length);
                }
            }
            number => {
                let problem = number_fault(number).filter(|_| self.faults.len() < FAULTS_MAX);
                self.faults.extend(problem.map(|problem| ManifestFault {
                    place: self.place.clone(),
                    position: Some(Position::of(self.text, value.span().start)),
                    problem,
                }));
            }
        }
    }
}

/// Adds the position of each fault and sorts the faults by position. A missing key has the position of the table that lacks it.
pub(super) fn locate(text: &str, faults: &mut [ManifestFault]) {
    let Ok(document) = DeTable::parse(text) else { return };
    // Only the offsets that are needed are kept, because a file may be large.
    let mut offsets: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for fault in &*faults {
        offsets.extend(enclosing(&fault.place).map(|place| (place.to_owned(), None)));
    }
    table_offsets(document.get_ref(), &mut String::new(), &mut offsets);
    for fault in &mut *faults {
        let at = enclosing(&fault.place).find_map(|place| *offsets.get(place)?);
        fault.position = at.map(|at| Position::of(text, at));
    }
    // Keys that are missing at the top of the file have no position, and come last.
    faults.sort_by_key(|fault| (fault.position.is_none(), fault.position));
}

/// A place and the tables and lists around it, the innermost first.
fn enclosing(place: &str) -> impl Iterator<Item = &str> {
    fn outer<'p>(place: &&'p str) -> Option<&'p str> {
        place.rfind(['.', '[']).map(|end| &place[..end])
    }
    std::iter::successors(Some(place), outer).filter(|place| !place.is_empty())
}

/// Records the offsets of the places that `offsets` asks for.
fn table_offsets(
    table: &DeTable<'_>,
    place: &mut String,
    offsets: &mut BTreeMap<String, Option<usize>>,
) {
    let length = place.len();
    for (key, value) in table {
        if length > 0 {
            place.push('.');
        }
        place.push_str(key.get_ref());
        // The key of a list of tables is in the header of its first table.
        if let Some(offset) = offsets.get_mut(place.as_str()) {
            *offset = Some(key.span().start);
            value_offsets(value, place, offsets);
        }
        place.truncate(length);
    }
}

fn value_offsets(
    value: &Spanned<DeValue<'_>>,
    place: &mut String,
    offsets: &mut BTreeMap<String, Option<usize>>,
) {
    match value.get_ref() {
        DeValue::Table(table) => table_offsets(table, place, offsets),
        DeValue::Array(items) => {
            let length = place.len();
            for (at, item) in items.iter().enumerate() {
                place.push_str(&format!("[{at}]"));
                if let Some(offset) = offsets.get_mut(place.as_str()) {
                    *offset = Some(item.span().start);
                    value_offsets(item, place, offsets);
                }
                place.truncate(length);
            }
        }
        _ => {}
    }
}
