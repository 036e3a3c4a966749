//! Fields of the designer for attributes and effects, with the limits that the game sets.

use cardscape_engine::{
    Attribute, AttributeValue, CardDefinition, Effect, EffectSchema, Game, Kind,
};

use super::draft::Draft;
use super::words as design_words;
use crate::domain::designs::content::MAX_EFFECTS;
use crate::web::catalogue::label;
use crate::web::forms::Choice;
use crate::web::words;

/// Most characters of a text for which the game sets no limit.
const MAX_TEXT: u32 = 500;

/// The `id` of a field by its name: it has no dots, because CSS selectors give them another meaning.
pub(super) fn field_id(name: &str) -> String {
    name.replace('.', "-")
}

pub(super) struct AttributeField {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: String,
    /// The rule as a sentence, with its number.
    pub(super) rule: String,
    pub(super) input: Input,
    /// The violations of the value.
    pub(super) notes: Vec<String>,
}

/// The kind of input.
pub(super) enum Input {
    Text {
        value: String,
        most: u32,
    },
    /// `keys`: the keyboard that a phone shows. The numeric keyboards of some phones have no minus.
    Number {
        value: String,
        keys: &'static str,
    },
    One(Vec<Choice>),
    Several(Vec<Choice>),
}

/// The fields for the attributes of a kind, choices before typed values.
pub(super) fn attribute_fields(kind: &Kind, draft: &Draft) -> Vec<AttributeField> {
    let rank = |attribute: &Attribute| match attribute.value {
        AttributeValue::Choice { .. } | AttributeValue::Boolean => 0,
        AttributeValue::Choices { .. } => 1,
        AttributeValue::Integer { .. } => 2,
        _ => 3,
    };
    let mut attributes: Vec<(&String, &Attribute)> = kind.attributes.iter().collect();
    attributes.sort_by_key(|(_, attribute)| rank(attribute));
    let field = |(code, attribute): (&String, &Attribute)| {
        let name = format!("attributes.{code}");
        AttributeField {
            id: field_id(&name),
            label: design_words::field_label(&label(Some(attribute), code), attribute.optional),
            rule: rule(attribute),
            input: input(attribute, draft, &name),
            notes: Vec::new(),
            name,
        }
    };
    attributes.into_iter().map(field).collect()
}

/// The text of the rule of the attribute; without a text, its bounds.
fn rule(attribute: &Attribute) -> String {
    let rule = design_words::rule(&attribute.reference.text, &attribute.reference.rule);
    match &attribute.value {
        AttributeValue::Integer { min, max } if attribute.reference.text.is_empty() => {
            let bound = |bound: &Option<i64>| bound.map_or_else(String::new, |at| at.to_string());
            format!("{} {rule}", design_words::bounds(&bound(min), &bound(max)))
        }
        _ => rule,
    }
}

fn input(attribute: &Attribute, draft: &Draft, name: &str) -> Input {
    let typed = || draft.one(name).to_owned();
    match &attribute.value {
        AttributeValue::Integer { min, .. } => {
            let is_positive = min.is_some_and(|min| min >= 0);
            Input::Number { value: typed(), keys: if is_positive { "numeric" } else { "text" } }
        }
        AttributeValue::Boolean => Input::One(choices(
            &[
                ("true".to_owned(), words::YES.to_owned()),
                ("false".to_owned(), words::NO.to_owned()),
            ],
            &[draft.one(name)],
        )),
        AttributeValue::Choice { values } => {
            Input::One(choices(&named(values), &[draft.one(name)]))
        }
        AttributeValue::Choices { values, .. } => {
            let chosen: Vec<&str> = draft.all(name).collect();
            Input::Several(choices(&named(values), &chosen))
        }
        AttributeValue::Text { max_length } => Input::Text { value: typed(), most: *max_length },
        // The engine has no other kind of value yet (the enum is `non_exhaustive`).
        _ => Input::Text { value: typed(), most: MAX_TEXT },
    }
}

fn named(values: &[String]) -> Vec<(String, String)> {
    values.iter().map(|value| (value.clone(), words::titled(value))).collect()
}

/// All values to choose from, and a chosen value that is not among them: the check reports it.
fn choices(values: &[(String, String)], chosen: &[&str]) -> Vec<Choice> {
    let is_known = |value: &str| values.iter().any(|(known, _)| known == value);
    let unknown = chosen.iter().filter(|value| !value.is_empty() && !is_known(value));
    let known = values.iter().map(|(value, name)| Choice {
        value: value.clone(),
        name: name.clone(),
        is_chosen: chosen.contains(&value.as_str()),
    });
    let unknown = unknown.map(|value| Choice {
        value: (*value).to_owned(),
        name: words::titled(value),
        is_chosen: true,
    });
    known.chain(unknown).collect()
}

/// The field for the rarities in which the card exists; `None`: there is no choice, and no rarity to remove that the game does not have.
pub(super) fn rarity_field(game: &Game, kind: &Kind, draft: &Draft) -> Option<AttributeField> {
    const NAME: &str = "printing";
    let printings = draft.printings(game);
    let chosen: Vec<&str> = printings.iter().map(|printing| printing.rarity.as_str()).collect();
    let every_rarity = kind.printings.every_rarity;
    let has_choice = !every_rarity && game.rarities().len() > 1;
    if !has_choice && chosen.iter().all(|rarity| game.rarity(rarity).is_some()) {
        return None;
    }
    // If the card exists in all rarities, none can be added.
    let rarities = game.rarities().iter();
    let rarities =
        rarities.filter(|rarity| !every_rarity || chosen.contains(&rarity.code.as_str()));
    let rarities: Vec<(String, String)> =
        rarities.map(|rarity| (rarity.code.clone(), rarity.name.clone())).collect();
    let rule = if every_rarity {
        design_words::EVERY_RARITY_ABOUT.to_owned()
    } else {
        design_words::rarities_about(&game.base_rarity().name)
    };
    Some(AttributeField {
        id: field_id(NAME),
        name: NAME.to_owned(),
        label: design_words::field_label(words::RARITIES, true),
        rule,
        input: Input::Several(choices(&rarities, &chosen)),
        notes: Vec::new(),
    })
}

/// A rarity whose numbers are calculated or chosen.
pub(super) struct RarityRow {
    pub(super) name: String,
    pub(super) cells: Vec<NumberCell>,
}

/// A number of a rarity.
pub(super) struct NumberCell {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) label: String,
    pub(super) value: String,
    /// The calculated value, which applies without a choice.
    pub(super) worked_out: String,
    /// The violations of the value.
    pub(super) notes: Vec<String>,
}

/// Columns and rows of the numbers that differ between rarities. The lowest rarity is left out, because its numbers are those of the design itself.
/// `worked_out`: the calculated number of an attribute in a rarity.
pub(super) fn rarity_rows(
    game: &Game,
    kind: &Kind,
    draft: &Draft,
    worked_out: impl Fn(&str, &str) -> String,
) -> (Vec<String>, Vec<RarityRow>) {
    let is_number = |attribute: &Attribute| {
        attribute.per_printing && matches!(attribute.value, AttributeValue::Integer { .. })
    };
    let numbers: Vec<(&String, String)> = kind
        .attributes
        .iter()
        .filter(|(_, attribute)| is_number(attribute))
        .map(|(code, attribute)| (code, label(Some(attribute), code)))
        .collect();
    let base = &game.base_rarity().code;
    let rarities = game.rarities().iter().filter(|rarity| rarity.code != *base);
    let row = |rarity: &cardscape_engine::Rarity| {
        let cell = |(code, label): &(&String, String)| {
            let name = format!("printings.{}.{code}", rarity.code);
            NumberCell {
                id: field_id(&name),
                label: design_words::number_in(label, &rarity.name),
                value: draft.one(&name).to_owned(),
                worked_out: worked_out(&rarity.code, code),
                notes: Vec::new(),
                name,
            }
        };
        RarityRow { name: rarity.name.clone(), cells: numbers.iter().map(cell).collect() }
    };
    if numbers.is_empty() {
        return (Vec::new(), Vec::new());
    }
    (numbers.iter().map(|(_, label)| label.clone()).collect(), rarities.map(row).collect())
}

/// The allowed effects of the card: those of the first rule of its kind whose condition holds.
pub(super) fn effect_schema<'a>(
    game: &Game,
    kind: &'a Kind,
    draft: &Draft,
) -> Option<&'a EffectSchema> {
    let card = CardDefinition {
        number: String::new(),
        name: draft.one("name").to_owned(),
        kind: kind.code.clone(),
        attributes: draft.attributes(game, "attributes", |_| true).into(),
        effects: Vec::<Effect>::new(),
        lore: None,
        printings: Vec::new(),
    };
    let holds = |schema: &&EffectSchema| {
        schema.when.as_ref().is_none_or(|when| when.matches(&card, "", None))
    };
    kind.effects.iter().find(holds)
}

pub(super) struct EffectField {
    pub(super) at: usize,
    pub(super) heading: String,
    /// The prefix of the names of the fields, and of their `id`s.
    pub(super) name: String,
    pub(super) id: String,
    pub(super) text: String,
    pub(super) styles: Vec<Choice>,
    pub(super) slots: Vec<Choice>,
    /// The label of the button that builds the sentence from a template; `None`: the game has no templates.
    pub(super) choose: Option<String>,
    pub(super) drop: String,
    pub(super) notes: Vec<String>,
}

/// The fields of all effects, at least as many as the card must have.
pub(super) fn effect_fields(schema: &EffectSchema, draft: &Draft) -> Vec<EffectField> {
    let in_slots: u32 = schema.slots.iter().map(|slot| slot.min).sum();
    let least = usize::try_from(schema.min.max(in_slots).max(1)).unwrap_or(1);
    let count = draft.effect_count().max(least.min(MAX_EFFECTS));
    let slots: Vec<(String, String)> =
        schema.slots.iter().map(|slot| (slot.code.clone(), words::titled(&slot.code))).collect();
    let field = |at: usize| {
        let name = format!("effects.{at}");
        let chosen = |member: &str| draft.one(&format!("{name}.{member}")).to_owned();
        EffectField {
            at,
            heading: design_words::effect(at),
            id: field_id(&name),
            text: chosen("text"),
            styles: choices(&named(&schema.styles), &[&chosen("style")]),
            slots: choices(&slots, &[&chosen("slot")]),
            choose: None,
            drop: design_words::drop_effect(at),
            notes: Vec::new(),
            name,
        }
    };
    (0..count).map(field).collect()
}
