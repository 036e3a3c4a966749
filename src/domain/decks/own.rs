//! The orders of a list of the caller's decks, and positions in such a list.

use chrono::{DateTime, Utc};
use serde::Deserialize;

use crate::domain::ids::DeckId;

/// The order of a list of the caller's decks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OwnDeckSort {
    /// The latest created first.
    #[default]
    Created,
    /// The latest changed first.
    Updated,
    /// By name, in any case.
    Name,
    /// Those with most likes first.
    Likes,
}

impl OwnDeckSort {
    /// All orders.
    pub const ALL: [Self; 4] = [Self::Created, Self::Updated, Self::Name, Self::Likes];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Name => "name",
            Self::Likes => "likes",
        }
    }
}

/// The position after which a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnDeckPosition {
    /// The value by which the list is sorted.
    pub key: OwnDeckKey,
    pub deck: DeckId,
}

/// The value of a deck by which a list is sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnDeckKey {
    /// Ids are in the order of creation.
    Created,
    /// When the deck was last changed.
    Updated(DateTime<Utc>),
    /// Its name, as its owner wrote it.
    Name(String),
    /// Its number of likes.
    Likes(i64),
}
