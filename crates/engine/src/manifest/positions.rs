//! Where in the text of a manifest its keys and entries stand.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reader::FAULTS_MAX;
use super::{ManifestFault, Position};

/// The faults of a text that is no TOML: all that the parser can tell apart.
pub(super) fn syntax_faults(text: &str) -> Vec<ManifestFault> {
    let (_, errors) = DeTable::parse_recoverable(text);
    let fault = |error: &toml::de::Error| ManifestFault {
        place: String::new(),
        position: error.span().map(|span| Position::of(text, span.start)),
        problem: error.message().to_owned(),
    };
    let mut faults: Vec<ManifestFault> = errors.iter().take(FAULTS_MAX).map(fault).collect();
    // The parser tells first what is wrong with the lexis.
    faults.sort_by_key(|fault| fault.position);
    faults
}

/// Says of each fault where it stands, and puts them into the order of the text. What is missing has the position of the table that lacks it.
pub(super) fn locate(text: &str, faults: &mut [ManifestFault]) {
    let Ok(document) = DeTable::parse(text) else { return };
    let mut offsets = BTreeMap::new();
    table_offsets(document.get_ref(), &mut String::new(), &mut offsets);
    for fault in &mut *faults {
        let mut place = fault.place.as_str();
        while !place.is_empty() {
            if let Some(&at) = offsets.get(place) {
                fault.position = Some(Position::of(text, at));
                break;
            }
            place = parent(place);
        }
    }
    // What is missing at the top of the file stands nowhere: last.
    faults.sort_by_key(|fault| (fault.position.is_none(), fault.position));
}

/// The place of the table or list that something is in.
fn parent(place: &str) -> &str {
    place.rfind(['.', '[']).map_or("", |end| &place[..end])
}

fn table_offsets(table: &DeTable<'_>, place: &mut String, offsets: &mut BTreeMap<String, usize>) {
    let length = place.len();
    for (key, value) in table {
        if length > 0 {
            place.push('.');
        }
        place.push_str(key.get_ref());
        // The key of a list of tables is in the header of the first.
        offsets.insert(place.clone(), key.span().start);
        value_offsets(value, place, offsets);
        place.truncate(length);
    }
}

fn value_offsets(
    value: &Spanned<DeValue<'_>>,
    place: &mut String,
    offsets: &mut BTreeMap<String, usize>,
) {
    match value.get_ref() {
        DeValue::Table(table) => table_offsets(table, place, offsets),
        DeValue::Array(items) => {
            let length = place.len();
            for (at, item) in items.iter().enumerate() {
                place.push_str(&format!("[{at}]"));
                offsets.insert(place.clone(), item.span().start);
                value_offsets(item, place, offsets);
                place.truncate(length);
            }
        }
        _ => {}
    }
}
