//! The facets of a search: values of the found cards, as links to the same search with one more term.

use std::cmp::Reverse;

use serde_json::Value;

use super::answers::{DesignFacets, Facet, FacetValue, Facets, read};
use super::field_words;
use crate::app::problem::Problem;
use crate::memory::rendered::Rendered;
use crate::search::attribute_field;
use crate::web::words;

/// Most values of a facet that are shown: those with the most cards.
const VALUES: usize = 24;
/// Number of facets that are unfolded at first.
const UNFOLDED: usize = 2;

/// A facet of the found cards.
#[derive(Debug)]
pub(in crate::web) struct Narrowing {
    pub(in crate::web) name: String,
    pub(in crate::web) is_unfolded: bool,
    is_of_numbers: bool,
    pub(in crate::web) links: Vec<NarrowLink>,
}

/// The same search with one more term.
#[derive(Debug)]
pub(in crate::web) struct NarrowLink {
    pub(in crate::web) name: String,
    pub(in crate::web) path: String,
    /// Number of cards that it finds. `None` for numbers: facets of designs count the number of the base printing, but the search matches every printing.
    pub(in crate::web) cards: Option<String>,
}

/// The facets that narrow the search. A value that all cards have, or none, is left out. `path_with`: the path of the search with one more term; `found`: the
/// number of cards, if all were counted.
pub(super) fn narrowings(
    path_with: &dyn Fn(&str) -> String,
    found: Option<i64>,
    facets: Facets,
) -> Vec<Narrowing> {
    let facets = facets.facets.into_iter();
    let narrowing = |facet| narrowing(path_with, found, facet);
    let mut all: Vec<Narrowing> = facets.filter_map(narrowing).collect();
    // Facets of numbers have many values with few cards each, so they stay folded.
    for narrowing in all.iter_mut().filter(|narrowing| !narrowing.is_of_numbers).take(UNFOLDED) {
        narrowing.is_unfolded = true;
    }
    all
}

/// The facets of a search of designs, from the response of the API.
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
    let mut ranked: Vec<(usize, FacetValue)> =
        facet.values.into_iter().filter(is_selective).enumerate().collect();
    // The sort is stable: of values with equally many cards, the first ones stay.
    ranked.sort_by_key(|(_, value)| Reverse(value.cards));
    ranked.truncate(VALUES);
    // Back in the order of the facet.
    ranked.sort_unstable_by_key(|(place, _)| *place);
    let values: Vec<FacetValue> = ranked.into_iter().map(|(_, value)| value).collect();
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

/// The term that finds a value, and the name of the value; `None`: no term finds it.
fn term(field: &str, value: Value) -> Option<(String, String)> {
    match value {
        Value::String(text) => {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            let name = words::titled(&text);
            if text.bytes().all(is_word) && !text.is_empty() {
                return Some((format!("{field}:{text}"), name));
            }
            // A quoted value cannot contain a quotation mark.
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

    #[test]
    fn only_the_rarest_values_are_left_out() {
        let value = |(at, cards): (usize, i64)| FacetValue {
            value: json!(format!("v{at}")),
            name: None,
            cards,
        };
        let counts = std::iter::once(2).chain(std::iter::repeat_n(1, VALUES)).chain([3]);
        let facet = Facet {
            of: "card".to_owned(),
            code: "set".to_owned(),
            name: "Set".to_owned(),
            values: counts.enumerate().map(value).collect(),
        };
        let path_with = |term: &str| term.to_owned();
        let all = narrowings(&path_with, None, Facets { facets: vec![facet] });
        let paths: Vec<&str> = all[0].links.iter().map(|link| link.path.as_str()).collect();
        assert_eq!(paths.len(), VALUES);
        assert_eq!(paths[0], "set:v0", "more frequent");
        assert_eq!(paths[VALUES - 2..], ["set:v22", "set:v25"], "the order stays");
    }
}
