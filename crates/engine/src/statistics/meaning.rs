//! Which cards the entries of a deck mean.

use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::deck::{Deck, DeckEntry};
use crate::name::name_key;
use crate::selector::is_something;
use crate::validate::zone_index;

/// An entry with the cards that it can mean.
pub(super) struct Line<'a> {
    pub(super) entry: &'a DeckEntry,
    /// The cards that match the entry; empty: it is unknown.
    pub(super) candidates: Vec<u32>,
    /// Whether a card of this name exists, but not with the set, number or rarity of the entry.
    pub(super) other_printing: bool,
}

impl<'a> Line<'a> {
    pub(super) fn read(entry: &'a DeckEntry, catalogue: &Catalogue, buffer: &mut Vec<u8>) -> Self {
        let reference = &entry.card;
        let Some(found) = catalogue.resolve(reference, buffer) else {
            return Self { entry, candidates: Vec::new(), other_printing: false };
        };
        if reference.name.is_empty() {
            return Self { entry, candidates: vec![found.card], other_printing: !found.exact };
        }
        let mut candidates = catalogue.namesakes(found);
        if found.exact {
            let key = catalogue.name_key(found.name);
            // What looks like a set may be a part of the name. A card that has another name now is found by its old name, and then the set counts.
            let is_part = |set: &str| {
                name_key(&reference.name) != key
                    && name_key(&format!("{} ({set})", reference.name)) == key
            };
            if let Some(set) = reference.set.as_deref().filter(|set| !is_part(set)) {
                candidates
                    .retain(|card| set.trim().eq_ignore_ascii_case(&catalogue.card(*card).set));
            }
            if let Some(number) = &reference.number {
                candidates = catalogue.with_number(&candidates, number);
            }
            candidates.retain(|card| catalogue.has_rarity(*card, reference.rarity.as_deref()));
        }
        if candidates.is_empty() {
            candidates.push(found.card);
        }
        Self { entry, candidates, other_printing: !found.exact }
    }

    pub(super) fn copies(&self) -> u64 {
        u64::from(self.entry.quantity)
    }

    pub(super) fn is_known(&self) -> bool {
        !self.candidates.is_empty()
    }

    /// The value that all candidates have; `None` when they differ, or the entry is unknown.
    pub(super) fn agreed<T: PartialEq>(&self, value_of: impl Fn(u32) -> T) -> Option<T> {
        let mut values = self.candidates.iter().map(|card| value_of(*card));
        let first = values.next()?;
        values.all(|more| more == first).then_some(first)
    }

    /// The printing's own value of an attribute if the entry names the rarity, otherwise the card's value.
    pub(super) fn value<'c>(
        &self,
        catalogue: &'c Catalogue,
        card: u32,
        attribute: &str,
    ) -> Option<&'c Value> {
        let definition = &catalogue.card(card).definition;
        let rarity = self.entry.card.rarity.as_deref().filter(|_| !self.other_printing);
        let printing = rarity.and_then(|rarity| {
            let rarity = catalogue.rarity_meant(rarity);
            definition.printings.iter().find(|printing| printing.rarity == rarity)
        });
        let own = printing.and_then(|printing| printing.attributes.get(attribute));
        own.or_else(|| definition.attributes.get(attribute)).filter(|value| is_something(value))
    }
}

/// The lines of one zone, without those that have no copies.
pub(super) fn lines_of<'a>(deck: &'a Deck, catalogue: &Catalogue, zone: usize) -> Vec<Line<'a>> {
    let zones = catalogue.game().zones();
    let mut buffer = Vec::new();
    deck.entries
        .iter()
        .filter(|entry| entry.quantity > 0)
        .filter(|entry| usize::from(zone_index(&entry.zone, zones)) == zone)
        .map(|entry| Line::read(entry, catalogue, &mut buffer))
        .collect()
}
