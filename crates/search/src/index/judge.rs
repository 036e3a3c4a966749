//! Tests a condition on a single card: the reference for all other ways to search.
//!
//! As in SQL, a missing value makes a test fail, and the negation of the test hold.

use std::borrow::Cow;

use cardscape_engine::is_something;
use chrono::{Datelike as _, NaiveDate};
use serde_json::{Map, Value};

use super::pattern::{Patterns, contains_words};
use super::position::SortValue;
use super::progress::Progress;
use super::record::{CardContent, CardRecord, PrintingRecord, Unlock};
use super::releases::Releases;
use crate::{CardQuery, Case, KnownTest, Place, Predicate, SortKey, SumOf, Test, Unique};

/// Everything that the tests of a card need besides the card.
pub(super) struct Judge<'a> {
    pub(super) query: &'a CardQuery,
    pub(super) releases: &'a Releases,
    pub(super) patterns: &'a Patterns,
    /// `None`: the caller did not pass it, so tests of it fail.
    pub(super) progress: Option<&'a Progress>,
}

/// A card, and the printing that is listed, in lists of printings.
#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) card: &'a CardRecord,
    pub(super) printing: Option<&'a PrintingRecord>,
}

impl Judge<'_> {
    /// The matching entries of a card, from the lowest tier up.
    pub(super) fn entries<'c>(&self, card: &'c CardRecord) -> Vec<Entry<'c>> {
        let mut entries: Vec<Entry<'c>> = match (self.query.unique, &card.content) {
            (Unique::Cards, _) => vec![Entry { card, printing: None }],
            (Unique::Printings, None) => Vec::new(),
            (Unique::Printings, Some(content)) => content
                .printings
                .iter()
                .map(|printing| Entry { card, printing: Some(printing) })
                .collect(),
        };
        entries.retain(|entry| self.fits(*entry, &self.query.predicate));
        entries.sort_by_key(Entry::tier);
        entries
    }

    fn fits(&self, entry: Entry<'_>, predicate: &Predicate) -> bool {
        match predicate {
            Predicate::All(parts) => parts.iter().all(|part| self.fits(entry, part)),
            Predicate::Any(parts) => parts.iter().any(|part| self.fits(entry, part)),
            Predicate::Known { negated, test } => self.known(entry.card, test) != *negated,
            // Nobody knows whether an expression fits that could not be compiled.
            Predicate::Content { negated: true, cases } if self.patterns.lacks(cases) => false,
            Predicate::Content { negated, cases } => {
                self.holds_in_case(entry, cases).is_some_and(|holds| holds != *negated)
            }
        }
    }

    /// Whether one of the cases holds; `None`: the requester may not know.
    pub(super) fn holds_in_case(&self, entry: Entry<'_>, cases: &[Case]) -> Option<bool> {
        let content = entry.card.content.as_ref()?;
        let is_of = |games: &Option<Vec<String>>| {
            games.as_ref().is_none_or(|games| games.contains(&entry.card.game))
        };
        let holds = |case: &Case| is_of(&case.games) && self.holds(entry, content, &case.test);
        Some(cases.iter().any(holds))
    }

    fn holds(&self, entry: Entry<'_>, content: &CardContent, test: &Test) -> bool {
        match test {
            Test::Any(tests) => tests.iter().any(|test| self.holds(entry, content, test)),
            Test::Words(place, words) => {
                in_a_text(entry, content, place, |text| contains_words(text, words))
            }
            Test::Regex(place, pattern) => {
                in_a_text(entry, content, place, |text| self.patterns.fits(pattern, text))
            }
            Test::Name(key) => cardscape_engine::has_search_key(&content.name, key),
            Test::CardNames(keys) => keys.contains(&cardscape_engine::name_key(&content.name)),
            Test::NamePrefix(key) => cardscape_engine::search_key(&content.name).starts_with(key),
            Test::TextIs { attribute, per_printing, folded } => {
                in_a_printing(entry, content, *per_printing, |own| {
                    attribute_text(content, own, attribute).is_some_and(|text| text == *folded)
                })
            }
            Test::Number { sum, per_printing, compared } => {
                let compared = compared.map(i128::from);
                in_a_printing(entry, content, *per_printing, |own| {
                    added(content, own, sum).is_some_and(|sum| compared.holds(&sum))
                })
            }
            Test::Choice { attribute, per_printing, values } => {
                in_a_printing(entry, content, *per_printing, |own| {
                    let value = attribute_of(content, own, attribute);
                    value.is_some_and(|value| has_one_of(value, values))
                })
            }
            Test::Flag { attribute, per_printing, value } => {
                in_a_printing(entry, content, *per_printing, |own| {
                    attribute_of(content, own, attribute) == Some(&Value::Bool(*value))
                })
            }
            Test::Kinds(kinds) => kinds.contains(&content.kind),
            Test::Rarities(rarities) => in_a_printing(entry, content, true, |own| {
                own.is_some_and(|printing| rarities.contains(&printing.rarity))
            }),
            Test::Styles(styles) => {
                let styled =
                    |style: &Option<String>| style.as_ref().is_some_and(|one| styles.contains(one));
                content.effects.iter().any(|effect| styled(&effect.style))
            }
            Test::Slots(slots) => {
                let stands =
                    |slot: &Option<String>| slot.as_ref().is_some_and(|one| slots.contains(one));
                content.effects.iter().any(|effect| stands(&effect.slot))
            }
            Test::HasAttribute { attribute, per_printing } => {
                in_a_printing(entry, content, *per_printing, |own| {
                    attribute_of(content, own, attribute).is_some_and(is_something)
                })
            }
            Test::HasEffect => !content.effects.is_empty(),
            Test::HasLore => content.has_lore,
            Test::Year(compared) => {
                self.release(entry.card).is_some_and(|day| compared.holds(&day.year().into()))
            }
            Test::Released(compared) => {
                self.release(entry.card).is_some_and(|day| compared.holds(&day))
            }
        }
    }

    /// Whether a test of public values holds.
    fn known(&self, card: &CardRecord, test: &KnownTest) -> bool {
        match test {
            KnownTest::Game(code) => card.game == *code,
            KnownTest::Set(code) => card.set == *code,
            KnownTest::Number(number) => crate::folded_number(&card.number) == *number,
            KnownTest::NumberValue(compared) => {
                number_value(&card.number).is_some_and(|number| compared.holds(&number))
            }
            KnownTest::Hidden => card.unlock == Unlock::Hidden,
            KnownTest::Unlocked => matches!(card.unlock, Unlock::At(_)),
            KnownTest::UnlockedOn(compared) => match card.unlock {
                Unlock::At(time) => compared.holds(&time.date_naive()),
                Unlock::Never | Unlock::Hidden => false,
            },
            KnownTest::Submissions(compared) => {
                self.submissions(card).is_some_and(|count| compared.holds(&count))
            }
            KnownTest::Design(_) => false,
        }
    }

    fn submissions(&self, card: &CardRecord) -> Option<i64> {
        self.progress.and_then(|progress| progress.of(card))
    }

    fn release(&self, card: &CardRecord) -> Option<NaiveDate> {
        self.release_of(&card.game, &card.set)
    }

    /// The release day of a set.
    pub(super) fn release_of(&self, game: &str, set: &str) -> Option<NaiveDate> {
        self.releases.day_of(game, set)
    }

    /// The sort key of the entry.
    pub(super) fn sort_value(&self, entry: Entry<'_>) -> Option<SortValue> {
        let Entry { card, printing: own } = entry;
        let content = card.content.as_ref();
        let number = |number: i64| SortValue::Number(number.into());
        match &self.query.sort {
            SortKey::Place => None,
            SortKey::Submissions => self.submissions(card).map(number),
            SortKey::Number => number_value(&card.number).map(number),
            SortKey::Unlocked => match card.unlock {
                Unlock::At(time) => Some(SortValue::Time(time)),
                Unlock::Never | Unlock::Hidden => None,
            },
            SortKey::Name => Some(SortValue::Text(cardscape_engine::search_key(&content?.name))),
            SortKey::Kind => Some(SortValue::Text(content?.kind.clone())),
            SortKey::Sum(sums) => {
                let content = content?;
                let is_of = |of: &Option<(String, String)>| match of {
                    None => true,
                    Some((game, kind)) => card.game == *game && content.kind == *kind,
                };
                let SumOf { attributes, .. } = sums.iter().find(|sum| is_of(&sum.of))?;
                added(content, own, attributes).map(SortValue::Number)
            }
            SortKey::Choice { attribute, values } => {
                let value = plain_text(attribute_of(content?, own, attribute)?)?;
                let at = values.iter().position(|one| *one == value)?;
                i64::try_from(at + 1).ok().map(number)
            }
            SortKey::Rarity => match own {
                Some(own) => Some(number(own.tier.into())),
                None => content?.printings.iter().map(|one| number(one.tier.into())).min(),
            },
            SortKey::Year => {
                content.and_then(|_| self.release(card)).map(|day| number(day.year().into()))
            }
            SortKey::Released => {
                let day = content.and_then(|_| self.release(card));
                day.map(|day| number(day.num_days_from_ce().into()))
            }
        }
    }
}

impl Entry<'_> {
    pub(super) fn tier(&self) -> i16 {
        self.printing.map_or(0, |printing| printing.tier)
    }
}

/// The value of a collector number with 1 to 16 digits.
pub(super) fn number_value(number: &str) -> Option<i64> {
    let is_one = number.len() <= 16 && number.bytes().all(|byte| byte.is_ascii_digit());
    number.parse().ok().filter(|_| is_one)
}

/// A test of the folded texts of a place: one of them must pass.
fn in_a_text(
    entry: Entry<'_>,
    content: &CardContent,
    place: &Place,
    test: impl Fn(&str) -> bool,
) -> bool {
    let words = &content.words;
    match place {
        Place::Everywhere => test(&words.all),
        Place::Name => test(&words.name),
        Place::Effects => test(&words.effects),
        Place::Lore => test(&words.lore),
        Place::Text => test(&words.effects) || test(&words.lore),
        Place::Attribute { attribute, per_printing } => {
            in_a_printing(entry, content, *per_printing, |own| {
                attribute_text(content, own, attribute).is_some_and(|text| test(&text))
            })
        }
    }
}

/// The folded text of an attribute: the printing's own, if it has one.
fn attribute_text<'a>(
    content: &'a CardContent,
    own: Option<&PrintingRecord>,
    code: &str,
) -> Option<Cow<'a, str>> {
    match own.and_then(|own| own.attributes.get(code)?.as_str()) {
        Some(text) => Some(Cow::Owned(crate::folded(text))),
        None => content.words.attributes.get(code)?.as_str().map(Cow::Borrowed),
    }
}

/// A test of one printing: the listed one, or any printing of the card.
fn in_a_printing(
    entry: Entry<'_>,
    content: &CardContent,
    per_printing: bool,
    test: impl Fn(Option<&PrintingRecord>) -> bool,
) -> bool {
    match entry.printing {
        _ if !per_printing => test(None),
        Some(own) => test(Some(own)),
        None => content.printings.iter().any(|own| test(Some(own))),
    }
}

/// The value of an attribute: the printing's own, if it has one.
pub(super) fn attribute_of<'a>(
    content: &'a CardContent,
    own: Option<&'a PrintingRecord>,
    code: &str,
) -> Option<&'a Value> {
    let of = |attributes: &'a Map<String, Value>| attributes.get(code);
    own.and_then(|own| of(&own.attributes)).or_else(|| of(&content.attributes))
}

/// The sum of attributes; `None` when one is not a whole number.
fn added(
    content: &CardContent,
    own: Option<&PrintingRecord>,
    attributes: &[String],
) -> Option<i128> {
    let number = |code: &String| attribute_of(content, own, code)?.as_i64().map(i128::from);
    attributes.iter().map(number).sum()
}

/// Whether a list contains one of the values, or a text equals one.
fn has_one_of(value: &Value, values: &[String]) -> bool {
    let is =
        |value: &Value| value.as_str().is_some_and(|one| values.iter().any(|other| other == one));
    match value {
        Value::Array(list) => list.iter().any(is),
        other => is(other),
    }
}

/// A value as text, as `#>> '{}'` writes it.
fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
