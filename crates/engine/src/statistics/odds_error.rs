//! Why odds cannot be computed.

use thiserror::Error;

/// Why a question about draws has no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum OddsError {
    /// The game has no such zone.
    #[error("the game has no zone {zone:?}")]
    UnknownZone {
        /// As the question names it.
        zone: String,
    },
    /// Neither the manifest nor the question states the hand size.
    #[error("the game's manifest does not say how many cards are drawn ({key})")]
    NotSaid {
        /// The key of `[play]` that is missing: `hand_size`.
        key: &'static str,
    },
    /// More cards match than there are.
    #[error("{successes} cards of {population} cannot match")]
    TooManySuccesses {
        /// Cards that match.
        successes: u64,
        /// All cards.
        population: u64,
    },
    /// More cards are drawn than there are.
    #[error("{draws} cards cannot be drawn from {population}")]
    TooManyDraws {
        /// Cards drawn.
        draws: u64,
        /// All cards.
        population: u64,
    },
    /// An opening hand and the draws after it are more cards than are drawn at random.
    #[error("the opening hand and the draws together must be at most {max} cards, not {actual}")]
    TooManyCards {
        /// The largest number of cards.
        max: u64,
        /// The number of cards.
        actual: u64,
    },
    /// A number is larger than the maximum that is computed.
    #[error("{what} must be at most {max}, not {actual}")]
    TooLarge {
        /// Name of the number, for example `draws`.
        what: &'static str,
        /// The largest number.
        max: u64,
        /// The number.
        actual: u64,
    },
}
