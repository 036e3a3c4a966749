//! JSON Schemas (draft 2020-12) of the files that make a game, for editors and for other programs.
//!
//! The schema of manifests is a file of its own, and tests compare it with the reader. Those of set files are generated from the game. A schema
//! accepts all that the engine accepts, except `null` in place of an absent key; its `$comment` lists what it cannot express.

use serde_json::{Map, Value, json};

use crate::card_check::{NAME_MAX, NUMBER_MAX, SET_CODE_MAX, TEXT_MAX};
use crate::manifest::Game;
use crate::rule::{Provenance, RuleReference};
use crate::schema::{Attribute, AttributeValue, EffectSchema, Kind};
use crate::selector::{Condition, Selector};
use crate::set_check::UNLOCK_THRESHOLD_MAX;

/// The JSON Schema of manifests (`game.toml` read as JSON data), as text.
pub const MANIFEST_SCHEMA: &str = include_str!("../schema/manifest.schema.json");

const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Patterns of texts of one line and of several lines: without control characters and not blank. White space is written out, because `\s` differs
/// between dialects of regular expressions.
const LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]*\
    [^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]\
    [^\\u0000-\\u001f\\u007f-\\u009f]*$";
const LINES: &str = "^[^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*\
    [^\\u0000-\\u0020\\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]\
    [^\\u0000-\\u0009\\u000b-\\u001f\\u007f-\\u009f]*$";

/// The JSON Schema of set files of any game: what all of them have in common.
///
/// It has no `$id`: only the publisher knows the address.
pub fn set_file_schema() -> Value {
    let kind = json!({ "type": "string", "description": "Code of the card's kind." });
    let mut card = card(kind);
    let effect = json!({
        "type": "object",
        "required": ["text"],
        "additionalProperties": false,
        "properties": {
            "style": { "type": "string", "description": "How it is activated, in games that have styles." },
            "slot": { "type": "string", "description": "Where on the card it is, in games that have slots." },
            "text": text("The printed sentence."),
        }
    });
    let printing = json!({
        "type": "object",
        "required": ["rarity"],
        "additionalProperties": false,
        "properties": {
            "rarity": { "type": "string", "description": "Code of the rarity." },
            "attributes": { "type": "object", "description": "What differs from the card's own attributes." },
        }
    });
    card["properties"]["effects"]["items"] = effect;
    card["properties"]["printings"]["items"] = printing;
    let comment = "What kinds, attributes, effects and rarities there are is the game's business: each game has a \
                   schema of its own.";
    set_file("Set file", "One set of cards.", comment, card, json!({}))
}

impl Game {
    /// The JSON Schema of this game's set files: its kinds, attributes, effects and rarities.
    ///
    /// It has no `$id`: only the publisher knows the address.
    ///
    /// ```
    /// # use cardscape_engine::Game;
    /// let game = Game::from_toml(r#"
    ///     code = "pond"
    ///     name = "Pond"
    ///     rules_version = "pond/1"
    ///     [[kinds]]
    ///     code = "fish"
    ///     name = "Fish"
    ///     attributes.size = { type = "integer", min = 1, max = 9 }
    /// "#)?;
    /// let size = &game.set_schema()["$defs"]["kinds"]["fish"]["properties"]["attributes"]["properties"]["size"];
    /// assert_eq!(size["maximum"], 9);
    /// # Ok::<(), cardscape_engine::ManifestError>(())
    /// ```
    pub fn set_schema(&self) -> Value {
        let codes: Vec<&str> = self.kinds().iter().map(|kind| &*kind.code).collect();
        let mut card = card(json!({ "enum": codes, "description": "Code of the card's kind." }));
        card["allOf"] = codes
            .iter()
            .map(|code| {
                json!({
                    "if": { "required": ["kind"], "properties": { "kind": { "const": code } } },
                    "then": { "$ref": format!("#/$defs/kinds/{code}") },
                })
            })
            .collect();
        let kinds: Map<String, Value> =
            self.kinds().iter().map(|kind| (kind.code.clone(), kind_schema(kind))).collect();
        let rarities: Map<String, Value> = self
            .rarities()
            .iter()
            .map(|rarity| {
                let schema = json!({ "const": rarity.code, "title": rarity.name });
                (rarity.code.clone(), schema)
            })
            .collect();
        let of_each = |fewest: u32| -> Value {
            let counts = self.rarities().iter().map(|rarity| {
                json!({
                    "contains": {
                        "required": ["rarity"],
                        "properties": { "rarity": { "$ref": format!("#/$defs/rarities/{}", rarity.code) } },
                    },
                    "minContains": fewest,
                    "maxContains": 1,
                })
            });
            json!({ "allOf": counts.collect::<Vec<_>>() })
        };
        let codes: Vec<&str> = self.rarities().iter().map(|rarity| &*rarity.code).collect();
        let definitions = json!({
            "kinds": kinds,
            "rarities": rarities,
            "rarity": { "enum": codes, "description": "Code of the rarity." },
            "no_rarity_twice": of_each(0),
            "every_rarity_once": of_each(1),
        });
        let title = format!("Set file of {}", self.name());
        let description = format!("One set of cards, by {}.", self.rules_version());
        set_file(&title, &description, &self.inexpressible(), card, definitions)
    }

    /// The requirements of a set that its schema does not express.
    fn inexpressible(&self) -> String {
        let names = if self.unique_names() {
            " and names in the game, also without regard to case and punctuation"
        } else {
            ""
        };
        let mut comment = format!(
            "Not expressed here, but checked: numbers are unique in the set{names}; texts have no invisible characters; \
             the base printing has the card's own numbers."
        );
        for check in self.kinds().iter().flat_map(|kind| &kind.checks) {
            comment.push(' ');
            comment.push_str(&sentence(&check.reference));
        }
        comment.push_str(" Whole numbers are written without a decimal point; absent keys are left out, not null.");
        comment
    }
}

fn set_file(
    title: &str,
    description: &str,
    comment: &str,
    card: Value,
    mut definitions: Value,
) -> Value {
    definitions["card"] = card;
    json!({
        "$schema": DIALECT,
        "title": title,
        "description": description,
        "$comment": comment,
        "type": "object",
        "required": ["code", "name", "cards"],
        "additionalProperties": false,
        "properties": {
            "code": {
                "type": "string",
                "maxLength": SET_CODE_MAX,
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                "description": "Code of the set, unique in the game; the file is named after it.",
            },
            "name": line(NAME_MAX, "Name for people."),
            "released_on": {
                "type": "string",
                "format": "date",
                "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                "description": "Day of release.",
            },
            "hidden": {
                "type": "boolean",
                "description": "Whether the cards start hidden. Absent: the game's policy.",
            },
            "unlock_threshold": {
                "type": "integer",
                "minimum": 1,
                "maximum": UNLOCK_THRESHOLD_MAX,
                "description": "Distinct accounts whose submissions unlock a card. Absent: the game's number.",
            },
            "cards": {
                "type": "array",
                "minItems": 1,
                "items": { "$ref": "#/$defs/card" },
                "description": "The cards.",
            },
        },
        "$defs": definitions,
    })
}

fn card(kind: Value) -> Value {
    json!({
        "title": "Card",
        "type": "object",
        "required": ["number", "name", "kind"],
        "additionalProperties": false,
        "properties": {
            "number": {
                "type": "string",
                "maxLength": NUMBER_MAX,
                "pattern": "^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$",
                "description": "Collector number, unique in the set. All numbers of a set should have the same length, such as 001: lists order them as texts.",
            },
            "name": line(NAME_MAX, "Name, unique in the game."),
            "kind": kind,
            "attributes": {
                "type": "object",
                "description": "Attributes by code; of those that differ by rarity, the base printing's values.",
            },
            "effects": { "type": "array", "description": "Effects in printed order." },
            "lore": text("Background without a bearing on play."),
            "printings": {
                "type": "array",
                "description": "The rarities in which the card exists. Absent: only the lowest.",
            },
        },
    })
}

/// The requirements of a kind in addition to those of all cards.
fn kind_schema(kind: &Kind) -> Value {
    let attributes = |wanted: fn(&Attribute) -> bool| -> Map<String, Value> {
        let wanted = kind.attributes.iter().filter(|(_, attribute)| wanted(attribute));
        wanted.map(|(code, attribute)| (code.clone(), attribute_schema(attribute))).collect()
    };
    let required: Vec<&String> = kind
        .attributes
        .iter()
        .filter_map(|(code, attribute)| (!attribute.optional).then_some(code))
        .collect();
    let mut keys = Vec::new();
    if !required.is_empty() {
        keys.push("attributes");
    }
    let every_rarity = kind.printings.every_rarity;
    if every_rarity {
        keys.push("printings");
    }
    let rarities = if every_rarity { "every_rarity_once" } else { "no_rarity_twice" };
    let mut schema = json!({
        "title": kind.name,
        "required": keys,
        "properties": {
            "attributes": {
                "required": required,
                "additionalProperties": false,
                "properties": attributes(|_| true),
            },
            "printings": {
                "$ref": format!("#/$defs/{rarities}"),
                "items": {
                    "type": "object",
                    "required": ["rarity"],
                    "additionalProperties": false,
                    "properties": {
                        "rarity": { "$ref": "#/$defs/rarity" },
                        "attributes": {
                            "type": "object",
                            "additionalProperties": false,
                            "properties": attributes(|attribute| attribute.per_printing),
                            "description": "What differs from the card's own attributes.",
                        },
                    },
                },
            },
        },
        "allOf": [effects(kind)],
    });
    describe(&mut schema, &kind.reference);
    describe(&mut schema["properties"]["printings"], &kind.printings.reference);
    schema
}

fn attribute_schema(attribute: &Attribute) -> Value {
    let mut schema = match &attribute.value {
        AttributeValue::Text { max_length } => {
            json!({ "type": "string", "maxLength": max_length, "pattern": LINE })
        }
        AttributeValue::Integer { min, max } => {
            bounded(json!({ "type": "integer" }), [("minimum", *min), ("maximum", *max)])
        }
        AttributeValue::Boolean => json!({ "type": "boolean" }),
        AttributeValue::Choice { values } => json!({ "enum": values }),
        AttributeValue::Choices { values, min_items, max_items } => {
            let schema = json!({
                "type": "array",
                "items": { "enum": values },
                "uniqueItems": true,
                "minItems": min_items,
            });
            bounded(schema, [("maxItems", max_items.map(i64::from))])
        }
    };
    schema["title"] = attribute.name.clone().into();
    describe(&mut schema, &attribute.reference);
    schema
}

/// The effects of a kind's cards: those of the first entry whose condition holds.
fn effects(kind: &Kind) -> Value {
    let none = json!({ "properties": { "effects": { "maxItems": 0 } } });
    kind.effects.iter().rev().fold(none, |others, entry| {
        let own = effects_schema(entry);
        match entry.when.as_ref().map(|when| condition(when, kind)) {
            None => own,
            Some(Some(when)) => json!({ "if": when, "then": own, "else": others }),
            // The schema cannot decide whether the entry applies to the card.
            Some(None) => json!({ "anyOf": [own, others] }),
        }
    })
}

fn effects_schema(entry: &EffectSchema) -> Value {
    let mut required = vec!["text"];
    let mut properties = json!({ "text": text("The printed sentence.") });
    if !entry.styles.is_empty() {
        required.push("style");
        properties["style"] =
            json!({ "enum": entry.styles, "description": "How it is activated." });
    }
    if !entry.slots.is_empty() {
        required.push("slot");
        let codes: Vec<&String> = entry.slots.iter().map(|slot| &slot.code).collect();
        properties["slot"] = json!({ "enum": codes, "description": "Where on the card it is." });
    }
    let mut list = json!({
        "items": {
            "type": "object",
            "required": required,
            "additionalProperties": false,
            "properties": properties,
        },
    });
    let fewest = if entry.slots.is_empty() {
        list["minItems"] = entry.min.into();
        list["maxItems"] = entry.max.into();
        entry.min
    } else {
        list["allOf"] = entry
            .slots
            .iter()
            .map(|slot| {
                json!({
                    "contains": { "required": ["slot"], "properties": { "slot": { "const": slot.code } } },
                    "minContains": slot.min,
                    "maxContains": slot.max,
                })
            })
            .collect();
        entry.slots.iter().map(|slot| slot.min).max().unwrap_or(0)
    };
    describe(&mut list, &entry.reference);
    let required: &[&str] = if fewest > 0 { &["effects"] } else { &[] };
    json!({ "required": required, "properties": { "effects": list } })
}

/// A schema that accepts the cards of `kind` that are selected; `None` when that cannot be decided from the card's JSON alone.
fn condition(selector: &Selector, kind: &Kind) -> Option<Value> {
    if !selector.names.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    if !selector.kinds.is_empty() && !selector.kinds.contains(&kind.code) {
        parts.push(Value::Bool(false));
    }
    // A card on its own has neither a set nor a release date.
    let of_a_set = !selector.sets.is_empty() && !selector.sets.iter().any(String::is_empty);
    if of_a_set || selector.released.is_some() {
        parts.push(Value::Bool(false));
    }
    for (code, wanted) in &selector.attributes {
        let has = |schema: Value| {
            let attributes = json!({ "required": [code], "properties": { code: schema } });
            json!({ "required": ["attributes"], "properties": { "attributes": attributes } })
        };
        let holds = match wanted {
            Condition::Present(wanted) => {
                // The values that count as absent.
                let something = has(json!({ "not": { "enum": [null, "", []] } }));
                if *wanted { something } else { json!({ "not": something }) }
            }
            Condition::In(values) if values.is_empty() => Value::Bool(false),
            Condition::In(values) => has(one_item(code, kind, json!({ "enum": values }))),
            Condition::Between { min, max } => {
                let range =
                    bounded(json!({ "type": "integer" }), [("minimum", *min), ("maximum", *max)]);
                has(one_item(code, kind, range))
            }
        };
        parts.push(holds);
    }
    if !selector.any.is_empty() {
        let any: Option<Vec<Value>> = selector.any.iter().map(|one| condition(one, kind)).collect();
        parts.push(json!({ "anyOf": any? }));
    }
    if let Some(not) = &selector.not {
        parts.push(json!({ "not": condition(not, kind)? }));
    }
    Some(match parts.len() {
        0 => Value::Bool(true),
        1 => parts.remove(0),
        _ => json!({ "allOf": parts }),
    })
}

/// A list attribute meets a condition when one of its items does.
fn one_item(code: &str, kind: &Kind, item: Value) -> Value {
    let value = kind.attributes.get(code).map(|attribute| &attribute.value);
    if matches!(value, Some(AttributeValue::Choices { .. })) {
        json!({ "contains": item })
    } else {
        item
    }
}

fn bounded<const N: usize>(mut schema: Value, bounds: [(&str, Option<i64>); N]) -> Value {
    for (keyword, bound) in bounds {
        if let Some(bound) = bound {
            schema[keyword] = bound.into();
        }
    }
    schema
}

fn line(max: usize, description: &str) -> Value {
    json!({ "type": "string", "maxLength": max, "pattern": LINE, "description": description })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "maxLength": TEXT_MAX, "pattern": LINES, "description": description })
}

/// Adds the rule's wording, if it has one.
fn describe(schema: &mut Value, rule: &RuleReference) {
    if !rule.text.is_empty() {
        schema["description"] = sentence(rule).into();
    }
}

fn sentence(rule: &RuleReference) -> String {
    let trust = match rule.provenance {
        Provenance::Source => "",
        Provenance::Assumed => ", assumed",
        Provenance::Sample => ", sample",
    };
    format!("{} ({}{trust})", rule.text, rule.rule)
}
