//! Moves and merges of cards.

use thiserror::Error;

use super::ruling::MAX_RULINGS;

/// What happened to a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MigrationKind {
    /// It got another number.
    Move,
    /// It was merged into another card.
    Merge,
}

impl MigrationKind {
    /// The name on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Move => "move",
            Self::Merge => "merge",
        }
    }

    /// The kind with that name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Move, Self::Merge].into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Why two cards cannot become one.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum MergeRefusal {
    /// They are the same card.
    #[error("A card cannot be merged into itself.")]
    Itself,
    /// They belong to different games.
    #[error("The cards are of different games.")]
    OtherGame,
    /// One of them is hidden.
    #[error("One of the cards is hidden: the merge would reveal what it is.")]
    Hidden,
    /// Together they have more rulings than a card may have.
    #[error("Together, the cards have more than {MAX_RULINGS} rulings.")]
    TooManyRulings,
    /// Copies of the card, or other data that cannot be merged, exist.
    #[error("The card has copies, submissions or similar data, which cannot be merged.")]
    Used,
}
