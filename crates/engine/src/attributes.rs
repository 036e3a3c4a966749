//! Attributes of cards and printings.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// Values by attribute code, in order of the codes: a JSON object with few members.
///
/// It is used like a [`Map`], but takes a small part of its memory: each map allocates a node with room for eleven members, and a catalogue in memory
/// has one map for every printing of a card. Cards of a [`PreparedCard`](crate::PreparedCard) share the codes with their game.
///
/// ```
/// use cardscape_engine::Attributes;
/// use serde_json::json;
///
/// let mut attributes: Attributes = serde_json::from_value(json!({"size": 3, "kind": "fish"}))?;
/// assert_eq!(attributes.get("size"), Some(&json!(3)));
/// attributes.insert("size", json!(4));
/// assert_eq!(serde_json::to_string(&attributes)?, r#"{"kind":"fish","size":4}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Attributes(Vec<(Arc<str>, Value)>);

/// Up to this many attributes, it is faster to compare whether codes are equal, which most are not even in length, than to compare their order.
const FEW: usize = 8;

/// Attributes with their values, in order of the codes.
pub type AttributeIter<'a> = std::iter::Map<
    std::slice::Iter<'a, (Arc<str>, Value)>,
    fn(&'a (Arc<str>, Value)) -> (&'a str, &'a Value),
>;

fn member((code, value): &(Arc<str>, Value)) -> (&str, &Value) {
    (code, value)
}

impl Attributes {
    /// No attributes.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Members in any order; the last one of each code counts. They are sorted once, so that the time stays bounded for many members.
    fn from_members(mut members: Vec<(Arc<str>, Value)>) -> Self {
        members.reverse();
        members.sort_by(|(left, _), (right, _)| left.cmp(right));
        members.dedup_by(|(later, _), (kept, _)| later == kept);
        members.shrink_to_fit();
        Self(members)
    }

    fn place(&self, code: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(own, _)| (**own).cmp(code))
    }

    /// The value of an attribute.
    pub fn get(&self, code: &str) -> Option<&Value> {
        if self.0.len() <= FEW {
            return self.0.iter().find(|(own, _)| **own == *code).map(|(_, value)| value);
        }
        self.place(code).ok().map(|at| &self.0[at].1)
    }

    /// Whether there is a value for the attribute, even if it is `null`.
    pub fn contains_key(&self, code: &str) -> bool {
        self.get(code).is_some()
    }

    /// Sets the value of an attribute, and returns its previous value.
    pub fn insert(&mut self, code: impl Into<Arc<str>>, value: Value) -> Option<Value> {
        let code = code.into();
        match self.place(&code) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (code, value));
                None
            }
        }
    }

    /// Removes an attribute, and returns its value.
    pub fn remove(&mut self, code: &str) -> Option<Value> {
        self.place(code).ok().map(|at| self.0.remove(at).1)
    }

    /// Keeps the attributes for which the predicate is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Value) -> bool) {
        self.0.retain(|(code, value)| keep(code, value));
    }

    /// Number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The attributes, in order of their codes.
    pub fn iter(&self) -> AttributeIter<'_> {
        self.0.iter().map(member)
    }

    /// The codes, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(code, _)| &**code)
    }

    /// The values, in order of the codes.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Replaces the codes by those of `known` that are equal, so that each code is in memory once.
    pub(crate) fn share_codes(&mut self, known: &BTreeSet<Arc<str>>) {
        for (code, _) in &mut self.0 {
            if let Some(shared) = known.get(&**code) {
                *code = Arc::clone(shared);
            }
        }
    }

    /// The attributes as the members of a JSON object.
    pub fn to_map(&self) -> Map<String, Value> {
        self.iter().map(|(code, value)| (code.to_owned(), value.clone())).collect()
    }
}

impl fmt::Debug for Attributes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.iter()).finish()
    }
}

impl<C: Into<Arc<str>>> FromIterator<(C, Value)> for Attributes {
    fn from_iter<T: IntoIterator<Item = (C, Value)>>(values: T) -> Self {
        let values = values.into_iter().map(|(code, value)| (code.into(), value));
        Self::from_members(values.collect())
    }
}

impl<C: Into<Arc<str>>> Extend<(C, Value)> for Attributes {
    fn extend<T: IntoIterator<Item = (C, Value)>>(&mut self, values: T) {
        let mut members = std::mem::take(&mut self.0);
        members.extend(values.into_iter().map(|(code, value)| (code.into(), value)));
        *self = Self::from_members(members);
    }
}

impl IntoIterator for Attributes {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Attributes {
    type Item = (&'a str, &'a Value);
    type IntoIter = AttributeIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Map<String, Value>> for Attributes {
    fn from(map: Map<String, Value>) -> Self {
        map.into_iter().collect()
    }
}

impl From<Attributes> for Map<String, Value> {
    fn from(attributes: Attributes) -> Self {
        attributes.0.into_iter().map(|(code, value)| (code.as_ref().to_owned(), value)).collect()
    }
}

/// Panics if there is no such attribute.
impl Index<&str> for Attributes {
    type Output = Value;

    fn index(&self, code: &str) -> &Value {
        self.get(code).expect("the attribute has a value")
    }
}

impl Serialize for Attributes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Attributes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Attributes;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Attributes, A::Error> {
                let mut all = Vec::new();
                while let Some((code, value)) = members.next_entry::<String, Value>()? {
                    all.push((code.into(), value));
                }
                Ok(Attributes::from_members(all))
            }
        }

        deserializer.deserialize_map(Members)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    proptest! {
        #[test]
        fn are_like_a_map(
            members in prop::collection::vec(("[a-e]{0,2}", any::<i64>()), 0..20),
            removed in "[a-e]{0,2}",
        ) {
            let mut attributes = Attributes::new();
            let mut map = Map::new();
            for (code, value) in members {
                attributes.insert(code.as_str(), json!(value));
                map.insert(code, json!(value));
            }
            prop_assert_eq!(attributes.remove(&removed), map.remove(&removed));
            prop_assert_eq!(attributes.get(&removed), None);
            prop_assert_eq!(attributes.len(), map.len());
            prop_assert!(attributes.keys().eq(map.keys()));
            prop_assert!(attributes.values().eq(map.values()));
            prop_assert_eq!(&attributes.to_map(), &map);
            prop_assert_eq!(&Attributes::from(map.clone()), &attributes);
            let text = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(&serde_json::to_string(&attributes).unwrap(), &text);
            prop_assert_eq!(&serde_json::from_str::<Attributes>(&text).unwrap(), &attributes);
            prop_assert_eq!(&Map::from(attributes), &map);
        }
    }

    #[test]
    fn added_members_replace_those_of_the_same_code() {
        let pairs = |pairs: &[(&'static str, i64)]| -> Vec<(&'static str, Value)> {
            pairs.iter().map(|(code, value)| (*code, json!(value))).collect()
        };
        let mut attributes: Attributes =
            pairs(&[("b", 1), ("a", 2), ("b", 3)]).into_iter().collect();
        attributes.extend(pairs(&[("c", 4), ("a", 5), ("c", 6)]));
        assert_eq!(Value::from(attributes.to_map()), json!({"a": 5, "b": 3, "c": 6}));
        attributes.retain(|code, value| code != "a" && *value != 6);
        assert_eq!(Value::from(attributes.to_map()), json!({"b": 3}));
    }

    #[test]
    fn codes_of_the_game_are_shared() {
        let known: BTreeSet<Arc<str>> = ["size".into(), "kind".into()].into();
        let mut attributes: Attributes =
            [("size", json!(3)), ("own", json!(1))].into_iter().collect();
        let before = attributes.clone();
        attributes.share_codes(&known);
        assert_eq!(attributes, before);
        let shared = |code: &str| {
            known
                .get(code)
                .is_some_and(|known| attributes.0.iter().any(|(own, _)| Arc::ptr_eq(own, known)))
        };
        assert!(shared("size") && !shared("own") && !shared("kind"));
    }

    #[test]
    fn the_last_of_two_equal_members_counts() {
        let attributes: Attributes = serde_json::from_str(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(attributes.to_map(), serde_json::from_str(r#"{"a": 3, "b": 2}"#).unwrap());
    }

    #[test]
    fn only_objects_are_read() {
        assert!(serde_json::from_str::<Attributes>("[]").is_err());
        assert!(serde_json::from_str::<Attributes>("null").is_err());
    }
}
