//! The parts of rules about identity cards of a deck, and about what cards count.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::selector::Selector;

/// The cards that the rest of a deck is bound by: a hero, a commander, a leader. They are the cards in these zones that the selector selects; there
/// may be several, such as two partners.
///
/// A deck without one has the violation [`ViolationCode::IdentityMissing`](crate::ViolationCode::IdentityMissing), once for all rules with the same
/// identity cards, but beside a warning of an earlier rule once more. Its severity is incomplete, or warning if the rule is one; its code stays even if
/// the rule has another code. Other rules, such as
/// [`DeckCheck::ZoneSize`](crate::DeckCheck::ZoneSize), limit the number of identity cards.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Identity {
    /// Zones of these cards; empty: all zones.
    pub zones: Vec<String>,
    /// Which cards of these zones; `None`: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub select: Option<Arc<Selector>>,
}

/// When a card with several values agrees with an identity. A card without a value always does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// The identity cards together have all of its values.
    #[default]
    All,
    /// They have one of its values.
    Any,
}

/// Bounds that the identity cards of a deck state themselves, in integer attributes. If there are several identity cards, the strictest bound
/// applies; a card without the attribute sets no bound.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct StatedBounds {
    /// The identity cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// Attribute with the minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_of: Option<String>,
    /// Attribute with the maximum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_of: Option<String>,
}

/// What one copy of a card counts in a [`DeckCheck::Budget`](crate::DeckCheck::Budget); may be negative. A card without an entry counts 0.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
#[non_exhaustive]
pub enum BudgetPoints {
    /// The value of an integer attribute.
    Attribute { attribute: String },
    /// The points in a table for the value of a choice; for a list, the sum of the points for its values.
    Table {
        attribute: String,
        /// Points by value; 0 where absent.
        values: BTreeMap<String, i64>,
    },
    /// The points in a list for the name of the card.
    Points {
        /// Points by name; 0 where absent. A list may be empty.
        points: BTreeMap<String, i64>,
        /// The same by name key.
        #[serde(skip)]
        by_key: BTreeMap<String, i64>,
    },
}

impl BudgetPoints {
    /// The attribute that counts, if there is one.
    pub fn attribute(&self) -> Option<&str> {
        match self {
            Self::Attribute { attribute } | Self::Table { attribute, .. } => Some(attribute),
            Self::Points { .. } => None,
        }
    }
}
