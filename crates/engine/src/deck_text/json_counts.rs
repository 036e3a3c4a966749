//! Members of JSON that are the name of a card and its quantity: `"Salt": 4`, or `"Salt": {"quantity": 4}`.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::json_entries::{JsonEntry, QUANTITIES, entry, member};
use super::json_fault::JsonFault;
use super::zones::Place;

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
    /// What is wrong with the first other member that has a number or a text.
    fault: Option<JsonFault>,
    /// Whether the object has only such members.
    pub(super) are_alone: bool,
    /// Whether another member has the cards of the main deck.
    pub(super) has_main: bool,
}

impl Default for Counts {
    fn default() -> Self {
        Self { found: Vec::new(), fault: None, are_alone: true, has_main: false }
    }
}

impl Counts {
    /// Adds a member of an object; `place`: that of the object.
    pub(super) fn add(&mut self, key: String, value: Option<Value>, place: &Place) {
        let is_fact = is_fact(&key);
        let mut members = match value {
            // A board without cards, as Moxfield writes it.
            Some(Value::Object(members)) if members.get("cards").is_some_and(is_empty) => {
                self.are_alone = false;
                return;
            }
            Some(Value::Object(members)) if member(&members, &QUANTITIES).is_some() => members,
            Some(count @ (Value::Number(_) | Value::String(_))) if !QUANTITIES.contains(&&*key) => {
                let is_number = count.is_number();
                let mut members = Map::new();
                members.insert(QUANTITIES[0].to_owned(), count);
                if !is_number && entry(&members, place).is_err() {
                    self.are_alone = false;
                }
                members
            }
            _ => {
                self.are_alone = false;
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

    /// The entries. Beside the cards of the main deck they do not belong to it, but are not left out silently, unless the object only describes a deck:
    /// `holds_cards` says that it does not. `has_lists`: it has lists of entries.
    pub(super) fn entries(
        self,
        holds_cards: bool,
        has_lists: bool,
    ) -> Result<Vec<JsonEntry>, JsonFault> {
        let Self { found, fault, are_alone, has_main } = self;
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

/// Whether a list of cards is empty.
fn is_empty(cards: &Value) -> bool {
    cards.as_object().is_some_and(Map::is_empty) || cards.as_array().is_some_and(Vec::is_empty)
}

/// Whether a member of this name states a fact about a list.
fn is_fact(key: &str) -> bool {
    let word: String = key.chars().filter(|letter| !"_-".contains(*letter)).collect();
    let is_ending = ["Id", "_id", "Count", "_count"].iter().any(|ending| key.ends_with(ending));
    FACTS.contains(&word.to_lowercase().as_str()) || (is_ending && !key.contains(' '))
}

/// Reads a member of an object; `None`: it can be no quantity, and no entry.
pub(super) struct MemberReader {
    /// Whether an object may be an entry, and a text a quantity.
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
        if !self.holds_cards {
            while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(None);
        }
        let mut members = Map::new();
        while let Some((name, value)) = object.next_entry::<String, Value>()? {
            members.insert(name, value);
        }
        Ok(Some(Value::Object(members)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Option<Value>, A::Error> {
        while array.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
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
