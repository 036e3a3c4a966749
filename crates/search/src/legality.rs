//! Legality in formats as conditions: the rules of a format about single cards become tests of their content.
//!
//! A search finds exactly the cards to which [`CardRules::judge`](cardscape_engine::CardRules::judge) gives the status;
//! `legal:` includes restricted cards. Tests compare both.

use std::collections::BTreeSet;
use std::sync::Arc;

use cardscape_engine::{
    Admission, CardRules, Condition, Date, Format, Game, Selector, has_search_key, name_key,
    search_key,
};
use chrono::NaiveDate;
use serde_json::Value;

use super::comparison::Comparison;
use super::fault::{QueryFault, near};
use super::predicate::{KnownTest, Predicate, Test};
use super::scope::Scope;
use super::syntax::Operator;
use super::values::no_day;

/// Most terms about formats in a query: each is tested as all rules of a format.
pub(super) const MAX_LEGALITIES: usize = 4;
/// Most tests and names that such a term may expand to. Real formats have some hundred.
const MAX_SIZE: usize = 2_000;

/// The status of a card in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedStatus {
    /// It may be in decks, perhaps in fewer copies than others.
    Legal,
    /// The limit list allows some copies.
    Restricted,
    /// The limit list allows no copy.
    Banned,
}

/// A format in a query: `FORMAT` or `GAME/FORMAT`, optionally followed by `:VARIANT` and `@DAY`.
pub(super) struct FormatTerm<'t> {
    game: Option<&'t str>,
    format: &'t str,
    variant: Option<&'t str>,
    day: Date,
}

impl<'t> FormatTerm<'t> {
    pub(super) fn read(text: &'t str, today: Date) -> Result<Self, QueryFault> {
        let (text, day) = match text.split_once('@') {
            None => (text, today),
            Some((text, day)) => (text, day.parse().map_err(|_| no_day(day))?),
        };
        let (text, variant) = match text.split_once(':') {
            None => (text, None),
            Some((text, variant)) => (text, Some(variant)),
        };
        let (game, format) = match text.split_once('/') {
            None => (None, text),
            Some((game, format)) => (Some(game), format),
        };
        Ok(Self { game, format, variant, day })
    }

    /// The formats with that name and their rules of the day; formats of several games may have the same name.
    pub(super) fn find<'a>(
        &self,
        scope: &Scope<'a>,
    ) -> Result<Vec<(&'a Game, Arc<Format>)>, QueryFault> {
        let scope = match self.game {
            None => scope.clone(),
            Some(game) => scope.only(scope.game(game)?),
        };
        let mut known: Vec<(&'a Game, &'a Format)> = Vec::new();
        for game in scope.games() {
            let names = |format: &'a Format| (&*format.code, format.name.as_str());
            let called = called(self.format, game.formats(), names);
            known.extend(called.into_iter().map(|format| (*game, format)));
        }
        if known.is_empty() {
            let all = scope.games().iter().flat_map(|game| game.formats());
            return Err(scope.lacks("format", self.format, all.map(|format| &*format.code)));
        }
        let on_the_day = |(game, format): &(&'a Game, &Format)| {
            Some((*game, game.format_on(&format.code, self.day)?))
        };
        let in_force: Vec<(&Game, Arc<Format>)> = known.iter().filter_map(on_the_day).collect();
        if in_force.is_empty() {
            let first =
                known.iter().filter_map(|(game, format)| game.format_begins_on(&format.code));
            return Err(QueryFault::NoFormatOn {
                format: self.format.to_owned(),
                day: self.day,
                begins_on: first.min(),
            });
        }
        match self.variant {
            None => Ok(in_force),
            Some(variant) => self.with_variant(variant, in_force),
        }
    }

    fn with_variant<'a>(
        &self,
        text: &str,
        formats: Vec<(&'a Game, Arc<Format>)>,
    ) -> Result<Vec<(&'a Game, Arc<Format>)>, QueryFault> {
        let with_variant = |(game, format): &(&'a Game, Arc<Format>)| {
            let called = called(text, &format.variants, |one| (&*one.code, one.name.as_str()));
            let variant = called.first()?;
            Some((*game, Arc::new(format.with_variant(&variant.code)?)))
        };
        let found: Vec<_> = formats.iter().filter_map(with_variant).collect();
        if found.is_empty() {
            let variants = formats.iter().flat_map(|(_, format)| &format.variants);
            let codes: BTreeSet<&str> = variants.map(|variant| &*variant.code).collect();
            return Err(QueryFault::NoVariant {
                format: self.format.to_owned(),
                variant: text.to_owned(),
                near: near(text, codes),
            });
        }
        Ok(found)
    }
}

/// The names of a format in decks: `game/format:variant`; a default variant, and a format without variants, also
/// `game/format`.
pub(super) fn deck_format_names(game: &Game, format: &Format) -> Vec<String> {
    let name = format!("{}/{}", game.code(), format.code);
    let Some(code) = &format.variant else { return vec![name] };
    let is_default = format.variants.iter().any(|one| one.default && one.code == *code);
    let named = format!("{name}:{code}");
    if is_default { vec![named, name] } else { vec![named] }
}

/// Those with this code, else all whose code is written alike or whose name it is. `names` are code and name.
fn called<'a, T>(
    text: &str,
    all: &'a [T],
    names: impl Fn(&'a T) -> (&'a str, &'a str),
) -> Vec<&'a T> {
    let exact: Vec<&T> =
        all.iter().filter(|&one| names(one).0.eq_ignore_ascii_case(text)).collect();
    if !exact.is_empty() {
        return exact;
    }
    let key = search_key(text);
    let is_called = |&one: &&'a T| {
        let (code, name) = names(one);
        has_search_key(code, &key) || has_search_key(name, &key)
    };
    all.iter().filter(is_called).collect()
}

/// The condition for cards with this status in the format with that name.
///
/// # Errors
/// There is no such format, or it has too many rules for a search.
pub(super) fn condition(
    wanted: WantedStatus,
    text: &str,
    scope: &Scope<'_>,
    today: Date,
) -> Result<Predicate, QueryFault> {
    let of_game = |(game, format): &(&Game, Arc<Format>)| {
        let game = Predicate::known(KnownTest::Game(game.code().to_owned()));
        Predicate::All(vec![game, status_condition(wanted, &format.card_rules())])
    };
    let formats = FormatTerm::read(text, today)?.find(scope)?;
    let condition = Predicate::Any(formats.iter().map(of_game).collect());
    if condition.size() > MAX_SIZE {
        return Err(QueryFault::FormatTooLarge(text.to_owned()));
    }
    Ok(condition)
}

fn status_condition(wanted: WantedStatus, rules: &CardRules) -> Predicate {
    let limited = |fits: fn(u32) -> bool| {
        let listed = rules.limits.iter().filter(|(_, max)| fits(**max));
        name_condition(listed.map(|(key, _)| key.clone()).collect())
    };
    let banned = limited(|max| max == 0);
    if wanted == WantedStatus::Banned {
        return banned;
    }
    let zone = |conditions: &Vec<Admission>| {
        Predicate::All(conditions.iter().map(admission_condition).collect())
    };
    let contains = |lines: &Vec<Arc<Selector>>| {
        Predicate::Any(lines.iter().map(|line| selector_condition(line)).collect())
    };
    let mut all = vec![Predicate::Any(rules.zones.iter().map(zone).collect())];
    all.extend(rules.boxes.iter().map(contains));
    all.push(match wanted {
        WantedStatus::Restricted => limited(|max| max > 0),
        WantedStatus::Legal | WantedStatus::Banned => banned.negated(),
    });
    Predicate::All(all)
}

fn name_condition(keys: BTreeSet<String>) -> Predicate {
    Predicate::content(Test::CardNames(Arc::new(keys)))
}

fn admission_condition(admission: &Admission) -> Predicate {
    let selected = selector_condition(&admission.select);
    if admission.admits { selected } else { selected.negated() }
}

fn selector_condition(selector: &Selector) -> Predicate {
    let mut parts = Vec::new();
    if !selector.kinds.is_empty() {
        parts.push(Predicate::content(Test::Kinds(selector.kinds.clone())));
    }
    if !selector.sets.is_empty() {
        let sets = selector.sets.iter().map(|set| Predicate::known(KnownTest::Set(set.clone())));
        parts.push(Predicate::Any(sets.collect()));
    }
    if let Some(span) = selector.released {
        let from = span.from.map(|day| (Operator::AtLeast, day));
        let until = span.until.map(|day| (Operator::Less, day));
        let ends = [from, until].into_iter().flatten();
        parts.extend(ends.map(|(operator, day)| {
            Predicate::content(Test::Released(Comparison::Is(operator, calendar_day(day))))
        }));
    }
    if !selector.names.is_empty() {
        parts.push(name_condition(selector.names.iter().map(|name| name_key(name)).collect()));
    }
    parts.extend(
        selector.attributes.iter().map(|(code, condition)| attribute_condition(code, condition)),
    );
    if !selector.any.is_empty() {
        parts.push(Predicate::Any(selector.any.iter().map(selector_condition).collect()));
    }
    if let Some(not) = &selector.not {
        parts.push(selector_condition(not).negated());
    }
    Predicate::All(parts)
}

/// The condition on an attribute. Rules look at the values of the card itself: values that only some printings have do
/// not count.
fn attribute_condition(code: &str, condition: &Condition) -> Predicate {
    let number = |operator, value| {
        let sum = vec![code.to_owned()];
        let compared = Comparison::Is(operator, value);
        Predicate::content(Test::Number { sum, per_printing: false, compared })
    };
    let attribute = || code.to_owned();
    let present =
        || Predicate::content(Test::HasAttribute { attribute: attribute(), per_printing: false });
    match condition {
        Condition::Present(true) => present(),
        Condition::Present(false) => present().negated(),
        Condition::Between { min, max } => {
            let ends = [(Operator::AtLeast, *min), (Operator::AtMost, *max)];
            let ends =
                ends.iter().filter_map(|(operator, end)| end.map(|end| number(*operator, end)));
            Predicate::All(ends.collect())
        }
        Condition::In(values) => {
            let texts: Vec<String> =
                values.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            let texts = (!texts.is_empty()).then(|| {
                let test =
                    Test::Choice { attribute: attribute(), per_printing: false, values: texts };
                Predicate::content(test)
            });
            let others = values.iter().filter_map(|value| match value {
                Value::Bool(value) => Some(Predicate::content(Test::Flag {
                    attribute: attribute(),
                    per_printing: false,
                    value: *value,
                })),
                other => other.as_i64().map(|value| number(Operator::Equal, value)),
            });
            Predicate::Any(texts.into_iter().chain(others).collect())
        }
    }
}

/// Converts a day of the engine to one of the database: both support the years 1 to 9999.
fn calendar_day(day: Date) -> NaiveDate {
    day.to_string().parse().unwrap_or_default()
}
