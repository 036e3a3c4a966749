//! The schema of manifest parts in the toolkit of a game. The engine serialises them; a test compares both.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Where something is written in the rulebook of the game.
#[derive(Serialize, ToSchema)]
pub struct RulebookPlace {
    /// Number of the rule.
    #[schema(example = "T-4.6b")]
    pub rule: String,
    /// Section of the rulebook; may be empty.
    #[schema(example = "4.6")]
    pub section: String,
    /// How far it can be trusted: `source` (the rulebook says so), `assumed` or `sample`.
    #[schema(example = "source")]
    pub provenance: String,
    /// The rule in one sentence, for people; may be empty.
    #[schema(example = "Attack is a whole number of at least 0.")]
    pub text: String,
}

/// A rarity in which printings exist.
#[derive(Serialize, ToSchema)]
pub struct ToolkitRarity {
    /// Code.
    #[schema(example = "ultra_rare")]
    pub code: String,
    /// Name for people.
    #[schema(example = "Ultra Rare")]
    pub name: String,
    /// Share of a print run, in relation to the weights of the other rarities.
    #[schema(example = 4, minimum = 1)]
    pub weight: u32,
    /// Rank from 1, the lowest, whose printing is the base printing.
    #[schema(example = 4, minimum = 1)]
    pub tier: u32,
    /// What its printings look like; may be empty.
    #[schema(example = "holographic")]
    pub finish: String,
    /// Other words for it.
    #[schema(example = json!(["UR", "Holo"]))]
    pub aliases: Vec<String>,
}

/// A kind of card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitKind {
    /// Code.
    #[schema(example = "unit")]
    pub code: String,
    /// Name for people.
    #[schema(example = "Unit")]
    pub name: String,
    /// Where the rulebook has it.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Attributes by code: what a card must have, and what it may have.
    #[schema(example = json!({ "attack": {
        "name": "attack", "type": "integer", "min": 0, "max": null, "optional": false, "per_printing": true,
        "rule": "T-4.6b", "section": "4.6", "provenance": "source", "text": "Attack is a whole number of at least 0."
    } }))]
    pub attributes: BTreeMap<String, ToolkitAttribute>,
    /// Which effects its cards have: the first entry whose condition holds applies. Empty: no effects.
    pub effects: Vec<ToolkitEffects>,
    /// In which rarities its cards exist.
    pub printings: ToolkitPrintings,
    /// Sums and differences that are checked, as the manifest has them; `budgets` has them worked out.
    #[schema(value_type = Vec<Object>)]
    pub checks: Vec<Value>,
}

/// An attribute of a kind of card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitAttribute {
    /// Name for people.
    #[schema(example = "attack")]
    pub name: String,
    /// Which values it takes: `text`, `integer` (a whole number), `boolean`, `choice` (one of the values) or `choices` (a list of different ones of them).
    #[serde(rename = "type")]
    #[schema(example = "integer")]
    pub kind_of_value: String,
    /// Of a number: the smallest value; null: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 0)]
    pub min: Option<i64>,
    /// Of a number: the largest value; null: there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// Of a text: most characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u32>,
    /// Of choices: the values, from low to high where there is an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// Of several choices: fewest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_items: Option<u32>,
    /// Of several choices: most; null: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_items: Option<u32>,
    /// Whether a card may lack it.
    #[schema(example = false)]
    pub optional: bool,
    /// Whether printings may have values of their own; the card has that of its base printing.
    #[schema(example = true)]
    pub per_printing: bool,
    /// Code of the violation when a value is wrong, where the manifest names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "SUBTYPE_UNKNOWN")]
    pub code: Option<String>,
    /// Where the rulebook has it.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// Which effects some cards of a kind have.
#[derive(Serialize, ToSchema)]
pub struct ToolkitEffects {
    /// The cards that it is for, as a selector of manifests (docs/GAMES.md); absent: all of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({ "where": { "stage": { "in": ["basicmoji"] } } }))]
    pub when: Option<Value>,
    /// Fewest effects.
    #[schema(example = 2)]
    pub min: u32,
    /// Most effects.
    #[schema(example = 2)]
    pub max: u32,
    /// Styles of which each effect has one; empty: effects have no style.
    #[schema(example = json!(["normal", "continuous", "counter"]))]
    pub styles: Vec<String>,
    /// Places for effects on the card, each of which has bounds of its own; empty: effects have no slot.
    pub slots: Vec<ToolkitSlot>,
    /// Where the rulebook has it.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// A place for effects on a card.
#[derive(Serialize, ToSchema)]
pub struct ToolkitSlot {
    /// Code.
    #[schema(example = "upgrade")]
    pub code: String,
    /// Fewest effects in it.
    #[schema(example = 1)]
    pub min: u32,
    /// Most effects in it.
    #[schema(example = 1)]
    pub max: u32,
    /// Where the rulebook has it.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// In which rarities cards of a kind exist.
#[derive(Serialize, ToSchema)]
pub struct ToolkitPrintings {
    /// Whether each card exists in every rarity.
    #[schema(example = true)]
    pub every_rarity: bool,
    /// Where the rulebook has it.
    #[serde(flatten)]
    pub place: RulebookPlace,
}

/// What designers should know of a game. Nothing of it is checked.
#[derive(Serialize, ToSchema)]
pub struct ToolkitGuide {
    /// What cards are usually like, and how their numbers are usually split.
    pub tendencies: Vec<ToolkitTendency>,
    /// How sentences of effects usually begin, by style.
    pub styles: Vec<ToolkitStyle>,
    /// Which cards some sentences suit.
    pub suits: Vec<ToolkitSuit>,
}

/// What some cards are usually like.
#[derive(Serialize, ToSchema)]
pub struct ToolkitTendency {
    /// Where the rulebook has it; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// The cards, as a selector of manifests (docs/GAMES.md).
    #[schema(value_type = Object, example = json!({ "kinds": ["unit"], "where": { "type": { "in": ["fire"] } } }))]
    pub select: Value,
    /// Attributes among which a total is usually split; absent: it is told in words only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["attack", "defense"]))]
    pub of: Option<Vec<String>>,
    /// The share of each of these attributes, in relation to the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!([65, 35]))]
    pub shares: Option<Vec<u32>>,
}

/// How sentences of a style usually begin.
#[derive(Serialize, ToSchema)]
pub struct ToolkitStyle {
    /// Where the rulebook has it; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Code of the style.
    #[schema(example = "equip")]
    pub style: String,
    /// Phrases of which a sentence begins with one; case counts.
    #[schema(example = json!(["Equip this card to "]))]
    pub begins: Vec<String>,
}

/// Sentences that suit some cards only.
#[derive(Serialize, ToSchema)]
pub struct ToolkitSuit {
    /// Where the rulebook has it; its text is for designers.
    #[serde(flatten)]
    pub place: RulebookPlace,
    /// Phrases of which such a sentence contains one; case counts.
    #[schema(example = json!(["above this card"]))]
    pub contains: Vec<String>,
    /// The cards that it suits, as a selector of manifests (docs/GAMES.md).
    #[schema(value_type = Object, example = json!({ "kinds": ["spell"] }))]
    pub select: Value,
}
