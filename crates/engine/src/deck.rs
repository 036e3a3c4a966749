//! Deck lists.

use serde::{Deserialize, Serialize};

/// The zone of entries that do not name a zone.
pub const MAIN_ZONE: &str = "main";

/// A deck list: which cards, how many, where.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deck {
    /// The entries, in the player's order. Several entries may have the same card.
    pub entries: Vec<DeckEntry>,
}

/// One line of a deck list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeckEntry {
    /// Zone, by its code, its name or an alias; `main` when absent, which is the first zone of a game without a zone of this name.
    #[serde(default = "main_zone")]
    pub zone: String,
    /// Copies; 0 is a violation, not a parse error.
    pub quantity: u32,
    pub card: CardReference,
    /// Which physical copies these are, by the caller's own ids; there may be fewer than the quantity, or none.
    ///
    /// Opaque: ids are compared exactly, after trimming, and blank ids are ignored. Never serial codes: they are secret and would appear in reports.
    /// Deck lists as text ([`render_deck_text`](crate::render_deck_text)) leave them out, because they would reveal the owner of the copies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub copies: Vec<String>,
}

/// How a deck names a card: by name, and as closely as the player likes by set, number and rarity.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CardReference {
    /// The name, compared by [`name_key`](crate::name_key). May be empty when set and number are given.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(example = "Kettle Imp"))]
    pub name: String,
    /// Set code, in any case; `None`: any set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "hearth"))]
    pub set: Option<String>,
    /// Collector number. Case and leading zeros do not count, unless the set has several such numbers. `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "016"))]
    pub number: Option<String>,
    /// Rarity, as code or as people write it (`Ultra Rare`); `None`: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(example = "rare"))]
    pub rarity: Option<String>,
}

impl CardReference {
    /// A reference by name alone.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

impl DeckEntry {
    /// Copies of a card, by name, in the main zone.
    pub fn main(quantity: u32, name: impl Into<String>) -> Self {
        Self { zone: main_zone(), quantity, card: CardReference::named(name), copies: Vec::new() }
    }

    /// The ids of the copies that the entry names, trimmed; blank ones are left out.
    pub fn named_copies(&self) -> impl Iterator<Item = &str> {
        self.copies.iter().map(|copy| copy.trim()).filter(|copy| !copy.is_empty())
    }
}

fn main_zone() -> String {
    MAIN_ZONE.to_owned()
}
