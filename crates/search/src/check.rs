//! Checks a syntax tree: looks up fields, parses values, and turns unusable terms into warnings.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use cardscape_engine::{AttributeValue, Date, Game, has_search_key, search_key};

use super::attributes::{attribute_codes, attributes, bare, sort_key, sums};
use super::comparison::Comparison;
use super::fault::{Fault, QueryFault, Unordered, near};
use super::fields::{Field, Subject, Topic};
use super::index::Releases;
use super::legality::{self, WantedStatus};
use super::predicate::{
    Case, DESIGN_STATUSES, DesignTest, KnownTest, Place, Predicate, SortKey, Test, Unique,
};
use super::scope::Scope;
use super::syntax::{Literal, Node, Operator, Term};
use super::values::{
    BadValue, any, attribute_test, chosen, chosen_code, compared, day, nothing_to_find, one_of,
    rating, sign_in_word, slots, some_of, styles, text_test, type_test, type_values, whole_number,
};

/// A checked query for cards or designs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The condition.
    pub predicate: Predicate,
    /// `sort:`, if given.
    pub sort: Option<SortKey>,
    /// `order:`, if given.
    pub descending: Option<bool>,
    /// `unique:`, if given.
    pub unique: Option<Unique>,
    /// The ignored terms, with reasons.
    pub warnings: Vec<Fault>,
}

/// Checks a query against the games of `scope`. Unusable terms are ignored. A set that is not among `sets` causes a
/// warning, but its term stays, because the set may be newer; `None`: the sets are not known. Terms about formats
/// without a date use the rules of `today`.
///
/// # Errors
/// Every fault, when no term is usable.
pub fn check(
    tree: &Node,
    scope: &Scope<'_>,
    sets: Option<&Releases>,
    today: Date,
) -> Result<Checked, Vec<Fault>> {
    let mut checker = Checker {
        sets,
        today,
        legalities: 0,
        scope: narrowed(tree, scope),
        used: 0,
        found: Checked {
            predicate: Predicate::always(),
            sort: None,
            descending: None,
            unique: None,
            warnings: Vec::new(),
        },
    };
    let predicate = checker.node(tree, false, true);
    if checker.used == 0 {
        return Err(checker.found.warnings);
    }
    Ok(Checked { predicate: predicate.unwrap_or_else(Predicate::always), ..checker.found })
}

/// The games that a query is about: the one that a mandatory `game:` term names, if it is in `scope`; else all of
/// `scope`.
fn narrowed<'a>(tree: &Node, scope: &Scope<'a>) -> Scope<'a> {
    let parts = match tree {
        Node::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for part in parts {
        if let Node::Term(Term {
            field: Some((name, Operator::Has | Operator::Equal)), value, ..
        }) = part
            // An expression is no name of a game, and such a term is ignored.
            && !matches!(value, Literal::Regex(_))
            && scope.field(name).is_some_and(|field| field.topic == Topic::Game)
            && let Ok(game) = scope.game(value.text())
            && scope.includes(game)
        {
            return scope.only(game);
        }
    }
    scope.clone()
}

/// Whether a query for cards names a set, so that [`check`] needs the sets.
pub fn names_set(tree: &Node) -> bool {
    match tree {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(names_set),
        Node::Not(node) => names_set(node),
        Node::Term(term) => term.field.as_ref().is_some_and(|(name, _)| {
            Subject::Cards.field(name).is_some_and(|field| field.topic == Topic::Set)
        }),
    }
}

struct Checker<'a> {
    /// The games that the query is about.
    scope: Scope<'a>,
    /// All sets.
    sets: Option<&'a Releases>,
    today: Date,
    /// Number of terms about formats so far.
    legalities: usize,
    used: usize,
    found: Checked,
}

/// The meaning of a term.
enum Meaning {
    Known(KnownTest),
    Content(Vec<Case>),
    /// A condition about formats.
    Legality(Predicate),
    Directive,
}

impl Checker<'_> {
    /// `None`: no part is usable. `top`: the condition must hold for every result.
    fn node(&mut self, node: &Node, negated: bool, top: bool) -> Option<Predicate> {
        let list = |checker: &mut Self, nodes: &[Node], top| -> Vec<Predicate> {
            nodes.iter().filter_map(|node| checker.node(node, negated, top)).collect()
        };
        match node {
            Node::And(nodes) => {
                let parts = list(self, nodes, top && !negated);
                joined(parts, !negated)
            }
            Node::Or(nodes) => {
                let parts = list(self, nodes, false);
                joined(parts, negated)
            }
            Node::Not(inner) => self.node(inner, !negated, false),
            Node::Term(term) => {
                let read = self.range(term, top).transpose();
                let read = read.unwrap_or_else(|| self.used_as(term, top));
                let (term_negated, meaning) = match read {
                    Ok(found) => found,
                    Err(reason) => {
                        let (span, term) = (term.span, term.to_string());
                        self.found.warnings.push(Fault { span, term, reason });
                        return None;
                    }
                };
                self.used += 1;
                let negated = negated ^ term_negated;
                match meaning {
                    Meaning::Known(test) => Some(Predicate::Known { negated, test }),
                    Meaning::Content(cases) => Some(Predicate::Content { negated, cases }),
                    Meaning::Legality(condition) => {
                        let condition = if negated { condition.negated() } else { condition };
                        // Some of its tests are about public values.
                        Some(Predicate::All(vec![Predicate::open(), condition]))
                    }
                    Meaning::Directive => None,
                }
            }
        }
    }

    /// The meaning of a term; if it has none, an error with a suggestion.
    fn used_as(&mut self, term: &Term, top: bool) -> Result<(bool, Meaning), QueryFault> {
        if let Some(fault) = self.not_for_designs(term) {
            return Err(fault);
        }
        self.term(term, top).map_err(|fault| {
            self.between_fields(term).unwrap_or_else(|| hinted(self.scope.subject(), term, fault))
        })
    }

    /// Why a term cannot be used in a query for designs.
    fn not_for_designs(&self, term: &Term) -> Option<QueryFault> {
        let (name, _) = term.field.as_ref()?;
        let field = self.scope.field(name).filter(|_| self.scope.subject() == Subject::Designs)?;
        let why = field.topic.why_not_of_designs()?;
        Some(QueryFault::NotOfDesigns { field: name.clone(), why })
    }

    /// The meaning of a term, and whether it is negated.
    fn term(&mut self, term: &Term, top: bool) -> Result<(bool, Meaning), QueryFault> {
        let Some((name, operator)) = &term.field else {
            if let Literal::Word(word) = &term.value
                && let Some(fault) = sign_in_word(word)
            {
                return Err(fault);
            }
            return Ok((
                false,
                Meaning::Content(everywhere(text_test(&Place::Everywhere, &term.value)?)),
            ));
        };
        let field = self.scope.field(name);
        if let Some(Field { topic, .. }) = field
            && !topic.operators().contains(operator)
        {
            return Err(QueryFault::NoSuchComparison {
                field: name.clone(),
                operator: *operator,
                known: topic.operators(),
            });
        }
        if term.value.text().is_empty() {
            return Err(QueryFault::ValueMissing { field: name.clone(), operator: *operator });
        }
        if matches!(term.value, Literal::Regex(_))
            && !matches!(
                field.map(|field| field.topic),
                None | Some(
                    Topic::Name | Topic::Text | Topic::Effect | Topic::Lore | Topic::Attribute
                )
            )
        {
            return Err(QueryFault::NoRegexFor(name.clone()));
        }
        // `a!=b` is `-a=b`.
        let (negated, operator) = match operator {
            Operator::NotEqual => (true, Operator::Equal),
            other => (false, *other),
        };
        let meaning = match field {
            Some(field) if field.topic.is_directive() => {
                self.directive(field, term.value.text(), top)?;
                Meaning::Directive
            }
            Some(field) => self.field(field, operator, &term.value)?,
            None => {
                let wanted = Comparison::Is(operator, &term.value);
                Meaning::Content(self.attribute(name, wanted)?)
            }
        };
        if field.is_some_and(|field| field.topic == Topic::Set)
            && let Some(reason) =
                self.sets.and_then(|sets| self.scope.unknown_set(term.value.text(), sets))
        {
            let warning = Fault { span: term.span, term: term.to_string(), reason };
            self.found.warnings.push(warning);
        }
        let contrary = field.is_some_and(|field| field.topic == Topic::Not);
        Ok((negated ^ contrary, meaning))
    }

    /// The meaning of `rank:1..3`. Only for fields with ordered values: elsewhere the dots are part of a text.
    fn range(&mut self, term: &Term, top: bool) -> Result<Option<(bool, Meaning)>, QueryFault> {
        let (Some((name, operator)), Literal::Word(text)) = (&term.field, &term.value) else {
            return Ok(None);
        };
        let Some((low, high)) = text.split_once("..") else { return Ok(None) };
        let ordered = match self.scope.field(name) {
            Some(field) => field.topic.operators().contains(&Operator::AtLeast),
            None => attributes(bare(name), self.scope.games()).iter().any(|(_, (_, attribute))| {
                matches!(
                    attribute.value,
                    AttributeValue::Integer { .. } | AttributeValue::Choice { .. }
                )
            }),
        };
        let equals = matches!(operator, Operator::Has | Operator::Equal | Operator::NotEqual);
        if !ordered || !equals {
            return Ok(None);
        }
        if low.is_empty() && high.trim_start_matches('.').is_empty() {
            return Err(QueryFault::RangeOpen(text.clone()));
        }
        let how = operator.as_str();
        if high.starts_with('.') {
            let high = high.trim_start_matches('.');
            let instead = format!("{name}{how}{low}..{high}");
            return Err(QueryFault::RangePoints { instead });
        }
        let excludes = *operator == Operator::NotEqual;
        let word = |end: &str| Literal::Word(end.to_owned());
        let mut one_end = |end: &str, operator| {
            let field = Some((name.clone(), operator));
            self.used_as(&Term { field, value: word(end), span: term.span }, top)
        };
        if high.is_empty() {
            let (_, meaning) = one_end(low, Operator::AtLeast)?;
            return Ok(Some((excludes, meaning)));
        }
        let (_, meaning) = one_end(high, Operator::AtMost)?;
        if low.is_empty() {
            return Ok(Some((excludes, meaning)));
        }
        one_end(low, Operator::AtLeast)?;
        if self.is_backwards(name, low, high) {
            let instead = format!("{name}{how}{high}..{low}");
            return Err(QueryFault::RangeBackwards { instead });
        }
        let (low, high) = (word(low), word(high));
        let between = Comparison::Between(&low, &high);
        // Not two comparisons: printings may differ, and one and the same printing must be in the range.
        let meaning = match self.scope.field(name) {
            Some(field) => self.ordered(field, between),
            None => self.attribute(name, between).map(Meaning::Content),
        };
        // Each end is valid in some game.
        let meaning = meaning.map_err(|_| QueryFault::RangeOfTwoGames)?;
        Ok(Some((excludes, meaning)))
    }

    /// Whether the ends of a range are in the wrong order, in every game that knows both.
    fn is_backwards(&self, name: &str, low: &str, high: &str) -> bool {
        let order = |place: &dyn Fn(&str) -> Option<usize>| Some(place(low)?.cmp(&place(high)?));
        let numbers = || Some(whole_number(low).ok()?.cmp(&whole_number(high).ok()?));
        let field = self.scope.field(name);
        let orders: Vec<Ordering> = match field.map(|field| field.topic) {
            // Values of a list have its order, also if they are digits.
            Some(Topic::Rarity) => {
                let tiers = |game: &&Game| order(&|text| rarity_place(game, text));
                self.scope.games().iter().filter_map(tiers).collect()
            }
            None | Some(Topic::Attribute) => {
                let code = field.map_or(bare(name), |field| field.name);
                let found = attributes(code, self.scope.games());
                let orders =
                    found.iter().filter_map(|(_, (_, attribute))| match &attribute.value {
                        AttributeValue::Choice { values } => order(&|text| {
                            let key = search_key(text);
                            values.iter().position(|value| has_search_key(value, &key))
                        }),
                        AttributeValue::Integer { .. } => numbers(),
                        _ => None,
                    });
                orders.collect()
            }
            Some(_) => {
                let days = || Some(day(low).ok()?.cmp(&day(high).ok()?));
                let ratings = || Some(rating(low).ok()?.cmp(&rating(high).ok()?));
                numbers().or_else(days).or_else(ratings).into_iter().collect()
            }
        };
        !orders.is_empty() && orders.iter().all(|order| order.is_gt())
    }

    /// The fault when a field is compared with the name of another field.
    fn between_fields(&self, term: &Term) -> Option<QueryFault> {
        let (name, operator) = term.field.as_ref()?;
        let other = term.value.text();
        let is_field = |name: &str| {
            let field = self.scope.field(name).map(|field| field.topic);
            matches!(field, Some(Topic::Attribute | Topic::Total | Topic::Number))
                || !attributes(bare(name), self.scope.known()).is_empty()
        };
        let compares = !matches!(operator, Operator::Has);
        (compares && is_field(name) && is_field(other)).then(|| QueryFault::FieldWithField {
            example: format!("{name}{}500", operator.as_str()),
        })
    }

    fn directive(&mut self, field: &Field, value: &str, top: bool) -> Result<(), QueryFault> {
        if !top {
            return Err(QueryFault::DirectiveInside(field.name));
        }
        match field.topic {
            Topic::Sort => self.found.sort = Some(sort_key(value, self.scope.games())?),
            Topic::Order => match one_of(value, &[("asc", false), ("desc", true)]) {
                Ok(descending) => self.found.descending = Some(descending),
                Err(_) => self.found.sort = Some(sort_key(value, self.scope.games())?),
            },
            _ => {
                let uniques = [
                    ("cards", Unique::Cards),
                    ("printings", Unique::Printings),
                    ("prints", Unique::Printings),
                ];
                self.found.unique = Some(one_of(value, &uniques)?);
            }
        }
        Ok(())
    }

    fn field(
        &mut self,
        field: &Field,
        operator: Operator,
        value: &Literal,
    ) -> Result<Meaning, QueryFault> {
        let text = value.text();
        let is_equality = matches!(operator, Operator::Has | Operator::Equal);
        let known = |test| Ok(Meaning::Known(test));
        let content = |test| Ok(Meaning::Content(everywhere(test)));
        match field.topic {
            Topic::Game => known(KnownTest::Game(self.scope.game(text)?.code().to_owned())),
            Topic::Set => known(KnownTest::Set(text.to_ascii_lowercase())),
            Topic::Number if is_equality && text.parse::<i64>().is_err() => {
                known(KnownTest::number(text))
            }
            Topic::Name if operator == Operator::Equal => match (value, search_key(text)) {
                (Literal::Regex(_), _) => Err(QueryFault::RegexAfterEquals),
                (_, key) if key.is_empty() => Err(nothing_to_find(text)),
                (_, key) => content(Test::Name(key)),
            },
            Topic::Name => content(text_test(&Place::Name, value)?),
            Topic::Text => content(text_test(&Place::Text, value)?),
            Topic::Effect => content(text_test(&Place::Effects, value)?),
            Topic::Lore => content(text_test(&Place::Lore, value)?),
            Topic::Kind => {
                let (code, key) = (text.to_ascii_lowercase(), search_key(text));
                let test = |game: &Game| {
                    // A code counts more than names, and than codes that are written alike.
                    if let Some(kind) = game.kind(&code) {
                        return Some(Test::Kinds(vec![kind.code.clone()]));
                    }
                    let found = game.kinds().iter().filter(|kind| {
                        has_search_key(&kind.code, &key) || has_search_key(&kind.name, &key)
                    });
                    some_of(found.map(|kind| kind.code.clone()).collect(), Test::Kinds)
                };
                self.cases(text, "kind", test, |game| {
                    game.kinds().iter().map(|kind| &*kind.code).collect()
                })
            }
            Topic::Type => self.cases(
                text,
                "type",
                |game| type_test(text, game),
                |game| type_values(game).map(String::as_str).collect(),
            ),
            Topic::Style => {
                let test = |game: &Game| chosen(text, styles(game), Test::Styles);
                self.cases(text, "style", test, |game| styles(game).map(String::as_str).collect())
            }
            Topic::Slot => {
                let test = |game: &Game| chosen_code(text, slots(game), Test::Slots);
                self.cases(text, "slot", test, |game| slots(game).map(String::as_str).collect())
            }
            Topic::Is | Topic::Not => {
                let tests = [("hidden", KnownTest::Hidden), ("unlocked", KnownTest::Unlocked)];
                known(one_of(text, &tests)?)
            }
            Topic::Has => match search_key(text).as_str() {
                "lore" => content(Test::HasLore),
                "effect" | "effects" => content(Test::HasEffect),
                _ => self.has_attribute(text).map(Meaning::Content),
            },
            Topic::Author => known(KnownTest::Design(DesignTest::Author(text.to_owned()))),
            Topic::Status => {
                let statuses = DESIGN_STATUSES.map(|status| (status, status.to_owned()));
                known(KnownTest::Design(DesignTest::Status(one_of(text, &statuses)?)))
            }
            Topic::Legal => self.legality(WantedStatus::Legal, text),
            Topic::Restricted => self.legality(WantedStatus::Restricted, text),
            Topic::Banned => self.legality(WantedStatus::Banned, text),
            Topic::Sort | Topic::Order | Topic::Unique => Ok(Meaning::Directive),
            Topic::Number
            | Topic::Attribute
            | Topic::Total
            | Topic::Rarity
            | Topic::Unlocked
            | Topic::Submissions
            | Topic::Year
            | Topic::Date
            | Topic::Rating
            | Topic::Comments => self.ordered(field, Comparison::Is(operator, value)),
        }
    }

    /// The meaning of a term for a field with ordered values.
    fn ordered(&self, field: &Field, wanted: Comparison<&Literal>) -> Result<Meaning, QueryFault> {
        let text = wanted.map(Literal::text);
        let known = |test| Ok(Meaning::Known(test));
        let content = |test| Ok(Meaning::Content(everywhere(test)));
        match field.topic {
            Topic::Number => {
                let number =
                    |text: &str| text.parse().map_err(|_| QueryFault::NoNumber(text.to_owned()));
                known(KnownTest::NumberValue(text.try_map(number)?))
            }
            Topic::Unlocked => known(KnownTest::UnlockedOn(text.try_map(day)?)),
            Topic::Submissions => known(KnownTest::Submissions(text.try_map(whole_number)?)),
            Topic::Rating => known(KnownTest::Design(DesignTest::Rating(text.try_map(rating)?))),
            Topic::Comments => {
                known(KnownTest::Design(DesignTest::Comments(text.try_map(whole_number)?)))
            }
            Topic::Year => content(Test::Year(text.try_map(whole_number)?)),
            Topic::Date => content(Test::Released(text.try_map(day)?)),
            Topic::Rarity => {
                let (Comparison::Is(_, named) | Comparison::Between(named, _)) = text;
                let codes = |game: &Game| -> Vec<String> {
                    game.rarities().iter().map(|one| one.code.clone()).collect()
                };
                let test = |game: &Game| {
                    let place = |text: &str| rarity_place(game, text).ok_or(());
                    let places = text.try_map(place).ok()?;
                    Some(Test::Rarities(compared(&codes(game), places)))
                };
                self.cases(named, "rarity", test, |game| {
                    game.rarities().iter().map(|one| &*one.code).collect()
                })
            }
            Topic::Total => {
                let compared = text.try_map(whole_number)?;
                let number = |sum| Test::Number { sum, per_printing: true, compared };
                // Other games may have these attributes and not add them up.
                let test = |game: &Game| any(sums(&[game]).into_iter().map(number).collect());
                let games = self.scope.games().iter();
                let cases = grouped(games.map(|game| (game.code(), test(game))).collect());
                if cases.is_empty() {
                    return Err(QueryFault::NoTotal);
                }
                Ok(Meaning::Content(cases))
            }
            Topic::Attribute => self.attribute(field.name, wanted).map(Meaning::Content),
            _ => {
                Err(QueryFault::NoOrder { field: field.name.to_owned(), values: Unordered::Other })
            }
        }
    }

    fn legality(&mut self, wanted: WantedStatus, text: &str) -> Result<Meaning, QueryFault> {
        self.legalities += 1;
        if self.legalities > legality::MAX_LEGALITIES {
            return Err(QueryFault::TooManyFormats(legality::MAX_LEGALITIES));
        }
        legality::condition(wanted, text, &self.scope, self.today).map(Meaning::Legality)
    }

    /// One test for each game that knows the value, or the values that may have been meant: `known` lists those of a game.
    fn cases(
        &self,
        text: &str,
        what: &str,
        test: impl Fn(&Game) -> Option<Test>,
        known: impl for<'g> Fn(&'g Game) -> Vec<&'g str>,
    ) -> Result<Meaning, QueryFault> {
        let games = self.scope.games().iter();
        let cases = grouped(games.map(|game| (game.code(), test(game))).collect());
        if cases.is_empty() {
            let values: BTreeSet<&str> =
                self.scope.games().iter().flat_map(|game| known(game)).collect();
            return Err(self.scope.lacks(what, text, values));
        }
        Ok(Meaning::Content(cases))
    }

    /// The meaning of `has:` with the name of an attribute.
    fn has_attribute(&self, text: &str) -> Result<Vec<Case>, QueryFault> {
        let name = self.scope.field(text).map_or(bare(text), |field| field.name);
        let found = attributes(name, self.scope.games());
        let tests = self.scope.games().iter().filter_map(|game| {
            let mut own: Vec<Test> = Vec::new();
            for (_, (code, attribute)) in found.iter().filter(|(of, _)| of.code() == game.code()) {
                let (attribute, per_printing) = ((*code).to_owned(), attribute.per_printing);
                let test = Test::HasAttribute { attribute, per_printing };
                if !own.contains(&test) {
                    own.push(test);
                }
            }
            any(own).map(|test| (game.code(), Some(test)))
        });
        let cases = grouped(tests.collect());
        if cases.is_empty() {
            let known = attribute_codes(self.scope.games()).into_iter().chain(["lore", "effect"]);
            return Err(QueryFault::NobodyHas { name: text.to_owned(), near: near(text, known) });
        }
        Ok(cases)
    }

    fn attribute(&self, name: &str, wanted: Comparison<&Literal>) -> Result<Vec<Case>, QueryFault> {
        let found = attributes(bare(name), self.scope.games());
        if found.is_empty() {
            if self.scope.field(name).is_none()
                && attributes(bare(name), self.scope.known()).is_empty()
            {
                let known: Vec<&str> = attribute_codes(self.scope.games())
                    .into_iter()
                    .map(|code| -> &str { code })
                    .collect();
                let fields = self.scope.subject().usable_fields().map(|field| -> &str { field });
                let near = near(name, fields.chain(known));
                return Err(QueryFault::NoField { name: name.to_owned(), near });
            }
            return Err(QueryFault::NoAttributeHere(name.to_owned()));
        }
        let mut faults = Vec::new();
        let mut tests: Vec<(&str, Option<Test>)> = Vec::new();
        for game in self.scope.games() {
            let mut own: Vec<Test> = Vec::new();
            let mut has = false;
            for (_, (code, attribute)) in found.iter().filter(|(of, _)| of.code() == game.code()) {
                has = true;
                match attribute_test(code, attribute, wanted) {
                    Ok(test) if own.contains(&test) => {}
                    Ok(test) => own.push(test),
                    Err(fault) => faults.push(fault),
                }
            }
            if has {
                tests.push((game.code(), any(own)));
            }
        }
        let cases = grouped(tests);
        if cases.is_empty() {
            let (Comparison::Is(_, value) | Comparison::Between(value, _)) = wanted;
            return Err(self.bad_value(name, value.text(), faults));
        }
        Ok(cases)
    }

    /// Why a value is invalid for all attributes with that name.
    fn bad_value(&self, name: &str, text: &str, faults: Vec<BadValue>) -> QueryFault {
        let mut values = BTreeSet::new();
        for fault in faults {
            match fault {
                BadValue::Unlisted(list) => values.extend(list),
                BadValue::Other(fault) => return fault,
            }
        }
        self.scope.lacks(name, text, values.iter().map(String::as_str))
    }
}

/// The fault of a term without meaning, with a suggestion if there is one.
fn hinted(subject: Subject, term: &Term, fault: QueryFault) -> QueryFault {
    let (Some((name, operator)), Literal::Word(text)) = (&term.field, &term.value) else {
        return fault;
    };
    let (topic, how) = (subject.field(name).map(|field| field.topic), operator.as_str());
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    match topic {
        Some(Topic::Is | Topic::Not) => {
            let formats = ["legal", "banned", "restricted"];
            let field = formats.into_iter().find(|field| field.eq_ignore_ascii_case(text));
            let sign = if topic == Some(Topic::Not) { "-" } else { "" };
            field.map_or(fault, |field| QueryFault::IsOfFormat { field: format!("{sign}{field}") })
        }
        Some(Topic::Date | Topic::Unlocked) if text.len() == 4 && is_number(text) => {
            let days = match operator {
                Operator::Less | Operator::AtLeast => format!("{name}{how}{text}-01-01"),
                Operator::Greater | Operator::AtMost => format!("{name}{how}{text}-12-31"),
                Operator::Has | Operator::Equal | Operator::NotEqual => {
                    format!("{name}{how}{text}-01-01..{text}-12-31")
                }
            };
            let year = (topic == Some(Topic::Date)).then(|| format!("year{how}{text}"));
            let instead = year.into_iter().chain([days]).collect();
            QueryFault::YearForDay { year: text.clone(), instead }
        }
        Some(Topic::Date | Topic::Unlocked | Topic::Legal | Topic::Restricted | Topic::Banned) => {
            fault
        }
        Some(topic) if topic.is_directive() => fault,
        _ => {
            if let Some((low, high)) = text.split_once('-')
                && is_number(low)
                && is_number(high)
            {
                let sign = if *operator == Operator::NotEqual { how } else { ":" };
                let instead = format!("{name}{sign}{low}..{high}");
                return QueryFault::PerhapsRange { fault: Box::new(fault), instead };
            }
            if let Some(plain) = without_separators(text) {
                let instead = format!("{name}{how}{plain}");
                return QueryFault::PerhapsThousands { fault: Box::new(fault), instead };
            }
            let values: Vec<&str> = text.split([',', '/']).collect();
            if values.len() < 2 || values.iter().any(|value| value.is_empty()) {
                return fault;
            }
            let instead = format!("{name}{how}{}", values.join("|"));
            QueryFault::PerhapsSeveral { fault: Box::new(fault), instead }
        }
    }
}

/// `1000` for `1,000`, unless the groups may be values side by side: `500,600`.
fn without_separators(text: &str) -> Option<String> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let groups: Vec<&str> = groups.collect();
    let is_number = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    let is_group = |group: &&str| group.len() == 3 && is_number(group);
    let is_first = (1..=3).contains(&first.len()) && is_number(first);
    let is_one = groups.len() > 1 || groups.iter().any(|group| group.starts_with('0'));
    (is_first && is_one && groups.iter().all(is_group)).then(|| text.replace(',', ""))
}

/// One case if the test is the same in all games, else one for each test.
fn grouped(tests: Vec<(&str, Option<Test>)>) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let all = tests.len();
    for (game, test) in tests {
        let Some(test) = test else { continue };
        let known = cases.iter_mut().find(|case| case.test == test);
        match known.and_then(|case| case.games.as_mut()) {
            Some(games) => games.push(game.to_owned()),
            None => cases.push(Case { games: Some(vec![game.to_owned()]), test }),
        }
    }
    if let [case] = cases.as_mut_slice()
        && case.games.as_ref().is_some_and(|games| games.len() == all)
    {
        case.games = None;
    }
    cases
}

fn everywhere(test: Test) -> Vec<Case> {
    vec![Case { games: None, test }]
}

fn joined(mut parts: Vec<Predicate>, all: bool) -> Option<Predicate> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ if all => Some(Predicate::All(parts)),
        _ => Some(Predicate::Any(parts)),
    }
}

/// The place of the rarity that a word means, from the lowest tier up: the rarity that it means in decks, or else the one that it names without its accents.
fn rarity_place(game: &Game, word: &str) -> Option<usize> {
    let rarities = game.rarities();
    if let Some(called) = game.rarity_called(word) {
        return rarities.iter().position(|one| one.code == called.code);
    }
    let key = search_key(word);
    let is = |own: &str| has_search_key(own, &key);
    let by_code = rarities.iter().position(|one| is(&one.code));
    let by_alias = || rarities.iter().position(|one| one.aliases.iter().any(|alias| is(alias)));
    by_code.or_else(by_alias).or_else(|| rarities.iter().position(|one| is(&one.name)))
}

#[cfg(test)]
mod tests;
