//! Card and set definitions, in the form of set files.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;

/// One card of a set: everything that all its copies share.
///
/// The game decides what it may contain: [`check_card`](crate::check_card) compares it with the manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CardDefinition {
    /// Collector number, unique in the set, for example `042`.
    pub number: String,
    /// Name, unique in the game after normalisation ([`name_key`](crate::name_key)).
    pub name: String,
    /// Code of the card's kind, for example `unit`.
    pub kind: String,
    /// Attributes by code; those that differ between printings have the base printing's values.
    #[serde(default)]
    pub attributes: Attributes,
    /// Effects in printed order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<Effect>,
    /// Background text, which has no effect on play.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lore: Option<String>,
    /// The rarities in which the card exists. Empty: one printing of the game's lowest rarity.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub printings: Vec<PrintingDefinition>,
}

impl CardDefinition {
    /// Replaces the codes of attributes by those of `known` that are equal, so that each code is in memory once.
    pub(crate) fn share_codes(&mut self, known: &BTreeSet<Arc<str>>) {
        let printings = self.printings.iter_mut().map(|printing| &mut printing.attributes);
        for attributes in printings.chain([&mut self.attributes]) {
            attributes.share_codes(known);
        }
    }
}

/// One effect of a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// How it is activated, for example `passive`; only in games that have styles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// The place of the effect on the card, for example `upgrade`; only in games that have slots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// The printed sentence.
    pub text: String,
}

/// A card in one rarity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintingDefinition {
    /// Code of the rarity.
    pub rarity: String,
    /// What differs from the card's base attributes.
    #[serde(default, skip_serializing_if = "Attributes::is_empty")]
    pub attributes: Attributes,
}

/// One set file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetDefinition {
    /// Code, unique in the game: lower-case letters and digits, in words joined by `-`.
    pub code: String,
    /// Name for people.
    pub name: String,
    /// Day of release, `YYYY-MM-DD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_on: Option<String>,
    /// Whether the cards start hidden; absent: the game's policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Distinct accounts whose submissions unlock a card; absent: the game's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unlock_threshold: Option<u32>,
    pub cards: Vec<CardDefinition>,
}
