//! Where in the text of a manifest its keys and entries stand.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::FAULTS_MAX;
use super::syntax::in_words;
use super::{ManifestFault, Position};

/// The faults of a text that is no TOML: all that the parser can tell apart.
pub(super) fn syntax_faults(text: &str) -> Vec<ManifestFault> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let fault = |error: &toml::de::Error| ManifestFault {
        place: String::new(),
        position: error.span().map(|span| Position::of(text, span.start)),
        problem: in_words(error.message()),
    };
    let mut faults: Vec<ManifestFault> = errors.iter().take(FAULTS_MAX).map(fault).collect();
    // The parser tells first what is wrong with the lexis.
    faults.sort_by_key(|fault| fault.position);
    faults
}

/// Says of each fault where it stands, and puts them into the order of the text. What is missing has the position of the table that lacks it.
pub(super) fn locate(text: &str, faults: &mut [ManifestFault]) {
    let Ok(document) = DeTable::parse(text) else { return };
    // Of a large file only what is asked for is kept.
    let mut offsets: BTreeMap<String, Option<usize>> = BTreeMap::new();
    for fault in &*faults {
        offsets.extend(enclosing(&fault.place).map(|place| (place.to_owned(), None)));
    }
    table_offsets(document.get_ref(), &mut String::new(), &mut offsets);
    for fault in &mut *faults {
        let at = enclosing(&fault.place).find_map(|place| *offsets.get(place)?);
        fault.position = at.map(|at| Position::of(text, at));
    }
    // What is missing at the top of the file stands nowhere: last.
    faults.sort_by_key(|fault| (fault.position.is_none(), fault.position));
}

/// A place, and those of the tables and lists that it is in, from the inside out.
fn enclosing(place: &str) -> impl Iterator<Item = &str> {
    fn outer<'p>(place: &&'p str) -> Option<&'p str> {
        place.rfind(['.', '[']).map(|end| &place[..end])
    }
    std::iter::successors(Some(place), outer).filter(|place| !place.is_empty())
}

/// Notes where places begin, of those that are asked for.
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
        // The key of a list of tables is in the header of the first.
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
