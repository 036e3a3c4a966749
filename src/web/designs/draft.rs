//! The draft of a design in the designer: the fields that each step carries on.

use std::collections::BTreeSet;

use cardscape_engine::{Attribute, AttributeValue, Game};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::app::designs::design_bodies::{
    DesignArtworkBody, DesignContentResponse, DesignEffectBody, DesignPrintingBody, DesignRequest,
};
use crate::domain::designs::content::MAX_EFFECTS;

/// Fields that every step carries on, in addition to those of attributes, effects and rarities. All other fields are buttons or unknown.
const CARRIED: [&str; 13] = [
    "game", "kind", "name", "printing", "flavour", "lore", "credits", "licence", "artwork", "alt",
    "message", "version", "revision",
];
/// Most fields of a form: a design at all its limits has fewer, unless its lists are at their maximum length.
const MAX_FIELDS: usize = 2_000;

/// Whether a field belongs to the design.
fn is_carried(name: &str) -> bool {
    let is_of = |place: &str| name.starts_with(place);
    CARRIED.contains(&name)
        || name == "key"
        || ["attributes.", "effects.", "printings."].into_iter().any(is_of)
}

/// The fields by name. Attributes are `attributes.CODE`, effects `effects.NUMBER.text`, numbers of a rarity `printings.RARITY.CODE`, and each `printing` is a
/// chosen rarity.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(transparent)]
pub(in crate::web) struct Draft(Vec<(String, String)>);

impl Draft {
    /// Whether the number of fields is within the limit.
    pub(super) fn is_bounded(&self) -> bool {
        self.0.len() <= MAX_FIELDS
    }

    /// The first value of a name; empty if there is none.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> &'a str {
        self.all(name).next().unwrap_or_default()
    }

    /// All values of a name.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(field, _)| field == name).map(|(_, value)| value.as_str())
    }

    /// Replaces all values of a name by one.
    pub(super) fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.retain(|(field, _)| field != name);
        self.add(name, value);
    }

    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), value.into()));
    }

    /// The fields of the design that the step does not show, as hidden fields. `is_shown`: whether the step shows a field.
    pub(super) fn carried(&self, is_shown: impl Fn(&str) -> bool) -> Vec<(String, String)> {
        let is_meant = |(name, value): &&(String, String)| {
            !value.is_empty() && is_carried(name) && !is_shown(name)
        };
        self.0.iter().filter(is_meant).cloned().collect()
    }

    /// The fields that the picture shows, as a query; `None`: too long for an address.
    pub(super) fn picture_query(&self) -> Option<String> {
        const MOST: usize = 6_000;
        let mut query = form_urlencoded::Serializer::new(String::new());
        let is_seen = |name: &str| {
            matches!(name, "game" | "kind" | "name" | "flavour" | "artwork")
                || name.starts_with("attributes.")
                || name.starts_with("effects.")
        };
        let seen = self.0.iter().filter(|(name, value)| is_seen(name) && !value.is_empty());
        query.extend_pairs(seen);
        Some(query.finish()).filter(|query| query.len() <= MOST)
    }

    /// All values of the design, to recognise a form that is sent twice.
    pub(super) fn sent(&self) -> Vec<&str> {
        let carried = self.0.iter().filter(|(name, _)| is_carried(name) && name != "key");
        carried.flat_map(|(name, value)| [&**name, value]).collect()
    }

    /// The number of effects that have fields.
    pub(super) fn effect_count(&self) -> usize {
        let number = |name: &str| -> Option<usize> {
            name.strip_prefix("effects.")?.split_once('.')?.0.parse().ok()
        };
        let last = self.0.iter().filter_map(|(name, _)| number(name)).max();
        last.map_or(0, |last| last.saturating_add(1)).min(MAX_EFFECTS)
    }

    /// The numbers of the effects that have a sentence, in order: the request contains only these.
    pub(super) fn written_effects(&self) -> Vec<usize> {
        let is_written = |at: &usize| !self.one(&format!("effects.{at}.text")).trim().is_empty();
        (0..self.effect_count()).filter(is_written).collect()
    }

    /// Removes an effect, and moves the later effects up.
    pub(super) fn drop_effect(&mut self, dropped: usize) {
        let count = self.effect_count();
        for at in dropped..count {
            for member in ["style", "slot", "text"] {
                let next = self.one(&format!("effects.{}.{member}", at + 1)).to_owned();
                self.set(&format!("effects.{at}.{member}"), next);
            }
        }
        let last = format!("effects.{}.", count.saturating_sub(1));
        self.0.retain(|(name, _)| !name.starts_with(&last));
    }

    /// The fields of a stored design.
    pub(super) fn of_design(game: &str, content: &DesignContentResponse) -> Self {
        let mut draft = Self::default();
        for (name, value) in [("game", game), ("kind", &content.kind), ("name", &content.name)] {
            draft.add(name, value);
        }
        draft.set_attributes("attributes", &content.attributes);
        for (at, effect) in content.effects.iter().enumerate() {
            draft.set_effect(at, effect.style.as_deref(), effect.slot.as_deref(), &effect.text);
        }
        for printing in &content.printings {
            draft.add("printing", &printing.rarity);
            draft.set_attributes(&format!("printings.{}", printing.rarity), &printing.attributes);
        }
        let texts =
            [("flavour", &content.flavour), ("lore", &content.lore), ("credits", &content.credits)];
        for (name, text) in texts {
            draft.add(name, text.as_deref().unwrap_or_default());
        }
        draft.add("licence", content.licence);
        if let Some(artwork) = &content.artwork {
            draft.add("artwork", &artwork.id);
            draft.add("alt", artwork.alt.as_deref().unwrap_or_default());
        }
        draft
    }

    /// Replaces the attributes of the same codes.
    pub(super) fn set_attributes(&mut self, place: &str, attributes: &Map<String, Value>) {
        for (code, value) in attributes {
            let name = format!("{place}.{code}");
            self.0.retain(|(field, _)| *field != name);
            let values = match value {
                Value::Array(values) => values.as_slice(),
                value => std::slice::from_ref(value),
            };
            for value in values {
                match value {
                    Value::String(text) => self.add(&name, text),
                    Value::Number(number) => self.add(&name, number.to_string()),
                    Value::Bool(yes) => self.add(&name, yes.to_string()),
                    Value::Null | Value::Array(_) | Value::Object(_) => {}
                }
            }
        }
    }

    /// Sets the effect with a number.
    pub(super) fn set_effect(
        &mut self,
        at: usize,
        style: Option<&str>,
        slot: Option<&str>,
        text: &str,
    ) {
        self.set(&format!("effects.{at}.style"), style.unwrap_or_default());
        self.set(&format!("effects.{at}.slot"), slot.unwrap_or_default());
        self.set(&format!("effects.{at}.text"), text);
    }

    /// The filled-in attributes of the kind below a prefix.
    pub(super) fn attributes(
        &self,
        game: &Game,
        place: &str,
        is_meant: impl Fn(&Attribute) -> bool,
    ) -> Map<String, Value> {
        let kind = game.kind(self.one("kind"));
        let attributes = kind.into_iter().flat_map(|kind| &kind.attributes);
        let value = |(code, attribute): (&String, &Attribute)| {
            let value = self.value(attribute, &format!("{place}.{code}"))?;
            Some((code.clone(), value))
        };
        attributes.filter(|(_, attribute)| is_meant(attribute)).filter_map(value).collect()
    }

    /// The value of a field in the type of its attribute. A value of another type is sent as it is: the check reports it.
    fn value(&self, attribute: &Attribute, name: &str) -> Option<Value> {
        let mut typed = self.all(name).map(str::trim).filter(|value| !value.is_empty());
        Some(match attribute.value {
            AttributeValue::Choices { .. } => {
                let values: Vec<Value> = typed.map(Value::from).collect();
                if values.is_empty() {
                    return None;
                }
                Value::Array(values)
            }
            AttributeValue::Integer { .. } => {
                let typed = typed.next()?;
                typed.parse::<i64>().map_or_else(|_| typed.into(), Value::from)
            }
            AttributeValue::Boolean => match typed.next()? {
                "true" => Value::Bool(true),
                "false" => Value::Bool(false),
                other => other.into(),
            },
            _ => typed.next()?.into(),
        })
    }

    /// The rarities that are chosen or have numbers. Those that the game does not have are the last, and only if they are chosen: the check reports them.
    pub(super) fn printings(&self, game: &Game) -> Vec<DesignPrintingBody> {
        let chosen: BTreeSet<&str> =
            self.all("printing").filter(|rarity| !rarity.is_empty()).collect();
        let known = game.rarities().iter().map(|rarity| rarity.code.as_str());
        let unknown = chosen.iter().copied().filter(|rarity| game.rarity(rarity).is_none());
        let printing = |rarity: &str| {
            let place = format!("printings.{rarity}");
            let attributes = self.attributes(game, &place, |attribute| attribute.per_printing);
            let is_meant = chosen.contains(rarity) || !attributes.is_empty();
            is_meant.then(|| DesignPrintingBody { rarity: rarity.to_owned(), attributes })
        };
        known.chain(unknown).filter_map(printing).collect()
    }

    /// The rarity of a pointer into the request such as `/printings/0/attributes/attack`.
    pub(super) fn rarity_at(&self, game: &Game, pointer: &str) -> Option<String> {
        let (number, _) = pointer.strip_prefix("/printings/")?.split_once('/')?;
        let at: usize = number.parse().ok()?;
        self.printings(game).into_iter().nth(at).map(|printing| printing.rarity)
    }

    /// The request with all filled-in fields.
    pub(super) fn request(&self, game: &Game) -> DesignRequest {
        let owned =
            |name: &str| Some(self.one(name).to_owned()).filter(|text| !text.trim().is_empty());
        let effect = |at: usize| DesignEffectBody {
            style: owned(&format!("effects.{at}.style")),
            slot: owned(&format!("effects.{at}.slot")),
            text: self.one(&format!("effects.{at}.text")).to_owned(),
        };
        DesignRequest {
            game: game.code().to_owned(),
            name: self.one("name").to_owned(),
            kind: self.one("kind").to_owned(),
            attributes: self.attributes(game, "attributes", |_| true),
            effects: self.written_effects().into_iter().map(effect).collect(),
            printings: self.printings(game),
            flavour: owned("flavour"),
            lore: owned("lore"),
            credits: owned("credits"),
            licence: owned("licence"),
            artwork: owned("artwork").map(|id| DesignArtworkBody { id, alt: owned("alt") }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(fields: &[(&str, &str)]) -> Draft {
        let field = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Draft(fields.iter().map(field).collect())
    }

    #[test]
    fn later_effects_move_up_when_one_is_dropped() {
        let mut three = draft(&[]);
        for (at, text) in ["a", "b", "c"].into_iter().enumerate() {
            three.set_effect(at, Some("normal"), None, text);
        }
        three.drop_effect(1);
        assert_eq!(three.effect_count(), 2);
        assert_eq!((three.one("effects.0.text"), three.one("effects.1.text")), ("a", "c"));
        let far = draft(&[("effects.99999999999999999999.text", "x"), ("effects.700.text", "y")]);
        assert_eq!(far.effect_count(), MAX_EFFECTS);
    }

    #[test]
    fn fields_that_a_step_shows_are_not_carried() {
        let fields = draft(&[("name", "Owl"), ("go", "save"), ("lore", ""), ("flavour", "Who?")]);
        let carried = fields.carried(|name| name == "name");
        assert_eq!(carried, [("flavour".to_owned(), "Who?".to_owned())]);
    }
}
