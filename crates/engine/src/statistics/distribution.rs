//! How the cards of a deck are spread over the values of an attribute.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;

use super::curve::NumberSummary;
use super::probability::float;

/// How the known cards of a zone are spread over the values of one attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Distribution {
    /// Copies that have a value.
    pub with_value: u64,
    /// Copies that have none: the card lacks the attribute, or the deck does not write it (rarities).
    pub without: u64,
    /// Copies of which it is not known: cards that the deck can mean have different values.
    pub unclear: u64,
    /// The values: numbers from small to large, those of a closed list in the order of the manifest, others from the most to the fewest
    /// copies. At most [`Self::VALUES_MAX`], those with the most copies. Of lists each element counts, once for each copy.
    pub values: Vec<ValueShare>,
    /// What the list leaves out; absent when it is complete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<OtherValues>,
    /// Curve, mean and median; absent when no copy has a whole number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberSummary>,
}

/// One value of an attribute.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(example = json!({ "value": "fire", "copies": 12, "share": { "numerator": 12, "denominator": 48, "value": 0.25 } }))
)]
#[non_exhaustive]
pub struct ValueShare {
    /// The value.
    pub value: Value,
    /// Copies that have it.
    pub copies: u64,
    /// Their share of the known cards of the zone.
    pub share: Share,
}

/// Values that are not listed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct OtherValues {
    /// How many different ones.
    pub values: u64,
    /// Copies that have one of them; of lists, a copy counts for each.
    pub copies: u64,
}

/// A share, as it was counted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Share {
    /// Copies that count.
    pub numerator: u64,
    /// All copies that are known; at least 1.
    pub denominator: u64,
    /// The quotient, from 0 to 1.
    #[cfg_attr(feature = "openapi", schema(example = 0.5))]
    pub value: f64,
}

impl Distribution {
    /// Maximum number of values that are listed.
    pub const VALUES_MAX: usize = 100;
}

/// A value that can be sorted: whole numbers by size, everything else by its text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Sortable {
    Number(i64),
    Text(String),
    /// Everything else, as JSON.
    Json(String),
}

impl Sortable {
    fn of(value: &Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text.clone()),
            other => other.as_i64().map_or_else(|| Self::Json(other.to_string()), Self::Number),
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Number(number) => number.into(),
            Self::Text(text) => text.into(),
            Self::Json(json) => serde_json::from_str(&json).unwrap_or(Value::String(json)),
        }
    }
}

/// Counts the copies of each value.
#[derive(Debug, Default)]
pub(super) struct ValueCounts {
    with_value: u64,
    without: u64,
    unclear: u64,
    counts: BTreeMap<Sortable, u64>,
    numbers: BTreeMap<i64, u64>,
}

impl ValueCounts {
    pub(super) fn add(&mut self, value: Option<&Value>, copies: u64) {
        let Some(value) = value else {
            self.without = self.without.saturating_add(copies);
            return;
        };
        self.with_value = self.with_value.saturating_add(copies);
        if let Value::Array(items) = value {
            for item in items.iter().map(Sortable::of).collect::<BTreeSet<_>>() {
                add(&mut self.counts, item, copies);
            }
            return;
        }
        if let Some(number) = value.as_i64() {
            add(&mut self.numbers, number, copies);
        }
        add(&mut self.counts, Sortable::of(value), copies);
    }

    pub(super) fn add_unclear(&mut self, copies: u64) {
        self.unclear = self.unclear.saturating_add(copies);
    }

    /// `known` is the number of all known copies, `order` the fixed list of values in the order of the manifest.
    pub(super) fn finish(self, known: u64, order: &[&str]) -> Distribution {
        let mut counts: Vec<(Sortable, u64)> = self.counts.into_iter().collect();
        // The sort is stable: values with equally many copies stay sorted.
        counts.sort_by_key(|(_, copies)| Reverse(*copies));
        let left_out = counts.split_off(counts.len().min(Distribution::VALUES_MAX));
        let place = |value: &Sortable| match value {
            Sortable::Text(text) => order.iter().position(|one| one == text),
            _ => None,
        };
        let is_number = |value: &Sortable| matches!(value, Sortable::Number(_));
        counts.sort_by_key(|(value, _)| {
            let number = if let Sortable::Number(number) = value { *number } else { 0 };
            (!is_number(value), number, place(value).unwrap_or(usize::MAX))
        });
        let share = |(value, copies): (Sortable, u64)| ValueShare {
            value: value.into_value(),
            copies,
            share: Share::of(copies, known),
        };
        let other = OtherValues {
            values: left_out.len() as u64,
            copies: left_out.iter().fold(0, |sum, (_, copies)| sum.saturating_add(*copies)),
        };
        Distribution {
            with_value: self.with_value,
            without: self.without,
            unclear: self.unclear,
            values: counts.into_iter().map(share).collect(),
            other: (other.values > 0).then_some(other),
            numbers: NumberSummary::of(&self.numbers),
        }
    }
}

impl Share {
    /// 0 of 0 copies is the share 0/1.
    fn of(copies: u64, known: u64) -> Self {
        let denominator = known.max(1);
        let value = float(copies) / float(denominator);
        Self { numerator: copies, denominator, value }
    }
}

fn add<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K, copies: u64) {
    let sum = counts.entry(key).or_default();
    *sum = sum.saturating_add(copies);
}
