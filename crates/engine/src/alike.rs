//! Which cards are interchangeable.

use crate::attributes::Attributes;
use crate::catalogue::Catalogue;

/// Whether the cards are equal in everything but set, number and external id (the id that other programs use).
pub(crate) fn are_alike(catalogue: &Catalogue, cards: &[u32]) -> bool {
    let mut definitions = cards.iter().map(|card| &catalogue.card(*card).definition);
    let Some(first) = definitions.next() else { return true };
    let id = catalogue.game().external_id();
    definitions.all(|other| {
        let count =
            |attributes: &Attributes| attributes.iter().filter(|(key, _)| Some(*key) != id).count();
        let same_values = count(&first.attributes) == count(&other.attributes)
            && first
                .attributes
                .iter()
                .all(|(key, value)| Some(key) == id || other.attributes.get(key) == Some(value));
        first.kind == other.kind && same_values && first.effects == other.effects
    })
}
