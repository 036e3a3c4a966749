//! Converts an approved design to a card.

use cardscape_engine::{CardDefinition, Game};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::content::DesignContent;
use super::markup::to_text;
use crate::domain::ids::AccountId;

/// Who designed a card. It does not change after the card was created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesignCredit {
    /// Identifier of the design.
    pub design: String,
    /// Its author.
    pub account_id: AccountId,
    /// The author's name at that time.
    pub author: String,
}

/// Why a sentence of a design prevents its approval and its release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentenceObstacle {
    /// No template makes it.
    FreeText,
    /// No template was found within the limit of steps of the search.
    SearchLimit,
}

/// Whether the templates of a game hold for a design that was submitted at a time. The first templates hold for the designs that
/// are submitted from then on. `since`: since when the game has had templates, if that is known.
pub fn templates_hold(since: Option<DateTime<Utc>>, submitted_at: DateTime<Utc>) -> bool {
    since.is_none_or(|since| since <= submitted_at)
}

/// The card for a design, with this card number and the numbers of all printings. The lore of the card is the text in italics on its picture: the flavour
/// line, or without one, the lore of the design without its markup.
pub fn to_card(content: &DesignContent, game: &Game, number: &str) -> CardDefinition {
    let mut card = content.definition(game);
    number.clone_into(&mut card.number);
    card.lore = content.flavour.clone().or_else(|| content.lore.as_deref().map(to_text));
    card
}
