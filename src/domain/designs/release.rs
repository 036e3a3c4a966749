//! Converts an approved design to a card.

use cardscape_engine::{CardDefinition, Game};
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

/// The card for a design, with this card number and the numbers of all printings. The lore of the card is the text in italics on its picture: the flavour
/// line, or without one, the lore of the design without its markup.
pub fn to_card(content: &DesignContent, game: &Game, number: &str) -> CardDefinition {
    let mut card = content.definition(game);
    number.clone_into(&mut card.number);
    card.lore = content.flavour.clone().or_else(|| content.lore.as_deref().map(to_text));
    card
}
