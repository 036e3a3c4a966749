//! Fixed boxes: exactly these cards, no more and no fewer.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Validator, violation};
use crate::code::ViolationCode as Code;
use crate::rule::{BoxLine, Rule};
use crate::violation::{Fix, Severity};

impl Validator<'_> {
    pub(super) fn fixed_box(&mut self, rule: &Rule, contents: &[BoxLine], total: u32) {
        let copies_of = |card: u32| {
            contents.iter().find(|line| self.selects(&line.select, card)).map(|line| line.copies)
        };
        let mut expected: BTreeMap<u32, (u64, u64)> = self
            .catalogue
            .indices()
            .filter_map(|card| Some((card, (u64::from(copies_of(card)?), 0))))
            .collect();
        for run in &self.content.runs {
            expected.entry(run.card).or_default().1 = run.total;
        }
        for (card, (limit, actual)) in expected {
            let name = || self.catalogue.card(card).definition.name.clone();
            let (code, severity, fix) = match actual.cmp(&limit) {
                Ordering::Equal => continue,
                Ordering::Less => {
                    let fix = Fix::AddCopies { name: name(), quantity: limit - actual };
                    (Code::BoxCardMissing, Severity::Incomplete, fix)
                }
                Ordering::Greater => {
                    let fix = Fix::RemoveCopies { name: name(), quantity: actual - limit };
                    (Code::BoxCardExtra, Severity::Error, fix)
                }
            };
            let mut mention = self.catalogue.mention(card);
            mention.quantity = Some(actual);
            let fault =
                violation(rule, code, severity).limit(limit).actual(actual).card(mention).fix(fix);
            self.violations.push(fault);
        }
        let (actual, total) = (self.content.total, u64::from(total));
        if actual != total {
            let zone = self.main_zone();
            let (severity, fix) = if actual < total {
                (Severity::Incomplete, Fix::AddMatchingCards { zone, quantity: total - actual })
            } else {
                (Severity::Error, Fix::RemoveCards { zone, quantity: actual - total })
            };
            let fault =
                violation(rule, Code::BoxTotalMismatch, severity).limit(total).actual(actual);
            self.violations.push(fault.fix(fix));
        }
    }
}
