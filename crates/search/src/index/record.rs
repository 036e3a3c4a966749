//! What the index is told of a card.

use chrono::{DateTime, NaiveDate, Utc};
use serde_json::{Map, Value};

use crate::Words;

/// A card as it is put into the index.
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
    /// What it says; `None`: it is hidden, and only its place and its unlocking are known.
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

/// What only those may know who may see a card.
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
    /// Whether it has a background text that is not empty.
    pub has_lore: bool,
    /// Its folded texts.
    pub words: Words,
    /// Its printings, in any order; no two have one tier.
    pub printings: Vec<PrintingRecord>,
}

/// What an effect is beside its text.
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
    /// Place of the rarity in its game's list, from 1.
    pub tier: i16,
    /// The attributes in which it differs from the card.
    pub attributes: Map<String, Value>,
}

/// A change to the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The card is now so, wherever and whatever it was before.
    Put(Box<CardRecord>),
    /// The card with that id is gone.
    Remove(u128),
    /// There is a set, and it came out on that day; `None`: nobody knows when. It may have no cards yet.
    Released {
        /// Game code.
        game: String,
        /// Set code.
        set: String,
        /// The day.
        day: Option<NaiveDate>,
    },
}
