//! What a format says about a single card, independently of decks.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;

use crate::card::CardDefinition;
use crate::date::Date;
use crate::format::Format;
use crate::name::name_key;
use crate::rule::{DeckCheck, Rule};
use crate::selector::Selector;
use crate::violation::Severity;

/// Whether a card may be in decks of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CardStatus {
    /// It may, without restriction.
    Legal,
    /// It may, but the limit list limits the number of its copies.
    Restricted,
    /// It may not: the limit list forbids it.
    Banned,
    /// It may not: no zone of the format takes it, or a box does not contain it.
    NotLegal,
}

impl CardStatus {
    /// The word for it, `not_legal` for example.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Legal => "legal",
            Self::Restricted => "restricted",
            Self::Banned => "banned",
            Self::NotLegal => "not_legal",
        }
    }
}

/// What a format says about a card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CardLegality {
    /// Whether it may be in decks.
    pub status: CardStatus,
    /// Maximum number of copies by the limit list; `None`: the list does not name the card.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_copies: Option<u32>,
    /// Number of the rule that bans, restricts or excludes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
}

/// A condition that a zone sets on its cards.
#[derive(Debug, Clone)]
pub struct Admission {
    /// Which cards.
    pub select: Arc<Selector>,
    /// `true`: only these cards are admitted; `false`: these cards are not admitted.
    pub admits: bool,
    rule: String,
}

/// Those rules of a format that look at single cards. Rules that count cards of a deck are not among them.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct CardRules {
    /// Maximum number of copies of the cards in limit lists, by [`name_key`]; 0: banned.
    pub limits: BTreeMap<String, u32>,
    /// The conditions of each zone: a card is legal in the format if it meets all conditions of at least one zone.
    pub zones: Vec<Vec<Admission>>,
    /// The lines of each fixed box: a card is legal in the format if each box has a line that selects it.
    pub boxes: Vec<Vec<Arc<Selector>>>,
    limit_rules: BTreeMap<String, String>,
    box_rules: Vec<String>,
}

impl Format {
    /// The rules in force that look at single cards. [`Format::on`] or [`Game::format_on`](crate::Game::format_on) choose a day.
    pub fn card_rules(&self) -> CardRules {
        let mut found =
            CardRules { zones: vec![Vec::new(); self.zones.len()], ..CardRules::default() };
        // Rules that only warn forbid nothing.
        let binding = self.rules.iter().filter(|rule| rule.severity != Some(Severity::Warning));
        for Rule { check, reference, .. } in binding {
            let rule = &reference.rule;
            match check {
                DeckCheck::LimitList { by_key, .. } => {
                    for (key, max) in by_key {
                        let known = found.limits.entry(key.clone()).or_insert(u32::MAX);
                        if max < known {
                            *known = *max;
                            found.limit_rules.insert(key.clone(), rule.clone());
                        }
                    }
                }
                DeckCheck::Allowed { zones, select } => {
                    self.admit(&mut found, zones, select, true, rule);
                }
                DeckCheck::Forbidden { zones, select }
                | DeckCheck::AtMost { zones, select, max: 0 } => {
                    self.admit(&mut found, zones, select, false, rule);
                }
                DeckCheck::FixedBox { contents, .. } => {
                    found.boxes.push(contents.iter().map(|line| line.select.clone()).collect());
                    found.box_rules.push(rule.clone());
                }
                DeckCheck::KnownCards
                | DeckCheck::EntryQuantity { .. }
                | DeckCheck::UniqueCopies
                | DeckCheck::ZoneSize { .. }
                | DeckCheck::CopyLimit { .. }
                | DeckCheck::Requires { .. }
                | DeckCheck::AtMost { .. }
                | DeckCheck::MatchesIdentity { .. }
                | DeckCheck::Budget { .. }
                | DeckCheck::AttributeValues { .. }
                | DeckCheck::AdviseAtLeast { .. }
                | DeckCheck::AdviseLadder { .. } => {}
            }
        }
        found
    }

    fn admit(
        &self,
        rules: &mut CardRules,
        zones: &[String],
        select: &Arc<Selector>,
        admits: bool,
        rule: &str,
    ) {
        let applies_to = |code: &str| zones.is_empty() || zones.iter().any(|zone| zone == code);
        for (zone, conditions) in self.zones.iter().zip(&mut rules.zones) {
            if applies_to(&zone.code) {
                let select = Arc::clone(select);
                conditions.push(Admission { select, admits, rule: rule.to_owned() });
            }
        }
    }
}

impl CardRules {
    /// Judges a card of the set `set`, which came out on `released_on`.
    pub fn judge(
        &self,
        card: &CardDefinition,
        set: &str,
        released_on: Option<Date>,
    ) -> CardLegality {
        let key = name_key(&card.name);
        let max_copies = self.limits.get(&key).copied();
        let listed = || self.limit_rules.get(&key).cloned();
        let matches = |select: &Selector| select.matches(card, set, released_on);
        // The first condition of a zone that the card does not meet.
        let refusal = |zone: &Vec<Admission>| {
            zone.iter().find(|one| matches(&one.select) != one.admits).map(|one| one.rule.clone())
        };
        let refusals: Option<Vec<String>> = self.zones.iter().map(refusal).collect();
        let box_without_card =
            self.boxes.iter().position(|lines| !lines.iter().any(|line| matches(line)));
        let (status, rule) = match (max_copies, refusals, box_without_card) {
            (Some(0), ..) => (CardStatus::Banned, listed()),
            (_, Some(refusals), _) => (CardStatus::NotLegal, refusals.into_iter().next()),
            (_, _, Some(at)) => (CardStatus::NotLegal, self.box_rules.get(at).cloned()),
            (Some(_), ..) => (CardStatus::Restricted, listed()),
            (None, None, None) => (CardStatus::Legal, None),
        };
        CardLegality { status, max_copies, rule }
    }
}
