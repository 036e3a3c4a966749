//! The violations of a deck as a table: rule, cards concerned, and the edit that fixes it.

use cardscape_engine::{Date, Game};

use super::formats::format_name;
use super::words as deck_words;
use crate::app::decks::report_responses::{
    MentionedCardResponse, ReportResponse, ViolationResponse,
};
use crate::web::catalogue::{RuleLinks, card_path};
use crate::web::rules::{Found, advice, explain, mending, says};

/// The report of a deck.
pub(super) struct ReportView {
    /// `legal`, `incomplete` or `illegal`.
    pub(super) status: &'static str,
    pub(super) verdict: String,
    pub(super) violations: Vec<ViolationRow>,
    /// Whether violations have line numbers of a list.
    pub(super) has_lines: bool,
    /// Whether similar names of unknown names were not looked up.
    pub(super) lacks_names: bool,
}

pub(super) struct ViolationRow {
    pub(super) severity: &'static str,
    pub(super) rule: String,
    /// The link to the rule on the page of the game.
    pub(super) rule_path: Option<String>,
    /// The text of the rule, unless the message repeats it.
    pub(super) rule_text: Option<String>,
    pub(super) explanation: String,
    pub(super) cards: Vec<MentionView>,
    pub(super) lines: String,
    pub(super) advice: Vec<String>,
}

/// A card that the violation names.
pub(super) struct MentionView {
    pub(super) name: String,
    pub(super) path: String,
}

impl ReportView {
    pub(super) fn new(game: &Game, today: Date, report: &ReportResponse) -> Self {
        let has_unknown = report.violations.iter().any(|found| found.code == "CARD_UNKNOWN");
        let lacks_game = report.violations.iter().any(|found| found.code == "GAME_WITHOUT_CARDS");
        let format = format_name(game, &report.format);
        let links = RuleLinks::new(game, today, &report.format);
        Self {
            status: report.status,
            verdict: match report.status {
                "incomplete" if lacks_game => deck_words::not_judged(&format),
                status => deck_words::verdict(status, &format, has_unknown),
            },
            violations: report.violations.iter().map(|found| row(game, &links, found)).collect(),
            has_lines: report.violations.iter().any(|found| !found.lines.is_empty()),
            lacks_names: report.suggestions_left_out > 0,
        }
    }
}

fn row(game: &Game, links: &RuleLinks<'_>, found: &ViolationResponse) -> ViolationRow {
    let broken = Found::from(found);
    let explanation = explain(&broken, Some(game));
    let edit = found.edit.as_ref().and_then(|edit| mending(edit, Some(game)));
    ViolationRow {
        severity: deck_words::severity(found.severity),
        rule: deck_words::rule(&found.rule, &found.section),
        rule_path: links.path(&found.rule, &found.rule_text),
        rule_text: Some(found.rule_text.clone()).filter(|rule| !says(&explanation, rule)),
        explanation,
        cards: found.cards.iter().filter_map(|card| mention(game, card)).collect(),
        lines: deck_words::lines(&found.lines),
        advice: edit.into_iter().chain(advice(&broken, Some(game))).collect(),
    }
}

/// A card that has a page. All other cards are named in the message.
fn mention(game: &Game, card: &MentionedCardResponse) -> Option<MentionView> {
    let MentionedCardResponse { name, card, .. } = card;
    card.card_id?;
    let path = card_path(game.code(), card.set.as_ref()?, card.number.as_ref()?);
    Some(MentionView { name: name.clone(), path }).filter(|card| !card.name.is_empty())
}
