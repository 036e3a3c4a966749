//! What the index answers with.

use std::sync::Arc;

use serde_json::Value;

use super::position::{PlaceKey, SortValue};

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
    /// In lists of printings, the tier of the printing: no two of a card have the same. 0 in lists of cards.
    pub tier: i16,
    /// Its sort key, as Postgres writes it.
    pub key: Option<String>,
    /// Whether only its place is known.
    pub is_hidden: bool,
}

/// A piece of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The entries, in order.
    pub hits: Vec<Hit>,
    /// Whether some that fit may be missing, because costly tests (phrases, regular expressions) were not tried on all cards.
    pub cut: bool,
}

/// How many entries a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count {
    /// So many.
    pub entries: u64,
    /// Whether these are all; else there may be more.
    pub is_exact: bool,
    /// Whether it is not exact because costly tests were not tried on all cards, and not because there are more than was asked for.
    pub cut: bool,
}

/// What has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FacetSource {
    /// The card itself; its value is none, and the count is of all cards.
    Card,
    /// Its kind.
    Kind,
    /// One of its printings: a rarity.
    Rarity,
    /// One of its effects: a style.
    Style,
    /// One of its effects: a slot.
    Slot,
    /// An attribute of its base printing, or one of the values of such an attribute.
    Attribute,
}

/// A value and how many cards have it.
#[derive(Clone, Debug, PartialEq)]
pub struct FacetCount {
    /// What has it.
    pub source: FacetSource,
    /// Code of the attribute; empty for the other sources.
    pub attribute: String,
    /// The value; null for [`FacetSource::Card`].
    pub value: Value,
    /// Cards that have it; each counts once.
    pub cards: u64,
}

/// Values and how many of the cards that fit have them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// By source, attribute and value; values that no card has are missing, and so is [`FacetSource::Card`] when nothing fits.
    pub counts: Vec<FacetCount>,
    /// Whether some that fit may not be counted, because costly tests were not tried on all cards.
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

    pub(super) fn into_hit(self) -> Hit {
        let Self { card, game, set, number, tier, key, is_hidden } = self;
        Hit { card, game, set, number, tier, key: key.map(|key| key.to_text()), is_hidden }
    }
}
