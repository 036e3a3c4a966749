//! What is wrong with a deck, as a table: every violation with its rule, its cards and what mends it.

use cardscape_engine::Game;

use super::formats::format_name;
use super::words as deck_words;
use crate::app::decks::report_responses::{
    MentionedCardResponse, ReportResponse, ViolationResponse,
};
use crate::web::catalogue::{card_path, rule_path};
use crate::web::rules::{Found, advice, mending, says, told};

/// A report.
pub(super) struct ReportView {
    /// `legal`, `incomplete` or `illegal`.
    pub(super) status: &'static str,
    pub(super) verdict: String,
    pub(super) violations: Vec<ViolationRow>,
    /// Whether lines of a list are told.
    pub(super) has_lines: bool,
    /// Whether unknown names were not looked up.
    pub(super) lacks_names: bool,
}

/// A broken rule.
pub(super) struct ViolationRow {
    pub(super) severity: &'static str,
    pub(super) rule: String,
    /// Where the page of the game tells it.
    pub(super) rule_path: Option<String>,
    /// The rule, where what is wrong is not said in its words.
    pub(super) rule_text: Option<String>,
    pub(super) told: String,
    pub(super) cards: Vec<MentionView>,
    pub(super) lines: String,
    pub(super) advice: Vec<String>,
}

/// A card that a violation is about.
pub(super) struct MentionView {
    pub(super) name: String,
    pub(super) path: String,
}

impl ReportView {
    pub(super) fn new(game: &Game, report: &ReportResponse) -> Self {
        let has_unknown = report.violations.iter().any(|found| found.code == "CARD_UNKNOWN");
        let format = format_name(game, &report.format);
        Self {
            status: report.status,
            verdict: deck_words::verdict(report.status, &format, has_unknown),
            violations: report
                .violations
                .iter()
                .map(|found| row(game, &report.format, found))
                .collect(),
            has_lines: report.violations.iter().any(|found| !found.lines.is_empty()),
            lacks_names: report.suggestions_left_out > 0,
        }
    }
}

fn row(game: &Game, format: &str, found: &ViolationResponse) -> ViolationRow {
    let broken = Found::from(found);
    let told = told(&broken, Some(game));
    let edit = found.edit.as_ref().and_then(|edit| mending(edit, Some(game)));
    ViolationRow {
        severity: deck_words::severity(found.severity),
        rule: deck_words::rule(&found.rule, &found.section),
        rule_path: rule_path(game, format, (&found.rule, &found.rule_text)),
        rule_text: Some(found.rule_text.clone()).filter(|rule| !says(&told, rule)),
        told,
        cards: found.cards.iter().filter_map(|card| mention(game, card)).collect(),
        lines: deck_words::lines(&found.lines),
        advice: edit.into_iter().chain(advice(&broken, Some(game))).collect(),
    }
}

/// A card with a page; what is told names all others.
fn mention(game: &Game, card: &MentionedCardResponse) -> Option<MentionView> {
    card.card_id?;
    let path = card_path(game.code(), card.set.as_ref()?, card.number.as_ref()?);
    Some(MentionView { name: card.name.clone(), path }).filter(|card| !card.name.is_empty())
}
