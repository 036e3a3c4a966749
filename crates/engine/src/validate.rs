//! Judges decks.

mod box_check;
mod budget;
mod copies;
mod entries;
mod identity;
mod places;
mod pool_gaps;
mod values;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::catalogue::{Catalogue, Rung};
use crate::code::ViolationCode as Code;
use crate::deck::Deck;
use crate::format::Format;
use crate::report::{Report, ReportStatus, ZoneCount};
use crate::rule::{DeckCheck, Identity, Rule, RuleReference, SameCard, StatedBounds};
use crate::selector::Selector;
use crate::violation::{CardMention, Fix, Severity, Violation};
use entries::Content;
pub(crate) use entries::zone_index;

/// Judges a deck by a format, against the cards that the catalogue knows.
///
/// It never panics, never stops at the first violation, and equal inputs give equal reports. The cost grows with the deck, not with the catalogue
/// (except for fixed boxes, which list what is missing). Similar names for unknown cards are a separate step: [`Report::suggest`].
pub fn validate(deck: &Deck, catalogue: &Catalogue, format: &Format) -> Report {
    let content = Content::read(deck, catalogue, format);
    let known = format.fingerprint == catalogue.game().fingerprint();
    let without_cards = content.has_unknown() && catalogue.sets().next().is_none();
    let mut validator = Validator {
        deck,
        catalogue,
        format,
        content: &content,
        known,
        without_cards,
        missing_identities: Vec::new(),
        violations: Vec::new(),
    };
    let own = RuleReference { rule: "deck".to_owned(), ..RuleReference::default() };
    let reference = |wanted: fn(&DeckCheck) -> bool| {
        format.rules.iter().find(|rule| wanted(&rule.check)).map_or(&own, |rule| &rule.reference)
    };
    let known_cards = reference(|check| matches!(check, DeckCheck::KnownCards));
    validator.pool_gaps(known_cards);
    if content.has_faults() {
        let entry_quantity = reference(|check| matches!(check, DeckCheck::EntryQuantity { .. }));
        // Without the cards of the game, that a card is unknown says nothing about the deck.
        if !without_cards {
            content.report_unknown(known_cards, &mut validator.violations);
        }
        content.report(catalogue, known_cards, entry_quantity, &mut validator.violations);
    }
    for rule in &format.rules {
        validator.rule(rule);
    }
    let mut violations = validator.violations;
    violations.sort_unstable();
    violations.dedup();
    let counts = format
        .zones
        .iter()
        .zip(&content.zone_totals)
        .map(|(zone, cards)| ZoneCount { zone: Arc::clone(&zone.code), cards: *cards })
        .collect();
    Report {
        game: Arc::clone(&format.game),
        format: Arc::clone(&format.code),
        format_version: Arc::clone(&format.version),
        variant: format.variant.clone(),
        status: ReportStatus::of(&violations),
        total: content.total,
        counts,
        violations,
    }
}

/// The copies of one card definition in the deck: a range of the sorted lines.
#[derive(Debug, Clone, Copy)]
struct Run {
    card: u32,
    name: u32,
    start: u32,
    end: u32,
    total: u64,
}

struct Validator<'a> {
    deck: &'a Deck,
    catalogue: &'a Catalogue,
    format: &'a Format,
    content: &'a Content,
    /// Whether the catalogue has computed the results of this format's selectors.
    known: bool,
    /// Whether the deck has cards and no card of the game is loaded: then rules that need the data of cards are not judged.
    without_cards: bool,
    /// Identities that were reported as missing, each with the severity of the report.
    missing_identities: Vec<(Identity, Severity)>,
    violations: Vec<Violation>,
}

/// Maximum number of cards in a violation about a sum, about values or about a copy.
const CARDS_MAX: usize = 20;

impl Validator<'_> {
    fn rule(&mut self, rule: &Rule) {
        match &rule.check {
            // What is wrong with single entries has been reported already.
            DeckCheck::KnownCards | DeckCheck::EntryQuantity { .. } => {}
            DeckCheck::UniqueCopies => self.unique_copies(rule),
            DeckCheck::ZoneSize { zone, min, max, stated } => {
                let (min, max) = self.zone_bounds(rule, *min, *max, stated);
                self.zone_size(rule, zone, min, max);
            }
            DeckCheck::CopyLimit { .. } => self.copy_limit(rule),
            DeckCheck::Allowed { zones, select } => self.check_placement(rule, zones, select, true),
            DeckCheck::Forbidden { zones, select } => {
                self.check_placement(rule, zones, select, false)
            }
            DeckCheck::Requires { zones, select, min } => {
                self.at_least(rule, zones, select, *min, Severity::Error);
            }
            DeckCheck::AtMost { zones, select, max } => self.at_most(rule, zones, select, *max),
            DeckCheck::LimitList { by_key, .. } => self.limit_list(rule, by_key),
            DeckCheck::MatchesIdentity { .. } => self.matches_identity(rule),
            DeckCheck::Budget { .. } => self.budget(rule),
            DeckCheck::AttributeValues { .. } => self.attribute_values(rule),
            DeckCheck::FixedBox { contents, total } => self.fixed_box(rule, contents, *total),
            DeckCheck::AdviseAtLeast { select, min } => {
                self.at_least(rule, &[], select, *min, Severity::Warning);
            }
            DeckCheck::AdviseLadder { lowest, .. } => self.ladder(rule, *lowest),
        }
    }

    fn selects(&self, selector: &Selector, card: u32) -> bool {
        self.catalogue.selects(selector, card, self.known)
    }

    fn main_zone(&self) -> String {
        self.format.zones.first().map_or_else(String::new, |main| main.code.to_string())
    }

    /// The copies of a run in the zones; in all zones if `zones` is empty.
    fn copies(&self, run: &Run, zones: &[String]) -> u64 {
        if zones.is_empty() {
            return run.total;
        }
        self.content.lines[run.start as usize..run.end as usize]
            .iter()
            .filter(|line| {
                let zone = self.format.zones.get(usize::from(line.zone));
                zone.is_some_and(|zone| zones.iter().any(|wanted| **wanted == *zone.code))
            })
            .fold(0, |sum, line| sum.saturating_add(u64::from(line.quantity)))
    }

    /// The bounds of a zone: the stricter of the rule's bounds and those that identity cards state.
    fn zone_bounds(
        &mut self,
        rule: &Rule,
        min: Option<u32>,
        max: Option<u32>,
        stated: &StatedBounds,
    ) -> (Option<u64>, Option<u64>) {
        let (min, max) = (min.map(u64::from), max.map(u64::from));
        let (least, most) = self.stated_bounds(rule, stated);
        let number = |stated: i64| u64::try_from(stated).unwrap_or(0);
        (min.max(least.map(number)), max.into_iter().chain(most.map(number)).min())
    }

    fn zone_size(&mut self, rule: &Rule, zone: &str, min: Option<u64>, max: Option<u64>) {
        let Some(at) = self.format.zones.iter().position(|known| &*known.code == zone) else {
            return;
        };
        let actual = self.content.zone_totals[at];
        let main = at == 0;
        if let Some(min) = min
            && actual < min
        {
            let code = if main { Code::DeckSizeBelowMin } else { Code::ZoneSizeBelowMin };
            self.violations.push(
                violation(rule, code, Severity::Incomplete)
                    .zone(zone)
                    .limit(min)
                    .actual(actual)
                    .fix(Fix::AddCards { zone: zone.to_owned(), quantity: min - actual }),
            );
        }
        if let Some(max) = max
            && actual > max
        {
            let code = if main { Code::DeckSizeAboveMax } else { Code::ZoneSizeAboveMax };
            self.violations.push(
                violation(rule, code, Severity::Error)
                    .zone(zone)
                    .limit(max)
                    .actual(actual)
                    .fix(Fix::RemoveCards { zone: zone.to_owned(), quantity: actual - max }),
            );
        }
    }

    fn copy_limit(&mut self, rule: &Rule) {
        let DeckCheck::CopyLimit { same, zones, limits, max, exempt, own_limit } = &rule.check
        else {
            return;
        };
        let runs = &self.content.runs;
        let alike = |left: &Run, right: &Run| match same {
            SameCard::Name => left.name == right.name,
            SameCard::Card => left.card == right.card,
        };
        let mut found = Vec::new();
        for group in runs.chunk_by(alike) {
            // Cards outside the zones of the rule have no part in it.
            let Some(first) = group.iter().find(|run| self.copies(run, zones) > 0) else {
                continue;
            };
            let card = first.card;
            if exempt.as_ref().is_some_and(|exempt| self.selects(exempt, card)) {
                continue;
            }
            let stated = own_limit.as_ref().and_then(|name| self.stated_limit(card, name));
            let own = limits.iter().find(|limit| self.selects(&limit.select, card));
            let listed = own.map(|own| own.max).or(*max).map(u64::from);
            let Some(limit) = stated.or(listed) else { continue };
            let actual =
                group.iter().fold(0_u64, |sum, run| sum.saturating_add(self.copies(run, zones)));
            if actual <= limit {
                continue;
            }
            let mut violation = violation(rule, Code::CopyLimitExceeded, Severity::Error)
                .limit(limit)
                .actual(actual)
                .fix(Fix::RemoveCopies {
                    name: self.catalogue.card(card).definition.name.clone(),
                    quantity: actual - limit,
                });
            if let (Some(own), None) = (own, stated) {
                violation.rule.clone_from(&own.reference.rule);
                violation.section.clone_from(&own.reference.section);
                if !own.reference.text.is_empty() {
                    violation.rule_text.clone_from(&own.reference.text);
                }
            }
            violation.cards = self.mentions(&self.in_zones(group, zones));
            found.push(violation);
        }
        self.violations.append(&mut found);
    }

    /// Those of the runs that have copies in the zones, with the number of these.
    fn in_zones<'r>(&self, runs: impl IntoIterator<Item = &'r Run>, zones: &[String]) -> Vec<Run> {
        runs.into_iter()
            .map(|run| Run { total: self.copies(run, zones), ..*run })
            .filter(|run| run.total > 0)
            .collect()
    }

    /// The copy limit that the card itself states.
    fn stated_limit(&self, card: u32, attribute: &str) -> Option<u64> {
        let value = self.catalogue.card(card).definition.attributes.get(attribute)?.as_i64()?;
        Some(u64::try_from(value).unwrap_or(0))
    }

    fn mentions(&self, runs: &[Run]) -> Vec<CardMention> {
        let mut cards: Vec<_> = runs
            .iter()
            .map(|run| {
                let mut mention = self.catalogue.mention(run.card);
                mention.quantity = Some(run.total);
                mention
            })
            .collect();
        cards.sort_unstable();
        cards
    }

    fn at_least(
        &mut self,
        rule: &Rule,
        zones: &[String],
        select: &Selector,
        min: u32,
        severity: Severity,
    ) {
        if self.without_cards {
            return;
        }
        let actual = self
            .content
            .runs
            .iter()
            .filter(|run| self.selects(select, run.card))
            .fold(0_u64, |sum, run| sum.saturating_add(self.copies(run, zones)));
        if actual < u64::from(min) {
            let mut violation =
                violation(rule, Code::RequiredCardsMissing, severity).limit(min).actual(actual);
            violation.zone = zones.first().cloned();
            let zone = violation.zone.clone().unwrap_or_else(|| self.main_zone());
            let quantity = u64::from(min) - actual;
            self.violations.push(violation.fix(Fix::AddMatchingCards { zone, quantity }));
        }
    }

    fn at_most(&mut self, rule: &Rule, zones: &[String], select: &Selector, max: u32) {
        let selected = self.content.runs.iter().filter(|run| self.selects(select, run.card));
        let runs = self.in_zones(selected, zones);
        let actual = runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.total));
        let limit = u64::from(max);
        if actual <= limit {
            return;
        }
        let mut violation =
            violation(rule, Code::GroupLimitExceeded, Severity::Error).limit(limit).actual(actual);
        violation.zone = zones.first().cloned();
        violation.cards = self.mentions(&runs);
        let names = names(self.catalogue, &runs);
        self.violations.push(violation.fix(Fix::RemoveAmong { names, quantity: actual - limit }));
    }

    fn limit_list(&mut self, rule: &Rule, by_key: &BTreeMap<String, u32>) {
        let mut found = Vec::new();
        for group in self.content.runs.chunk_by(|left, right| left.name == right.name) {
            let Some(limit) = by_key.get(self.catalogue.name_key(group[0].name)) else { continue };
            let limit = u64::from(*limit);
            let actual = group.iter().fold(0_u64, |sum, run| sum.saturating_add(run.total));
            if actual <= limit {
                continue;
            }
            let code = if limit == 0 { Code::CardBanned } else { Code::CardLimitExceeded };
            let mut violation = violation(rule, code, Severity::Error)
                .limit(limit)
                .actual(actual)
                .fix(Fix::RemoveCopies {
                    name: self.catalogue.card(group[0].card).definition.name.clone(),
                    quantity: actual - limit,
                });
            violation.cards = self.mentions(group);
            found.push(violation);
        }
        self.violations.append(&mut found);
    }

    fn ladder(&mut self, rule: &Rule, lowest: i64) {
        let mut rungs: Vec<(Rung, usize)> = Vec::with_capacity(self.content.runs.len());
        for (at, run) in self.content.runs.iter().enumerate() {
            if let Some(rung) = self.catalogue.rung(&rule.check, run.card, self.known) {
                rungs.push((rung, at));
            }
        }
        rungs.sort_unstable_by_key(|(rung, _)| rung.order());
        let mut below: Option<Rung> = None;
        let mut found = Vec::new();
        for level in rungs.chunk_by(|left, right| left.0 == right.0) {
            let rung = level[0].0;
            let reachable = rung.step <= lowest
                || below.is_some_and(|below| {
                    below.group == rung.group && below.step.checked_add(1) == Some(rung.step)
                });
            below = Some(rung);
            if reachable {
                continue;
            }
            let mut violation = violation(rule, Code::RequiredCardsMissing, Severity::Warning);
            violation.cards = level
                .iter()
                .flat_map(|(_, at)| self.mentions(std::slice::from_ref(&self.content.runs[*at])))
                .collect();
            violation.cards.sort_unstable();
            found.push(violation);
        }
        self.violations.append(&mut found);
    }
}

/// The names of cards, sorted, each once.
fn names(catalogue: &Catalogue, runs: &[Run]) -> Vec<String> {
    let mut names: Vec<String> =
        runs.iter().map(|run| catalogue.card(run.card).definition.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn violation(rule: &Rule, code: Code, severity: Severity) -> Violation {
    Violation::new(rule.code_or(code), rule.severity_or(severity), &rule.reference)
}
