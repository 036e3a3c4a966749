//! Answers by trying every card: how the few cards that only one asker may see are judged, and what tests compare the index with.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answer::{FacetCount, FacetSource, Listed};
use super::judge::Judge;
use super::position::{After, PlaceKey, in_order};
use super::record::CardRecord;

/// The entries of the list that come after a position, in order; `limit` at most.
pub(super) fn list<'c>(
    cards: impl IntoIterator<Item = &'c CardRecord>,
    judge: &Judge<'_>,
    after: Option<&After<'_>>,
    limit: usize,
) -> Vec<Listed> {
    let mut found: Vec<Listed> = cards
        .into_iter()
        .flat_map(|card| judge.entries(card))
        .map(|entry| {
            let CardRecord { id, game, set, number, content, .. } = entry.card;
            Listed {
                card: *id,
                game: game.as_str().into(),
                set: set.as_str().into(),
                number: number.clone(),
                tier: entry.tier(),
                key: judge.sort_value(entry),
                is_hidden: content.is_none(),
            }
        })
        .filter(|one| {
            after.is_none_or(|after| after.precedes(judge.query, one.key.as_ref(), one.place()))
        })
        .collect();
    sort(&mut found, judge);
    found.truncate(limit);
    found
}

/// Puts entries in the order of the list.
pub(super) fn sort(found: &mut [Listed], judge: &Judge<'_>) {
    found.sort_by(|one, other| {
        in_order(judge.query, (one.key.as_ref(), one.place()), (other.key.as_ref(), other.place()))
    });
}

/// How many entries the whole list has.
pub(super) fn count<'c>(cards: impl IntoIterator<Item = &'c CardRecord>, judge: &Judge<'_>) -> u64 {
    cards.into_iter().map(|card| judge.entries(card).len() as u64).sum()
}

/// The cards with content that fit, by place.
pub(super) fn open<'c>(
    cards: impl IntoIterator<Item = &'c CardRecord>,
    judge: &Judge<'_>,
) -> Vec<&'c CardRecord> {
    let is_open = |card: &&CardRecord| card.content.is_some();
    let fits = |card: &&CardRecord| !judge.entries(card).is_empty();
    let mut found: Vec<&CardRecord> = cards.into_iter().filter(is_open).filter(fits).collect();
    found.sort_by(|one, other| place(one).cmp(&place(other)));
    found
}

pub(super) fn place(card: &CardRecord) -> PlaceKey<'_> {
    PlaceKey { game: &card.game, set: &card.set, number: &card.number, tier: 0 }
}

/// Values of cards as keys of maps: JSON text has an order.
pub(super) type Tally = BTreeMap<(FacetSource, String, String), u64>;

/// Adds up the values of cards with content.
pub(super) fn tally(card: &CardRecord, attributes: &[&str], tally: &mut Tally) {
    let Some(content) = &card.content else { return };
    let mut found: Vec<(FacetSource, &str, Value)> = vec![(FacetSource::Card, "", Value::Null)];
    let mut add = |source, value: &str| {
        let one = (source, "", Value::from(value));
        if !found.contains(&one) {
            found.push(one);
        }
    };
    add(FacetSource::Kind, &content.kind);
    for printing in &content.printings {
        add(FacetSource::Rarity, &printing.rarity);
    }
    for effect in &content.effects {
        effect.style.iter().for_each(|style| add(FacetSource::Style, style));
        effect.slot.iter().for_each(|slot| add(FacetSource::Slot, slot));
    }
    for code in attributes {
        match content.attributes.get(*code) {
            Some(Value::Array(list)) => {
                found.extend(
                    list.iter().map(|value| (FacetSource::Attribute, *code, value.clone())),
                );
            }
            Some(value) => found.push((FacetSource::Attribute, code, value.clone())),
            None => {}
        }
    }
    for (source, attribute, value) in found {
        *tally.entry((source, attribute.to_owned(), value.to_string())).or_default() += 1;
    }
}

/// A tally as an answer.
pub(super) fn facet_counts(tally: Tally) -> Vec<FacetCount> {
    let count = |((source, attribute, value), cards): ((FacetSource, String, String), u64)| {
        FacetCount { source, attribute, value: value.parse().unwrap_or(Value::Null), cards }
    };
    tally.into_iter().map(count).collect()
}
