//! The data of a card in the index.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};

use crate::Words;

/// A card to index.
#[derive(Clone, Debug, PartialEq)]
pub struct CardRecord {
    /// Its id, as a number.
    pub id: u128,
    /// Game code.
    pub game: String,
    /// Set code.
    pub set: String,
    /// Collector number, at most 16 characters.
    pub number: String,
    /// Whether it was hidden, and whether it still is.
    pub unlock: Unlock,
    /// Its content; `None`: it is hidden, and only its place and unlock state are known.
    pub content: Option<CardContent>,
}

/// Whether a card started hidden.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unlock {
    /// It was always open.
    #[default]
    Never,
    /// It is hidden.
    Hidden,
    /// It started hidden and was unlocked then.
    At(DateTime<Utc>),
}

/// The content of a card, which is secret while the card is hidden.
#[derive(Clone, Debug, PartialEq)]
pub struct CardContent {
    /// Name; its keys are derived from it.
    pub name: String,
    /// Kind code.
    pub kind: String,
    /// Attributes of the base printing.
    pub attributes: Map<String, Value>,
    /// Style and slot of each effect.
    pub effects: Vec<EffectTags>,
    /// Whether it has lore that is not empty.
    pub has_lore: bool,
    /// Its folded texts.
    pub words: Words,
    /// Its printings, in any order; tiers are unique.
    pub printings: Vec<PrintingRecord>,
}

/// An effect without its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectTags {
    /// Its style.
    pub style: Option<String>,
    /// Its slot.
    pub slot: Option<String>,
}

/// A card in one rarity.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintingRecord {
    /// Rarity code.
    pub rarity: String,
    /// Position of the rarity in its game's list, from 1.
    pub tier: i16,
    /// The attributes in which it differs from the card.
    pub attributes: Map<String, Value>,
}

/// A change to the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The card has this data now, whatever and wherever it was before.
    Put(Box<CardRecord>),
    /// The card with that id was deleted.
    Remove(u128),
    /// A set exists, with this release day; `None`: unknown. It may have no cards yet.
    Released {
        /// Game code.
        game: String,
        /// Set code.
        set: String,
        /// The day.
        day: Option<NaiveDate>,
    },
    /// A set without cards was deleted.
    RemoveSet {
        /// Game code.
        game: String,
        /// Set code.
        set: String,
    },
}
