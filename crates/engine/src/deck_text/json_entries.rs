//! Finds the entries in the JSON of the API and of other programs. Entries are the objects of an array that stands alone, or in a member whose name says that it
//! holds cards, or names a zone. Their parts are members of the entry or of its `card`.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::archidekt::zone_of;
use super::json_counts::{Counts, MemberReader};
use super::json_fault::JsonFault;
use super::zones::{Place, main_zone, place};
use crate::deck::{CardReference, DeckEntry, MAIN_ZONE};
use crate::manifest::Game;

/// Members of a list that hold its entries, or its zones.
const LISTS: [&str; 5] = ["entries", "cards", "deck", "decklist", "boards"];
/// Members of an entry, as several programs name them.
pub(super) const QUANTITIES: [&str; 4] = ["quantity", "count", "qty", "amount"];
const ZONES: [&str; 3] = ["zone", "board", "section"];
const SETS: [&str; 3] = ["set", "set_code", "setCode"];
const NUMBERS: [&str; 4] = ["number", "collector_number", "collectorNumber", "cn"];
/// Members with the set as Archidekt has it: a text, or an object with one of the members below.
const EDITIONS: [&str; 3] = ["edition", "editioncode", "editionCode"];
const PARTS_OF_EDITION: [&str; 4] = ["code", "editioncode", "name", "editionname"];
/// The labels of an entry, the first of which is its zone if it names one; beside the entries, what Archidekt says of its labels.
const CATEGORIES: &str = "categories";
/// The finish of an entry.
const FINISHES: [&str; 2] = ["finish", "modifier"];

/// An entry that was found.
#[derive(Debug)]
pub(super) struct JsonEntry {
    pub(super) entry: DeckEntry,
    /// Whether it stays as it is written, as in our own form and that of the API.
    pub(super) exact: bool,
    /// Whether it is in a part that does not belong to the deck, such as a maybeboard.
    pub(super) is_outside: bool,
    /// Its labels, which a deck cannot hold. The first one may say that it is not part of the deck.
    pub(super) labels: Vec<String>,
}

impl JsonEntry {
    pub(super) fn exact(entry: DeckEntry) -> Self {
        Self { entry, exact: true, is_outside: false, labels: Vec::new() }
    }
}

/// All entries of a text, in order.
pub(super) fn read_entries(text: &str, game: &Game) -> serde_json::Result<Vec<JsonEntry>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut found = Found { entries: Vec::new(), lists: 0, labels_outside: BTreeSet::new() };
    let around = &Place::Category;
    let holder = Holder { game, place: around, exact: true, holds_cards: false, found: &mut found };
    holder.deserialize(&mut reader)?;
    reader.end()?;
    if found.lists == 0 {
        return Err(Error::custom(JsonFault::NoEntries));
    }
    let Found { mut entries, labels_outside, .. } = found;
    for entry in &mut entries {
        entry.is_outside |= entry.labels.first().is_some_and(|first| {
            let label = zones_label(first);
            place(game, label) == Place::Category && labels_outside.contains(first)
        });
    }
    Ok(entries)
}

struct Found {
    entries: Vec<JsonEntry>,
    /// Number of the lists of entries, which may be empty.
    lists: usize,
    /// The labels whose cards are not part of the deck.
    labels_outside: BTreeSet<String>,
}

/// A value that may hold entries.
struct Holder<'a> {
    game: &'a Game,
    /// The zone that the members around it name; `Category`: none.
    place: &'a Place,
    exact: bool,
    /// Whether it is the value of a member that holds cards: then it may be an object of names and quantities.
    holds_cards: bool,
    found: &'a mut Found,
}

impl<'de> DeserializeSeed<'de> for Holder<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Holder<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<(), A::Error> {
        self.found.lists += 1;
        let mut number = 1;
        let (game, place, exact) = (self.game, self.place, self.exact);
        let entry = |number| EntryReader { game, place, exact, number };
        while let Some(entry) = array.next_element_seed(entry(number))? {
            self.found.entries.push(entry);
            number += 1;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        let (lists, mut is_empty) = (self.found.lists, true);
        let mut counts = Counts::default();
        while let Some(key) = object.next_key::<String>()? {
            is_empty = false;
            if key == CATEGORIES && !self.holds_cards {
                let categories = object.next_value::<Value>()?;
                self.found.labels_outside.extend(labels_outside(&categories));
                counts.are_alone = false;
                continue;
            }
            let named = place(self.game, &key);
            let is_list = LISTS.contains(&key.to_lowercase().as_str());
            if !is_list && named == Place::Category {
                let value =
                    object.next_value_seed(MemberReader { holds_cards: self.holds_cards })?;
                counts.add(key, value, (self.place, self.holds_cards));
                continue;
            }
            counts.are_alone = false;
            counts.has_main |= is_list || is_main(self.game, &named);
            object.next_value_seed(Holder {
                game: self.game,
                place: if is_list { self.place } else { &named },
                exact: self.exact && key == "entries",
                holds_cards: true,
                found: &mut *self.found,
            })?;
        }
        // An empty map of cards is an empty list, as programs write a zone without cards.
        self.found.lists += usize::from(is_empty && self.holds_cards);
        let has_lists = self.found.lists > lists;
        let outside = counts.take_outside();
        let entries = counts.entries(self.holds_cards, has_lists).map_err(A::Error::custom)?;
        if !entries.is_empty() {
            self.found.lists += 1;
            self.found.entries.extend(entries);
        }
        self.found.entries.extend(outside);
        // Cards in another form must not be left out silently.
        let is_zone = matches!(self.place, Place::Zone { .. });
        if is_zone && self.found.lists == lists {
            return Err(A::Error::custom(JsonFault::ListMissing));
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let is_card = matches!(self.place, Place::Zone { .. }) && !text.trim().is_empty();
        if is_card { Err(E::custom(JsonFault::ListMissing)) } else { Ok(()) }
    }

    // A member of such a name may also be a number of cards.
    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

fn is_main(game: &Game, place: &Place) -> bool {
    matches!(place, Place::Zone { code, .. } if *code == main_zone(game))
}

/// Reads an element of a list of entries. An error has the position directly after the entry.
struct EntryReader<'a> {
    game: &'a Game,
    place: &'a Place,
    exact: bool,
    /// Number of the entry in its list, from 1.
    number: usize,
}

impl<'de> DeserializeSeed<'de> for EntryReader<'_> {
    type Value = JsonEntry;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<JsonEntry, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for EntryReader<'_> {
    type Value = JsonEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an entry")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<JsonEntry, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = object.next_entry::<String, Value>()? {
            members.insert(name, value);
        }
        let labels = labels_of(&members);
        // The list that an entry is in counts more than its labels.
        let labelled = labels.first().map(|first| place(self.game, zones_label(first)));
        let labelled = labelled.filter(|_| *self.place == Place::Category);
        let place = labelled.as_ref().unwrap_or(self.place);
        let is_outside = *place == Place::Outside;
        // Tokens and the like may have no quantity, and do not need one.
        if is_outside && member(&members, &QUANTITIES).is_none() {
            members.insert(QUANTITIES[0].to_owned(), Value::from(1));
        }
        let entry = entry(&members, place).map_err(A::Error::custom)?;
        let CardReference { name, set, number, .. } = &entry.card;
        if !is_outside && name.trim().is_empty() && (set.is_none() || number.is_none()) {
            return Err(A::Error::custom(JsonFault::NameMissing { entry: self.number }));
        }
        Ok(JsonEntry { entry, exact: self.exact, is_outside, labels })
    }
}

/// The entry of an object. Its own zone counts more than `place`, that of its list.
pub(super) fn entry(members: &Map<String, Value>, place: &Place) -> Result<DeckEntry, JsonFault> {
    let nested = members.get("card").and_then(Value::as_object);
    let part = |names: &[&str]| match nested.map_or(Ok(None), |card| text(card, names))? {
        Some(part) => Ok(Some(part)),
        None => text(members, names),
    };
    let name = match members.get("card") {
        Some(Value::String(name)) => Some(name.clone()),
        _ => match part(&["name"])? {
            Some(name) => Some(name),
            // Archidekt has what all printings of a card have in common in an object of its own.
            None => match nested.and_then(|card| card.get("oracleCard")) {
                Some(Value::Object(card)) => text(card, &["name"])?,
                _ => None,
            },
        },
    };
    let zone_of_list = match place {
        Place::Zone { code, .. } => code,
        Place::Outside | Place::Category => MAIN_ZONE,
    };
    let copies = members.get("copies").and_then(Value::as_array).into_iter().flatten();
    Ok(DeckEntry {
        zone: text(members, &ZONES)?.unwrap_or_else(|| zone_of_list.to_owned()),
        quantity: quantity(members)?,
        card: CardReference {
            name: name.unwrap_or_default(),
            set: part(&SETS)?.or_else(|| edition(nested?)).or_else(|| edition(members)),
            number: part(&NUMBERS)?,
            rarity: finish(members).map_or_else(|| part(&["rarity"]), |finish| Ok(Some(finish)))?,
        },
        copies: copies.filter_map(Value::as_str).map(str::to_owned).collect(),
    })
}

pub(super) fn member<'m>(members: &'m Map<String, Value>, names: &[&str]) -> Option<&'m Value> {
    names.iter().find_map(|name| members.get(*name)).filter(|value| !value.is_null())
}

/// The labels of an entry.
fn labels_of(members: &Map<String, Value>) -> Vec<String> {
    let labels = members.get(CATEGORIES).and_then(Value::as_array).into_iter().flatten();
    let labels = labels.filter_map(Value::as_str).map(str::trim);
    labels.filter(|label| !label.is_empty()).map(str::to_owned).collect()
}

/// The word in a label that may name a zone.
fn zones_label(label: &str) -> &str {
    zone_of(label).unwrap_or(label)
}

/// The labels of which a list says that their cards are not part of the deck.
fn labels_outside(categories: &Value) -> Vec<String> {
    let labels = categories.as_array().into_iter().flatten().filter_map(Value::as_object);
    let is_outside =
        |label: &&Map<String, Value>| label.get("includedInDeck") == Some(&Value::Bool(false));
    let names = labels.filter(is_outside).filter_map(|label| label.get("name")?.as_str());
    names.map(|name| name.trim().to_owned()).collect()
}

/// The set of an entry, as Archidekt has it. Members of such names may also be something else.
fn edition(members: &Map<String, Value>) -> Option<String> {
    let code = match member(members, &EDITIONS)? {
        Value::Object(part) => {
            PARTS_OF_EDITION.iter().find_map(|name| part.get(*name)?.as_str())?
        }
        other => other.as_str()?,
    };
    Some(code.to_owned()).filter(|code| !code.trim().is_empty())
}

/// The finish of an entry, if it is one that games have as a rarity.
fn finish(members: &Map<String, Value>) -> Option<String> {
    let finish = member(members, &FINISHES)?.as_str()?.to_lowercase();
    ["foil", "etched"].contains(&finish.as_str()).then_some(finish)
}

/// The text of the first of these members. Some programs write numbers of cards without quotes, and sets as objects.
fn text(members: &Map<String, Value>, names: &[&str]) -> Result<Option<String>, JsonFault> {
    match member(members, names) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(Value::Number(number)) => Ok(Some(number.to_string())),
        Some(Value::Object(part)) if part.values().all(Value::is_string) => {
            text(part, &["code", "name"])
        }
        Some(_) => Err(JsonFault::NotText),
    }
}

fn quantity(members: &Map<String, Value>) -> Result<u32, JsonFault> {
    let value = member(members, &QUANTITIES).ok_or(JsonFault::QuantityMissing)?;
    let whole = match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let whole = whole.ok_or(JsonFault::QuantityNotWhole)?;
    whole.try_into().map_err(|_| JsonFault::QuantityTooLarge)
}
