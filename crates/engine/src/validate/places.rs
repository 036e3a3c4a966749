//! Cards in zones where they are not allowed, and the zones where they are.

use std::collections::BTreeMap;

use super::{Run, Validator, violation};
use crate::code::ViolationCode as Code;
use crate::rule::{DeckCheck, Rule};
use crate::schema::Zone;
use crate::selector::Selector;
use crate::violation::{Fix, Severity};

/// A zone of the format, with its place in the list of zones.
type Place<'a> = (usize, &'a Zone);

impl Validator<'_> {
    /// Reports each card for each zone in which it is not allowed.
    pub(super) fn check_placement(
        &mut self,
        rule: &Rule,
        zones: &[String],
        select: &Selector,
        allowed: bool,
    ) {
        let code = if select.is_by_kind() { Code::KindNotAllowed } else { Code::CardNotAllowed };
        let mut found = Vec::new();
        for run in &self.content.runs {
            if self.selects(select, run.card) == allowed {
                continue;
            }
            for (from, copies) in self.copies_by_zone(run, zones) {
                let name = self.catalogue.card(run.card).definition.name.clone();
                let mut violation =
                    violation(rule, code.clone(), Severity::Error).limit(0).actual(copies);
                violation.zone = from.map(|(_, zone)| zone.code.to_string());
                violation.cards = self.mentions(&[Run { total: copies, ..*run }]);
                let places =
                    from.map_or_else(Vec::new, |from| self.other_places(run.card, from, copies));
                let fix = match (from, places.first()) {
                    (Some((_, from)), Some(to)) => Fix::MoveCopies {
                        name,
                        quantity: copies,
                        from: from.code.to_string(),
                        to: to.code.to_string(),
                    },
                    _ => Fix::RemoveCopies { name, quantity: copies },
                };
                let places = places.iter().map(|zone| &*zone.code);
                found.push(violation.suggest(places).fix(fix));
            }
        }
        self.violations.append(&mut found);
    }

    /// The copies of a run by zone, in the order of the zones. Only these zones count; all if `zones` is empty. `None` are zones that the game does
    /// not have.
    fn copies_by_zone(&self, run: &Run, zones: &[String]) -> Vec<(Option<Place<'_>>, u64)> {
        let mut copies: BTreeMap<u16, u64> = BTreeMap::new();
        for line in &self.content.lines[run.start as usize..run.end as usize] {
            let sum = copies.entry(line.zone).or_default();
            *sum = sum.saturating_add(u64::from(line.quantity));
        }
        let zone = |index: u16| {
            let index = usize::from(index);
            self.format.zones.get(index).map(|zone| (index, zone))
        };
        let copies = copies.into_iter().map(|(index, copies)| (zone(index), copies));
        copies
            .filter(|(zone, _)| zone.map_or(zones.is_empty(), |(_, zone)| covers(zones, zone)))
            .collect()
    }

    /// The other zones that may have this number of copies of the card. Zones that a rule names for such cards come first.
    fn other_places(&self, card: u32, (from, _): Place<'_>, copies: u64) -> Vec<&Zone> {
        let others = self.format.zones.iter().enumerate().filter(|(at, _)| *at != from);
        let mut places: Vec<(bool, &Zone)> = others
            .filter_map(|place| Some((self.is_meant_for(card, place, copies)?, place.1)))
            .collect();
        places.sort_by_key(|(meant, _)| !meant);
        places.into_iter().map(|(_, zone)| zone).collect()
    }

    /// Whether a rule names this zone as one for such cards; `None` when the zone may not have the card, or has no room for it.
    fn is_meant_for(&self, card: u32, (at, zone): Place<'_>, copies: u64) -> Option<bool> {
        let mut meant = false;
        for rule in &self.format.rules {
            match &rule.check {
                DeckCheck::Allowed { zones, select } if covers(zones, zone) => {
                    if !self.selects(select, card) {
                        return None;
                    }
                    meant |= !zones.is_empty();
                }
                DeckCheck::Forbidden { zones, select }
                | DeckCheck::AtMost { zones, select, max: 0 }
                    if covers(zones, zone) && self.selects(select, card) =>
                {
                    return None;
                }
                DeckCheck::ZoneSize { zone: sized, max: Some(max), .. }
                    if **sized == *zone.code
                        && self.content.zone_totals[at].saturating_add(copies)
                            > u64::from(*max) =>
                {
                    return None;
                }
                _ => {}
            }
        }
        Some(meant)
    }
}

/// Whether a rule for these zones applies to a zone; an empty list means all zones.
fn covers(zones: &[String], zone: &Zone) -> bool {
    zones.is_empty() || zones.iter().any(|named| **named == *zone.code)
}
