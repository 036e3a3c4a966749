//! Converts values in queries to tests.

use std::collections::BTreeSet;
use std::num::{IntErrorKind, ParseIntError};

use cardscape_engine::{Attribute, AttributeValue, Game, has_search_key, search_key};
use chrono::{Datelike as _, NaiveDate};

use super::attributes::attributes;
use super::comparison::Comparison;
use super::fault::{QueryFault, Unordered};
use super::fold::{folded, words};
use super::predicate::{Place, Test};
use super::regex::to_postgres;
use super::syntax::{Literal, Operator};

pub(super) fn any(mut tests: Vec<Test>) -> Option<Test> {
    if tests.len() > 1 { Some(Test::Any(tests)) } else { tests.pop() }
}

pub(super) fn some_of(values: Vec<String>, test: impl FnOnce(Vec<String>) -> Test) -> Option<Test> {
    (!values.is_empty()).then(|| test(values))
}

/// The value with that name.
pub(super) fn one_of<T: Clone>(text: &str, known: &[(&str, T)]) -> Result<T, QueryFault> {
    let found = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let known = known.iter().map(|(name, _)| (*name).to_owned()).collect();
        QueryFault::NotOneOf { value: text.to_owned(), known }
    })
}

pub(super) fn whole_number(text: &str) -> Result<i64, QueryFault> {
    // Word processors write another minus sign.
    let plain = text.strip_prefix(['−', '–']).map(|digits| format!("-{digits}"));
    plain.as_deref().unwrap_or(text).parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
            QueryFault::WholeBeyond(text.to_owned())
        }
        _ => QueryFault::NotWhole(text.to_owned()),
    })
}

/// A rating (`4`, `3.5` or `4.25`) in hundredths.
pub(super) fn rating(text: &str) -> Result<i64, QueryFault> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_number = |digits: &str, most: usize| {
        (1..=most).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let hundredths = || format!("{whole}{part:0<2}").parse().ok();
    let found = (is_number(whole, 1) && is_number(part, 2)).then(hundredths).flatten();
    found
        .filter(|rating| (100..=500).contains(rating))
        .ok_or_else(|| QueryFault::NoRating(text.to_owned()))
}

pub(super) fn day(text: &str) -> Result<NaiveDate, QueryFault> {
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok();
    let day = day.filter(|day| (1970..9999).contains(&day.year()));
    day.ok_or_else(|| no_day(text))
}

/// Why a text is not a day.
pub(super) fn no_day(text: &str) -> QueryFault {
    let shape: String = text
        .chars()
        .map(|character| if character.is_ascii_digit() { '0' } else { character })
        .collect();
    if shape != "0000-00-00" {
        QueryFault::DayForm(text.to_owned())
    } else if NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok() {
        QueryFault::DayYear
    } else {
        QueryFault::NoDay(text.to_owned())
    }
}

pub(super) fn nothing_to_find(text: &str) -> QueryFault {
    QueryFault::NothingToFind(text.to_owned())
}

/// Why a word cannot be used that contains an operator, but has no field before it.
pub(super) fn sign_in_word(word: &str) -> Option<QueryFault> {
    if let Some(rest) = word.strip_prefix('!').filter(|rest| !words(rest).is_empty()) {
        return Some(QueryFault::ExclamationMark(rest.to_owned()));
    }
    let is_sign = |sign: &char| matches!(sign, ':' | '=' | '<' | '>' | '≤' | '≥' | '≠' | '$');
    let sign = word.chars().find(is_sign)?;
    let quoted = format!("\"{}\"", word.replace('"', ""));
    Some(match word.split_once(sign) {
        _ if sign == '$' => match words(word).as_slice() {
            [] => nothing_to_find(word),
            words => QueryFault::DollarSign(words.join(" ")),
        },
        Some(("", _)) => QueryFault::FieldMissing { sign, quoted },
        Some((name, _)) => QueryFault::NoName { name: name.to_owned(), quoted },
        None => return None,
    })
}

/// A test for a literal in folded texts.
pub(super) fn text_test(place: &Place, value: &Literal) -> Result<Test, QueryFault> {
    if let Literal::Regex(pattern) = value {
        return Ok(Test::Regex(place.clone(), to_postgres(pattern).map_err(QueryFault::Regex)?));
    }
    let words = words(value.text());
    if words.is_empty() {
        Err(nothing_to_find(value.text()))
    } else {
        Ok(Test::Words(place.clone(), words))
    }
}

/// A test for the value with that name; `None`: there is none.
pub(super) fn chosen<'a>(
    text: &str,
    values: impl Iterator<Item = &'a String>,
    test: impl FnOnce(Vec<String>) -> Test,
) -> Option<Test> {
    let key = search_key(text);
    let found: BTreeSet<&String> = values.filter(|value| has_search_key(value, &key)).collect();
    some_of(found.into_iter().cloned().collect(), test)
}

/// Like [`chosen`], for codes. A code that equals the text is preferred to codes that differ from it only in signs.
pub(super) fn chosen_code<'a>(
    text: &str,
    codes: impl Iterator<Item = &'a String>,
    test: impl FnOnce(Vec<String>) -> Test,
) -> Option<Test> {
    let codes: Vec<&String> = codes.collect();
    match codes.iter().find(|code| code.eq_ignore_ascii_case(text)) {
        Some(code) => Some(test(vec![(*code).clone()])),
        None => chosen(text, codes.into_iter(), test),
    }
}

/// Type, subtype or kind.
pub(super) fn type_test(text: &str, game: &Game) -> Option<Test> {
    let mut tests = Vec::new();
    for (code, attribute, list) in type_lists(game) {
        let choice = |found| choice(code, attribute, found);
        if let Some(test) = chosen(text, list.iter(), choice)
            && !tests.contains(&test)
        {
            tests.push(test);
        }
    }
    tests.extend(chosen_code(text, game.kinds().iter().map(|kind| &kind.code), Test::Kinds));
    any(tests)
}

/// The values that [`type_test`] knows.
pub(super) fn type_values(game: &Game) -> impl Iterator<Item = &String> {
    let lists = type_lists(game).flat_map(|(_, _, list)| list);
    lists.chain(game.kinds().iter().map(|kind| &kind.code))
}

/// The styles of effects in a game.
pub(super) fn styles(game: &Game) -> impl Iterator<Item = &String> {
    let effects = game.kinds().iter().flat_map(|kind| &kind.effects);
    effects.flat_map(|effects| &effects.styles)
}

/// The slots of effects in a game.
pub(super) fn slots(game: &Game) -> impl Iterator<Item = &String> {
    let effects = game.kinds().iter().flat_map(|kind| &kind.effects);
    effects.flat_map(|effects| &effects.slots).map(|slot| &slot.code)
}

/// The attributes that are types or subtypes, with their values.
fn type_lists(game: &Game) -> impl Iterator<Item = (&str, &Attribute, &Vec<String>)> {
    let named = ["type", "subtype"].into_iter().flat_map(|name| attributes(name, &[game]));
    named.filter_map(|(_, (code, attribute))| match &attribute.value {
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => {
            Some((code, attribute, values))
        }
        _ => None,
    })
}

pub(super) fn choice(code: &str, attribute: &Attribute, values: Vec<String>) -> Test {
    Test::Choice { attribute: code.to_owned(), per_printing: attribute.per_printing, values }
}

/// The values of an ordered list whose positions satisfy the comparison.
pub(super) fn compared(values: &[String], places: Comparison<usize>) -> Vec<String> {
    let fits = |(at, value): (usize, &String)| places.holds(&at).then(|| value.clone());
    values.iter().enumerate().filter_map(fits).collect()
}

/// Why a value is invalid for an attribute.
pub(super) enum BadValue {
    /// It is not in this list.
    Unlisted(Vec<String>),
    /// Any other reason.
    Other(QueryFault),
}

pub(super) fn attribute_test(
    code: &str,
    attribute: &Attribute,
    wanted: Comparison<&Literal>,
) -> Result<Test, BadValue> {
    let unordered =
        |values| Err(BadValue::Other(QueryFault::NoOrder { field: code.to_owned(), values }));
    let is_text = matches!(attribute.value, AttributeValue::Text { .. });
    if matches!(wanted, Comparison::Is(_, Literal::Regex(_))) && !is_text {
        return Err(BadValue::Other(QueryFault::NoRegexFor(code.to_owned())));
    }
    let equal = match wanted {
        Comparison::Is(Operator::Has | Operator::Equal, value) => Some(value.text()),
        _ => None,
    };
    match (&attribute.value, equal) {
        (AttributeValue::Text { .. }, _) => match wanted {
            Comparison::Is(Operator::Has, value) => {
                let (attribute, per_printing) = (code.to_owned(), attribute.per_printing);
                let place = Place::Attribute { attribute, per_printing };
                text_test(&place, value).map_err(BadValue::Other)
            }
            Comparison::Is(Operator::Equal, Literal::Word(text) | Literal::Phrase(text)) => {
                let folded = folded(text);
                if folded.is_empty() {
                    return Err(BadValue::Other(nothing_to_find(text)));
                }
                Ok(Test::TextIs {
                    attribute: code.to_owned(),
                    per_printing: attribute.per_printing,
                    folded,
                })
            }
            _ => unordered(Unordered::Text),
        },
        (AttributeValue::Integer { .. }, _) => Ok(Test::Number {
            sum: vec![code.to_owned()],
            per_printing: attribute.per_printing,
            compared: wanted
                .try_map(|value| whole_number(value.text()))
                .map_err(BadValue::Other)?,
        }),
        (AttributeValue::Boolean, Some(text)) => Ok(Test::Flag {
            attribute: code.to_owned(),
            per_printing: attribute.per_printing,
            value: one_of(text, &[("true", true), ("false", false), ("yes", true), ("no", false)])
                .map_err(BadValue::Other)?,
        }),
        (AttributeValue::Boolean, None) => unordered(Unordered::Flag),
        (AttributeValue::Choices { values, .. }, Some(text)) => {
            chosen(text, values.iter(), |found| choice(code, attribute, found))
                .ok_or_else(|| BadValue::Unlisted(values.clone()))
        }
        (AttributeValue::Choices { .. }, None) => unordered(Unordered::List),
        (AttributeValue::Choice { values }, _) => {
            let place = |value: &Literal| {
                let key = search_key(value.text());
                let place = values.iter().position(|known| has_search_key(known, &key));
                place.ok_or_else(|| BadValue::Unlisted(values.clone()))
            };
            Ok(choice(code, attribute, compared(values, wanted.try_map(place)?)))
        }
        _ => Err(BadValue::Other(QueryFault::NotSearchable(code.to_owned()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_have_the_minus_sign_of_word_processors() {
        for text in ["-5", "−5", "–5"] {
            assert_eq!(whole_number(text), Ok(-5), "{text}");
        }
        let faults = ["−", "5−", "--5", "−-5"].map(|text| whole_number(text).is_err());
        assert_eq!(faults, [true; 4]);
    }
}
