//! Names of the zones, attributes, kinds and rarities of a game. Codes without a name, and all codes without a game, are turned into words.

use std::collections::BTreeSet;

use cardscape_engine::{Attribute, AttributeValue, Game};

use super::found::FoundCard;
use crate::web::catalogue::values::{kind_name, label, rarity_name, zone_name};
use crate::web::words::{self, quoted, titled};

/// Most cards that a message names, so that it stays readable if many cards are missing.
const NAMED: usize = 6;

#[derive(Clone, Copy)]
pub(super) struct Names<'a>(Option<&'a Game>);

impl<'a> Names<'a> {
    pub(super) fn of(game: Option<&'a Game>) -> Self {
        Self(game)
    }

    pub(super) fn zone(self, code: &str) -> String {
        self.0.map_or_else(|| titled(code), |game| zone_name(game, code))
    }

    pub(super) fn kind(self, code: &str) -> String {
        self.0.map_or_else(|| titled(code), |game| kind_name(game, code))
    }

    pub(super) fn rarity(self, code: &str) -> String {
        self.0.map_or_else(|| titled(code), |game| rarity_name(game, code))
    }

    /// One attribute, or several with ` + ` between them.
    pub(super) fn attribute(self, codes: &str) -> String {
        let name = |code: &str| label(self.schema(code), code);
        codes.split(" + ").map(name).collect::<Vec<_>>().join(" + ")
    }

    /// The schema of the attribute with this code.
    pub(super) fn schema(self, code: &str) -> Option<&'a Attribute> {
        self.0?.kinds().iter().find_map(|kind| kind.attributes.get(code))
    }

    /// A value of an attribute.
    pub(super) fn value(self, attribute: Option<&str>, value: &str) -> String {
        match attribute.and_then(|code| self.schema(code)).map(|attribute| &attribute.value) {
            Some(AttributeValue::Text { .. } | AttributeValue::Integer { .. }) => value.to_owned(),
            Some(AttributeValue::Boolean) if value == "true" => words::YES.to_owned(),
            Some(AttributeValue::Boolean) if value == "false" => words::NO.to_owned(),
            _ => titled(value),
        }
    }

    /// A printing: its card with place and rarity, as far as they are known.
    pub(super) fn printing(self, card: &FoundCard<'_>) -> String {
        let place = match (card.set, card.number) {
            (Some(set), Some(number)) => Some(words::place(set, number)),
            (set, number) => set.or(number).map(str::to_owned),
        };
        let name = (!card.name.is_empty()).then(|| quoted(card.name));
        let rarity = card.rarity.map(|code| self.rarity(code));
        name.into_iter().chain(place).chain(rarity).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn printings(self, cards: &[FoundCard<'_>]) -> String {
        listed(cards.iter().map(|card| self.printing(card)).collect())
    }
}

/// The names of the cards, each name once; cards without a name by their places.
pub(super) fn card_list(cards: &[FoundCard<'_>]) -> String {
    let name = |card: &FoundCard<'_>| match (card.name, card.set, card.number) {
        ("", Some(set), Some(number)) => quoted(&words::place(set, number)),
        ("", _, number) => quoted(number.unwrap_or_default()),
        (name, ..) => quoted(name),
    };
    let mut names: Vec<String> = cards.iter().map(name).collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    listed(names)
}

/// The first names of a list, and the number of further ones.
pub(super) fn listed(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let first = all.into_iter().take(NAMED).collect::<Vec<_>>().join(", ");
    words::and_more(&first, more)
}
