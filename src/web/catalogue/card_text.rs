//! The text of a card: its kind, values, effects and lore.

use cardscape_engine::Game;
use serde_json::{Map, Value};

use super::answers::Card;
use super::values::{Fact, facts, kind, kind_name};
use crate::web::words;

/// Everything that a card shows, except its name. The reader may see the card.
#[derive(Debug)]
pub(super) struct CardText {
    pub(super) kind: String,
    /// The place of the card in its set.
    pub(super) place: String,
    pub(super) facts: Vec<Fact>,
    pub(super) effects: Vec<EffectText>,
    pub(super) lore: Option<String>,
    pub(super) designed_by: Option<CardDesigner>,
}

/// Who designed a card.
#[derive(Debug)]
pub(super) struct CardDesigner {
    pub(super) author: String,
    /// The page of the design; `None`: the card is hidden, and its holders may not see the design.
    pub(super) path: Option<String>,
}

/// An effect, with how it is activated.
#[derive(Debug)]
pub(super) struct EffectText {
    pub(super) label: Option<String>,
    pub(super) text: String,
}

impl CardText {
    /// The text of a card. `printing`: the attributes that the shown printing overrides.
    pub(super) fn new(
        game: Option<&Game>,
        card: &Card,
        place: String,
        printing: Option<&Map<String, Value>>,
    ) -> Self {
        let code = card.kind.as_deref().unwrap_or_default();
        let own_kind = game.and_then(|game| kind(game, code));
        let mut attributes = card.attributes.clone();
        attributes.extend(printing.cloned().unwrap_or_default());
        let effects = card.effects.iter().map(|effect| {
            let labels: Vec<String> =
                effect.slot.iter().chain(&effect.style).map(|code| words::titled(code)).collect();
            let label = (!labels.is_empty()).then(|| labels.join(words::BETWEEN_LABELS));
            EffectText { label, text: effect.text.clone() }
        });
        Self {
            kind: game.map_or_else(|| words::titled(code), |game| kind_name(game, code)),
            place,
            facts: facts(own_kind, &attributes),
            effects: effects.collect(),
            lore: card.lore.clone(),
            designed_by: card.designed_by.as_ref().map(|credit| CardDesigner {
                author: credit.author.clone(),
                path: (!card.hidden).then(|| format!("/designs/{}", credit.design)),
            }),
        }
    }
}
