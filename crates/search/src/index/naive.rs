//! Searches by testing every card: for the few cards that only one requester may see, and as the reference in tests.

use std::cmp::Ordering;
use std::collections::BTreeMap;

#[cfg(test)]
use cardscape_engine::name_key;
use serde_json::Value;

use super::answer::{FacetAttribute, FacetCount, FacetSource, Listed};
use super::judge::{Judge, attribute_of};
#[cfg(test)]
use super::names::{Fit, MAX_ALIKE, MAX_NAMED, NamePlace, NameQuery, NamedCard, trigrams};
use super::position::{After, PlaceKey, in_order};
use super::record::{CardContent, CardRecord};

/// The entries of the list after a position, in order; at most `limit`.
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

/// Sorts entries in the order of the list.
pub(super) fn sort(found: &mut [Listed], judge: &Judge<'_>) {
    found.sort_by(|one, other| compare(one, other, judge));
}

/// The order of two entries in the list.
pub(super) fn compare(one: &Listed, other: &Listed, judge: &Judge<'_>) -> Ordering {
    in_order(judge.query, (one.key.as_ref(), one.place()), (other.key.as_ref(), other.place()))
}

/// Number of entries in the whole list.
pub(super) fn count<'c>(cards: impl IntoIterator<Item = &'c CardRecord>, judge: &Judge<'_>) -> u64 {
    cards.into_iter().map(|card| judge.entries(card).len() as u64).sum()
}

/// The matching cards with content, by place.
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

/// Adds the values of a card with content to the tally.
pub(super) fn tally(card: &CardRecord, attributes: &[FacetAttribute<'_>], tally: &mut Tally) {
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
    for attribute in attributes {
        let mut values: Vec<&Value> = Vec::new();
        for value in values_of(content, *attribute) {
            match value {
                Value::Array(list) => values.extend(list),
                one => values.push(one),
            }
        }
        for (at, value) in values.iter().enumerate() {
            if !values[..at].contains(value) {
                found.push((FacetSource::Attribute, attribute.code, (*value).clone()));
            }
        }
    }
    for (source, attribute, value) in found {
        *tally.entry((source, attribute.to_owned(), value.to_string())).or_default() += 1;
    }
}

/// The values of an attribute: of the card, or of each of its printings.
fn values_of<'a>(content: &'a CardContent, attribute: FacetAttribute<'_>) -> Vec<&'a Value> {
    let FacetAttribute { code, per_printing } = attribute;
    if !per_printing {
        return content.attributes.get(code).into_iter().collect();
    }
    let of_printing = |own| attribute_of(content, Some(own), code);
    content.printings.iter().filter_map(of_printing).collect()
}

/// Converts a tally to a result.
pub(super) fn facet_counts(tally: Tally) -> Vec<FacetCount> {
    let count = |((source, attribute, value), cards): ((FacetSource, String, String), u64)| {
        FacetCount { source, attribute, value: value.parse().unwrap_or(Value::Null), cards }
    };
    tally.into_iter().map(count).collect()
}

/// Cards that a name may mean: every card is tested, and the names of all similar ones are read.
#[cfg(test)]
pub(super) fn named<'c>(
    cards: impl IntoIterator<Item = &'c CardRecord>,
    place: NamePlace<'_>,
    query: &NameQuery,
) -> Vec<NamedCard> {
    let typed = trigrams(&query.search_key);
    let of_place = cards.into_iter().filter(|card| place.holds(card));
    let mut alike: Vec<(Fit, String, NamedCard)> = of_place
        .filter_map(|card| {
            let CardRecord { id, game, set, number, content, .. } = card.clone();
            let content = content?;
            let fit = Fit::new(query, &typed, &content)?;
            let key = name_key(&content.name);
            let (name, has_words) = (content.name, fit.has_words);
            Some((fit, key, NamedCard { id, game, set, number, name, has_words }))
        })
        .collect();
    let order = |one: &(Fit, String, NamedCard), other: &(Fit, String, NamedCard)| {
        let fit = one.0.order(other.0);
        fit.then_with(|| (&one.1, &one.2.game).cmp(&(&other.1, &other.2.game)))
    };
    alike.sort_by(|one, other| order(one, other).then_with(|| one.2.id.cmp(&other.2.id)));
    alike.truncate(MAX_ALIKE);
    let place = |one: &(Fit, String, NamedCard)| (one.2.set.clone(), one.2.number.clone());
    let mut firsts: BTreeMap<(String, String), (Fit, String, NamedCard)> = BTreeMap::new();
    for one in alike {
        let name = (one.2.game.clone(), one.1.clone());
        if firsts.get(&name).is_none_or(|first| place(&one) < place(first)) {
            firsts.insert(name, one);
        }
    }
    let mut firsts: Vec<(Fit, String, NamedCard)> = firsts.into_values().collect();
    firsts.sort_by(order);
    firsts.into_iter().take(MAX_NAMED).map(|(_, _, card)| card).collect()
}
