//! Sums over the cards of a deck: points, influence, costs.

use std::cmp::Reverse;

use super::{Run, Validator, violation};
use crate::catalogue::Catalogue;
use crate::code::ViolationCode as Code;
use crate::rule::{Agreement, BudgetPoints, DeckCheck, Rule};
use crate::schema::AttributeValue;
use crate::violation::{Fix, Severity};

/// A card that counts, and what each of its copies counts. The sum of any deck fits into 128 bits: there are at most 2⁶⁴ copies.
#[derive(Debug, Clone, Copy)]
struct Share {
    run: Run,
    each: i64,
}

impl Share {
    fn total(&self) -> i128 {
        i128::from(self.each).saturating_mul(i128::from(self.run.total))
    }
}

impl Validator<'_> {
    pub(super) fn budget(&mut self, rule: &Rule) {
        let DeckCheck::Budget { zones, points, min, max, stated, .. } = &rule.check else { return };
        if self.without_cards {
            return;
        }
        let (stated_min, stated_max) = self.stated_bounds(rule, stated);
        let Some(mut shares) = self.shares(rule) else { return };
        let sum = shares.iter().fold(0_i128, |sum, share| sum.saturating_add(share.total()));
        let least = (*min).max(stated_min);
        let most = max.iter().copied().chain(stated_max).min();
        // If unknown cards may count less than 0, the sum is not a lower bound.
        let unknown =
            if may_be_negative(self.catalogue, points) { 0 } else { self.unknown_copies(zones) };
        let fault = |code: Code, severity: Severity, limit: i64| {
            let mut fault = violation(rule, code, severity)
                .limit(limit)
                .actual(within_i64(sum))
                .unknown(unknown);
            fault.attribute = points.attribute().map(str::to_owned);
            fault.zone = zones.first().cloned();
            fault
        };
        if let Some(limit) = least.filter(|limit| sum < i128::from(*limit)) {
            self.violations.push(fault(Code::BudgetBelowMin, Severity::Incomplete, limit));
        }
        if let Some(limit) = most.filter(|limit| sum > i128::from(*limit)) {
            shares.retain(|share| share.each > 0);
            shares.sort_by_cached_key(|share| {
                (Reverse(share.total()), self.catalogue.mention(share.run.card))
            });
            let mut exceeded = fault(Code::BudgetExceeded, Severity::Error, limit);
            let runs: Vec<Run> = shares.iter().map(|share| share.run).collect();
            exceeded.cards = self.first_mentions(&runs);
            exceeded.fix = self.saving(&shares, sum.saturating_sub(i128::from(limit)));
            self.violations.push(exceeded);
        }
    }

    /// The cards that count a number other than 0; `None` when that depends on an identity card that the deck lacks.
    fn shares(&mut self, rule: &Rule) -> Option<Vec<Share>> {
        let DeckCheck::Budget { zones, select, points, stated, unlike, .. } = &rule.check else {
            return None;
        };
        let mut counted = self.counted(zones, select.as_deref());
        if let (Some(attribute), Some(identity)) = (unlike, &stated.identity) {
            let identity = self.identity_cards(rule, identity);
            if identity.is_empty() {
                return None;
            }
            let known = self.values_of_all(&identity, attribute);
            counted.retain(|run| !self.agrees(run.card, attribute, Agreement::All, &known));
        }
        let share = |run: Run| Share { run, each: self.points(points, &run) };
        Some(counted.into_iter().map(share).filter(|share| share.each != 0).collect())
    }

    /// What one copy of a card counts.
    fn points(&self, points: &BudgetPoints, run: &Run) -> i64 {
        match points {
            BudgetPoints::Attribute { attribute } => {
                self.attribute(run.card, attribute).and_then(serde_json::Value::as_i64)
            }
            BudgetPoints::Table { attribute, values } => {
                let of = super::values::values_of(self.attribute(run.card, attribute));
                let points = of.filter_map(|value| values.get(&value.to_string()));
                Some(points.fold(0, |sum: i64, points| sum.saturating_add(*points)))
            }
            BudgetPoints::Points { by_key, .. } => {
                by_key.get(self.catalogue.name_key(run.name)).copied()
            }
        }
        .unwrap_or(0)
    }

    /// The smallest edit that reduces the sum by `excess`: fewer copies of one card, or else no copies of those that cost most. `shares` begins with
    /// these.
    fn saving(&self, shares: &[Share], excess: i128) -> Option<Fix> {
        let alone = shares.iter().filter_map(|share| {
            let each = i128::from(share.each);
            let copies = excess.saturating_add(each - 1) / each;
            let copies = u64::try_from(copies).ok().filter(|copies| *copies <= share.run.total)?;
            Some((copies, share.run))
        });
        // If numbers of copies are equal, the first card is chosen.
        if let Some((copies, run)) = alone.min_by_key(|(copies, _)| *copies) {
            return Some(self.removal(&[run], copies));
        }
        let mut saved = 0_i128;
        let enough = shares.iter().position(|share| {
            saved = saved.saturating_add(share.total());
            saved >= excess
        })?;
        let runs: Vec<Run> = shares.iter().take(enough + 1).map(|share| share.run).collect();
        let copies = runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.total));
        Some(self.removal(&runs, copies))
    }
}

/// Whether a card of the game may count less than 0.
fn may_be_negative(catalogue: &Catalogue, points: &BudgetPoints) -> bool {
    match points {
        BudgetPoints::Attribute { attribute } => {
            let kinds = catalogue.game().kinds().iter();
            let mut ranges = kinds.filter_map(|kind| kind.attributes.get(attribute));
            ranges.any(|attribute| {
                matches!(attribute.value, AttributeValue::Integer { min, .. } if min.is_none_or(|min| min < 0))
            })
        }
        BudgetPoints::Table { values, .. } => values.values().any(|points| *points < 0),
        BudgetPoints::Points { by_key, .. } => by_key.values().any(|points| *points < 0),
    }
}

fn within_i64(sum: i128) -> i64 {
    let clamped = sum.clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    i64::try_from(clamped).unwrap_or(i64::MAX)
}
