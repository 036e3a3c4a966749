//! The cards that a player wants to draw.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::meaning::{Line, lines_of};
use super::odds_error::OddsError;
use crate::catalogue::Catalogue;
use crate::deck::Deck;
use crate::name::name_key;
use crate::selector::{Condition, Selector};
use crate::validate::zone_index;

/// The cards that match.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum DrawTarget {
    /// Cards of this name, compared by [`name_key`]; also those that the catalogue does not know.
    Name(String),
    /// Cards that the selector selects, by the cards' own attributes (those of the base printing).
    Selector(Selector),
}

/// How many cards of a zone match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct DrawPopulation {
    /// All cards of the zone, unknown ones included.
    pub cards: u64,
    /// Cards that match.
    pub matching: u64,
    /// Cards of which it is not known whether they match: the catalogue does not know them, or several cards fit what the deck writes and only
    /// some of them match. Odds count them among those that do not match; with `matching + uncertain` the same odds are upper bounds.
    pub uncertain: u64,
}

impl DrawTarget {
    /// Cards of a name.
    pub fn named(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    /// Cards whose attribute has this value; of a list, one of its elements.
    pub fn attribute(code: impl Into<String>, value: Value) -> Self {
        let attributes = BTreeMap::from([(code.into(), Condition::In(vec![value]))]);
        Self::Selector(Selector { attributes, ..Selector::default() })
    }

    /// Cards of a kind, by its code.
    pub fn kind(code: impl Into<String>) -> Self {
        Self::Selector(Selector { kinds: vec![code.into()], ..Selector::default() })
    }

    /// Counts the cards of a zone that match.
    ///
    /// ```
    /// use cardscape_engine::*;
    ///
    /// # let game = Game::from_toml("code = 'pond'\nname = 'Pond'\nrules_version = '1'\n[[kinds]]\ncode = 'fish'\nname = 'Fish'")?;
    /// let catalogue = Catalogue::builder(&game).build();
    /// let deck = parse_deck_text("3 Carp\n1 Pike\n").deck;
    /// let population = DrawTarget::named("carp").count(&deck, &catalogue, "main")?;
    /// assert_eq!((population.cards, population.matching, population.uncertain), (4, 3, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`OddsError::UnknownZone`] when the game has no such zone, by code or alias.
    pub fn count(
        &self,
        deck: &Deck,
        catalogue: &Catalogue,
        zone: &str,
    ) -> Result<DrawPopulation, OddsError> {
        let lines = lines_of(deck, catalogue, zone_of(catalogue, zone)?);
        let matcher = Matcher::new(self);
        let mut population = DrawPopulation { cards: 0, matching: 0, uncertain: 0 };
        for line in &lines {
            let counted = match matcher.matches(line, catalogue) {
                Some(true) => Some(&mut population.matching),
                Some(false) => None,
                None => Some(&mut population.uncertain),
            };
            if let Some(sum) = counted {
                *sum = sum.saturating_add(line.copies());
            }
            population.cards = population.cards.saturating_add(line.copies());
        }
        Ok(population)
    }
}

enum Matcher {
    Name(String),
    Selector(Selector),
}

impl Matcher {
    fn new(target: &DrawTarget) -> Self {
        match target {
            DrawTarget::Name(name) => Self::Name(name_key(name)),
            DrawTarget::Selector(selector) => {
                let mut selector = selector.clone();
                selector.prepare();
                Self::Selector(selector)
            }
        }
    }

    /// `None`: unknown.
    fn matches(&self, line: &Line<'_>, catalogue: &Catalogue) -> Option<bool> {
        let written = &line.entry.card.name;
        match self {
            Self::Name(key) if line.is_known() => {
                let name = |card: u32| name_key(&catalogue.card(card).definition.name);
                line.agreed(|card| name(card) == *key)
            }
            Self::Name(key) => (!written.is_empty()).then(|| name_key(written) == *key),
            Self::Selector(selector) => {
                line.agreed(|card| catalogue.selects(selector, card, false))
            }
        }
    }
}

/// The index of a zone in the game.
pub(super) fn zone_of(catalogue: &Catalogue, zone: &str) -> Result<usize, OddsError> {
    let zones = catalogue.game().zones();
    let at = usize::from(zone_index(zone, zones));
    if at < zones.len() { Ok(at) } else { Err(OddsError::UnknownZone { zone: zone.to_owned() }) }
}
