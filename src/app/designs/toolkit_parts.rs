//! The schema of manifest parts in the toolkit of a game. The engine serialises them; a test compares both.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// A reference to the rulebook of the game.
#[derive(Serialize, ToSchema)]
pub struct RulebookPlace {
    /// Number of the rule.
    #[schema(example = "T-4.6b")]
    pub rule: String,
    /// Section of the rulebook; may be empty.
    #[schema(example = "4.6")]
    pub section: String,
    /// How far it can be trusted: `source` (the rulebook says so), `assumed` (the rulebook is silent or unclear) or `sample` (invented as an example).
    #[schema(example = "source")]
    pub provenance: String,
    /// The rule in one sentence, for people; may be empty.
    #[schema(example = "Attack is a whole number of at least 0.")]
    pub text: String,
}

/// A rarity in which printings exist.
#[derive(Serialize, ToSchema)]
pub struct ToolkitRarity {
    /// Code of the rarity.
    #[schema(example = "ultra_rare")]
    pub code: String,
    /// Name for people.
    #[schema(example = "Ultra Rare")]
    pub name: String,
    /// Share of a print run, relative to the weights of the other rarities.
    #[schema(example = 4, minimum = 1)]
    pub weight: u32,
    /// Rank of the rarity, from 1 (the lowest, whose printing is the base printing) up.
    #[schema(example = 4, minimum = 1)]
    pub tier: u32,
    /// What its printings look like; may be empty.
    #[schema(example = "holographic")]
    pub finish: String,
    /// Other names of the rarity.
    #[schema(example = json!(["UR", "Holo"]))]
    pub aliases: Vec<String>,
}

/// A kind of card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitKind {
    /// Code of the kind.
    #[schema(example = "unit")]
    pub code: String,
    /// Name for people.
    #[schema(example = "Unit")]
    pub name: String,
    /// Reference to the rulebook.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Required and optional attributes of its cards, by code.
    #[schema(example = json!({ "attack": {
        "name": "attack", "type": "integer", "min": 0, "max": null, "optional": false, "per_printing": true,
        "rule": "T-4.6b", "section": "4.6", "provenance": "source", "text": "Attack is a whole number of at least 0."
    } }))]
    pub attributes: BTreeMap<String, ToolkitAttribute>,
    /// Rules for the effects of its cards: the first entry whose condition is true for a card applies. Empty: no effects.
    pub effects: Vec<ToolkitEffects>,
    /// Rarities in which its cards exist.
    pub printings: ToolkitPrintings,
    /// Totals and gains that are checked, as in the manifest; `budgets` contains the computed totals.
    #[schema(value_type = Vec<Object>)]
    pub checks: Vec<Value>,
}

/// An attribute of a kind of card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitAttribute {
    /// Name for people.
    #[schema(example = "attack")]
    pub name: String,
    /// Type of its values: `text`, `integer` (a whole number), `boolean`, `choice` (one of the listed values) or `choices` (a list of different listed values).
    #[serde(rename = "type")]
    #[schema(example = "integer")]
    pub kind_of_value: String,
    /// For a number: the minimum; null: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0)]
    pub min: Option<i64>,
    /// For a number: the maximum; null: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// For a text: the maximum number of characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// For choices: the listed values, in ascending order if they have an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// For a list of choices: the minimum number of values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// For a list of choices: the maximum number of values; null: all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// Whether a card may be without this attribute.
    #[schema(example = false)]
    pub optional: bool,
    /// Whether printings may have different values. The card has the value of its base printing.
    #[schema(example = true)]
    pub per_printing: bool,
    /// Code of the violation that a wrong value causes, if the manifest names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "SUBTYPE_UNKNOWN")]
    pub code: Option<String>,
    /// Reference to the rulebook.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// A rule for the effects of some cards of a kind.
#[derive(Serialize, ToSchema)]
pub struct ToolkitEffects {
    /// The cards to which it applies, as a selector of manifests (`/docs/games`); absent: all cards of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({ "where": { "stage": { "in": ["basicmoji"] } } }))]
    pub when: Option<Value>,
    /// Minimum number of effects.
    #[schema(example = 2)]
    pub min: u32,
    /// Maximum number of effects.
    #[schema(example = 2)]
    pub max: u32,
    /// Codes of the allowed styles: each effect has one of them; empty: effects have no style.
    #[schema(example = json!(["normal", "continuous", "counter"]))]
    pub styles: Vec<String>,
    /// Places for effects on the card, each with its own bounds; empty: effects have no slot.
    pub slots: Vec<ToolkitSlot>,
    /// Reference to the rulebook.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// A slot: a place for effects on a card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitSlot {
    /// Code of the slot.
    #[schema(example = "upgrade")]
    pub code: String,
    /// Minimum number of effects in it.
    #[schema(example = 1)]
    pub min: u32,
    /// Maximum number of effects in it.
    #[schema(example = 1)]
    pub max: u32,
    /// Reference to the rulebook.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// Rarities in which the cards of a kind exist.
#[derive(Serialize, ToSchema)]
pub struct ToolkitPrintings {
    /// Whether each card exists in every rarity.
    #[schema(example = true)]
    pub every_rarity: bool,
    /// Reference to the rulebook.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// Advice for designers of cards of a game. It is not checked.
#[derive(Serialize, ToSchema)]
pub struct ToolkitGuide {
    /// Usual properties of cards, and how their numbers are usually split.
    pub tendencies: Vec<ToolkitTendency>,
    /// How sentences of effects usually begin, by style.
    pub styles: Vec<ToolkitStyle>,
    /// Sentences that suit only some cards.
    pub suits: Vec<ToolkitSuit>,
}

/// A usual property of some cards.
#[derive(Serialize, ToSchema)]
pub struct ToolkitTendency {
    /// Reference to the rulebook; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// The cards, as a selector of manifests (`/docs/games`).
    #[schema(value_type = Object, example = json!({ "kinds": ["unit"], "where": { "type": { "in": ["fire"] } } }))]
    pub select: Value,
    /// Codes of the attributes among which a total is usually split; absent: the property is described only by the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["attack", "defense"]))]
    pub of: Option<Vec<String>>,
    /// Share of each of these attributes, relative to the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!([65, 35]))]
    pub shares: Option<Vec<u32>>,
}

/// The usual beginnings of the sentences of a style.
#[derive(Serialize, ToSchema)]
pub struct ToolkitStyle {
    /// Reference to the rulebook; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Code of the style.
    #[schema(example = "equip")]
    pub style: String,
    /// Phrases: a sentence of this style usually begins with one of them. Upper and lower case are distinguished.
    #[schema(example = json!(["Equip this card to "]))]
    pub begins: Vec<String>,
}

/// Sentences that suit only some cards.
#[derive(Serialize, ToSchema)]
pub struct ToolkitSuit {
    /// Reference to the rulebook; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Phrases: such a sentence contains one of them. Upper and lower case are distinguished.
    #[schema(example = json!(["above this card"]))]
    pub contains: Vec<String>,
    /// The cards that these sentences suit, as a selector of manifests (`/docs/games`).
    #[schema(value_type = Object, example = json!({ "kinds": ["spell"] }))]
    pub select: Value,
}
