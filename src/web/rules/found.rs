//! A violation with the parts that messages need: of a deck, a design, a card or a set.

use cardscape_engine::{CardMention, Violation, ViolationCode};

use crate::app::decks::report_responses::{MentionedCardResponse, ViolationResponse};
use crate::app::designs::design_checks::DesignViolationResponse;

/// A violation.
pub(in crate::web) struct Found<'a> {
    pub(super) code: ViolationCode,
    /// The number of the rule.
    pub(super) rule: &'a str,
    /// The text of the rule in the manifest.
    pub(super) rule_text: &'a str,
    pub(super) limit: Option<i64>,
    pub(super) actual: Option<i64>,
    /// Copies of unknown cards that are not part of `actual`.
    pub(super) unknown_cards: Option<u64>,
    pub(super) zone: Option<&'a str>,
    pub(super) set: Option<&'a str>,
    /// The attribute, several attributes with ` + ` between them, or the slot of effects.
    pub(super) attribute: Option<&'a str>,
    /// The cards concerned; empty if there is only one card, for example of a design.
    pub(super) cards: Vec<FoundCard<'a>>,
    pub(super) suggestions: &'a [String],
    /// The character that a name or text may not have.
    pub(super) refused: Option<char>,
}

/// A card that a violation is about.
pub(super) struct FoundCard<'a> {
    /// Empty: the card is identified by its place only.
    pub(super) name: &'a str,
    pub(super) set: Option<&'a str>,
    pub(super) number: Option<&'a str>,
    pub(super) rarity: Option<&'a str>,
    /// The id of a physical copy.
    pub(super) copy: Option<&'a str>,
    /// Whether the card is hidden from the reader.
    pub(super) hidden: bool,
}

impl<'a> From<&'a Violation> for Found<'a> {
    fn from(violation: &'a Violation) -> Self {
        Self {
            code: violation.code.clone(),
            rule: &violation.rule,
            rule_text: &violation.rule_text,
            limit: violation.limit,
            actual: violation.actual,
            unknown_cards: violation.unknown_cards,
            zone: violation.zone.as_deref(),
            set: violation.set.as_deref(),
            attribute: violation.attribute.as_deref(),
            cards: violation.cards.iter().map(FoundCard::from).collect(),
            suggestions: &violation.suggestions,
            refused: violation.refused_character(),
        }
    }
}

impl<'a> From<&'a ViolationResponse> for Found<'a> {
    fn from(violation: &'a ViolationResponse) -> Self {
        Self {
            code: ViolationCode::from_name(&violation.code),
            rule: &violation.rule,
            rule_text: &violation.rule_text,
            limit: violation.limit,
            actual: violation.actual,
            unknown_cards: violation.unknown_cards,
            zone: violation.zone.as_deref(),
            set: violation.set.as_deref(),
            attribute: violation.attribute.as_deref(),
            cards: violation.cards.iter().map(FoundCard::from).collect(),
            suggestions: &violation.suggestions,
            refused: None,
        }
    }
}

/// The rarity is left out, because the page shows it.
impl<'a> From<&'a DesignViolationResponse> for Found<'a> {
    fn from(violation: &'a DesignViolationResponse) -> Self {
        Self {
            code: ViolationCode::from_name(&violation.code),
            rule: &violation.rule,
            rule_text: &violation.rule_text,
            limit: violation.limit,
            actual: violation.actual,
            unknown_cards: None,
            zone: None,
            set: None,
            attribute: violation.attribute.as_deref(),
            cards: Vec::new(),
            suggestions: &violation.suggestions,
            refused: None,
        }
    }
}

impl<'a> From<&'a CardMention> for FoundCard<'a> {
    fn from(card: &'a CardMention) -> Self {
        Self {
            name: &card.name,
            set: card.set.as_deref(),
            number: card.number.as_deref(),
            rarity: card.rarity.as_deref(),
            copy: card.copy.as_deref(),
            hidden: false,
        }
    }
}

impl<'a> From<&'a MentionedCardResponse> for FoundCard<'a> {
    fn from(card: &'a MentionedCardResponse) -> Self {
        Self {
            name: &card.name,
            set: card.card.set.as_deref(),
            number: card.card.number.as_deref(),
            rarity: card.rarity.as_deref(),
            copy: card.copy.as_deref(),
            hidden: card.card.hidden,
        }
    }
}
