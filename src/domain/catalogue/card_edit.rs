//! Edits of one stored card: a JSON merge patch (RFC 7396) on the card in the form of a set file, checked like an import.

use cardscape_engine::{CardDefinition, Game, SetDefinition};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde_json::{Map, Value, json};

use super::card_name::MAX_NAME;
use super::import::{
    self, ImportFault, SetImport, SourceFile, is_about_old_text, rule_faults, set_import,
    structural_faults,
};
use super::set_file::{SetFile, read_document};
use crate::domain::text;

/// A JSON merge patch: members to replace, with `null` for members to remove.
#[derive(Clone, Debug, PartialEq)]
pub struct MergePatch(Map<String, Value>);

/// Refuses keys that occur twice, because it is unclear which of the two values is meant.
impl<'de> Deserialize<'de> for MergePatch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (document, faults) = read_document(deserializer)?;
        if let Some((pointer, message)) = faults.first() {
            return Err(D::Error::custom(format!("{pointer}: {message}")));
        }
        match document {
            Value::Object(members) => Ok(Self(members)),
            _ => Err(D::Error::custom("must be an object")),
        }
    }
}

impl MergePatch {
    /// Applies the patch to a card and checks the result. Returns it as a set with this one card. Pointers of faults lead into the card.
    /// `set` is the code of its set, for messages.
    pub fn apply(
        &self,
        game: &Game,
        set: &str,
        before: &CardDefinition,
    ) -> Result<SetImport, Vec<ImportFault>> {
        let mut card = json!(before);
        merge(&mut card, &self.0);
        if card.get("number").and_then(Value::as_str) != Some(&before.number) {
            let message = "a card keeps its number, until it is moved to another";
            return Err(vec![ImportFault::new(CARD, "/number", message)]);
        }
        let before = json!(before);
        check(game, set, &card, |fault| {
            let place = fault.pointer.strip_prefix("/cards/0");
            place.is_some_and(|place| is_about_old_text(fault, place, &before, &card))
        })
    }
}

/// Checks a card in the form of a set file. Returns a set with this one card. Pointers of faults lead into the card. `set` is the code of its set, for
/// messages.
pub fn check_card(game: &Game, set: &str, card: &Value) -> Result<SetImport, Vec<ImportFault>> {
    check(game, set, card, |_| false)
}

fn check(
    game: &Game,
    set: &str,
    card: &Value,
    is_accepted: impl Fn(&ImportFault) -> bool,
) -> Result<SetImport, Vec<ImportFault>> {
    let text = json!({ "code": set, "name": set, "cards": [card] }).to_string();
    let (source, file) = (SourceFile::new(CARD, &text), SetFile::read(&text));
    let mut faults = structural_faults(&source, &file);
    faults.extend(rule_faults(game, &source, &file));
    faults.retain(|fault| !is_accepted(fault));
    if faults.is_empty() {
        Ok(set_import(game, &source, [0; 32], file.set))
    } else {
        Err(faults.into_iter().map(within_card).collect())
    }
}

/// The file name in faults about the card.
pub const CARD: &str = "card";

/// Converts a fault in a file with a single card to a fault of the card.
pub fn within_card(fault: ImportFault) -> ImportFault {
    let pointer = fault.pointer.strip_prefix("/cards/0").map(str::to_owned);
    // A position is one in the file that was made around the card.
    ImportFault { pointer: pointer.unwrap_or_default(), card: None, position: None, ..fault }
}

/// RFC 7396, section 2.
fn merge(target: &mut Value, patch: &Map<String, Value>) {
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(members) = target.as_object_mut() else { return };
    for (key, value) in patch {
        match value {
            Value::Null => {
                members.remove(key);
            }
            Value::Object(inner) => merge(members.entry(key).or_insert(Value::Null), inner),
            value => {
                members.insert(key.clone(), value.clone());
            }
        }
    }
}

/// The faults of a set's own fields, with the messages of an import; pointers name the fields of a set file.
pub fn set_faults(game: &Game, set: &SetDefinition) -> Vec<ImportFault> {
    let (mut faults, _) = import::set_faults(game, "set", set);
    // Faults of cards are not requested here.
    faults.retain(|fault| !fault.pointer.starts_with("/cards"));
    // A name that comes by a request keeps the rules of all texts of requests. Files had fewer, and what they stored remains valid.
    if !faults.iter().any(|fault| fault.pointer == "/name")
        && let Err(error) = text::line(&set.name, 1, MAX_NAME)
    {
        faults.push(ImportFault::new("set", "/name", error.to_string()));
    }
    faults
}

/// Checks a set that is created without cards, with the rules of an import; pointers name the fields of a set file.
pub fn check_new_set(game: &Game, set: SetDefinition) -> Result<SetImport, Vec<ImportFault>> {
    let faults = set_faults(game, &set);
    if faults.is_empty() {
        Ok(set_import(game, &SourceFile::new("set", ""), [0; 32], set))
    } else {
        Err(faults)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7396, appendix A, whose patch and target are objects.
    #[test]
    fn patches_merge_as_the_rfc_says() {
        for (target, patch, wanted) in [
            (json!({"a":"b"}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"b"}), json!({"b":"c"}), json!({"a":"b","b":"c"})),
            (json!({"a":"b"}), json!({"a":null}), json!({})),
            (json!({"a":"b","b":"c"}), json!({"a":null}), json!({"b":"c"})),
            (json!({"a":["b"]}), json!({"a":"c"}), json!({"a":"c"})),
            (json!({"a":"c"}), json!({"a":["b"]}), json!({"a":["b"]})),
            (json!({"a":{"b":"c"}}), json!({"a":{"b":"d","c":null}}), json!({"a":{"b":"d"}})),
            (json!({"a":[{"b":"c"}]}), json!({"a":[1]}), json!({"a":[1]})),
            (json!({"e":null}), json!({"a":1}), json!({"e":null,"a":1})),
            (json!([1, 2]), json!({"a":"b","c":null}), json!({"a":"b"})),
            (json!({}), json!({"a":{"bb":{"ccc":null}}}), json!({"a":{"bb":{}}})),
        ] {
            let mut merged = target.clone();
            merge(&mut merged, patch.as_object().unwrap());
            assert_eq!(merged, wanted, "{target} with {patch}");
        }
    }

    /// A printed card keeps its name.
    #[test]
    fn a_card_with_an_old_name_can_be_changed() {
        let manifest =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let game = Game::from_toml(manifest).unwrap();
        let before = json!({ "number": "1", "name": "Red\u{2800}Carp", "kind": "fish" });
        let before: CardDefinition = serde_json::from_value(before).unwrap();
        let apply = |patch: Value| {
            let patch: MergePatch = serde_json::from_value(patch).unwrap();
            patch.apply(&game, "shore", &before)
        };
        assert!(apply(json!({ "lore": "It swims." })).is_ok());
        assert!(apply(json!({ "name": "Red Carp" })).is_ok());
        for (patch, place) in [
            (json!({ "name": "Blue\u{2800}Carp" }), "/name"),
            (json!({ "lore": "a\u{202E}b" }), "/lore"),
            (json!({ "kind": "bird" }), "/kind"),
        ] {
            let faults = apply(patch).unwrap_err();
            let places: Vec<&str> = faults.iter().map(|fault| &*fault.pointer).collect();
            assert_eq!(places, [place]);
        }
    }

    #[test]
    fn a_member_that_occurs_twice_is_refused() {
        let read = |text: &str| serde_json::from_str::<MergePatch>(text);
        assert!(read(r#"{"name":"A","attributes":{"x":1}}"#).is_ok());
        for bad in [r#"{"name":"A","name":"B"}"#, r#"{"attributes":{"x":1,"x":2}}"#, "[]", "null"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
