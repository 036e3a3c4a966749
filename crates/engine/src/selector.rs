//! Selectors: which cards a rule means.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::card::CardDefinition;
use crate::name::name_key;

/// A condition on a card. Every part that is present must hold; an empty selector selects every card.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Selector {
    /// The card's kind is one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// The card is of one of these sets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// The card has one of these names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// Conditions on attributes.
    #[serde(rename = "where", skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Condition>,
    /// At least one of these selects the card.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub any: Vec<Selector>,
    /// This does not select the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not: Option<Box<Selector>>,
    /// Position in the game's list of selectors, whose answers a catalogue knows in advance.
    #[serde(skip)]
    pub(crate) index: usize,
    #[serde(skip)]
    pub(crate) name_keys: Vec<String>,
}

/// A condition on one attribute. A list attribute meets it when one of its items does.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Condition {
    /// The value is one of these.
    In(Vec<Value>),
    /// The value is an integer between these bounds, both included.
    Between {
        /// Smallest value.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<i64>,
        /// Largest value.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<i64>,
    },
    /// The attribute is present (or absent).
    Present(bool),
}

impl Selector {
    /// Whether the card of this set is selected.
    pub fn matches(&self, set: &str, card: &CardDefinition) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&card.kind))
            && (self.sets.is_empty() || self.sets.iter().any(|code| code == set))
            && (self.name_keys.is_empty() || self.name_keys.contains(&name_key(&card.name)))
            && self.attributes.iter().all(|(code, wanted)| wanted.holds(card.attributes.get(code)))
            && (self.any.is_empty() || self.any.iter().any(|one| one.matches(set, card)))
            && self.not.as_ref().is_none_or(|not| !not.matches(set, card))
    }

    /// Whether nothing but the kind matters.
    pub(crate) fn is_by_kind(&self) -> bool {
        !self.kinds.is_empty()
            && self.sets.is_empty()
            && self.names.is_empty()
            && self.attributes.is_empty()
            && self.any.is_empty()
            && self.not.is_none()
    }
}

impl Condition {
    fn holds(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Self::Present(wanted), value) => value.is_some() == *wanted,
            (_, None) => false,
            (_, Some(Value::Array(items))) => items.iter().any(|item| self.holds_for(item)),
            (_, Some(value)) => self.holds_for(value),
        }
    }

    fn holds_for(&self, value: &Value) -> bool {
        match self {
            Self::In(values) => values.contains(value),
            Self::Between { min, max } => value.as_i64().is_some_and(|number| {
                min.is_none_or(|min| number >= min) && max.is_none_or(|max| number <= max)
            }),
            Self::Present(wanted) => *wanted,
        }
    }
}
