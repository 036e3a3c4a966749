//! Members of JSON that are the name of a card and its quantity, `"Salt": 4` or `"Salt": {"quantity": 4}`, and members of other names that hold entries.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::json_entries::{JsonEntry, QUANTITIES, entry, member};
use super::json_fault::JsonFault;
use super::zones::Place;
use crate::deck::DeckEntry;

/// Members that state a fact about a list, in lower case without `_` and `-`. Beside lists they are no cards.
const FACTS: [&str; 53] = [
    "amount",
    "author",
    "authorid",
    "authors",
    "bookmarks",
    "colors",
    "comments",
    "cost",
    "count",
    "created",
    "createdat",
    "date",
    "description",
    "favorites",
    "format",
    "game",
    "hash",
    "id",
    "lang",
    "language",
    "likes",
    "link",
    "losses",
    "name",
    "note",
    "notes",
    "owner",
    "power",
    "price",
    "private",
    "public",
    "qty",
    "quantity",
    "rating",
    "revision",
    "score",
    "size",
    "source",
    "status",
    "tags",
    "title",
    "total",
    "type",
    "updated",
    "updatedat",
    "uri",
    "url",
    "user",
    "value",
    "version",
    "views",
    "visibility",
    "year",
];

/// The members of an object that may be cards.
pub(super) struct Counts {
    /// The entries, and whether their names are rather those of facts.
    found: Vec<(JsonEntry, bool)>,
    /// The entries in members whose names are those of no list and no zone. They belong to no known part of the deck, but are not left out silently.
    outside: Vec<JsonEntry>,
    /// What is wrong with the first other member that has a number or a text.
    fault: Option<JsonFault>,
    /// Whether the object has only such members.
    pub(super) are_alone: bool,
    /// Whether another member has the cards of the main deck.
    pub(super) has_main: bool,
}

impl Default for Counts {
    fn default() -> Self {
        let (found, outside) = (Vec::new(), Vec::new());
        Self { found, outside, fault: None, are_alone: true, has_main: false }
    }
}

impl Counts {
    /// Adds a member of an object; `place`: that of the object. `holds_cards`: whether an object in it may be an entry.
    pub(super) fn add(
        &mut self,
        key: String,
        value: Option<Value>,
        (place, holds_cards): (&Place, bool),
    ) {
        let is_fact = is_fact(&key);
        let mut members = match value {
            Some(Value::Object(members)) if holds_cards && is_entry(&members) => members,
            Some(count @ (Value::Number(_) | Value::String(_))) if !QUANTITIES.contains(&&*key) => {
                let is_number = count.is_number();
                let mut members = Map::new();
                members.insert(QUANTITIES[0].to_owned(), count);
                if !is_number && entry(&members, place).is_err() {
                    self.are_alone = false;
                }
                members
            }
            other => {
                self.are_alone = false;
                if let Some(value) = other.filter(|_| !is_fact) {
                    self.outside.extend(entries_in(&value).into_iter().map(outside));
                }
                return;
            }
        };
        if member(&members, &["name", "card"]).is_none() {
            members.insert("name".to_owned(), Value::String(key));
        }
        match entry(&members, place) {
            Ok(entry) => {
                let is_outside = *place == Place::Outside;
                let labels = Vec::new();
                let entry = JsonEntry { entry, exact: false, is_outside, labels };
                self.found.push((entry, is_fact));
            }
            Err(fault) if !is_fact => {
                self.fault.get_or_insert(fault);
            }
            Err(_) => {}
        }
    }

    /// Takes the entries that belong to no known part of the deck.
    pub(super) fn take_outside(&mut self) -> Vec<JsonEntry> {
        std::mem::take(&mut self.outside)
    }

    /// The entries. Beside the cards of the main deck they do not belong to it, but are not left out silently, unless the object only describes a deck:
    /// `holds_cards` says that it does not. `has_lists`: it has lists of entries.
    pub(super) fn entries(
        self,
        holds_cards: bool,
        has_lists: bool,
    ) -> Result<Vec<JsonEntry>, JsonFault> {
        let Self { found, fault, are_alone, has_main, .. } = self;
        if !holds_cards && (has_main || !(are_alone || has_lists)) {
            return Ok(Vec::new());
        }
        let are_cards = found.iter().any(|(_, is_fact)| !is_fact);
        if let Some(fault) = fault.filter(|_| holds_cards)
            && !has_main
            && (are_cards || are_alone)
        {
            return Err(fault);
        }
        let is_card = |(_, is_fact): &(JsonEntry, bool)| !is_fact || (are_alone && holds_cards);
        let entries = found
            .into_iter()
            .filter(is_card)
            .map(|(entry, _)| JsonEntry { is_outside: entry.is_outside || has_main, ..entry });
        Ok(entries.collect())
    }
}

/// Whether an object is an entry. A board of Moxfield has the number of its cards beside them.
fn is_entry(members: &Map<String, Value>) -> bool {
    let is_list = |value: &Value| value.is_object() || value.is_array();
    member(members, &QUANTITIES).is_some() && !members.get("cards").is_some_and(is_list)
}

/// The entries in a member whose name is that of no list and no zone: objects with a quantity and a card, or names and quantities, also inside each other.
fn entries_in(value: &Value) -> Vec<DeckEntry> {
    let members = match value {
        Value::Array(elements) => return elements.iter().flat_map(entries_in).collect(),
        Value::Object(members) => members,
        _ => return Vec::new(),
    };
    if is_entry(members) && member(members, &["name", "card"]).is_some() {
        return entry(members, &Place::Outside).into_iter().collect();
    }
    let parts = || members.iter().filter(|(name, _)| !is_fact(name));
    let counted: Option<Vec<DeckEntry>> =
        parts().map(|(name, value)| counted(name, value)).collect();
    counted.unwrap_or_else(|| parts().flat_map(|(_, value)| entries_in(value)).collect())
}

/// The entry of a name and its quantity.
fn counted(name: &str, value: &Value) -> Option<DeckEntry> {
    let mut found = match value {
        Value::Object(members) if is_entry(members) => entry(members, &Place::Outside).ok()?,
        Value::Number(_) | Value::String(_) => {
            let count = Map::from_iter([(QUANTITIES[0].to_owned(), value.clone())]);
            entry(&count, &Place::Outside).ok()?
        }
        _ => return None,
    };
    if found.card.name.is_empty() {
        name.clone_into(&mut found.card.name);
    }
    Some(found)
}

/// An entry that does not belong to the deck.
fn outside(entry: DeckEntry) -> JsonEntry {
    JsonEntry { entry, exact: false, is_outside: true, labels: Vec::new() }
}

/// Whether a member of this name states a fact about a list.
fn is_fact(key: &str) -> bool {
    let word: String = key.chars().filter(|letter| !"_-".contains(*letter)).collect();
    let is_ending = ["Id", "_id", "Count", "_count"].iter().any(|ending| key.ends_with(ending));
    FACTS.contains(&word.to_lowercase().as_str()) || (is_ending && !key.contains(' '))
}

/// Reads a member of an object; `None`: it can be no quantity, and holds no entries.
pub(super) struct MemberReader {
    /// Whether a text may be a quantity.
    pub(super) holds_cards: bool,
}

impl<'de> DeserializeSeed<'de> for MemberReader {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Option<Value>, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MemberReader {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a member")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Option<Value>, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = object.next_entry::<String, Value>()? {
            members.insert(name, value);
        }
        Ok(Some(Value::Object(members)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Option<Value>, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = array.next_element::<Value>()? {
            elements.push(element);
        }
        Ok(Some(Value::Array(elements)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Option<Value>, E> {
        Ok(self.holds_cards.then(|| Value::from(text)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Option<Value>, E> {
        Ok(Some(Value::from(number)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Option<Value>, E> {
        Ok(Some(Value::from(number)))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Option<Value>, E> {
        Ok(Some(Value::from(number)))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<Value>, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<Value>, E> {
        Ok(None)
    }
}
