//! Results of the index.

use std::sync::Arc;

use serde_json::Value;

use super::position::{PlaceKey, Position, SortValue};

/// An entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Id of the card.
    pub card: u128,
    /// Game code.
    pub game: Arc<str>,
    /// Set code.
    pub set: Arc<str>,
    /// Collector number.
    pub number: String,
    /// In lists of printings, the tier of the printing, which is unique for a card. 0 in lists of cards.
    pub tier: i16,
    /// Its sort key, as Postgres writes it.
    pub key: Option<String>,
    /// Whether the card is hidden from the requester.
    pub is_hidden: bool,
}

/// A part of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The entries, in order.
    pub hits: Vec<Hit>,
    /// Whether matching entries may be missing that no later page has, because costly tests (phrases, regular
    /// expressions) were not run on all cards, and the cards were not tested in the order of the list.
    pub cut: bool,
    /// If the costly tests ended before the page was full, the position up to which all cards were tested: the list
    /// goes on after it. There may be no entry at this position.
    pub tested_to: Option<Position>,
}

/// The number of entries of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number.
    pub entries: u64,
    /// Whether the number is exact; else there may be more.
    pub is_exact: bool,
    /// Whether it is inexact because costly tests were not run on all cards, and not because the limit was reached.
    pub cut: bool,
}

/// What a counted value belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FacetSource {
    /// The card itself, without a value: the count of all cards.
    Card,
    /// Its kind.
    Kind,
    /// One of its printings: a rarity.
    Rarity,
    /// One of its effects: a style.
    Style,
    /// One of its effects: a slot.
    Slot,
    /// An attribute, or one of the values of an attribute that is a list.
    Attribute,
}

/// An attribute whose values are counted.
#[derive(Clone, Copy, Debug)]
pub struct FacetAttribute<'a> {
    /// Its code.
    pub code: &'a str,
    /// Whether printings may differ in it: then a card has the values of all of its printings.
    pub per_printing: bool,
}

/// A value, and the number of cards with it.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetCount {
    /// What the value belongs to.
    pub source: FacetSource,
    /// Code of the attribute; empty for the other sources.
    pub attribute: String,
    /// The value; null for [`FacetSource::Card`].
    pub value: Value,
    /// Number of cards with the value; each counts once.
    pub cards: u64,
}

/// Most values of an attribute that are all counted: numbers may have as many values as there are cards.
pub const MAX_FACET_VALUES: usize = if cfg!(test) { 40 } else { 20_000 };

/// Values, and how many of the matching cards have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// By source, attribute and value; values without cards are left out, and so is [`FacetSource::Card`] when no card
    /// matches. Of an attribute with more than [`MAX_FACET_VALUES`] values, there are more than so many, but perhaps not all.
    pub counts: Vec<FacetCount>,
    /// Whether matching cards may be missing, because costly tests were not run on all cards.
    pub cut: bool,
}

/// An entry of a list, with its sort value.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) card: u128,
    pub(super) game: Arc<str>,
    pub(super) set: Arc<str>,
    pub(super) number: String,
    pub(super) tier: i16,
    pub(super) key: Option<SortValue>,
    pub(super) is_hidden: bool,
}

impl Listed {
    pub(super) fn place(&self) -> PlaceKey<'_> {
        PlaceKey { game: &self.game, set: &self.set, number: &self.number, tier: self.tier }
    }

    pub(super) fn into_position(self) -> Position {
        let Self { game, set, number, tier, key, .. } = self;
        let (game, set) = (game.to_string(), set.to_string());
        Position { key: key.map(|key| key.to_text()), game, set, number, tier }
    }

    pub(super) fn into_hit(self) -> Hit {
        let Self { card, game, set, number, tier, key, is_hidden } = self;
        Hit { card, game, set, number, tier, key: key.map(|key| key.to_text()), is_hidden }
    }
}
