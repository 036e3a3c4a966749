//! Identifiers by which cards are looked up.

use super::cards::{self, CardPlace};
use crate::domain::catalogue::card_name::TypedName;
use crate::domain::ids::CardId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CardIdentifier {
    Id(CardId),
    /// Its number in a set.
    Number {
        /// Game code.
        game: String,
        /// Set code.
        set: String,
        /// Collector number.
        number: String,
    },
    /// Its name in a game; the first by set and number, if several cards have it.
    Name {
        /// Game code.
        game: String,
        /// Code of the set, if the client gave one.
        set: Option<String>,
        name: TypedName,
    },
}

impl CardIdentifier {
    pub(super) fn is_name(&self) -> bool {
        matches!(self, Self::Name { .. })
    }

    /// Whether this is the id or the number of the card at `place`.
    pub(super) fn matches_place(&self, place: &CardPlace) -> bool {
        match self {
            Self::Id(id) => place.id == *id,
            Self::Number { game, set, number } => {
                (&*place.game, &*place.set, &*place.number) == (game, set, number)
            }
            Self::Name { .. } => false,
        }
    }

    /// The same identifier with each spelling of its number; empty for an id or a name.
    pub(super) fn zero_padded_spellings(&self) -> Vec<Self> {
        let Self::Number { game, set, number } = self else { return Vec::new() };
        let (game, set) = (game.clone(), set.clone());
        cards::zero_padded_spellings(number)
            .into_iter()
            .map(|number| Self::Number { game: game.clone(), set: set.clone(), number })
            .collect()
    }
}
