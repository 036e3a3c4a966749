//! The data of a design that the query language reads, and the terms by which designs are found and counted.
//!
//! A term is an exact value of a design: `kind=unit`, `rarity=rare`, `style=normal`, `slot=glitch`, `a.type=fire` for an attribute of the design,
//! `p.attack=300` for the value of one printing in an attribute that may differ between printings. Values of attributes that the manifest does not list are
//! no terms, because authors can invent any number of them.

use std::collections::BTreeSet;

use cardscape_engine::{Attribute, AttributeValue, Game, search_key};
use serde_json::{Map, Value, json};

use super::content::DesignContent;
use crate::search::{Comparison, Operator, Test, Words, printing_words};

/// Most bytes of a term: an index entry of the database can have about two thousand.
const MAX_TERM: usize = 200;
/// Prefix of terms of attributes of the design.
const DESIGN: char = 'a';
/// Prefix of terms of attributes of one of its printings.
const PRINTING: char = 'p';

/// The data of a design for the query language.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchableDesign {
    /// Code of its kind.
    pub kind: String,
    /// Its name as search key.
    pub search_key: String,
    /// Attributes of the base printing, without numbers that are not whole.
    pub attributes: Map<String, Value>,
    /// Style and slot of each effect.
    pub effects: Vec<Value>,
    /// Whether it has flavour or lore.
    pub has_lore: bool,
    /// Rarity and own attributes of each printing.
    pub printings: Vec<Value>,
    /// The numeric attributes of each printing that has any.
    pub printing_numbers: Vec<Value>,
    pub terms: Vec<String>,
    /// Its folded texts; those of its printings are among its attributes.
    pub words: Words,
}

impl SearchableDesign {
    /// Reads the data of a design; `game` is the game of the design.
    pub fn of(game: &Game, content: &DesignContent) -> Self {
        let attributes = whole_numbers(content.attributes.clone());
        let printings: Vec<(String, Map<String, Value>)> = content
            .definition(game)
            .printings
            .into_iter()
            .map(|printing| (printing.rarity, whole_numbers(printing.attributes.into())))
            .collect();
        let numbers = |(_, own): &(String, Map<String, Value>)| {
            let mut all = attributes.clone();
            all.extend(own.clone());
            all.retain(|_, value| value.is_number());
            all
        };
        let printing_numbers = printings.iter().map(numbers).filter(|all| !all.is_empty());
        let printing_numbers = printing_numbers.map(Value::Object).collect();
        let background: Vec<&str> =
            [&content.flavour, &content.lore].into_iter().flatten().map(String::as_str).collect();
        let lore = (!background.is_empty()).then(|| background.join("\n"));
        let terms = Terms { game, found: BTreeSet::new() }.of(content, &attributes, &printings);
        let mut words = Words::of(&content.name, &content.effects, lore.as_deref(), &attributes);
        for (rarity, own) in &printings {
            let own = own.iter().map(|(code, value)| (code.as_str(), value));
            words.attributes.extend(printing_words(rarity, own));
        }
        Self {
            kind: content.kind.clone(),
            search_key: search_key(&content.name),
            effects: content
                .effects
                .iter()
                .map(|effect| json!({ "style": effect.style, "slot": effect.slot }))
                .collect(),
            has_lore: lore.is_some(),
            printings: printings
                .into_iter()
                .map(|(rarity, own)| json!({ "rarity": rarity, "attributes": own }))
                .collect(),
            printing_numbers,
            terms,
            words,
            attributes,
        }
    }
}

/// The attributes without numbers that are not whole. No game has such numbers, and different parts of the service would compare them differently.
fn whole_numbers(attributes: Map<String, Value>) -> Map<String, Value> {
    let is_sound = |value: &Value| !value.is_number() || value.is_i64();
    attributes.into_iter().filter(|(_, value)| is_sound(value)).collect()
}

/// Collects the terms of a design.
struct Terms<'g> {
    game: &'g Game,
    found: BTreeSet<String>,
}

impl Terms<'_> {
    fn of(
        mut self,
        content: &DesignContent,
        attributes: &Map<String, Value>,
        printings: &[(String, Map<String, Value>)],
    ) -> Vec<String> {
        self.add(term("kind", &content.kind));
        for effect in &content.effects {
            self.add(effect.style.as_ref().and_then(|style| term("style", style)));
            self.add(effect.slot.as_ref().and_then(|slot| term("slot", slot)));
        }
        self.add_attributes(DESIGN, attributes);
        for (rarity, own) in printings {
            self.add(term("rarity", rarity));
            let mut all = attributes.clone();
            all.extend(own.clone());
            all.retain(|code, _| self.defined(code).any(|attribute| attribute.per_printing));
            self.add_attributes(PRINTING, &all);
        }
        self.found.into_iter().collect()
    }

    /// The definitions of an attribute in the kinds of the game.
    fn defined<'s>(&'s self, code: &'s str) -> impl Iterator<Item = &'s Attribute> {
        self.game.kinds().iter().filter_map(move |kind| kind.attributes.get(code))
    }

    fn add(&mut self, term: Option<String>) {
        self.found.extend(term);
    }

    fn add_attributes(&mut self, of: char, attributes: &Map<String, Value>) {
        for (code, value) in attributes {
            let values = match value {
                Value::Array(values) => values.iter().filter(|value| value.is_string()).collect(),
                one => vec![one],
            };
            for value in values {
                if self.is_listed(code, value) {
                    self.add(term(&format!("{of}.{code}"), &plain(value)));
                }
            }
        }
    }

    /// Whether an attribute of some kind of the game may have this value.
    fn is_listed(&self, code: &str, value: &Value) -> bool {
        self.defined(code).any(|attribute| match (&attribute.value, value) {
            (
                AttributeValue::Choice { values } | AttributeValue::Choices { values, .. },
                Value::String(value),
            ) => values.contains(value),
            (AttributeValue::Integer { .. }, Value::Number(_))
            | (AttributeValue::Boolean, Value::Bool(_)) => true,
            _ => false,
        })
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The term for a value; `None`: it would be too long.
fn term(of: &str, value: &str) -> Option<String> {
    let term = format!("{of}={value}");
    (term.len() <= MAX_TERM).then_some(term)
}

/// The terms for a test: a design passes the test exactly if it has one of them. `None`: terms cannot express the test.
pub fn exact_terms(test: &Test) -> Option<Vec<String>> {
    let of = |what: &str, values: &[String]| -> Option<Vec<String>> {
        values.iter().map(|value| term(what, value)).collect()
    };
    let of_attribute = |code: &str, per_printing: bool, values: &[String]| {
        of(&format!("{}.{code}", if per_printing { PRINTING } else { DESIGN }), values)
    };
    match test {
        Test::Choice { attribute, per_printing, values } => {
            of_attribute(attribute, *per_printing, values)
        }
        Test::Flag { attribute, per_printing, value } => {
            of_attribute(attribute, *per_printing, &[value.to_string()])
        }
        Test::Number {
            sum,
            per_printing,
            compared: Comparison::Is(Operator::Has | Operator::Equal, value),
        } => match sum.as_slice() {
            [code] => of_attribute(code, *per_printing, &[value.to_string()]),
            _ => None,
        },
        Test::Kinds(kinds) => of("kind", kinds),
        Test::Rarities(rarities) => of("rarity", rarities),
        Test::Styles(styles) => of("style", styles),
        Test::Slots(slots) => of("slot", slots),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_express_tests_for_equality() {
        let attack = |operator, per_printing| {
            exact_terms(&Test::Number {
                sum: vec!["attack".to_owned()],
                per_printing,
                compared: Comparison::Is(operator, 300),
            })
        };
        assert_eq!(attack(Operator::Has, true), Some(vec!["p.attack=300".to_owned()]));
        assert_eq!(attack(Operator::Equal, false), Some(vec!["a.attack=300".to_owned()]));
        assert_eq!(attack(Operator::AtLeast, true), None);
        let kinds = Test::Kinds(vec!["unit".to_owned(), "spell".to_owned()]);
        let terms = ["kind=unit", "kind=spell"].map(str::to_owned).to_vec();
        assert_eq!(exact_terms(&kinds), Some(terms));
        assert_eq!(exact_terms(&Test::Kinds(vec!["x".repeat(MAX_TERM)])), None);
    }
}
