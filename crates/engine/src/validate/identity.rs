//! Identity cards of a deck, and cards that do not agree with them.

use std::collections::BTreeSet;

use super::values::{ComparableValue, values_of};
use super::{Run, Validator, violation};
use crate::code::ViolationCode as Code;
use crate::rule::{Agreement, DeckCheck, Identity, Rule, StatedBounds};
use crate::selector::Selector;
use crate::violation::{Fix, Severity, Violation};

/// Maximum number of values of identity cards in a violation.
pub(super) const VALUES_MAX: usize = 20;

impl<'a> Validator<'a> {
    /// The identity cards of the deck. If there are none, that is reported, unless another rule with the same identity has already reported it at least as
    /// severely, or the cards of the game are not loaded.
    pub(super) fn identity_cards(&mut self, rule: &Rule, identity: &Identity) -> Vec<Run> {
        let cards = self.counted(&identity.zones, identity.select.as_deref());
        let severity = match rule.severity {
            Some(Severity::Warning) => Severity::Warning,
            _ => Severity::Incomplete,
        };
        // The most severe is the least: a warning does not say that the deck is incomplete.
        let says_so = |(told, by): &(Identity, Severity)| told == identity && *by <= severity;
        let is_told = self.without_cards || self.missing_identities.iter().any(says_so);
        if cards.is_empty() && !is_told {
            self.missing_identities.push((identity.clone(), severity));
            let mut missing = Violation::new(Code::IdentityMissing, severity, &rule.reference)
                .limit(1)
                .actual(0)
                .unknown(self.unknown_copies(&identity.zones));
            missing.zone = identity.zones.first().cloned();
            let zone = missing.zone.clone().unwrap_or_else(|| self.main_zone());
            self.violations.push(missing.fix(Fix::AddMatchingCards { zone, quantity: 1 }));
        }
        cards
    }

    /// The minimum and maximum that identity cards state; the strictest if there are several.
    pub(super) fn stated_bounds(
        &mut self,
        rule: &Rule,
        stated: &StatedBounds,
    ) -> (Option<i64>, Option<i64>) {
        let Some(identity) = &stated.identity else { return (None, None) };
        let cards = self.identity_cards(rule, identity);
        let numbers = |attribute: &Option<String>| -> Vec<i64> {
            let Some(name) = attribute else { return Vec::new() };
            cards.iter().filter_map(|run| self.attribute(run.card, name)?.as_i64()).collect()
        };
        let (min, max) = (numbers(&stated.min_of), numbers(&stated.max_of));
        (min.into_iter().max(), max.into_iter().min())
    }

    /// The values that these cards have together.
    pub(super) fn values_of_all(
        &self,
        cards: &[Run],
        attribute: &str,
    ) -> BTreeSet<ComparableValue<'a>> {
        let values = cards.iter().map(|run| self.attribute(run.card, attribute));
        values.flat_map(values_of).collect()
    }

    /// Whether a card agrees with identity cards of these values.
    pub(super) fn agrees(
        &self,
        card: u32,
        attribute: &str,
        agreement: Agreement,
        known: &BTreeSet<ComparableValue<'a>>,
    ) -> bool {
        let mut values = values_of(self.attribute(card, attribute)).peekable();
        match agreement {
            Agreement::All => values.all(|value| known.contains(&value)),
            Agreement::Any => values.peek().is_none() || values.any(|value| known.contains(&value)),
        }
    }

    pub(super) fn matches_identity(&mut self, rule: &Rule) {
        let DeckCheck::MatchesIdentity { identity, zones, select, attribute, agreement } =
            &rule.check
        else {
            return;
        };
        let identity = self.identity_cards(rule, identity);
        if identity.is_empty() {
            return;
        }
        let known = self.values_of_all(&identity, attribute);
        let mut found = Vec::new();
        for run in self.counted(zones, select.as_deref()) {
            if self.agrees(run.card, attribute, *agreement, &known) {
                continue;
            }
            let name = self.catalogue.card(run.card).definition.name.clone();
            let mut mismatch = violation(rule, Code::IdentityMismatch, Severity::Error)
                .limit(0)
                .actual(run.total)
                .attribute(attribute)
                .suggest(known.iter().take(VALUES_MAX).map(ComparableValue::to_string))
                .fix(Fix::RemoveCopies { name, quantity: run.total });
            mismatch.zone = zones.first().cloned();
            mismatch.cards = self.mentions(&[run]);
            found.push(mismatch);
        }
        self.violations.append(&mut found);
    }

    /// The cards of these zones that the selector selects, each with its copies there; without a selector all cards.
    pub(super) fn counted(&self, zones: &[String], select: Option<&Selector>) -> Vec<Run> {
        let runs = self.content.runs.iter();
        let meant = runs.filter(|run| select.is_none_or(|select| self.selects(select, run.card)));
        let counted = meant.map(|run| Run { total: self.copies(run, zones), ..*run });
        counted.filter(|run| run.total > 0).collect()
    }

    /// Copies of unknown cards in these zones; in all zones if `zones` is empty.
    pub(super) fn unknown_copies(&self, zones: &[String]) -> u64 {
        let sum = |sum: u64, more: u64| sum.saturating_add(more);
        let known = self.content.runs.iter().map(|run| self.copies(run, zones)).fold(0, sum);
        let all = if zones.is_empty() {
            self.content.total
        } else {
            let of_format = self.format.zones.iter().zip(&self.content.zone_totals);
            let named = of_format.filter(|(zone, _)| zones.iter().any(|name| **name == *zone.code));
            named.map(|(_, total)| *total).fold(0, sum)
        };
        all.saturating_sub(known)
    }
}
