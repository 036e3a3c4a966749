//! What is wrong, as far as words need it: of a deck, of a design, or of a card or set that somebody sent.

use cardscape_engine::{CardMention, Violation, ViolationCode};

use crate::app::decks::report_responses::{MentionedCardResponse, ViolationResponse};
use crate::app::designs::design_checks::DesignViolationResponse;

/// A broken rule.
pub(in crate::web) struct Found<'a> {
    pub(super) code: ViolationCode,
    /// The rule's number.
    pub(super) rule: &'a str,
    /// The rule in the manifest's words.
    pub(super) rule_text: &'a str,
    pub(super) limit: Option<i64>,
    pub(super) actual: Option<i64>,
    /// Copies of unknown cards that `actual` does not count.
    pub(super) unknown_cards: Option<u64>,
    pub(super) zone: Option<&'a str>,
    pub(super) set: Option<&'a str>,
    /// The attribute, several with ` + ` between them, or the slot of effects.
    pub(super) attribute: Option<&'a str>,
    /// The cards concerned; none where it is about the only card that there is, as of a design.
    pub(super) cards: Vec<FoundCard<'a>>,
    pub(super) suggestions: &'a [String],
}

/// A card that a broken rule is about.
pub(super) struct FoundCard<'a> {
    /// Empty: it is known by its place alone.
    pub(super) name: &'a str,
    pub(super) set: Option<&'a str>,
    pub(super) number: Option<&'a str>,
    pub(super) rarity: Option<&'a str>,
    /// The id of a physical copy.
    pub(super) copy: Option<&'a str>,
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
        }
    }
}

/// The page says which rarity it is about.
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
        }
    }
}

impl<'a> From<&'a MentionedCardResponse> for FoundCard<'a> {
    fn from(card: &'a MentionedCardResponse) -> Self {
        Self {
            name: &card.name,
            set: card.set.as_deref(),
            number: card.number.as_deref(),
            rarity: card.rarity.as_deref(),
            copy: card.copy.as_deref(),
        }
    }
}
