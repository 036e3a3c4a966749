//! Edits that correct a violation of a design, where the violation itself shows what is right.

use std::cell::OnceCell;

use cardscape_engine::{
    AttributeValue, CardDefinition, Game, Kind, PrintingCheck, SetFault, ViolationCode as Code,
    near,
};
use serde_json::Value;

use super::content::DesignContent;
use crate::domain::pointer::push_token;

/// Most violations of a design for which edits are looked for; a design that a person writes has fewer.
pub const MAX_FIXED: usize = 50;

/// What an edit does, as the operation of a JSON Patch (RFC 6902).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditOperation {
    /// Sets a member.
    Add,
    /// Replaces a value.
    Replace,
    /// Removes a value.
    Remove,
    /// Gives a member another name.
    Move,
}

impl EditOperation {
    /// All values.
    pub const ALL: [Self; 4] = [Self::Add, Self::Replace, Self::Remove, Self::Move];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Replace => "replace",
            Self::Remove => "remove",
            Self::Move => "move",
        }
    }
}

/// An edit of a design.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Sets the member to this value, also if it is missing.
    Add(String, Value),
    Replace(String, Value),
    /// Removes a value.
    Remove(String),
    /// Moves the member `from` to `path`, which does not exist.
    Move {
        from: String,
        path: String,
    },
}

/// The edits of the design, as its author sent it, that together correct this violation, and may cause another one; empty: none is known.
pub fn fix(game: &Game, written: &Written<'_>, fault: &SetFault) -> Vec<Edit> {
    let content = written.content;
    let violation = &fault.violation;
    let attribute = violation.attribute.as_deref().unwrap_or_default();
    let kind = game.kind(&content.kind);
    let is_broken = |check: &&PrintingCheck| check.of().join(" + ") == attribute;
    if let Some(kind) = kind
        && violation.code != Code::AttributeMissing
        // Violations of a value point to the value, those of a sum to the printing or to the attributes.
        && (fault.pointer == "/attributes" || is_printing(&fault.pointer))
        && let Some(check) = kind.checks.iter().map(|check| &check.check).find(is_broken)
    {
        return of_sum(game, kind, content, check, fault);
    }
    let Some(pointer) = written.pointer(&fault.pointer) else {
        return Vec::new();
    };
    let suggestions = &violation.suggestions[..];
    let edit = match violation.code {
        Code::AttributeUnknown => Some(
            renamed(written, &pointer, attribute, suggestions, kind)
                .unwrap_or(Edit::Remove(pointer)),
        ),
        Code::AttributeValueDuplicate
        | Code::PrintingDuplicate
        // The base printing has the card's own values unless it states others.
        | Code::PrintingBaseMismatch => Some(Edit::Remove(pointer)),
        Code::KindUnknown => {
            spelt(&content.kind, suggestions).map(|kind| Edit::Replace(pointer, kind))
        }
        Code::RarityUnknown => {
            let rarity = violation.cards.iter().find_map(|card| card.rarity.as_deref());
            let rarity = rarity.and_then(|rarity| spelt(rarity, suggestions));
            rarity.map(|rarity| Edit::Replace(pointer, rarity))
        }
        Code::EffectStyleUnknown | Code::EffectSlotUnknown => {
            of_effect(written, pointer, suggestions)
        }
        Code::AttributeMissing => kind
            .and_then(|kind| kind.attributes.get(attribute))
            .and_then(|known| only_value(&known.value))
            .map(|only| Edit::Add(member(pointer, attribute), only)),
        _ => kind
            .and_then(|kind| kind.attributes.get(attribute))
            .and_then(|known| of_value(written, pointer, &known.value, fault)),
    };
    edit.into_iter().collect()
}

/// The design as its author wrote it, beside the card that was made of it.
pub struct Written<'a> {
    content: &'a DesignContent,
    definition: &'a CardDefinition,
    json: OnceCell<Value>,
}

impl<'a> Written<'a> {
    /// `definition` is the card that was checked, of which violations have their pointers: its printings are those of the author and computed ones.
    pub fn new(content: &'a DesignContent, definition: &'a CardDefinition) -> Self {
        Self { content, definition, json: OnceCell::new() }
    }

    /// The value at a pointer into the design. The design is converted to JSON once for all its violations.
    fn value(&self, pointer: &str) -> Option<&Value> {
        let json = || serde_json::to_value(self.content).unwrap_or_default();
        self.json.get_or_init(json).pointer(pointer)
    }

    /// A pointer into the card as a pointer into the design. `None`: the author did not write this printing.
    fn pointer(&self, pointer: &str) -> Option<String> {
        let Some(rest) = pointer.strip_prefix("/printings/") else {
            return Some(pointer.to_owned());
        };
        let (number, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let number: usize = number.parse().ok()?;
        let rarity = &self.definition.printings.get(number)?.rarity;
        // Printings of one rarity are in the same order in both.
        let before = self.definition.printings.iter().take(number);
        let earlier = before.filter(|printing| printing.rarity == *rarity).count();
        let own = self.content.printings.iter().enumerate();
        let (at, _) = own.filter(|(_, printing)| printing.rarity == *rarity).nth(earlier)?;
        Some(format!("/printings/{at}{rest}"))
    }
}

/// The only suggestion that the typed text may be a misspelling of.
fn spelt(typed: &str, suggestions: &[String]) -> Option<Value> {
    match near(typed, suggestions.iter().map(String::as_str))[..] {
        [meant] => Some(meant.into()),
        _ => None,
    }
}

/// The misspelt name of an attribute that the card may have: its value is kept, unless the right name has a value, too, or gets that of another misspelt name.
fn renamed(
    written: &Written<'_>,
    pointer: &str,
    typed: &str,
    known: &[String],
    kind: Option<&Kind>,
) -> Option<Edit> {
    let meant_by = |typed: &str| match near(typed, known.iter().map(String::as_str))[..] {
        [meant] => Some(meant),
        _ => None,
    };
    let meant = meant_by(typed)?;
    let (attributes, _) = pointer.rsplit_once('/')?;
    let path = member(attributes.to_owned(), meant);
    let is_known = |name: &str| kind.is_some_and(|kind| kind.attributes.contains_key(name));
    let names = written.value(attributes).and_then(Value::as_object)?.keys();
    let mut earlier = names.take_while(|name| *name != typed);
    let is_meant_before = earlier.any(|name| !is_known(name) && meant_by(name) == Some(meant));
    let is_free = written.value(&path).is_none() && !is_meant_before;
    is_free.then(|| Edit::Move { from: pointer.to_owned(), path })
}

/// A style or slot that the card does not have.
fn of_effect(written: &Written<'_>, pointer: String, known: &[String]) -> Option<Edit> {
    let typed = written.value(&pointer).and_then(Value::as_str);
    match (known, typed) {
        ([], _) => Some(Edit::Remove(pointer)),
        ([only], _) => Some(Edit::Add(pointer, only.as_str().into())),
        (_, Some(typed)) => spelt(typed, known).map(|meant| Edit::Replace(pointer, meant)),
        (_, None) => None,
    }
}

/// A value of an attribute, or of a list of values.
fn of_value(
    written: &Written<'_>,
    pointer: String,
    known: &AttributeValue,
    fault: &SetFault,
) -> Option<Edit> {
    let value = written.value(&pointer)?;
    let (violation, suggestions) = (&fault.violation, &fault.violation.suggestions[..]);
    let is_item = |pointer: &str| {
        let list = pointer.rsplit_once('/').and_then(|(list, _)| written.value(list));
        list.is_some_and(Value::is_array)
    };
    let meant: Value = match known {
        AttributeValue::Integer { .. } if violation.actual.is_some() => violation.limit?.into(),
        AttributeValue::Integer { .. } => match written_number(value) {
            Some(number) => number.into(),
            None => only_value(known)?,
        },
        AttributeValue::Choice { values } => match &values[..] {
            [only] => only.as_str().into(),
            _ => match value.as_array().map(Vec::as_slice) {
                // A list with one value.
                Some([item]) => spelt(item.as_str()?, values)?,
                Some(_) => return None,
                None => spelt(value.as_str()?, suggestions)?,
            },
        },
        AttributeValue::Choices { values, .. } if is_item(&pointer) => match &values[..] {
            [only] => only.as_str().into(),
            _ => spelt(value.as_str()?, suggestions)?,
        },
        // A list with too many or too few items: nobody knows which of them are meant.
        AttributeValue::Choices { .. } if value.as_array().is_some_and(|all| !all.is_empty()) => {
            return None;
        }
        AttributeValue::Choices { values, .. } => {
            // A value without the list around it.
            match value.as_str().and_then(|text| spelt(text, values)) {
                Some(meant) => vec![meant].into(),
                None => only_value(known)?,
            }
        }
        _ => return None,
    };
    Some(Edit::Replace(pointer, meant))
}

/// The number that a text such as `"3"` states.
fn written_number(value: &Value) -> Option<i64> {
    value.as_str()?.trim().parse().ok()
}

/// The only value that an attribute may have; `None`: there are several.
fn only_value(known: &AttributeValue) -> Option<Value> {
    match known {
        AttributeValue::Choice { values } => match &values[..] {
            [only] => Some(only.as_str().into()),
            _ => None,
        },
        AttributeValue::Choices { values, min_items, .. } => match &values[..] {
            [only] if *min_items > 0 => Some(vec![only.as_str()].into()),
            _ => None,
        },
        AttributeValue::Integer { min: Some(min), max } if Some(*min) == *max => {
            Some((*min).into())
        }
        _ => None,
    }
}

/// Numbers of a printing that do not have the sum that the rules fix. Above the base printing, numbers that the author left out are computed; in the base
/// printing, the difference is taken from the last numbers or added to them, as far as their bounds allow.
fn of_sum(
    game: &Game,
    kind: &Kind,
    content: &DesignContent,
    check: &PrintingCheck,
    fault: &SetFault,
) -> Vec<Edit> {
    let rarity = fault.violation.cards.iter().find_map(|card| card.rarity.as_deref());
    let mut edits = Vec::new();
    for (at, printing) in content.printings.iter().enumerate() {
        if Some(printing.rarity.as_str()) == rarity {
            let stated = printing.attributes.iter().map(|(name, _)| name);
            let summed = stated.filter(|name| check.of().iter().any(|one| one == name));
            let removed =
                |name: &str| Edit::Remove(member(format!("/printings/{at}/attributes"), name));
            edits.extend(summed.map(removed));
        }
    }
    if rarity != Some(game.base_rarity().code.as_str())
        || !matches!(check, PrintingCheck::Total { .. })
    {
        return edits;
    }
    let number = |name: &String| content.attributes.get(name).and_then(Value::as_i64);
    let numbers: Option<Vec<i64>> = check.of().iter().map(number).collect();
    let (Some(numbers), Some(total)) = (numbers, fault.violation.limit) else { return Vec::new() };
    let sum: i128 = numbers.iter().copied().map(i128::from).sum();
    let mut rest = i128::from(total) - sum;
    for (name, number) in check.of().iter().zip(numbers).rev() {
        let Some(AttributeValue::Integer { min, max }) =
            kind.attributes.get(name).map(|known| &known.value)
        else {
            return Vec::new();
        };
        let changed = (i128::from(number) + rest)
            .max(min.map_or(i128::from(i64::MIN), i128::from))
            .min(max.map_or(i128::from(i64::MAX), i128::from));
        let Ok(changed) = i64::try_from(changed) else { return Vec::new() };
        rest -= i128::from(changed) - i128::from(number);
        if changed != number {
            edits.push(Edit::Replace(member("/attributes".to_owned(), name), changed.into()));
        }
    }
    if rest == 0 { edits } else { Vec::new() }
}

/// The pointer to a member of the object at a pointer.
fn member(mut object: String, key: &str) -> String {
    push_token(&mut object, key);
    object
}

/// Whether the pointer is that of a printing as a whole.
fn is_printing(pointer: &str) -> bool {
    pointer.strip_prefix("/printings/").is_some_and(|number| !number.contains('/'))
}

#[cfg(test)]
mod tests {
    use cardscape_engine::card_faults;
    use serde_json::json;

    use super::*;

    fn pond() -> Game {
        Game::from_toml(
            r#"
            code = "pond"
            name = "Pond"
            rules_version = "1"
            [[rarities]]
            code = "plain"
            name = "Plain"
            [[rarities]]
            code = "golden"
            name = "Golden"
            [[kinds]]
            code = "fish"
            name = "Fish"
            attributes.bite = { type = "integer", min = 0, max = 15, per_printing = true }
            attributes.speed = { type = "integer", min = 0, per_printing = true }
            attributes.water = { type = "choice", values = ["fresh", "salt"] }
            attributes.realm = { type = "choice", values = ["water"] }
            attributes.eyes = { type = "integer", min = 2, max = 2 }
            attributes.gills = { type = "choices", values = ["both"], min_items = 1 }
            attributes.fins = { type = "choices", values = ["dorsal", "tail"], min_items = 1 }
            effects = [{ min = 0, max = 2, styles = ["splash"] }]
            printings = { every_rarity = true }
            [[kinds.checks]]
            text = "A golden fish has 30 in total, a plain one 20."
            total = { of = ["bite", "speed"], rarity_bonus = { plain = 20, golden = 30 } }
            "#,
        )
        .unwrap()
    }

    fn pike() -> Value {
        json!({
            "name": "Old Pike", "kind": "fish", "printings": [],
            "attributes": {
                "bite": 15, "speed": 5, "water": "fresh", "fins": ["tail"],
                "realm": "water", "eyes": 2, "gills": ["both"],
            },
            "effects": [{ "style": "splash", "text": "Splash." }],
        })
    }

    /// The violations of a design by their pointers, each with its edits.
    fn fixes(game: &Game, design: &Value) -> Vec<(String, Vec<Edit>)> {
        let content: DesignContent = serde_json::from_value(design.clone()).unwrap();
        let definition = content.definition(game);
        let written = Written::new(&content, &definition);
        let faults = card_faults(game, &definition).into_iter();
        faults.map(|fault| (fault.pointer.clone(), fix(game, &written, &fault))).collect()
    }

    fn apply(design: &mut Value, edits: &[Edit]) {
        for edit in edits {
            let (pointer, value) = match edit {
                Edit::Add(pointer, value) | Edit::Replace(pointer, value) => (pointer, Some(value)),
                Edit::Remove(pointer) => (pointer, None),
                Edit::Move { from, path } => {
                    let moved = design.pointer(from).unwrap().clone();
                    apply(design, &[Edit::Remove(from.clone()), Edit::Add(path.clone(), moved)]);
                    continue;
                }
            };
            let (parent, key) = pointer.rsplit_once('/').unwrap_or(("", pointer));
            match (design.pointer_mut(parent).unwrap(), value) {
                (Value::Object(members), Some(value)) => {
                    members.insert(key.to_owned(), value.clone());
                }
                (Value::Object(members), None) => {
                    assert!(members.remove(key).is_some(), "{pointer}")
                }
                (Value::Array(items), Some(value)) => {
                    items[key.parse::<usize>().unwrap()] = value.clone()
                }
                (Value::Array(items), None) => drop(items.remove(key.parse().unwrap())),
                _ => panic!("{pointer}"),
            }
        }
    }

    #[test]
    fn edits_correct_the_violations() {
        let game = pond();
        assert!(fixes(&game, &pike()).is_empty());
        for (pointer, value) in [
            ("/kind", json!("fisch")),
            ("/attributes/speed", json!(40)),
            ("/attributes/speed", json!(-3)),
            ("/attributes/bite", json!(700)),
            ("/attributes/water", json!("salty")),
            ("/attributes/speed", json!("5")),
            ("/attributes/bite", json!("700")),
            ("/attributes/realm", json!("air")),
            ("/attributes/water", json!(["salt"])),
            ("/attributes/fins", json!("tail")),
            ("/attributes/realm", json!(7)),
            ("/attributes/eyes", json!("two")),
            ("/attributes/gills", json!([])),
            ("/attributes/gills", json!("left")),
            ("/attributes/gills", json!(["both", 2])),
            ("/attributes/colour", json!("green")),
            ("/attributes/fins", json!(["tail", "tail"])),
            ("/attributes/fins", json!(["dorsel"])),
            ("/effects/0/style", json!("splosh")),
            ("/effects/0/style", Value::Null),
            ("/effects/0/slot", json!("day")),
            ("/printings", json!([{ "rarity": "plain", "attributes": { "bite": 14 } }])),
            (
                "/printings",
                json!([{ "rarity": "golden", "attributes": { "bite": 15, "speed": 14 } }]),
            ),
            ("/printings", json!([{ "rarity": "golden" }, { "rarity": "golden" }])),
            ("/printings", json!([{ "rarity": "goldn", "attributes": {} }])),
            ("/printings", json!([{ "rarity": "golden", "attributes": { "water": "salt" } }])),
        ] {
            let mut design = pike();
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            design.pointer_mut(parent).unwrap()[key] = value.clone();
            let found = fixes(&game, &design);
            assert!(!found.is_empty(), "{pointer} {value}");
            // An edit may correct other violations as well, so they are made one by one.
            for _ in 0..4 {
                let found = fixes(&game, &design);
                let Some(edits) =
                    found.iter().map(|(_, edits)| edits).find(|edits| !edits.is_empty())
                else {
                    assert!(found.is_empty(), "{pointer} {value}: {found:?}");
                    break;
                };
                apply(&mut design, edits);
            }
            assert!(fixes(&game, &design).is_empty(), "{pointer} {value}: {design}");
        }
    }

    #[test]
    fn an_edit_sets_the_only_allowed_value() {
        let game = pond();
        for (name, only) in
            [("realm", json!("water")), ("eyes", json!(2)), ("gills", json!(["both"]))]
        {
            let mut design = pike();
            design["attributes"].as_object_mut().unwrap().remove(name);
            let edit = Edit::Add(format!("/attributes/{name}"), only);
            assert_eq!(fixes(&game, &design), [("/attributes".to_owned(), vec![edit])]);
        }
        let mut design = pike();
        design["attributes"].as_object_mut().unwrap().remove("water");
        assert_eq!(fixes(&game, &design), [("/attributes".to_owned(), Vec::new())]);
    }

    #[test]
    fn a_misspelt_attribute_keeps_its_value() {
        let game = pond();
        let renamed = |from: &str, path: &str| Edit::Move {
            from: format!("{from}/Bite"),
            path: format!("{path}/bite"),
        };
        let mut design = pike();
        let attributes = design["attributes"].as_object_mut().unwrap();
        let bite = attributes.remove("bite").unwrap();
        attributes.insert("Bite".to_owned(), bite);
        let at = "/attributes";
        let found = fixes(&game, &design);
        let edits = |pointer: &str| {
            found.iter().find(|(at, _)| at == pointer).map(|(_, edits)| edits.clone()).unwrap()
        };
        assert_eq!(edits("/attributes/Bite"), [renamed(at, at)]);
        apply(&mut design, &edits("/attributes/Bite"));
        assert!(fixes(&game, &design).is_empty(), "{design}");

        // The right name has a value of its own.
        design["attributes"]["Bite"] = json!(7);
        let removed = Edit::Remove("/attributes/Bite".to_owned());
        assert_eq!(fixes(&game, &design), [("/attributes/Bite".to_owned(), vec![removed])]);

        // Two names with the same meaning: only one value can be moved.
        let mut design = pike();
        let attributes = design["attributes"].as_object_mut().unwrap();
        attributes.remove("bite").unwrap();
        attributes.insert("BITE".to_owned(), json!(1));
        attributes.insert("Bite".to_owned(), json!(2));
        let found = fixes(&game, &design);
        let both = ["/attributes/BITE", "/attributes/Bite"];
        let edits = both.map(|pointer| {
            found.iter().find(|(at, _)| at == pointer).map(|(_, edits)| edits.clone()).unwrap()
        });
        let moved = edits.iter().flatten().filter(|edit| matches!(edit, Edit::Move { .. }));
        assert_eq!((edits.len(), moved.count()), (2, 1), "{edits:?}");
        assert_eq!(edits[1], [Edit::Remove("/attributes/Bite".to_owned())]);

        let mut design = pike();
        design["printings"] = json!([{ "rarity": "golden", "attributes": { "Bite": 20 } }]);
        let at = "/printings/0/attributes";
        let found = fixes(&game, &design);
        let of_printing = found.iter().find(|(at, _)| at == "/printings/1/attributes/Bite");
        assert_eq!(of_printing.unwrap().1, [renamed(at, at)], "{found:?}");
    }

    #[test]
    fn edits_are_of_the_design_as_it_was_written() {
        let game = pond();
        let mut design = pike();
        // The only printing that the author wrote is the second of the card.
        design["printings"] =
            json!([{ "rarity": "golden", "attributes": { "bite": 15, "speed": 14 } }]);
        let golden =
            ["bite", "speed"].map(|name| Edit::Remove(format!("/printings/0/attributes/{name}")));
        assert_eq!(fixes(&game, &design), [("/printings/1".to_owned(), golden.to_vec())]);
        // Printings that were computed from wrong numbers are right as soon as these are.
        let mut design = pike();
        design["attributes"]["speed"] = json!(9);
        let speed = Edit::Replace("/attributes/speed".to_owned(), 5.into());
        assert_eq!(fixes(&game, &design), [("/printings/0".to_owned(), vec![speed])]);
    }

    #[test]
    fn a_sum_may_be_of_one_number() {
        let game = Game::from_toml(
            r#"
            code = "sea"
            name = "Sea"
            rules_version = "1"
            [[rarities]]
            code = "plain"
            name = "Plain"
            [[kinds]]
            code = "fish"
            name = "Fish"
            attributes.size = { type = "integer", per_printing = true }
            [[kinds.checks]]
            text = "A fish has the size 2."
            total = { of = ["size"], rarity_bonus = { plain = 2 } }
            "#,
        );
        let game = game.unwrap();
        let design = json!({ "name": "Cod", "kind": "fish", "attributes": { "size": 7 } });
        let size = Edit::Replace("/attributes/size".to_owned(), 2.into());
        assert_eq!(fixes(&game, &design), [("/printings/0".to_owned(), vec![size])]);
    }

    #[test]
    fn no_edit_is_guessed() {
        let game = pond();
        for (pointer, value) in [
            ("/name", json!("")),
            ("/attributes/water", json!("brackish")),
            ("/attributes/water", json!(["salt", "fresh"])),
            ("/attributes/fins", json!("gill")),
            ("/attributes/speed", json!("fast")),
            ("/attributes/fins", json!([])),
            ("/effects/0/text", json!("")),
        ] {
            let mut design = pike();
            *design.pointer_mut(pointer).unwrap() = value;
            let found = fixes(&game, &design);
            assert!(
                !found.is_empty() && found.iter().all(|(_, edits)| edits.is_empty()),
                "{pointer}: {found:?}"
            );
        }
    }
}
