//! Selectors: which cards a rule means.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::card::CardDefinition;
use crate::date::Date;
use crate::name::name_key;

/// A condition on a card. Every part that is present must hold; an empty selector selects every card.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Selector {
    /// The card's kind is one of these.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// The card is of one of these sets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<String>,
    /// The card's set was released in this span of days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released: Option<Released>,
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
    /// Position in the game's list of selectors, whose results a catalogue computes in advance.
    #[serde(skip)]
    pub(crate) index: usize,
    #[serde(skip)]
    pub(crate) name_keys: Vec<String>,
}

/// Equal if the conditions are equal. The position in the list does not count: several rules of a game can have the same selector.
impl PartialEq for Selector {
    fn eq(&self, other: &Self) -> bool {
        let Self { kinds, sets, released, names, attributes, any, not, index: _, name_keys: _ } =
            self;
        (kinds, sets, released, names, attributes, any, not)
            == (
                &other.kinds,
                &other.sets,
                &other.released,
                &other.names,
                &other.attributes,
                &other.any,
                &other.not,
            )
    }
}

/// A span of release days. A set that has no release day is in none.
///
/// There are no spans relative to the day of a report: rotations are announced by their days, so a rotating format states each as a rule with
/// `effective_from` and `effective_until`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Released {
    /// First day; `None`: from the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Date>,
    /// First day after the span; `None`: to the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Date>,
}

impl Released {
    /// Whether the day is in the span.
    pub fn contains(&self, day: Date) -> bool {
        self.from.is_none_or(|from| from <= day) && self.until.is_none_or(|until| day < until)
    }
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
    /// The attribute is present (or absent). An empty list and an empty text count as absent.
    Present(bool),
}

impl Selector {
    /// Whether the card is selected. `set` is the code of its set, `released_on` the release day of the set.
    pub fn matches(&self, card: &CardDefinition, set: &str, released_on: Option<Date>) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&card.kind))
            && (self.sets.is_empty() || self.sets.iter().any(|code| code == set))
            && self.released.is_none_or(|span| released_on.is_some_and(|day| span.contains(day)))
            && (self.name_keys.is_empty() || self.name_keys.contains(&name_key(&card.name)))
            && self.attributes.iter().all(|(code, wanted)| wanted.holds(card.attributes.get(code)))
            && (self.any.is_empty()
                || self.any.iter().any(|one| one.matches(card, set, released_on)))
            && self.not.as_ref().is_none_or(|not| !not.matches(card, set, released_on))
    }

    /// Whether it has no condition: then it selects every card.
    pub(crate) fn means_every_card(&self) -> bool {
        self.kinds.is_empty()
            && self.sets.is_empty()
            && self.released.is_none()
            && self.names.is_empty()
            && self.attributes.is_empty()
            && (self.any.is_empty() || self.any.iter().any(Self::means_every_card))
            && self.not.is_none()
    }

    /// Computes the keys of the names, for selectors that do not come from the reader of manifests.
    pub(crate) fn prepare(&mut self) {
        self.name_keys = self.names.iter().map(|name| name_key(name)).collect();
        self.any.iter_mut().for_each(Self::prepare);
        if let Some(not) = &mut self.not {
            not.prepare();
        }
    }

    /// Whether only the kind matters.
    pub(crate) fn is_by_kind(&self) -> bool {
        !self.kinds.is_empty()
            && self.sets.is_empty()
            && self.released.is_none()
            && self.names.is_empty()
            && self.attributes.is_empty()
            && self.any.is_empty()
            && self.not.is_none()
    }
}

impl Condition {
    fn holds(&self, value: Option<&Value>) -> bool {
        match (self, value) {
            (Self::Present(wanted), value) => value.is_some_and(is_something) == *wanted,
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

/// Whether an attribute has a value: null, an empty list and an empty text count as none.
pub fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => true,
    }
}
