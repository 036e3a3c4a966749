//! From a syntax tree to a checked condition: fields are looked up, values typed, and what cannot be used becomes a warning.

use std::collections::BTreeSet;

use cardscape_engine::{AttributeValue, Date, Game, search_key};

use super::attributes::{attribute_codes, attributes, bare, sort_key, totals};
use super::fields::{self, Field, Topic};
use super::index::Releases;
use super::legality::{self, Wanted};
use super::predicate::{Case, KnownTest, Place, Predicate, SortKey, SumOf, Test, Unique};
use super::suggest::{did_you_mean, near};
use super::syntax::{Fault, Literal, Node, Operator, Term};
use super::values::{
    any, attribute_test, bad_value, chosen, compared, day, nothing_to_find, one_of, sign_in_word,
    some_of, text_test, type_test, whole,
};

/// What a query asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Which cards.
    pub predicate: Predicate,
    /// `sort:`, if the query says.
    pub sort: Option<SortKey>,
    /// `order:`, if the query says.
    pub descending: Option<bool>,
    /// `unique:`, if the query says.
    pub unique: Option<Unique>,
    /// The terms that were left out, and why.
    pub warnings: Vec<Fault>,
}

/// Checks a query over `games`. Terms that cannot be used are left out. A set that is not among `sets` is warned of, but stays: it may be
/// newer than they are. `None`: nobody knows which sets there are. Formats are asked for their rules of `today` where a term names no day.
///
/// # Errors
/// Every fault, when no term can be used.
pub fn check(
    tree: &Node,
    games: &[&Game],
    sets: Option<&Releases>,
    today: Date,
) -> Result<Checked, Vec<Fault>> {
    let mut checker = Checker {
        sets,
        today,
        legalities: 0,
        games: narrowed(tree, games),
        known: games,
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

/// The games that a query is over: those named by a `game:` that must hold, else all.
fn narrowed<'a>(tree: &Node, games: &[&'a Game]) -> Vec<&'a Game> {
    let parts = match tree {
        Node::And(parts) => parts.as_slice(),
        other => std::slice::from_ref(other),
    };
    for part in parts {
        if let Node::Term(Term {
            field: Some((name, Operator::Has | Operator::Equal)), value, ..
        }) = part
            && fields::find(name).is_some_and(|field| field.topic == Topic::Game)
            && let Some(game) = game_named(value.text(), games)
        {
            return vec![game];
        }
    }
    games.to_vec()
}

/// Whether a query names a set: [`check`] has to know then which there are.
pub fn names_set(tree: &Node) -> bool {
    match tree {
        Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(names_set),
        Node::Not(node) => names_set(node),
        Node::Term(term) => term.field.as_ref().is_some_and(|(name, _)| {
            fields::find(name).is_some_and(|field| field.topic == Topic::Set)
        }),
    }
}

/// Why no card of these games can be in a set of that code; `None`: some may be.
pub fn unknown_set(code: &str, games: &[&Game], sets: &Releases) -> Option<String> {
    let key = code.to_ascii_lowercase();
    if games.iter().any(|game| sets.has_set(game.code(), &key)) {
        return None;
    }
    let near = near(code, games.iter().flat_map(|game| sets.sets_of(game.code())));
    Some(format!("there is no set {code:?}{}", did_you_mean(&near)))
}

fn game_named<'a>(text: &str, games: &[&'a Game]) -> Option<&'a Game> {
    let key = search_key(text);
    games
        .iter()
        .find(|game| search_key(game.code()) == key || search_key(game.name()) == key)
        .copied()
}

struct Checker<'a> {
    /// The games that the query is over.
    games: Vec<&'a Game>,
    /// All games.
    known: &'a [&'a Game],
    /// All sets.
    sets: Option<&'a Releases>,
    today: Date,
    /// How many terms asked what formats say.
    legalities: usize,
    used: usize,
    found: Checked,
}

/// What a term turns into.
enum Meaning {
    Known(KnownTest),
    Content(Vec<Case>),
    /// What formats say of a card.
    Judged(Predicate),
    Directive,
}

impl Checker<'_> {
    /// `None`: nothing of it can be used. `top`: it must hold for every card.
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
                if let Some(range) = self.range(term) {
                    return self.node(&range, negated, false);
                }
                let (term_negated, meaning) = match self.term(term, top) {
                    Ok(found) => found,
                    Err(message) => {
                        let message = self.between_fields(term).unwrap_or(message);
                        self.found.warnings.push(Fault {
                            span: term.span,
                            term: term.to_string(),
                            message,
                        });
                        return None;
                    }
                };
                self.used += 1;
                let negated = negated ^ term_negated;
                match meaning {
                    Meaning::Known(test) => Some(Predicate::Known { negated, test }),
                    Meaning::Content(cases) => Some(Predicate::Content { negated, cases }),
                    Meaning::Judged(said) => {
                        let said = if negated { said.negated() } else { said };
                        // Some of its tests are of what everybody may know.
                        Some(Predicate::All(vec![Predicate::open(), said]))
                    }
                    Meaning::Directive => None,
                }
            }
        }
    }

    /// What a term means, and whether that is to be turned round.
    fn term(&mut self, term: &Term, top: bool) -> Result<(bool, Meaning), String> {
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
        let field = fields::find(name);
        if let Some(Field { topic, .. }) = field
            && !topic.operators().contains(operator)
        {
            let known: Vec<&str> =
                topic.operators().iter().map(|operator| operator.as_str()).collect();
            return Err(format!(
                "{name} is not compared with {}, only with {}",
                operator.as_str(),
                known.join(" ")
            ));
        }
        if term.value.text().is_empty() {
            return Err(format!("{name}{} lacks a value", operator.as_str()));
        }
        if matches!(term.value, Literal::Regex(_))
            && !matches!(
                field.map(|field| field.topic),
                None | Some(
                    Topic::Name | Topic::Text | Topic::Effect | Topic::Lore | Topic::Attribute
                )
            )
        {
            return Err(format!("{name} is not searched with regular expressions"));
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
            None => Meaning::Content(self.attribute(name, operator, &term.value)?),
        };
        if field.is_some_and(|field| field.topic == Topic::Set)
            && let Some(message) =
                self.sets.and_then(|sets| unknown_set(term.value.text(), &self.games, sets))
        {
            let warning = Fault { span: term.span, term: term.to_string(), message };
            self.found.warnings.push(warning);
        }
        let contrary = field.is_some_and(|field| field.topic == Topic::Not);
        Ok((negated ^ contrary, meaning))
    }

    /// `rank:1..3` as two comparisons. Only in fields whose values have an order: elsewhere the points are part of a text.
    fn range(&self, term: &Term) -> Option<Node> {
        let (name, operator) = term.field.as_ref()?;
        let Literal::Word(text) = &term.value else { return None };
        let (low, high) = text.split_once("..")?;
        let ordered = match fields::find(name) {
            Some(field) => field.topic.operators().contains(&Operator::AtLeast),
            None => attributes(bare(name), &self.games).iter().any(|(_, (_, attribute))| {
                matches!(
                    attribute.value,
                    AttributeValue::Integer { .. } | AttributeValue::Choice { .. }
                )
            }),
        };
        let equals = matches!(operator, Operator::Has | Operator::Equal | Operator::NotEqual);
        if !ordered || !equals || (low.is_empty() && high.is_empty()) {
            return None;
        }
        let ends = [(low, Operator::AtLeast), (high, Operator::AtMost)];
        let ends = ends.into_iter().filter(|(end, _)| !end.is_empty()).map(|(end, operator)| {
            let value = Literal::Word(end.to_owned());
            Node::Term(Term { field: Some((name.clone(), operator)), value, span: term.span })
        });
        let range = Node::And(ends.collect());
        Some(if *operator == Operator::NotEqual { Node::Not(Box::new(range)) } else { range })
    }

    /// What to say when a field is compared with the name of another one, instead of that the name is no value.
    fn between_fields(&self, term: &Term) -> Option<String> {
        let (name, operator) = term.field.as_ref()?;
        let other = term.value.text();
        let is_field = |name: &str| {
            let field = fields::find(name).map(|field| field.topic);
            matches!(field, Some(Topic::Attribute | Topic::Total | Topic::Number))
                || !attributes(bare(name), self.known).is_empty()
        };
        let compares = !matches!(operator, Operator::Has);
        (compares && is_field(name) && is_field(other)).then(|| {
            format!(
                "a field is compared with a value, not with another field: write {name}{}500, for example",
                operator.as_str()
            )
        })
    }

    fn directive(&mut self, field: &Field, value: &str, top: bool) -> Result<(), String> {
        if !top {
            return Err(format!(
                "{} says how the whole list is made: it cannot stand inside `or` or a negation",
                field.name
            ));
        }
        match field.topic {
            Topic::Sort => self.found.sort = Some(sort_key(value, &self.games)?),
            Topic::Order => match one_of(value, &[("asc", false), ("desc", true)]) {
                Ok(descending) => self.found.descending = Some(descending),
                Err(_) => self.found.sort = Some(sort_key(value, &self.games)?),
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
    ) -> Result<Meaning, String> {
        let text = value.text();
        let known = |test| Ok(Meaning::Known(test));
        let content = |test| Ok(Meaning::Content(everywhere(test)));
        match field.topic {
            Topic::Game => match game_named(text, self.known) {
                Some(game) => known(KnownTest::Game(game.code().to_owned())),
                None => {
                    let near = near(text, self.known.iter().map(|game| game.code()));
                    Err(format!("there is no game {text:?}{}", did_you_mean(&near)))
                }
            },
            Topic::Set => known(KnownTest::Set(text.to_ascii_lowercase())),
            Topic::Number => match (text.parse(), operator) {
                (Ok(number), _) => known(KnownTest::NumberValue(operator, number)),
                (Err(_), Operator::Has | Operator::Equal) => {
                    known(KnownTest::Number(text.to_owned()))
                }
                (Err(_), _) => Err(format!("{text:?} is no number")),
            },
            Topic::Name if operator == Operator::Equal => match (value, search_key(text)) {
                (Literal::Regex(_), _) => Err("a regular expression follows `:`".to_owned()),
                (_, key) if key.is_empty() => Err(nothing_to_find(text)),
                (_, key) => content(Test::Name(key)),
            },
            Topic::Name => content(text_test(&Place::Name, value)?),
            Topic::Text => content(text_test(&Place::Text, value)?),
            Topic::Effect => content(text_test(&Place::Effects, value)?),
            Topic::Lore => content(text_test(&Place::Lore, value)?),
            Topic::Kind => self.cases(text, "kind", |game| {
                let key = search_key(text);
                let kinds = game.kinds().iter();
                let found = kinds
                    .filter(|kind| search_key(&kind.code) == key || search_key(&kind.name) == key);
                some_of(found.map(|kind| kind.code.clone()).collect(), Test::Kinds)
                    .ok_or_else(|| game.kinds().iter().map(|kind| kind.code.clone()).collect())
            }),
            Topic::Type => self.cases(text, "type", |game| type_test(text, game)),
            Topic::Attribute => Ok(Meaning::Content(self.attribute(field.name, operator, value)?)),
            Topic::Total => {
                let value = whole(text)?;
                let sums = totals(&self.games);
                let mut tests: Vec<Test> = Vec::new();
                for SumOf { attributes, .. } in sums {
                    let test =
                        Test::Number { sum: attributes, per_printing: true, operator, value };
                    if !tests.contains(&test) {
                        tests.push(test);
                    }
                }
                content(any(tests).ok_or("the game adds nothing up")?)
            }
            Topic::Style => self.cases(text, "style", |game| {
                let all = game
                    .kinds()
                    .iter()
                    .flat_map(|kind| &kind.effects)
                    .flat_map(|effects| &effects.styles);
                chosen(text, all, Test::Styles)
            }),
            Topic::Slot => self.cases(text, "slot", |game| {
                let all = game
                    .kinds()
                    .iter()
                    .flat_map(|kind| &kind.effects)
                    .flat_map(|effects| &effects.slots);
                chosen(text, all.map(|slot| &slot.code), Test::Slots)
            }),
            Topic::Rarity => self.cases(text, "rarity", |game| {
                let key = search_key(text);
                let tiers = game.rarities();
                let wanted = tiers.iter().position(|rarity| {
                    search_key(&rarity.code) == key || search_key(&rarity.name) == key
                });
                let codes = || tiers.iter().map(|rarity| rarity.code.clone()).collect::<Vec<_>>();
                let Some(wanted) = wanted else { return Err(codes()) };
                Ok(Test::Rarities(compared(&codes(), wanted, operator)))
            }),
            Topic::Is | Topic::Not => {
                let tests = [("hidden", KnownTest::Hidden), ("unlocked", KnownTest::Unlocked)];
                known(one_of(text, &tests)?)
            }
            Topic::Has => match search_key(text).as_str() {
                "lore" => content(Test::HasLore),
                "effect" | "effects" => content(Test::HasEffect),
                _ => {
                    let name = fields::find(text).map_or(bare(text), |field| field.name);
                    let codes: BTreeSet<&str> =
                        attributes(name, &self.games).iter().map(|(_, (code, _))| *code).collect();
                    let tests =
                        codes.into_iter().map(|code| Test::HasAttribute(code.to_owned())).collect();
                    let nothing = || {
                        let known =
                            attribute_codes(&self.games).into_iter().chain(["lore", "effect"]);
                        format!("no card has {text:?}{}", did_you_mean(&near(text, known)))
                    };
                    content(any(tests).ok_or_else(nothing)?)
                }
            },
            Topic::Unlocked => known(KnownTest::UnlockedOn(operator, day(text)?)),
            Topic::Submissions => known(KnownTest::Submissions(operator, whole(text)?)),
            Topic::Year => content(Test::Year(operator, whole(text)?)),
            Topic::Date => content(Test::Released(operator, day(text)?)),
            Topic::Legal => self.judged(Wanted::Legal, text),
            Topic::Restricted => self.judged(Wanted::Restricted, text),
            Topic::Banned => self.judged(Wanted::Banned, text),
            Topic::Sort | Topic::Order | Topic::Unique => Ok(Meaning::Directive),
        }
    }

    fn judged(&mut self, wanted: Wanted, text: &str) -> Result<Meaning, String> {
        self.legalities += 1;
        if self.legalities > legality::MAX_LEGALITIES {
            let most = legality::MAX_LEGALITIES;
            return Err(format!("at most {most} terms ask what formats say of cards"));
        }
        legality::condition(wanted, text, &self.games, self.today).map(Meaning::Judged)
    }

    /// A test in each game that knows the value, or the values that it might have been.
    fn cases(
        &self,
        text: &str,
        what: &str,
        test: impl Fn(&Game) -> Result<Test, Vec<String>>,
    ) -> Result<Meaning, String> {
        let mut tests = Vec::new();
        let mut values = BTreeSet::new();
        for game in &self.games {
            match test(game) {
                Ok(test) => tests.push((game.code(), Some(test))),
                Err(known) => {
                    tests.push((game.code(), None));
                    values.extend(known);
                }
            }
        }
        let cases = grouped(tests);
        if cases.is_empty() {
            let near = near(text, values.iter().map(String::as_str));
            return Err(format!("there is no {what} {text:?}{}", did_you_mean(&near)));
        }
        Ok(Meaning::Content(cases))
    }

    fn attribute(
        &self,
        name: &str,
        operator: Operator,
        value: &Literal,
    ) -> Result<Vec<Case>, String> {
        let found = attributes(bare(name), &self.games);
        if found.is_empty() {
            if fields::find(name).is_none() && attributes(bare(name), self.known).is_empty() {
                let known: Vec<&str> =
                    attribute_codes(&self.games).into_iter().map(|code| -> &str { code }).collect();
                let near = near(
                    name,
                    fields::FIELDS.iter().map(|field| -> &str { field.name }).chain(known),
                );
                return Err(format!("there is no field {name:?}{}", did_you_mean(&near)));
            }
            return Err(format!("no card here has {name}"));
        }
        let mut faults = Vec::new();
        let mut tests: Vec<(&str, Option<Test>)> = Vec::new();
        for game in &self.games {
            let mut own: Vec<Test> = Vec::new();
            let mut has = false;
            for (_, (code, attribute)) in found.iter().filter(|(of, _)| of.code() == game.code()) {
                has = true;
                match attribute_test(code, attribute, operator, value) {
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
        if cases.is_empty() { Err(bad_value(name, value.text(), faults)) } else { Ok(cases) }
    }
}

/// One case where the test is the same in all games, else one for each test.
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
