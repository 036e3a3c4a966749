//! The attributes that the games' manifests define, and what lists can be sorted by.

use std::collections::BTreeSet;

use cardscape_engine::{Attribute, AttributeValue, Game, PrintingCheck};

use super::fault::{QueryFault, Unordered, near};
use super::fields::{self, Subject, Topic};
use super::predicate::{SortKey, SumOf};

/// The sort key with that name.
///
/// # Errors
/// There is no such key.
pub fn sort_key(name: &str, games: &[&Game]) -> Result<SortKey, QueryFault> {
    let field = Subject::Cards.field(name);
    let key = match field.filter(|field| field.sortable).map(|field| (field.topic, field.name)) {
        Some((Topic::Set, _)) => Some(SortKey::Place),
        Some((Topic::Number, _)) => Some(SortKey::Number),
        Some((Topic::Name, _)) => Some(SortKey::Name),
        Some((Topic::Kind, _)) => Some(SortKey::Kind),
        Some((Topic::Rarity, _)) => Some(SortKey::Rarity),
        Some((Topic::Submissions, _)) => Some(SortKey::Submissions),
        Some((Topic::Unlocked, _)) => Some(SortKey::Unlocked),
        Some((Topic::Year, _)) => Some(SortKey::Year),
        Some((Topic::Date, _)) => Some(SortKey::Released),
        Some((Topic::Total, _)) => {
            Some(SortKey::Sum(totals(games))).filter(|key| *key != SortKey::Sum(Vec::new()))
        }
        Some((_, code)) => attribute_sort(code, games),
        None if field.is_none() => attribute_sort(bare(name), games),
        None => None,
    };
    key.ok_or_else(|| not_sortable(name, games))
}

/// Why lists cannot be sorted by that name.
fn not_sortable(name: &str, games: &[&Game]) -> QueryFault {
    let field = Subject::Cards.field(name);
    if field.is_some_and(|field| field.topic == Topic::Total) {
        return QueryFault::NoTotal;
    }
    let code = field.map_or(bare(name), |field| field.name);
    if let Some((_, (_, attribute))) = attributes(code, games).first() {
        let values = match attribute.value {
            AttributeValue::Text { .. } => Unordered::Text,
            AttributeValue::Boolean => Unordered::Flag,
            AttributeValue::Choices { .. } => Unordered::List,
            _ => Unordered::Other,
        };
        return QueryFault::NoOrder { field: name.to_owned(), values };
    }
    let mut known = attribute_codes(games);
    known.retain(|code| attribute_sort(code, games).is_some());
    known.extend(fields::FIELDS.iter().filter(|field| field.sortable).map(|field| field.name));
    // A field that no card of these games has.
    known.retain(|known| !known.eq_ignore_ascii_case(name));
    QueryFault::NotSortable { name: name.to_owned(), near: near(name, known) }
}

pub(super) fn attribute_sort(name: &str, games: &[&Game]) -> Option<SortKey> {
    let found = attributes_of_one_code(name, games);
    let (code, _) = found.first()?.1;
    let mut list: Vec<String> = Vec::new();
    for (_, (_, attribute)) in &found {
        match &attribute.value {
            AttributeValue::Integer { .. } => {
                return Some(SortKey::Sum(vec![SumOf {
                    of: None,
                    attributes: vec![code.to_owned()],
                }]));
            }
            AttributeValue::Choice { values } => {
                let new: Vec<String> =
                    values.iter().filter(|value| !list.contains(value)).cloned().collect();
                list.extend(new);
            }
            _ => {}
        }
    }
    (!list.is_empty()).then(|| SortKey::Choice { attribute: code.to_owned(), values: list })
}

/// `rank` for `attributes.rank`: that prefix, in any case, names an attribute even where a field has the same name.
pub(super) fn bare(name: &str) -> &str {
    const PREFIX: &str = "attributes.";
    let prefix = name.get(..PREFIX.len());
    let is_prefixed = prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(PREFIX));
    if is_prefixed { &name[PREFIX.len()..] } else { name }
}

pub(super) type Found<'a> = (&'a Game, (&'a str, &'a Attribute));

/// The attributes with that name: by code, or in games without that code, by the code with a plural s.
pub(super) fn attributes<'a>(name: &str, games: &[&'a Game]) -> Vec<Found<'a>> {
    let of_game = |game| attributes_of_one_code(name, std::slice::from_ref(game));
    games.iter().flat_map(of_game).collect()
}

/// Like [`attributes`], with the same code in all games: a list is sorted by one.
fn attributes_of_one_code<'a>(name: &str, games: &[&'a Game]) -> Vec<Found<'a>> {
    let all = games.iter().flat_map(|game| {
        game.kinds().iter().flat_map(move |kind| {
            kind.attributes.iter().map(move |(code, attribute)| (*game, (code.as_str(), attribute)))
        })
    });
    let exact = |code: &str| code.eq_ignore_ascii_case(name);
    let found: Vec<Found<'a>> = all.clone().filter(|(_, (code, _))| exact(code)).collect();
    if !found.is_empty() {
        return found;
    }
    all.filter(|(_, (code, _))| code.strip_suffix('s').is_some_and(exact)).collect()
}

pub(super) fn attribute_codes<'a>(games: &[&'a Game]) -> BTreeSet<&'a str> {
    games
        .iter()
        .flat_map(|game| game.kinds())
        .flat_map(|kind| kind.attributes.keys().map(String::as_str))
        .collect()
}

/// Sums of attributes that the rules of the games use, without duplicates: those that
/// [`index::Builder::sum`](crate::index::Builder::sum) has to index.
pub fn sums(games: &[&Game]) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for SumOf { attributes, .. } in totals(games) {
        if !found.contains(&attributes) {
            found.push(attributes);
        }
    }
    found
}

/// The sums of attributes that the rules of the games use.
fn totals(games: &[&Game]) -> Vec<SumOf> {
    let mut found = Vec::new();
    for game in games {
        for kind in game.kinds() {
            for check in &kind.checks {
                if let PrintingCheck::Total { of, .. } = &check.check {
                    let sum = SumOf {
                        of: Some((game.code().to_owned(), kind.code.clone())),
                        attributes: of.clone(),
                    };
                    if !found.contains(&sum) {
                        found.push(sum);
                    }
                }
            }
        }
    }
    found
}
