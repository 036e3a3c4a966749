//! Checks that some card can meet a condition of a new manifest. A rule with a misspelt value would never apply, and nothing would say so.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::reader::Reader;
use crate::card_check::{first_letters, is_line};
use crate::characters::quoted;
use crate::near::{did_you_mean, near};
use crate::schema::{AttributeValue, Kind};
use crate::selector::Condition;

/// Most values that a message lists, and most values that are compared with a misspelt one.
const VALUES_MAX: usize = 12;
const COMPARED_MAX: usize = 100;
/// Most letters of each of them.
const LETTERS_MAX: usize = 64;
/// Most attributes that a message describes. Attributes of several kinds can have one name.
const FORMS_MAX: usize = 3;

/// Reports a condition on an attribute of these kinds that no card can meet. An unknown attribute is reported elsewhere.
pub(super) fn check_condition(
    reader: &Reader<'_>,
    name: &str,
    condition: &Condition,
    kinds: &[Kind],
) {
    let of_name = kinds.iter().filter_map(|kind| kind.attributes.get(name));
    let found: Vec<&AttributeValue> = of_name.map(|attribute| &attribute.value).collect();
    if found.is_empty() {
        return;
    }
    let place = format!("where.{name}");
    match condition {
        Condition::In(values) if values.is_empty() => {
            reader.fault(&place, "must have at least one value");
        }
        Condition::In(values) => {
            let possible = PossibleValues::of(&found);
            for (at, value) in values.iter().enumerate() {
                if !possible.have(value) {
                    let item = format!("{place}[{at}]");
                    let place = if values.len() > 1 { &item } else { &place };
                    report_value(reader, place, value, name, &found);
                }
            }
        }
        Condition::Between { min: Some(min), max: Some(max) } if min > max => {
            reader.fault(&format!("{place}.min"), "is above max");
        }
        Condition::Between { min, max } => {
            check_range(reader, &place, (*min, *max), name, &found);
        }
        Condition::Present(_) => {}
    }
}

/// Reports lines of the table of a total for values that its attribute never has.
pub(super) fn check_base(
    total: &Reader<'_>,
    by: Option<&str>,
    base: &BTreeMap<String, i64>,
    kind: &Kind,
) {
    let Some(by) = by else {
        if !base.is_empty() && !total.has("by") {
            total.fault("base", "needs `by`, the attribute whose values are its keys");
        }
        return;
    };
    let Some(attribute) = kind.attributes.get(by) else { return };
    if matches!(attribute.value, AttributeValue::Choices { .. }) {
        total.fault("by", "must be an attribute with one value, not a list");
        return;
    }
    let possible = PossibleValues::of(&[&attribute.value]);
    for key in base.keys() {
        let value = value_of_key(&attribute.value, key);
        if !possible.have(&value) {
            report_value(total, &format!("base.{key}"), &value, by, &[&attribute.value]);
        }
    }
}

/// The value that a key of a table stands for; a text if it is none of the attribute.
fn value_of_key(attribute: &AttributeValue, key: &str) -> Value {
    match (attribute, key) {
        (AttributeValue::Boolean, "true") => Value::Bool(true),
        (AttributeValue::Boolean, "false") => Value::Bool(false),
        (AttributeValue::Integer { .. }, _) => {
            // Numbers of cards are written without plus signs and without zeros before them.
            let number = key.parse::<i64>().ok().filter(|number| number.to_string() == key);
            number.map_or_else(|| key.into(), Value::from)
        }
        _ => key.into(),
    }
}

/// The values that cards can have for attributes of one name.
struct PossibleValues<'a> {
    /// Those of choices: a condition and a choice can have thousands each.
    listed: BTreeSet<&'a str>,
    /// The attributes without such values.
    unlisted: Vec<&'a AttributeValue>,
}

impl<'a> PossibleValues<'a> {
    fn of(found: &[&'a AttributeValue]) -> Self {
        let listed = found.iter().copied().flat_map(values_of).map(String::as_str).collect();
        let unlisted = found.iter().copied().filter(|one| values_of(one).is_empty()).collect();
        Self { listed, unlisted }
    }

    fn have(&self, value: &Value) -> bool {
        value.as_str().is_some_and(|text| self.listed.contains(text))
            || self.unlisted.iter().any(|one| can_be(one, value))
    }
}

/// The values of a choice; none for others.
fn values_of(attribute: &AttributeValue) -> &[String] {
    match attribute {
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => values,
        _ => &[],
    }
}

/// Whether a card can have this value, or a list with it, for an attribute without listed values.
fn can_be(attribute: &AttributeValue, value: &Value) -> bool {
    match (attribute, value) {
        (AttributeValue::Text { max_length }, Value::String(text)) => {
            is_line(text, *max_length as usize)
        }
        (AttributeValue::Integer { min, max }, Value::Number(number)) => {
            number.as_i64().is_some_and(|number| {
                min.is_none_or(|min| min <= number) && max.is_none_or(|max| number <= max)
            })
        }
        // The missing values of a choice are reported elsewhere.
        (AttributeValue::Boolean, Value::Bool(_))
        | (AttributeValue::Choice { .. } | AttributeValue::Choices { .. }, Value::String(_)) => {
            true
        }
        _ => false,
    }
}

/// Reports a value that no card can have for an attribute of this name.
fn report_value(
    reader: &Reader<'_>,
    place: &str,
    value: &Value,
    name: &str,
    found: &[&AttributeValue],
) {
    // Looking for similar values takes time, which is spent only on faults that are listed.
    if reader.is_full() {
        reader.fault(place, "");
        return;
    }
    let (shown, similar) = match value.as_str() {
        Some(text) => (quoted(first_letters(text, LETTERS_MAX)), similar_values(text, found)),
        None => (value.to_string(), String::new()),
    };
    let forms = forms(found);
    let name = quoted(name);
    reader
        .fault(place, format!("no card can have {shown} as its {name}, which is {forms}{similar}"));
}

fn check_range(
    reader: &Reader<'_>,
    place: &str,
    (min, max): (Option<i64>, Option<i64>),
    name: &str,
    found: &[&AttributeValue],
) {
    let bounds = |one: &&AttributeValue| match one {
        AttributeValue::Integer { min, max } => Some((*min, *max)),
        _ => None,
    };
    let integers: Vec<(Option<i64>, Option<i64>)> = found.iter().filter_map(bounds).collect();
    // No lower bound is below all numbers.
    let meets = |(lowest, highest): &(Option<i64>, Option<i64>)| {
        let low = min.max(*lowest);
        let high = [max, *highest].into_iter().flatten().min();
        low.zip(high).is_none_or(|(low, high)| low <= high)
    };
    let (name, forms) = (quoted(name), forms(found));
    if integers.is_empty() {
        let problem = format!(
            "a range is for whole numbers, but {name} is {forms}: write a value or a list of values"
        );
        reader.fault(place, problem);
    } else if !integers.iter().any(meets) {
        let problem =
            format!("no card can have a number in this range as its {name}, which is {forms}");
        reader.fault(place, problem);
    }
}

/// What values the attributes have, in words.
fn forms(found: &[&AttributeValue]) -> String {
    let forms: BTreeSet<String> = found.iter().take(VALUES_MAX).map(|one| form(one)).collect();
    forms.into_iter().take(FORMS_MAX).collect::<Vec<_>>().join(" or ")
}

fn form(attribute: &AttributeValue) -> String {
    match attribute {
        AttributeValue::Text { max_length } => {
            format!("a text of at most {max_length} characters")
        }
        AttributeValue::Integer { min, max } => match (min, max) {
            (Some(min), Some(max)) => format!("a whole number from {min} to {max}"),
            (Some(min), None) => format!("a whole number from {min} up"),
            (None, Some(max)) => format!("a whole number up to {max}"),
            (None, None) => "a whole number".to_owned(),
        },
        AttributeValue::Boolean => "true or false".to_owned(),
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => {
            let listed = values.iter().take(VALUES_MAX);
            let listed: Vec<&str> = listed.map(|value| first_letters(value, LETTERS_MAX)).collect();
            let more = match values.len() - listed.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            format!("one of {}{more}", listed.join(", "))
        }
    }
}

/// The values of choices that a misspelt one may mean, as the end of a message.
fn similar_values(text: &str, found: &[&AttributeValue]) -> String {
    let values = found.iter().copied().flat_map(values_of);
    let is_short = |text: &&str| text.chars().nth(LETTERS_MAX).is_none();
    let compared = values.take(COMPARED_MAX).map(String::as_str).filter(is_short);
    if is_short(&text) { did_you_mean(&near(text, compared)) } else { String::new() }
}
