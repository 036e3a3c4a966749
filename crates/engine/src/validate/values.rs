//! How many different values of an attribute the cards of a deck have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use super::identity::VALUES_MAX;
use super::{CARDS_MAX, Run, Validator, names, violation};
use crate::code::ViolationCode as Code;
use crate::rule::{DeckCheck, Rule};
use crate::selector::is_something;
use crate::violation::{CardMention, Fix, Severity};

/// A value of an attribute, comparable with others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ComparableValue<'a> {
    Truth(bool),
    Integer(i64),
    Text(&'a str),
    /// A value that no attribute can have. It is compared as it is written.
    Other(String),
}

impl fmt::Display for ComparableValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truth(yes) => yes.fmt(f),
            Self::Integer(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Other(other) => f.write_str(other),
        }
    }
}

/// The values of an attribute: none when it is absent or empty, each item of a list.
pub(super) fn values_of(value: Option<&Value>) -> impl Iterator<Item = ComparableValue<'_>> {
    let (one, many) = match value {
        Some(Value::Array(items)) => (None, items.as_slice()),
        other => (other, &[][..]),
    };
    one.into_iter().chain(many).filter(|value| is_something(value)).map(|value| match value {
        Value::Bool(yes) => ComparableValue::Truth(*yes),
        Value::String(text) => ComparableValue::Text(text),
        other => other
            .as_i64()
            .map_or_else(|| ComparableValue::Other(other.to_string()), ComparableValue::Integer),
    })
}

impl<'a> Validator<'a> {
    /// A card's own value of an attribute: that of its base printing.
    pub(super) fn attribute(&self, card: u32, name: &str) -> Option<&'a Value> {
        self.catalogue.card(card).definition.attributes.get(name)
    }

    pub(super) fn attribute_values(&mut self, rule: &Rule) {
        let DeckCheck::AttributeValues { zones, select, attribute, max } = &rule.check else {
            return;
        };
        let mut cards: BTreeMap<ComparableValue<'a>, Vec<Run>> = BTreeMap::new();
        let counted = self.counted(zones, select.as_deref());
        for run in &counted {
            let values: BTreeSet<ComparableValue<'a>> =
                values_of(self.attribute(run.card, attribute)).collect();
            for value in values {
                cards.entry(value).or_default().push(*run);
            }
        }
        match max {
            Some(max) => self.too_many_values(rule, &counted, &cards, *max),
            None => self.repeated_values(rule, &cards),
        }
    }

    fn too_many_values(
        &mut self,
        rule: &Rule,
        counted: &[Run],
        cards: &BTreeMap<ComparableValue<'a>, Vec<Run>>,
        max: u32,
    ) {
        let DeckCheck::AttributeValues { zones, attribute, .. } = &rule.check else { return };
        let limit = usize::try_from(max).unwrap_or(usize::MAX);
        if cards.len() <= limit {
            return;
        }
        // The values with the most copies are kept.
        let mut values: Vec<(&ComparableValue<'a>, u64)> =
            cards.iter().map(|(value, runs)| (value, copies(runs))).collect();
        values.sort_by_key(|(_, copies)| std::cmp::Reverse(*copies));
        let kept: BTreeSet<&ComparableValue<'a>> =
            values.iter().take(limit).map(|(value, _)| *value).collect();
        let excess_values = |run: &Run| {
            let values = values_of(self.attribute(run.card, attribute));
            values.filter(|value| !kept.contains(value)).count()
        };
        let mut offenders: Vec<(usize, Run)> = counted
            .iter()
            .map(|run| (excess_values(run), *run))
            .filter(|(excess_values, _)| *excess_values > 0)
            .collect();
        offenders.sort_by_cached_key(|(excess_values, run)| {
            let worst = std::cmp::Reverse((*excess_values, run.total));
            (worst, self.catalogue.mention(run.card))
        });
        let offenders: Vec<Run> = offenders.into_iter().map(|(_, run)| run).collect();
        let mut fault = violation(rule, Code::ValueLimitExceeded, Severity::Error)
            .limit(max)
            .actual(cards.len())
            .attribute(attribute)
            .suggest(kept.iter().take(VALUES_MAX).map(ToString::to_string))
            .unknown(self.unknown_copies(zones))
            .fix(self.removal(&offenders, copies(&offenders)));
        fault.zone = zones.first().cloned();
        fault.cards = self.first_mentions(&offenders);
        self.violations.push(fault);
    }

    fn repeated_values(&mut self, rule: &Rule, cards: &BTreeMap<ComparableValue<'a>, Vec<Run>>) {
        let DeckCheck::AttributeValues { zones, attribute, .. } = &rule.check else { return };
        let mut found = Vec::new();
        for runs in cards.values() {
            let actual = copies(runs);
            if actual <= 1 {
                continue;
            }
            let mut runs = runs.clone();
            runs.sort_by_cached_key(|run| {
                (std::cmp::Reverse(run.total), self.catalogue.mention(run.card))
            });
            let mut fault = violation(rule, Code::ValueRepeated, Severity::Error)
                .limit(1)
                .actual(actual)
                .attribute(attribute)
                .fix(self.removal(&runs, actual - 1));
            fault.zone = zones.first().cloned();
            fault.cards = self.first_mentions(&runs);
            found.push(fault);
        }
        self.violations.append(&mut found);
    }

    /// The first of these cards, in their order.
    pub(super) fn first_mentions(&self, runs: &[Run]) -> Vec<CardMention> {
        runs.iter()
            .take(CARDS_MAX)
            .map(|run| {
                let mut mention = self.catalogue.mention(run.card);
                mention.quantity = Some(run.total);
                mention
            })
            .collect()
    }

    /// The fix that removes `quantity` copies of these cards.
    pub(super) fn removal(&self, runs: &[Run], quantity: u64) -> Fix {
        let mut names = names(self.catalogue, runs);
        match names.len() {
            1 => Fix::RemoveCopies { name: names.remove(0), quantity },
            _ => Fix::RemoveAmong { names, quantity },
        }
    }
}

fn copies(runs: &[Run]) -> u64 {
    runs.iter().fold(0, |sum, run| sum.saturating_add(run.total))
}
