//! Values of cards as text for people.

use cardscape_engine::{Attribute, AttributeValue, Game, Kind};
use serde_json::{Map, Value};

use crate::web::words;

/// An attribute with its value.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::web) struct Fact {
    pub(in crate::web) label: String,
    pub(in crate::web) value: String,
}

/// The kind with that code.
pub(super) fn kind<'a>(game: &'a Game, code: &str) -> Option<&'a Kind> {
    game.kinds().iter().find(|kind| kind.code == code)
}

pub(in crate::web) fn kind_name(game: &Game, code: &str) -> String {
    kind(game, code).map_or_else(|| words::titled(code), |kind| kind.name.clone())
}

pub(in crate::web) fn zone_name(game: &Game, code: &str) -> String {
    game.zone_called(code).map_or_else(|| words::titled(code), |zone| zone.name.clone())
}

pub(in crate::web) fn rarity_name(game: &Game, code: &str) -> String {
    game.rarity(code).map_or_else(|| words::titled(code), |rarity| rarity.name.clone())
}

/// The attributes of a card of this kind, numbers last, each group in the order of codes. Missing attributes are left out.
pub(in crate::web) fn facts(kind: Option<&Kind>, attributes: &Map<String, Value>) -> Vec<Fact> {
    let fact = |(code, value): (&String, &Value)| {
        let attribute = kind.and_then(|kind| kind.attributes.get(code));
        let value = text(attribute, value)?;
        Some(Fact { label: label(attribute, code), value })
    };
    let (numbers, others): (Vec<_>, Vec<_>) =
        attributes.iter().partition(|(_, value)| value.is_number());
    others.into_iter().chain(numbers).filter_map(fact).collect()
}

/// The label of an attribute.
pub(in crate::web) fn label(attribute: Option<&Attribute>, code: &str) -> String {
    words::titled(attribute.map_or(code, |attribute| &attribute.name))
}

/// A value as text; `None`: there is nothing to show.
pub(in crate::web) fn text(attribute: Option<&Attribute>, value: &Value) -> Option<String> {
    let may_be_negative = attribute.is_some_and(|attribute| {
        matches!(attribute.value, AttributeValue::Integer { min: Some(min), .. } if min < 0)
    });
    let is_free =
        attribute.is_none_or(|attribute| matches!(attribute.value, AttributeValue::Text { .. }));
    Some(match value {
        Value::Null | Value::Object(_) => return None,
        Value::Bool(true) => words::YES.to_owned(),
        Value::Bool(false) => words::NO.to_owned(),
        Value::Number(number) => match number.as_i64() {
            Some(number) if number > 0 && may_be_negative => format!("+{number}"),
            Some(number) if number < 0 => format!("−{}", number.unsigned_abs()),
            _ => number.to_string(),
        },
        Value::String(text) if is_free => text.clone(),
        Value::String(code) => words::titled(code),
        Value::Array(values) => {
            let texts: Vec<String> =
                values.iter().filter_map(|value| text(attribute, value)).collect();
            if texts.is_empty() {
                return None;
            }
            texts.join(", ")
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_become_text_and_missing_ones_are_left_out() {
        let Value::Object(attributes) = json!({
            "attack": 300, "boost": -5, "subtypes": ["reptile", "x"], "none": [], "null": null, "open": true, "face": "<b>"
        }) else {
            panic!("an object")
        };
        let facts = facts(None, &attributes);
        let texts: Vec<(&str, &str)> =
            facts.iter().map(|fact| (fact.label.as_str(), fact.value.as_str())).collect();
        let all = [
            ("Face", "<b>"),
            ("Open", "Yes"),
            ("Subtypes", "reptile, x"),
            ("Attack", "300"),
            ("Boost", "−5"),
        ];
        assert_eq!(texts, all);
    }
}
