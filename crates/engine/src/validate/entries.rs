//! What is in a deck: its entries resolved, counted and sorted.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use crate::catalogue::{Catalogue, Found};
use crate::code::ViolationCode as Code;
use crate::deck::{CardReference, Deck};
use crate::format::Format;
use crate::name::name_key;
use crate::rule::{DeckCheck, RuleReference};
use crate::schema::Zone;
use crate::violation::{CardMention, Fix, Violation};
use crate::zone_words::meant_zone;

/// One resolved entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub(super) name: u32,
    pub(super) card: u32,
    pub(super) zone: u16,
    pub(super) quantity: u32,
}

/// The index for zones that the game does not have.
const NO_ZONE: u16 = u16::MAX;

/// The content of a deck, independent of the order and the splitting of its lines.
#[derive(Debug)]
pub(super) struct Content {
    /// Entries of known cards, sorted by name and card.
    pub(super) lines: Vec<Line>,
    /// One run per card definition, sorted by name and card.
    pub(super) runs: Vec<Run>,
    /// Cards by zone, in the order of the game's zones.
    pub(super) zone_totals: Vec<u64>,
    /// All cards.
    pub(super) total: u64,
    min_quantity: u32,
    /// Unknown cards by name key: the spelling that sorts first, and the copies.
    unknown: BTreeMap<String, (CardReference, u64)>,
    other_printings: BTreeMap<CardReference, (u32, u64)>,
    /// Entries that name a set and were not found there, with their copies.
    not_in_set: BTreeMap<CardReference, u64>,
    unknown_zones: BTreeMap<String, BTreeMap<CardMention, u64>>,
    low_quantities: BTreeSet<(CardReference, u32)>,
}

impl Content {
    pub(super) fn read(deck: &Deck, catalogue: &Catalogue, format: &Format) -> Self {
        let min_quantity = format.rules.iter().find_map(|rule| match rule.check {
            DeckCheck::EntryQuantity { min } => Some(min),
            _ => None,
        });
        let mut content = Self {
            lines: Vec::with_capacity(deck.entries.len()),
            runs: Vec::new(),
            zone_totals: vec![0; format.zones.len()],
            total: 0,
            min_quantity: min_quantity.unwrap_or(1),
            unknown: BTreeMap::new(),
            other_printings: BTreeMap::new(),
            not_in_set: BTreeMap::new(),
            unknown_zones: BTreeMap::new(),
            low_quantities: BTreeSet::new(),
        };
        let mut buffer = Vec::new();
        for entry in &deck.entries {
            let quantity = u64::from(entry.quantity);
            content.total = content.total.saturating_add(quantity);
            let zone = zone_index(&entry.zone, &format.zones);
            if let Some(total) = content.zone_totals.get_mut(usize::from(zone)) {
                *total = total.saturating_add(quantity);
            } else {
                let cards = content.unknown_zones.entry(entry.zone.clone()).or_default();
                let card = CardMention { rarity: None, ..mention(&entry.card) };
                let copies = cards.entry(card).or_default();
                *copies = copies.saturating_add(quantity);
            }
            if entry.quantity < content.min_quantity {
                content.low_quantities.insert((entry.card.clone(), entry.quantity));
            }
            let found = catalogue.resolve(&entry.card, &mut buffer);
            if entry.card.set.is_some() && found.is_none_or(|found| !found.exact) {
                let copies = content.not_in_set.entry(entry.card.clone()).or_default();
                *copies = copies.saturating_add(quantity);
            }
            match found {
                Some(found) => {
                    let Found { card, name, .. } = found;
                    // A line without copies is reported on its own, and other rules do not count it.
                    if entry.quantity > 0 {
                        content.lines.push(Line { name, card, zone, quantity: entry.quantity });
                    }
                    if !found.exact {
                        let seen = content
                            .other_printings
                            .entry(entry.card.clone())
                            .or_insert((found.card, 0));
                        seen.1 = seen.1.saturating_add(quantity);
                    }
                }
                None => content.add_unknown(&entry.card, quantity),
            }
        }
        content
            .lines
            .sort_unstable_by_key(|line| (u64::from(line.name) << 32) | u64::from(line.card));
        content.find_runs();
        content
    }

    fn add_unknown(&mut self, card: &CardReference, quantity: u64) {
        let key =
            if card.name.is_empty() { format!("\u{0}{card:?}") } else { name_key(&card.name) };
        let seen = self.unknown.entry(key).or_insert_with(|| (card.clone(), 0));
        seen.1 = seen.1.saturating_add(quantity);
        if *card < seen.0 {
            seen.0 = card.clone();
        }
    }

    fn find_runs(&mut self) {
        self.runs.reserve(self.lines.len());
        for (line, at) in self.lines.iter().zip(0..) {
            match self.runs.last_mut() {
                Some(run) if run.card == line.card => {
                    run.end = at + 1;
                    run.total = run.total.saturating_add(u64::from(line.quantity));
                }
                _ => self.runs.push(Run {
                    card: line.card,
                    name: line.name,
                    start: at,
                    end: at + 1,
                    total: u64::from(line.quantity),
                }),
            }
        }
    }

    pub(super) fn has_unknown(&self) -> bool {
        !self.unknown.is_empty()
    }

    pub(super) fn has_faults(&self) -> bool {
        !(self.unknown.is_empty()
            && self.other_printings.is_empty()
            && self.unknown_zones.is_empty()
            && self.low_quantities.is_empty())
    }

    /// The sets in which a card was not found, each with the card as the deck writes it.
    pub(super) fn sets_without_card(&self) -> impl Iterator<Item = (&str, CardMention)> {
        self.not_in_set.iter().filter_map(|(card, copies)| {
            let mention = CardMention { quantity: Some(*copies), ..mention(card) };
            Some((card.set.as_deref()?, mention))
        })
    }

    /// Adds the violations of unknown cards.
    pub(super) fn report_unknown(
        &self,
        known_cards: &RuleReference,
        violations: &mut Vec<Violation>,
    ) {
        for (card, copies) in self.unknown.values() {
            let mention = CardMention { quantity: Some(*copies), ..mention(card) };
            violations.push(
                Violation::error(Code::CardUnknown, known_cards).actual(*copies).card(mention),
            );
        }
    }

    /// Adds the other violations of single entries.
    pub(super) fn report(
        &self,
        catalogue: &Catalogue,
        known_cards: &RuleReference,
        entry_quantity: &RuleReference,
        violations: &mut Vec<Violation>,
    ) {
        for (card, (found, copies)) in &self.other_printings {
            let pool = catalogue.card(*found);
            let printing = CardMention { quantity: Some(*copies), ..mention(card) };
            let fault = Violation::error(Code::PrintingUnknown, known_cards).card(printing);
            // Several, if their numbers differ only in case or leading zeros, and the deck has none of them exactly.
            let numbered = match (&*card.name, &card.set, &card.number) {
                ("", Some(set), Some(number)) => catalogue.numbered(set, number),
                _ => vec![*found],
            };
            let mut fault = if numbered.len() > 1 {
                fault
            } else {
                fault.fix(Fix::AnyPrinting { name: pool.definition.name.clone() })
            };
            fault.suggestions =
                numbered.iter().flat_map(|card| printings_of(catalogue, *card)).collect();
            violations.push(fault);
        }
        let zones = catalogue.game().shared_zones();
        for (zone, cards) in &self.unknown_zones {
            let mut fault = Violation::error(Code::ZoneUnknown, known_cards)
                .zone(zone)
                .suggest(zones.iter().map(|known| known.code.to_string()))
                .fix(Fix::MoveToZone {
                    from: zone.clone(),
                    to: zones.first().map_or_else(String::new, |main| main.code.to_string()),
                });
            fault.cards = cards
                .iter()
                .map(|(card, copies)| CardMention { quantity: Some(*copies), ..card.clone() })
                .collect();
            violations.push(fault);
        }
        for (card, quantity) in &self.low_quantities {
            let fix = Fix::RemoveEntry { name: card.name.clone() };
            violations.push(
                Violation::error(Code::EntryCountInvalid, entry_quantity)
                    .limit(self.min_quantity)
                    .actual(*quantity)
                    .card(mention(card))
                    .fix(fix),
            );
        }
    }
}

/// The printings of a card, as decks write them.
fn printings_of(catalogue: &Catalogue, card: u32) -> Vec<String> {
    let pool = catalogue.card(card);
    let (name, set, number) = (&pool.definition.name, &pool.set, &pool.definition.number);
    let rarities = catalogue.rarities(card).into_iter();
    rarities.map(|rarity| format!("{name} ({set}) {number} {{{rarity}}}")).collect()
}

pub(super) fn mention(card: &CardReference) -> CardMention {
    CardMention {
        name: card.name.clone(),
        set: card.set.clone(),
        number: card.number.clone(),
        rarity: card.rarity.clone(),
        ..CardMention::default()
    }
}

/// The index of the zone that a word means in lists; [`u16::MAX`] when the game has no such zone.
pub(crate) fn zone_index(word: &str, zones: &[Zone]) -> u16 {
    meant_zone(zones, word).and_then(|index| u16::try_from(index).ok()).unwrap_or(NO_ZONE)
}
