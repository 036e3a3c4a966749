//! What the cards of a game look like: kinds, attributes, rarities, zones, and the checks of card definitions.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::code::ViolationCode;
use crate::rule::RuleReference;
use crate::selector::Selector;

/// A part of a deck list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Zone {
    /// Code, for example `main`. The first zone of a game is its main one.
    pub code: Arc<str>,
    /// Name for people.
    pub name: String,
    /// Other names that deck lists use for it.
    pub aliases: Vec<String>,
}

/// A tier in which printings exist.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Rarity {
    /// Code, for example `ultra_rare`.
    pub code: String,
    /// Name for people.
    pub name: String,
    /// Share of a print run, relative to the other rarities' weights; at least 1.
    pub weight: u32,
    /// Rank from 1, the lowest; the printing of tier 1 is the base printing.
    pub tier: u32,
    /// What its printings look like, for those who draw them.
    pub finish: String,
    /// Other words for it in files of collections: abbreviations, and finishes of other programs (`foil`). Letters and digits count, case does not.
    pub aliases: Vec<String>,
}

/// The key of a word that programs and people write in several ways: its letters and digits, in lower case. Two words mean the same rarity when their
/// keys are equal, unless another rarity has the same signs as the word, too ([`Game::rarity_called`](crate::Game::rarity_called)).
///
/// ```
/// use cardscape_engine::word_key;
/// assert_eq!(word_key("Ultra-Rare"), word_key("ultra_rare"));
/// ```
pub fn word_key(word: &str) -> String {
    word.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// A kind of card.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Kind {
    /// Code, for example `unit`.
    pub code: String,
    /// Name for people.
    pub name: String,
    /// Where the kind comes from.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// Attributes by code.
    pub attributes: BTreeMap<String, Attribute>,
    /// Which effects its cards have; the first whose condition holds applies. Empty: no effects.
    pub effects: Vec<EffectSchema>,
    /// In which rarities each card exists.
    pub printings: PrintingSchema,
    /// Sums and differences.
    pub checks: Vec<CardCheck>,
}

/// An attribute of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Attribute {
    /// Name for people.
    pub name: String,
    /// Which values it takes.
    #[serde(flatten)]
    pub value: AttributeValue,
    /// Whether a card may lack it.
    pub optional: bool,
    /// Whether printings may have their own value.
    pub per_printing: bool,
    /// Code that replaces the check's own when the value is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ViolationCode>,
    /// Where the rule comes from.
    #[serde(flatten)]
    pub reference: RuleReference,
}

/// The values that an attribute takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AttributeValue {
    /// Free text.
    Text {
        /// Maximum number of characters.
        max_length: u32,
    },
    /// A whole number.
    Integer {
        /// Smallest value.
        min: Option<i64>,
        /// Largest value.
        max: Option<i64>,
    },
    /// Yes or no.
    Boolean,
    /// One of the values, listed from low to high where there is an order.
    Choice { values: Vec<String> },
    /// Several different values.
    Choices {
        values: Vec<String>,
        /// Minimum number of values.
        min_items: u32,
        /// Maximum number of values.
        max_items: Option<u32>,
    },
}

/// The effects of cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EffectSchema {
    /// The cards to which it applies; `None`: all of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Arc<Selector>>,
    /// Fewest effects.
    pub min: u32,
    /// Most effects.
    pub max: u32,
    /// Allowed styles; empty: effects have no style.
    pub styles: Vec<String>,
    /// Slots; empty: effects have no slot.
    pub slots: Vec<EffectSlot>,
    /// Where the rule comes from.
    #[serde(flatten)]
    pub reference: RuleReference,
}

/// A place for effects on a card.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EffectSlot {
    /// Code, for example `upgrade`.
    pub code: String,
    /// Fewest effects in it.
    pub min: u32,
    /// Most effects in it.
    pub max: u32,
    /// Where the rule comes from.
    #[serde(flatten)]
    pub reference: RuleReference,
}

/// The printings of cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PrintingSchema {
    /// Whether every card exists in every rarity.
    pub every_rarity: bool,
    /// Where the rule comes from.
    #[serde(flatten)]
    pub reference: RuleReference,
}

/// A check of numbers on a card's printings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CardCheck {
    /// Number, section and wording.
    #[serde(flatten)]
    pub reference: RuleReference,
    /// Code that replaces the check's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ViolationCode>,
    #[serde(flatten)]
    pub check: PrintingCheck,
}

/// The checks of printings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "check", rename_all = "snake_case")]
#[non_exhaustive]
pub enum PrintingCheck {
    /// The attributes add up to a number that a table gives for another attribute (or a constant), plus a bonus by
    /// rarity.
    Total {
        /// Attributes to add.
        of: Vec<String>,
        /// Attribute whose value selects the base total; `None`: the total is the bonus alone.
        by: Option<String>,
        /// Base total by the value of that attribute.
        base: BTreeMap<String, i64>,
        /// Bonus by rarity code; 0 where absent.
        rarity_bonus: BTreeMap<String, i64>,
    },
    /// The attributes exceed the base printing's by a total that the rarity gives.
    Gain {
        /// Attributes to compare.
        of: Vec<String>,
        /// Gain in total by rarity code; 0 where absent.
        rarity_bonus: BTreeMap<String, i64>,
        /// Smallest gain of each attribute.
        each_at_least: i64,
    },
}
