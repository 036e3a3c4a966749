//! Subjects of comments.

use std::fmt;

use crate::domain::designs::identifier::DesignCode;
use crate::domain::ids::DeckId;

/// A subject of comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeedbackSubject {
    /// A card design.
    Design(DesignCode),
    Deck(DeckId),
}

impl From<DesignCode> for FeedbackSubject {
    fn from(design: DesignCode) -> Self {
        Self::Design(design)
    }
}

impl From<DeckId> for FeedbackSubject {
    fn from(deck: DeckId) -> Self {
        Self::Deck(deck)
    }
}

/// The name in the log: `design:D-7KQ2X0FM9F`.
impl fmt::Display for FeedbackSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Design(code) => write!(f, "design:{code}"),
            Self::Deck(id) => write!(f, "deck:{id}"),
        }
    }
}
