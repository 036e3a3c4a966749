//! What a search can be narrowed by: values of the cards that it found, as links to the search with one more term.

use serde_json::Value;

use super::answers::{DesignFacets, Facet, FacetValue, Facets, read};
use super::field_words;
use crate::app::problem::Problem;
use crate::memory::rendered::Rendered;
use crate::search::attribute_field;
use crate::web::words;

/// Most values of a facet that are shown: those of the most cards.
const VALUES: usize = 24;
/// Facets that are unfolded.
const UNFOLDED: usize = 2;

/// Something that the found cards differ in.
#[derive(Debug)]
pub(in crate::web) struct Narrowing {
    pub(in crate::web) name: String,
    pub(in crate::web) is_unfolded: bool,
    is_of_numbers: bool,
    pub(in crate::web) links: Vec<NarrowLink>,
}

/// A search with one more term.
#[derive(Debug)]
pub(in crate::web) struct NarrowLink {
    pub(in crate::web) name: String,
    pub(in crate::web) path: String,
    /// Cards that it finds. `None` for numbers: cards are counted by their base printing, and found by every printing.
    pub(in crate::web) cards: Option<String>,
}

/// What the search can be narrowed by. A value that all cards have, or none, narrows nothing. `path_with`: the address of the search with a term;
/// `found`: how many cards there are, if they were all counted.
pub(super) fn narrowings(
    path_with: &dyn Fn(&str) -> String,
    found: Option<i64>,
    facets: Facets,
) -> Vec<Narrowing> {
    let facets = facets.facets.into_iter();
    let narrowing = |facet| narrowing(path_with, found, facet);
    let mut all: Vec<Narrowing> = facets.filter_map(narrowing).collect();
    // Of numbers there are many with few cards each.
    for narrowing in all.iter_mut().filter(|narrowing| !narrowing.is_of_numbers).take(UNFOLDED) {
        narrowing.is_unfolded = true;
    }
    all
}

/// What a search of designs can be narrowed by, from the answer of the API.
pub(in crate::web) fn design_narrowings(
    path_with: &dyn Fn(&str) -> String,
    answer: &Rendered,
) -> Result<Vec<Narrowing>, Problem> {
    let DesignFacets { designs, facets } = read(answer)?;
    Ok(narrowings(path_with, Some(designs), Facets { facets }))
}

fn narrowing(
    path_with: &dyn Fn(&str) -> String,
    found: Option<i64>,
    facet: Facet,
) -> Option<Narrowing> {
    let (field, name) = match facet.of.as_str() {
        "attribute" => (attribute_field(&facet.code), words::titled(&facet.name)),
        _ => (facet.code.clone(), field_words::name(&facet.code)),
    };
    let is_selective =
        |value: &FacetValue| value.cards > 0 && found.is_none_or(|found| value.cards < found);
    let mut values: Vec<FacetValue> = facet.values.into_iter().filter(is_selective).collect();
    if values.len() > VALUES {
        // Their order stays.
        let mut counts: Vec<i64> = values.iter().map(|value| value.cards).collect();
        counts.sort_unstable_by(|left, right| right.cmp(left));
        let least = counts.get(VALUES - 1).copied().unwrap_or_default();
        values.retain(|value| value.cards >= least);
        values.truncate(VALUES);
    }
    let is_of_numbers = values.iter().any(|value| value.value.is_number());
    let links = values.into_iter().filter_map(|value| {
        let (term, name) = term(&field, value.value)?;
        Some(NarrowLink {
            name: value.name.unwrap_or(name),
            path: path_with(&term),
            cards: (!is_of_numbers).then(|| words::grouped(value.cards)),
        })
    });
    let links: Vec<NarrowLink> = links.collect();
    (!links.is_empty()).then_some(Narrowing { name, is_unfolded: false, is_of_numbers, links })
}

/// The term that finds a value, and what the value is called; `None`: no term does.
fn term(field: &str, value: Value) -> Option<(String, String)> {
    match value {
        Value::String(text) => {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let name = words::titled(&text);
            if text.bytes().all(is_word) && !text.is_empty() {
                return Some((format!("{field}:{text}"), name));
            }
            // Quotation marks cannot be quoted.
            (!text.contains('"')).then(|| (format!("{field}=\"{text}\""), name))
        }
        Value::Number(number) => Some((format!("{field}={number}"), number.to_string())),
        Value::Bool(yes) => {
            let name = if yes { words::YES } else { words::NO };
            Some((format!("{field}:{yes}"), name.to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_terms() {
        let terms = [json!("fire"), json!("Basic Land"), json!("a\"b"), json!(-3), json!(true)];
        let terms = terms.map(|value| term("x", value).map(|(term, _)| term));
        let expected =
            [Some("x:fire"), Some("x=\"Basic Land\""), None, Some("x=-3"), Some("x:true")];
        assert_eq!(terms.each_ref().map(|term| term.as_deref()), expected);
    }
}
