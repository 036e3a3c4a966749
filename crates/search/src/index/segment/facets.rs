//! Counts the cards of a set by value.

use roaring::RoaringBitmap;
use serde_json::Value;

use super::super::answer::{FacetAttribute, FacetSource, MAX_FACET_VALUES};
use super::super::naive::{Tally, tally};
use super::Segment;
use super::lists::{Keyed, Set};
use super::plan::{Steps, WHOLE_CARD};

/// If there are no more cards than this, each is read.
const FEW: u64 = if cfg!(test) { 3 } else { 64 };

impl Segment {
    /// Adds up the values of cards with content.
    pub(in crate::index) fn tally(
        &self,
        cards: &RoaringBitmap,
        attributes: &[FacetAttribute<'_>],
        steps: &Steps,
        found: &mut Tally,
    ) {
        if cards.len() <= FEW {
            for at in cards {
                tally(&self.record(at), attributes, found);
            }
            return;
        }
        let mut add = |source, attribute: &str, value: Value, cards: u64| {
            if cards > 0 {
                *found.entry((source, attribute.to_owned(), value.to_string())).or_default() +=
                    cards;
            }
        };
        add(FacetSource::Card, "", Value::Null, cards.len());
        let codes: [(FacetSource, &Keyed<String>); 4] = [
            (FacetSource::Kind, &self.kinds),
            (FacetSource::Rarity, &self.rarities),
            (FacetSource::Style, &self.styles),
            (FacetSource::Slot, &self.slots),
        ];
        for (source, keyed) in codes {
            for (at, code) in keyed.keys().iter().enumerate() {
                let count = keyed.lists().get(at).count_in(cards);
                add(source, "", Value::from(code.as_str()), count);
            }
        }
        let mut unlisted = Vec::new();
        for wanted in attributes {
            let FacetAttribute { code, per_printing } = *wanted;
            let Some(attribute) = self.attributes.get(code) else { continue };
            if !attribute.has_all {
                unlisted.push(*wanted);
                continue;
            }
            // Without a printing that differs, each has the value of its card.
            let scalars = attribute.printing.as_ref().filter(|_| per_printing);
            let scalars = scalars.unwrap_or(&attribute.card);
            let printed = per_printing.then(|| cards & &self.with_printing);
            let cards = printed.as_ref().unwrap_or(cards);
            let counts = scalars.keys().iter().enumerate().map(|(at, scalar)| {
                let set: Set<'_> = scalars.lists().get(at);
                (scalar, set.count_in(cards))
            });
            // One more than the limit shows that there are too many.
            let counted = counts.filter(|(_, count)| *count > 0).take(MAX_FACET_VALUES + 1);
            for (scalar, count) in counted {
                add(FacetSource::Attribute, code, scalar.value(), count);
            }
        }
        if unlisted.is_empty() {
            return;
        }
        // An attribute with very many values is read card by card, within the budget of steps.
        for at in cards {
            if !steps.take(WHOLE_CARD) {
                break;
            }
            let mut one = Tally::new();
            tally(&self.record(at), &unlisted, &mut one);
            for (key, count) in one.into_iter().filter(|(key, _)| key.0 == FacetSource::Attribute) {
                *found.entry(key).or_default() += count;
            }
        }
    }
}
