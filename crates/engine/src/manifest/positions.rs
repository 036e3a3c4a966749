//! Finds the positions of keys and entries in the text of a manifest.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::FAULTS_MAX;
use super::syntax::in_words;
use super::{ManifestFault, Position};

/// The faults of a text that cannot be read as TOML: all that the parser can find, or else `first`, at which reading ended: a number that is too large is no fault of
/// syntax.
pub(super) fn syntax_faults(text: &str, first: &toml::de::Error) -> Vec<ManifestFault> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let fault = |error: &toml::de::Error| ManifestFault {
        place: String::new(),
        position: error.span().map(|span| Position::of(text, span.start)),
        problem: in_words(error.message()),
    };
    let mut faults: Vec<ManifestFault> = errors.iter().take(FAULTS_MAX).map(fault).collect();
    if faults.is_empty() {
        faults.push(fault(first));
    }
    // The parser reports lexical errors first.
    faults.sort_by_key(|fault| fault.position);
    faults
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
