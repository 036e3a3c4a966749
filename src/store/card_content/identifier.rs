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

/// An id or a number, to find what belongs to an identifier among very many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceKey<'a> {
    Id(CardId),
    /// Game, set and number.
    Number(&'a str, &'a str, &'a str),
}

impl<'a> PlaceKey<'a> {
    /// The keys of the identifiers that name the card at this place.
    pub(super) fn of_place(place: &'a CardPlace) -> [Self; 2] {
        [Self::Id(place.id), Self::Number(&place.game, &place.set, &place.number)]
    }
}

impl CardIdentifier {
    /// Its id or its number; `None`: it is a name.
    pub(super) fn place_key(&self) -> Option<PlaceKey<'_>> {
        match self {
            Self::Id(id) => Some(PlaceKey::Id(*id)),
            Self::Number { game, set, number } => Some(PlaceKey::Number(game, set, number)),
            Self::Name { .. } => None,
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
