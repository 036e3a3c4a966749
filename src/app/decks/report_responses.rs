//! The response about a deck report: its violations, each with its rule, cards and lines.

use std::collections::BTreeMap;

use cardscape_engine::{CardMention, CardReference, Fix, Report, Violation, ViolationCode};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::masks::{EntryCardResponse, Place};
use crate::domain::decks::deck::{CardLines, FormatName};
use crate::domain::ids::CardId;

/// The report on a deck by the rules of one format.
#[derive(Serialize, ToSchema)]
pub struct ReportResponse {
    /// Code of the game.
    #[schema(example = "ttcg")]
    pub game: String,
    /// The format: `game/format`, or `game/format:variant`.
    #[schema(example = "ttcg/standard")]
    pub format: String,
    /// Version of the format's rules.
    #[schema(example = "1")]
    pub format_version: String,
    /// Status of the deck: `legal`, `incomplete` (only cards are missing) or `illegal`.
    #[schema(example = "incomplete")]
    pub status: &'static str,
    /// Number of cards in each zone, in the order of the game's zones.
    pub counts: Vec<ZoneCountResponse>,
    /// All violations. If the service has no cards of the game (`GAME_WITHOUT_CARDS`) or of a set (`SET_WITHOUT_CARDS`), this comes first; then
    /// errors, then missing cards, then warnings, which make no deck illegal. Each group is in the order of the rules' numbers: `H-3` before `H-10`.
    pub violations: Vec<ViolationResponse>,
    /// Number of unknown names for which no similar names were searched, because there are more than 60, the search took too long, or too many other
    /// searches were running.
    #[schema(example = 0)]
    pub suggestions_left_out: usize,
}

/// Cards in a zone.
#[derive(Serialize, ToSchema)]
pub struct ZoneCountResponse {
    /// Code of the zone.
    #[schema(example = "main")]
    pub zone: String,
    /// Number of cards in the zone.
    #[schema(example = 48)]
    pub cards: u64,
}

/// A violation of a rule.
#[derive(Serialize, ToSchema)]
pub struct ViolationResponse {
    /// Code of the violation, for programs; it is stable.
    #[schema(example = "COPY_LIMIT_EXCEEDED")]
    pub code: String,
    /// `error`, `incomplete` or `warning`.
    #[schema(example = "error")]
    pub severity: &'static str,
    /// The violation in words, for people.
    #[schema(example = "3 copies of “Kettle Imp”; at most 2 allowed.")]
    pub message: String,
    /// Number of the rule.
    #[schema(example = "T-2.2.1b")]
    pub rule: String,
    /// Section of the game's rulebook; empty for the service's own rules.
    #[schema(example = "2.2.1")]
    pub section: String,
    /// The rule in one sentence.
    #[schema(example = "A deck has at most two copies of a card.")]
    pub rule_text: String,
    /// The number that the rule allows or requires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub limit: Option<i64>,
    /// The number that was found in the deck.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3)]
    pub actual: Option<i64>,
    /// Copies of unknown cards that `actual` does not count: the true number may be higher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown_cards: Option<u64>,
    /// The zone concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "main")]
    pub zone: Option<String>,
    /// Code of the set concerned, as the deck or the rule names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "hearth")]
    pub set: Option<String>,
    /// The cards concerned.
    pub cards: Vec<MentionedCardResponse>,
    /// The lines of the list, from 1, that name these cards; absent if the deck was not sent as a list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(example = json!([1, 4]))]
    pub lines: Vec<usize>,
    /// Names or values that may have been meant.
    #[schema(example = json!(["Bellows Smith"]))]
    pub suggestions: Vec<String>,
    /// An edit that fixes the violation, for programs: `action` names the edit, the other members are its details. The actions: `add_cards`,
    /// `add_matching_cards` and `remove_cards` (`zone`, `quantity`); `add_copies` and `remove_copies` (`name`, `quantity`); `remove_among` (`names`,
    /// `quantity`); `move_copies` (`name`, `quantity`, and the zones `from` and `to`); `move_to_zone` (the zones `from` and `to`); `rename` (the
    /// names `from` and `to`); `any_printing` and `remove_entry` (`name`); `name_copy_once` (`copy`); `name_fewer_copies` (`name`, `quantity`).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>, example = json!({ "action": "remove_copies", "name": "Kettle Imp", "quantity": 1 }))]
    pub fix: Option<serde_json::Value>,
    /// The same edit for pages, which say it in their own words.
    #[serde(skip)]
    pub edit: Option<Fix>,
    /// The attribute concerned, for the same.
    #[serde(skip)]
    pub attribute: Option<String>,
}

/// A card that a violation concerns.
#[derive(Serialize, ToSchema)]
pub struct MentionedCardResponse {
    /// Name of the card, or the name in the deck if no such card is known.
    #[schema(example = "Kettle Imp")]
    pub name: String,
    /// The card; `card_id` is absent if it is not known.
    #[serde(flatten)]
    pub card: EntryCardResponse,
    /// Code of the rarity, if the violation concerns one printing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "rare")]
    pub rarity: Option<String>,
    /// Number of copies in the deck, if it matters for the violation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 3)]
    pub quantity: Option<u64>,
    /// The physical copy, if the violation concerns one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy: Option<String>,
}

impl ReportResponse {
    /// Marks the mentioned cards that have no name and are at the places of these hidden cards. They exist, so no message calls them unknown.
    pub(super) fn mark_hidden(&mut self, hidden: &BTreeMap<Place, CardId>) {
        if hidden.is_empty() {
            return;
        }
        let mentioned = self.violations.iter_mut().flat_map(|violation| &mut violation.cards);
        for MentionedCardResponse { card, .. } in mentioned.filter(|card| card.name.is_empty()) {
            let id = hidden.get(&(card.set.clone(), card.number.clone()));
            *card = std::mem::take(card).or_hidden(id.copied());
        }
        for violation in &mut self.violations {
            if let [card] = &*violation.cards
                && violation.code == ViolationCode::CardUnknown.as_str()
                && card.card.hidden
            {
                violation.message = hidden_card_message(&card.card);
            }
        }
    }
}

/// The message about an entry whose card is hidden from the reader.
fn hidden_card_message(card: &EntryCardResponse) -> String {
    let place = card.set.iter().chain(&card.number).map(String::as_str);
    let place = place.collect::<Vec<_>>().join(" ");
    format!("“{place}” is a card that is hidden from you.")
}

/// The data of a response that the engine's report does not contain.
pub(crate) struct ReportContext<'a> {
    /// Finds the id of a card.
    pub card_id: &'a dyn Fn(&CardReference) -> Option<Uuid>,
    /// Finds the lines of the list that name a card.
    pub places: &'a CardLines<'a>,
    /// Number of unknown names for which similar names were not searched.
    pub suggestions_left_out: usize,
}

/// The response for a report of the engine.
pub(crate) fn report_response(
    name: &FormatName,
    report: Report,
    context: &ReportContext<'_>,
) -> ReportResponse {
    ReportResponse {
        game: name.game().to_owned(),
        format: name.to_string(),
        format_version: report.format_version.to_string(),
        status: report.status.as_str(),
        counts: report
            .counts
            .into_iter()
            .map(|count| ZoneCountResponse { zone: count.zone.to_string(), cards: count.cards })
            .collect(),
        violations: report
            .violations
            .into_iter()
            .map(|violation| violation_response(violation, context))
            .collect(),
        suggestions_left_out: context.suggestions_left_out,
    }
}

fn violation_response(violation: Violation, context: &ReportContext<'_>) -> ViolationResponse {
    ViolationResponse {
        lines: context.places.of(&violation),
        message: violation.message(),
        severity: violation.severity.as_str(),
        code: violation.code.as_str().to_owned(),
        rule: violation.rule,
        section: violation.section,
        rule_text: violation.rule_text,
        limit: violation.limit,
        actual: violation.actual,
        unknown_cards: violation.unknown_cards,
        zone: violation.zone,
        set: violation.set,
        cards: violation.cards.into_iter().map(|card| mentioned(card, context.card_id)).collect(),
        suggestions: violation.suggestions,
        fix: violation.fix.as_ref().and_then(|fix| serde_json::to_value(fix).ok()),
        edit: violation.fix,
        attribute: violation.attribute,
    }
}

fn mentioned(
    card: CardMention,
    card_id: &dyn Fn(&CardReference) -> Option<Uuid>,
) -> MentionedCardResponse {
    let CardMention { name, set, number, rarity, quantity, copy, .. } = card;
    let meant = CardReference { name, set, number, rarity: None };
    let card_id = card_id(&meant);
    let CardReference { name, set, number, .. } = meant;
    let card = EntryCardResponse::open((set, number), card_id);
    MentionedCardResponse { name, card, rarity, quantity, copy }
}
