//! Reads set files tolerantly: one wrong value does not hide later faults.
//!
//! The text is first parsed to a JSON document, and then its structure is checked against [`SET`]. Cards without a structural fault become
//! [`CardDefinition`]s, even if other cards have faults.

use std::fmt;

use cardscape_engine::{CardDefinition, Position, SetDefinition};
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::json_places::{TextPlace, places};
use crate::domain::json_errors;
use crate::domain::pointer::push_token;

/// Most structural faults that are listed: a file of another kind can have millions.
const MAX_FAULTS: usize = 10_000;

/// Limit on the memory for reading a file: `MEMORY_FACTOR` bytes for each byte of the file, plus `MEMORY_BASE`. A set of cards takes half of this, whereas a
/// file of small objects could take three times as much.
const MEMORY_FACTOR: usize = 32;
const MEMORY_BASE: usize = 4 * 1024 * 1024;
/// Approximate memory of an object, for every six members.
const OBJECT: usize = 640;
/// Approximate memory of a value or a fault, without its texts.
const ITEM: usize = 64;
/// Longest text, in bytes: no text of a card may be longer than 2,000 characters.
const MAX_TEXT: usize = 20_000;
/// Longest name of a member, in bytes.
const MAX_KEY: usize = 200;
/// Most entries of a list, or members of an object, except for the list of cards.
const MAX_ENTRIES: usize = 1_000;
/// Most bytes of a request with a single card, or a part of one.
const MAX_PATCH: usize = 256 * 1024;
/// The depth of the list of cards in a file.
const CARDS_DEPTH: usize = 1;

/// A set file, as far as it could be read.
#[derive(Debug)]
pub struct SetFile {
    /// The set with its readable cards. Fields of the set that could not be read are empty.
    pub set: SetDefinition,
    /// The place of each readable card in the file's list.
    pub places: Vec<usize>,
    /// What is wrong with the structure: JSON pointer and message.
    pub faults: Vec<(String, String)>,
    /// The position of the last fault, if the file could not be read further.
    pub stopped_at: Option<Position>,
    document: Value,
}

impl SetFile {
    /// Reads a file.
    pub fn read(text: &str) -> Self {
        let mut walk = Walk::through(text.len());
        let mut reader = serde_json::Deserializer::from_str(text);
        let read = Document(&mut walk).deserialize(&mut reader);
        let document = match read.and_then(|document| reader.end().map(|()| document)) {
            Ok(document) => document,
            Err(error) => return walk.stop(text, &error),
        };
        walk.object(&document, SET);
        walk.finish(document)
    }

    /// Number and name of the card that a pointer leads to, as far as they can be read.
    pub fn card_at(&self, pointer: &str) -> Option<(Option<String>, Option<String>)> {
        let at: usize = pointer.strip_prefix("/cards/")?.split('/').next()?.parse().ok()?;
        let card = self.document.get("cards")?.get(at)?;
        // Every fault of the card repeats these texts, so they are cut.
        let brief = |text: &str| text.trim().chars().take(MAX_KEY).collect();
        let text = |key: &str| Some(brief(card.get(key)?.as_str()?));
        let known = (text("number"), text("name"));
        (known != (None, None)).then_some(known)
    }

    /// Whether a field of the set itself could be read.
    pub fn has_text(&self, key: &str) -> bool {
        self.document.get(key).is_some_and(Value::is_string)
    }

    /// Whether the file lists any card, readable or not.
    pub fn lists_cards(&self) -> bool {
        match self.document.get("cards") {
            Some(Value::Array(cards)) => !cards.is_empty(),
            // A missing list is already reported.
            _ => true,
        }
    }
}

/// The required form of a value.
enum Shape {
    Text,
    Flag,
    /// A threshold of unlocks. Its range is checked with the rules.
    Count,
    /// An object with any members; the game defines which are allowed.
    Free,
    List(&'static [Field]),
}

/// A member of an object.
struct Field {
    key: &'static str,
    need: Presence,
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    /// May be absent.
    Optional,
    /// May be absent or `null`.
    Nullable,
}

const fn field(key: &'static str, need: Presence, shape: Shape) -> Field {
    Field { key, need, shape }
}

/// The structure of a set file; a test compares it with [`SetDefinition`].
const SET: &[Field] = &[
    field("code", Presence::Required, Shape::Text),
    field("name", Presence::Required, Shape::Text),
    field("released_on", Presence::Nullable, Shape::Text),
    field("hidden", Presence::Nullable, Shape::Flag),
    field("unlock_threshold", Presence::Nullable, Shape::Count),
    field("cards", Presence::Required, Shape::List(CARD)),
];

const CARD: &[Field] = &[
    field("number", Presence::Required, Shape::Text),
    field("name", Presence::Required, Shape::Text),
    field("kind", Presence::Required, Shape::Text),
    field("attributes", Presence::Optional, Shape::Free),
    field("effects", Presence::Optional, Shape::List(EFFECT)),
    field("lore", Presence::Nullable, Shape::Text),
    field("printings", Presence::Optional, Shape::List(PRINTING)),
];

const EFFECT: &[Field] = &[
    field("style", Presence::Nullable, Shape::Text),
    field("slot", Presence::Nullable, Shape::Text),
    field("text", Presence::Required, Shape::Text),
];

const PRINTING: &[Field] = &[
    field("rarity", Presence::Required, Shape::Text),
    field("attributes", Presence::Optional, Shape::Free),
];

/// A walk through a document, with its position and findings.
#[derive(Default)]
struct Walk {
    pointer: String,
    /// Depth of the position.
    depth: usize,
    /// Bytes of memory that remain.
    room: usize,
    faults: Vec<(String, String)>,
    /// Number of faults beyond [`MAX_FAULTS`].
    more: usize,
    /// Places of cards with a structural fault, in order.
    broken_cards: Vec<usize>,
    /// The pointer of the value that could not be read.
    unreadable: Option<String>,
}

impl Walk {
    /// A walk through a file of `bytes` bytes of JSON.
    fn through(bytes: usize) -> Self {
        Self { room: MEMORY_BASE + MEMORY_FACTOR * bytes, ..Self::default() }
    }

    fn fault(&mut self, message: String) {
        let taken = self.pointer.len() + message.len() + ITEM;
        if self.faults.len() < MAX_FAULTS && self.room >= taken {
            self.room -= taken;
            self.faults.push((self.pointer.clone(), message));
        } else {
            self.more += 1;
        }
    }

    /// Takes memory for a value.
    fn take<E: de::Error>(&mut self, bytes: usize) -> Result<(), E> {
        let room = self.room.checked_sub(bytes);
        self.room = room.ok_or_else(|| {
            E::custom("so many small objects and lists take more memory than a set of cards may")
        })?;
        Ok(())
    }

    /// Takes memory for a text or the name of a member, which may have at most `most` bytes.
    fn take_text<E: de::Error>(&mut self, text: &str, most: usize) -> Result<(), E> {
        if text.len() > most {
            return Err(E::custom(format!("a text of {} bytes; {most} are the most", text.len())));
        }
        self.take(ITEM + text.len())
    }

    /// Takes memory for one more entry of a list, or member of an object, that has `count` already.
    fn take_entry<E: de::Error>(&mut self, count: usize) -> Result<(), E> {
        if count >= MAX_ENTRIES && self.depth != CARDS_DEPTH {
            return Err(E::custom(format!(
                "more than {MAX_ENTRIES} entries in one list or object"
            )));
        }
        self.take(ITEM)
    }

    /// Runs `there` one step deeper in the document.
    fn within<R>(&mut self, token: &str, there: impl FnOnce(&mut Self) -> R) -> R {
        let length = self.pointer.len();
        push_token(&mut self.pointer, token);
        self.depth += 1;
        let result = there(self);
        self.depth -= 1;
        self.pointer.truncate(length);
        result
    }

    /// Number of faults so far, listed or only counted.
    fn found(&self) -> usize {
        self.faults.len() + self.more
    }

    fn object(&mut self, value: &Value, fields: &[Field]) {
        let Some(members) = value.as_object() else {
            return self.fault(must_be("an object", value));
        };
        for known in fields {
            match members.get(known.key) {
                Some(Value::Null) if known.need == Presence::Nullable => {}
                Some(value) => self.within(known.key, |walk| walk.shape(value, &known.shape)),
                None if known.need == Presence::Required => {
                    self.fault(format!("lacks {:?}", known.key));
                }
                None => {}
            }
        }
        for key in members.keys() {
            if !fields.iter().any(|known| known.key == key) {
                let known: Vec<&str> = fields.iter().map(|field| field.key).collect();
                let message = format!("unknown key; known are {}", known.join(", "));
                self.within(key, |walk| walk.fault(message));
            }
        }
    }

    fn shape(&mut self, value: &Value, shape: &Shape) {
        let wanted = match (shape, value) {
            (Shape::Text, Value::String(_))
            | (Shape::Flag, Value::Bool(_))
            | (Shape::Free, Value::Object(_)) => return,
            (Shape::Count, value) if value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()) => {
                return;
            }
            (Shape::List(fields), Value::Array(items)) => return self.list(items, fields),
            (Shape::Text, _) => "text",
            (Shape::Flag, _) => "true or false",
            (Shape::Count, _) => "a whole number from 1 to 100000",
            (Shape::Free, _) => "an object",
            (Shape::List(_), _) => "a list",
        };
        self.fault(must_be(wanted, value));
    }

    fn list(&mut self, items: &[Value], fields: &[Field]) {
        for (at, item) in items.iter().enumerate() {
            let before = self.found();
            self.within(&at.to_string(), |walk| walk.object(item, fields));
            if self.pointer == "/cards" && self.found() > before {
                self.broken_cards.push(at);
            }
        }
    }

    /// The file, which can be read only as far as to an error.
    fn stop(mut self, text: &str, error: &serde_json::Error) -> SetFile {
        let reason = json_errors::in_words(error);
        // A syntax error is not about a value.
        let is_about_value = error.is_data() || reason == "number out of range";
        let pointer = self.unreadable.take().filter(|_| is_about_value).unwrap_or_default();
        let place = places(text, &[pointer.as_str()]).pop().flatten();
        let stopped_at = match place.filter(|_| is_about_value) {
            Some(TextPlace { line, column }) => Position { line, column },
            None => json_errors::position_of(text.as_bytes(), error),
        };
        let reason = if error.is_eof() { CUT.to_owned() } else { reason };
        let mut file = self.finish(Value::Null);
        // However many faults there are, this one is listed, as the last: nothing after it could be read.
        file.faults.push((pointer, reason));
        SetFile { stopped_at: Some(stopped_at), ..file }
    }

    fn finish(mut self, document: Value) -> SetFile {
        if self.more > 0 {
            self.faults.push((String::new(), format!("{} further faults like these", self.more)));
        }
        let text = |key: &str| document.get(key).and_then(Value::as_str).map(str::to_owned);
        let threshold = document.get("unlock_threshold").and_then(Value::as_u64);
        let listed = document.get("cards").and_then(Value::as_array);
        let (places, cards) = listed
            .into_iter()
            .flatten()
            .enumerate()
            .filter(|(at, _)| self.broken_cards.binary_search(at).is_err())
            .filter_map(|(at, card)| {
                let card: Result<CardDefinition, _> = serde::Deserialize::deserialize(card);
                // A card that fits the structure but that the engine cannot read is a fault as well.
                card.map_err(|error| {
                    self.faults.push((format!("/cards/{at}"), error.to_string()));
                })
                .ok()
                .map(|card| (at, card))
            })
            .unzip();
        let set = SetDefinition {
            code: text("code").unwrap_or_default(),
            name: text("name").unwrap_or_default(),
            released_on: text("released_on"),
            hidden: document.get("hidden").and_then(Value::as_bool),
            unlock_threshold: threshold.and_then(|threshold| threshold.try_into().ok()),
            cards,
        };
        SetFile { set, places, faults: self.faults, stopped_at: None, document }
    }
}

/// The message about a text that is only the beginning of a JSON document, or empty.
const CUT: &str = "the file ends before its JSON is complete";

/// The message about a value of another type than the wanted one. Values are not repeated, because they may be secrets. An
/// exception is a number in place of another sort of number: “a whole number, not a number” would contradict itself.
pub fn must_be(wanted: &str, value: &Value) -> String {
    match value {
        Value::Number(number) if wanted.contains("number") => {
            format!("must be {wanted}, not {number}")
        }
        _ => format!("must be {wanted}, not {}", type_name(value)),
    }
}

/// The type of a value, for messages.
fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A JSON pointer and a message.
type Fault = (String, String);

/// Reads any JSON document; also returns a fault for each key that occurs twice in an object.
pub fn read_document<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<(Value, Vec<Fault>), D::Error> {
    let mut walk = Walk::through(MAX_PATCH);
    let document = Document(&mut walk).deserialize(deserializer)?;
    Ok((document, walk.faults))
}

/// Reads any JSON value, and records keys that occur twice in an object; [`Value`] would silently use the last of them.
struct Document<'a>(&'a mut Walk);

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let Self(walk) = self;
        let read = deserializer.deserialize_any(Document(&mut *walk));
        // The innermost value fails first.
        if read.is_err() && walk.unreadable.is_none() {
            walk.unreadable = Some(walk.pointer.clone());
        }
        read
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        let number = serde_json::Number::from_f64(value);
        number.map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        self.0.take_text(value, MAX_TEXT)?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let place = list.len().to_string();
            let item = self.0.within(&place, |walk| items.next_element_seed(Document(walk)))?;
            match item {
                Some(item) => {
                    self.0.take_entry(list.len())?;
                    list.push(item);
                }
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            self.0.take_entry(object.len())?;
            self.0.take_text(&key, MAX_KEY)?;
            if object.len().is_multiple_of(6) {
                self.0.take(OBJECT)?;
            }
            let value = self.0.within(&key, |walk| {
                if object.contains_key(&key) {
                    walk.fault("the key stands twice".to_owned());
                }
                members.next_value_seed(Document(walk))
            })?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(text: &str) -> Vec<(String, String)> {
        SetFile::read(text).faults
    }

    fn pointers(file: &Value) -> Vec<String> {
        faults(&file.to_string()).into_iter().map(|(pointer, _)| pointer).collect()
    }

    fn full() -> Value {
        json!({
            "code": "a", "name": "A", "released_on": "2026-01-01", "hidden": true, "unlock_threshold": 3,
            "cards": [{
                "number": "1", "name": "One", "kind": "k", "attributes": { "any": [{ "thing": null }] },
                "effects": [{ "style": "s", "slot": "t", "text": "Do." }], "lore": "Once.",
                "printings": [{ "rarity": "r", "attributes": { "x": 1 } }],
            }],
        })
    }

    /// Collects the pointers of all objects of a document.
    fn objects(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                found.push(at.to_owned());
                members
                    .iter()
                    .for_each(|(key, value)| objects(value, &format!("{at}/{key}"), found));
            }
            Value::Array(items) => items
                .iter()
                .enumerate()
                .for_each(|(index, item)| objects(item, &format!("{at}/{index}"), found)),
            _ => {}
        }
    }

    /// With any change to any member of a file, the structure accepts the file exactly if the engine's reader does.
    #[test]
    fn the_structure_equals_what_the_engine_reads() {
        let full = full();
        assert_eq!(faults(&full.to_string()), []);
        let read: SetDefinition = serde_json::from_value(full.clone()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), full, "every field is in the sample");
        assert_eq!(SetFile::read(&full.to_string()).set, read);
        let mut places = Vec::new();
        objects(&full, "", &mut places);
        let mut tried = 0;
        for place in places {
            let members = full.pointer(&place).unwrap().as_object().unwrap();
            for key in members.keys().map(String::as_str).chain(["colour"]) {
                let values = [
                    json!(null),
                    json!(5),
                    json!(-5),
                    json!("x"),
                    json!(false),
                    json!({}),
                    json!([]),
                ];
                for value in values.into_iter().map(Some).chain([None]) {
                    let mut spoiled = full.clone();
                    let members = spoiled.pointer_mut(&place).unwrap().as_object_mut().unwrap();
                    match value {
                        Some(value) => drop(members.insert(key.to_owned(), value)),
                        None => drop(members.remove(key)),
                    }
                    let engine = serde_json::from_value::<SetDefinition>(spoiled.clone());
                    let found = faults(&spoiled.to_string());
                    assert_eq!(
                        engine.is_err(),
                        !found.is_empty(),
                        "{spoiled}: {engine:?} {found:?}"
                    );
                    tried += 1;
                }
            }
        }
        assert!(tried > 200, "{tried}");
    }

    #[test]
    fn a_wrong_number_is_named_where_another_number_is_wanted() {
        for (value, message) in [
            (json!(2.5), "must be a whole number from 1 to 100000, not 2.5"),
            (json!(-1), "must be a whole number from 1 to 100000, not -1"),
            (json!("2"), "must be a whole number from 1 to 100000, not text"),
        ] {
            let mut file = full();
            file["unlock_threshold"] = value;
            let wanted = ("/unlock_threshold".to_owned(), message.to_owned());
            assert_eq!(faults(&file.to_string()), [wanted]);
        }
        let mut file = full();
        file["name"] = json!(7);
        let wanted = ("/name".to_owned(), "must be text, not a number".to_owned());
        assert_eq!(faults(&file.to_string()), [wanted]);
    }

    #[test]
    fn every_structural_fault_is_reported_and_valid_cards_are_read() {
        let file = json!({
            "name": 7, "colour": "red",
            "cards": [
                { "number": "1", "name": 5, "kind": "k" },
                { "number": "2", "name": "Two", "nme": "x", "kind": "k" },
                { "number": "3", "name": "Three", "kind": "k" },
                { "number": "4", "name": "Four", "kind": "k", "effects": [{ "text": [] }, 3] },
                null,
            ],
        });
        let found = pointers(&file);
        let wanted = [
            "",
            "/name",
            "/cards/0/name",
            "/cards/1/nme",
            "/cards/3/effects/0/text",
            "/cards/3/effects/1",
            "/cards/4",
            "/colour",
        ];
        assert_eq!(found, wanted);
        let read = SetFile::read(&file.to_string());
        assert_eq!(read.places, [2]);
        assert_eq!(read.set.cards[0].name, "Three");
        let card = |pointer: &str| read.card_at(pointer);
        assert_eq!(card("/cards/0/name"), Some((Some("1".to_owned()), None)));
        assert_eq!(card("/cards/3"), Some((Some("4".to_owned()), Some("Four".to_owned()))));
        assert_eq!((card("/cards/4"), card("/colour")), (None, None));
        assert_eq!(pointers(&json!([])), [""]);
    }

    #[test]
    fn duplicate_keys_are_faults_in_every_object() {
        let text = r#"{"code":"a","name":"A","name":"B","cards":[{"number":"1","name":"N","kind":"k",
            "attributes":{"thirst":99,"a/b":{"x":1,"x":1},"thirst":3}}]}"#;
        let found: Vec<String> = faults(text).into_iter().map(|(pointer, _)| pointer).collect();
        assert_eq!(found, ["/name", "/cards/0/attributes/a~1b/x", "/cards/0/attributes/thirst"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_to_its_end_has_the_position() {
        let long = "x".repeat(MAX_TEXT + 1);
        let lore = format!("{{\n \"cards\": [\n  {{\"name\": \"Ä\", \"lore\": \"{long}\"}}]}}");
        let key = format!("{{\"cards\": [{{\"{long}\": 1}}]}}");
        for (text, pointer, message, place) in [
            ("", "", CUT, (1, 1)),
            ("{\n", "", CUT, (2, 1)),
            ("{\n\"Ä\" 1}", "", "a `:` is missing after the name of a member", (2, 5)),
            ("[0, 1e999]", "/1", "number out of range", (1, 5)),
            (lore.as_str(), "/cards/0/lore", "a text of 20001 bytes; 20000 are the most", (3, 25)),
            (key.as_str(), "/cards/0", "a text of 20001 bytes; 200 are the most", (1, 12)),
        ] {
            let read = SetFile::read(text);
            assert_eq!(read.faults, [(pointer.to_owned(), message.to_owned())], "{text:.20}");
            let (line, column) = place;
            assert_eq!(read.stopped_at, Some(Position { line, column }), "{text:.20}");
        }
        for text in [r#"{"code":"a"} x"#, &"[".repeat(100_000)] {
            let read = SetFile::read(text);
            assert_eq!(read.faults.len(), 1);
            assert!(read.faults[0].0.is_empty() && !read.faults[0].1.contains(" line "));
            assert_eq!(read.stopped_at.map(|position| position.line), Some(1));
        }
        assert_eq!(SetFile::read("{}").stopped_at, None);
    }

    #[test]
    fn limits_are_checked_while_a_file_is_read() {
        let only = |text: &str| {
            let found = faults(text);
            assert_eq!(found.len(), 1, "{:?}", &found[..found.len().min(3)]);
            found.into_iter().next().map(|(_, message)| message).unwrap_or_default()
        };
        let small = format!(r#"{{"cards":[{}0]}}"#, r#"{"":0},"#.repeat(100_000));
        assert!(only(&small).contains("more memory"), "{}", only(&small));
        let text = format!(r#"{{"name":"{}"}}"#, "x".repeat(MAX_TEXT + 1));
        assert!(only(&text).contains("a text of 20001 bytes"));
        let key = format!(r#"{{"{}":0}}"#, "x".repeat(MAX_KEY + 1));
        assert!(only(&key).contains("a text of 201 bytes"));
        let list = format!(r#"{{"cards":[{{"effects":[{}0]}}]}}"#, "0,".repeat(MAX_ENTRIES));
        assert!(only(&list).contains("more than 1000 entries"));
        // The list of cards itself may be longer.
        let cards = format!(r#"{{"cards":[{}0]}}"#, "0,".repeat(MAX_ENTRIES));
        assert!(faults(&cards).len() > MAX_ENTRIES);
        // Each fault of a card contains its name, but a long name is cut.
        let named = format!(r#"{{"cards":[{{"name":"{}"}}]}}"#, "x".repeat(MAX_TEXT));
        let (_, name) = SetFile::read(&named).card_at("/cards/0/kind").unwrap();
        assert_eq!(name.unwrap().len(), MAX_KEY);
    }

    #[test]
    fn the_list_of_faults_is_limited() {
        let found = faults(&format!(r#"{{"cards":[{}0]}}"#, "0,".repeat(20_000)));
        assert_eq!(found.len(), MAX_FAULTS + 1);
        assert!(found[MAX_FAULTS].1.starts_with("10003 further"), "{:?}", found[MAX_FAULTS]);
        // The reason why the file could not be read further is listed nevertheless, as the last fault.
        let cut = format!(r#"{{"cards":[{{{}"#, r#""a":0,"#.repeat(MAX_FAULTS + 3));
        let read = SetFile::read(&cut);
        assert_eq!(read.faults.len(), MAX_FAULTS + 2);
        let (_, counted) = &read.faults[MAX_FAULTS];
        assert!(counted.starts_with("2 further"), "{counted}");
        assert_eq!(read.faults.last().unwrap(), &(String::new(), CUT.to_owned()));
        assert_eq!(read.stopped_at.map(|position| position.line), Some(1));
    }
}
