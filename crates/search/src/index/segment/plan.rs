//! Evaluates a condition to sets of cards: those that match for sure, and those that may match and are tested one by
//! one.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use cardscape_engine::{name_key, search_key};
use chrono::{DateTime, Datelike as _, NaiveDate, Utc};
use memchr::memmem::Finder;
use roaring::RoaringBitmap;
use serde_json::{Map, Value};

use super::super::judge::{Entry, Judge};
use super::super::pattern::{BETWEEN, Patterns, SPACE};
use super::super::record::CardRecord;
use super::Segment;
use super::document::{Document, Scalar, as_tokens, tokens};
use super::lists::{Keyed, place};
use super::window::Window;
use crate::{Case, Comparison, KnownTest, Operator, Place, Predicate, Test, Unique};

/// The remaining budget of a query, in steps of about a nanosecond.
#[derive(Debug)]
pub(in crate::index) struct Steps(Cell<u64>);

impl Steps {
    pub(in crate::index) fn new(steps: u64) -> Self {
        Self(Cell::new(steps))
    }

    /// Spends steps; returns whether the budget allowed it.
    pub(in crate::index) fn take(&self, steps: u64) -> bool {
        let left = self.0.get().saturating_sub(steps);
        self.0.set(left);
        left > 0
    }

    pub(in crate::index) fn are_used_up(&self) -> bool {
        self.0.get() == 0
    }

    /// The steps that are left.
    pub(in crate::index) fn left(&self) -> u64 {
        self.0.get()
    }
}

/// Steps for reading a whole card.
pub(super) const WHOLE_CARD: u64 = 4_000;

/// Cards by whether a condition holds.
#[derive(Clone, Debug)]
struct Cards<'s> {
    /// It holds.
    sure: Cow<'s, RoaringBitmap>,
    /// It may hold, including the sure ones; `None`: only the sure ones.
    possible: Option<Cow<'s, RoaringBitmap>>,
}

impl<'s> Cards<'s> {
    fn exactly(sure: RoaringBitmap) -> Self {
        Self { sure: Cow::Owned(sure), possible: None }
    }

    fn of(sure: Cow<'s, RoaringBitmap>) -> Self {
        Self { sure, possible: None }
    }

    fn none() -> Self {
        Self::exactly(RoaringBitmap::new())
    }

    fn perhaps(possible: RoaringBitmap) -> Self {
        if possible.is_empty() {
            return Self::none();
        }
        Self { sure: Cow::Owned(RoaringBitmap::new()), possible: Some(Cow::Owned(possible)) }
    }

    fn possible(&self) -> &RoaringBitmap {
        self.possible.as_ref().unwrap_or(&self.sure)
    }

    fn and(&self, other: &Self) -> Self {
        let possible = (self.possible.is_some() || other.possible.is_some())
            .then(|| Cow::Owned(self.possible() & other.possible()));
        Self { sure: Cow::Owned(&*self.sure & &*other.sure), possible }
    }

    fn or(&self, other: &Self) -> Self {
        let possible = (self.possible.is_some() || other.possible.is_some())
            .then(|| Cow::Owned(self.possible() | other.possible()));
        Self { sure: Cow::Owned(&*self.sure | &*other.sure), possible }
    }

    /// Those among `all` for which the condition does not hold.
    fn not(&self, all: &RoaringBitmap) -> Self {
        let sure = Cow::Owned(all - self.possible());
        Self { sure, possible: self.possible.as_ref().map(|_| Cow::Owned(all - &*self.sure)) }
    }
}

/// A phrase as the encoded numbers of its words.
struct Phrase<'s> {
    /// Finds all words except the last, in their encoded form.
    finder: Finder<'static>,
    last: &'s str,
}

enum Node<'s> {
    All(Vec<Self>),
    Any(Vec<Self>),
    Leaf { cards: Cards<'s>, negated: bool, cases: &'s [Case] },
}

/// A condition, evaluated in a window of a segment.
pub(in crate::index) struct Plan<'s> {
    segment: &'s Segment,
    window: Window,
    judge: &'s Judge<'s>,
    node: Node<'s>,
    cards: Cards<'s>,
    /// Whether a test reads the folded texts of a card.
    reads_texts: bool,
    /// By the address of the words.
    phrases: Vec<(*const String, Option<Phrase<'s>>)>,
}

impl<'s> Plan<'s> {
    pub(in crate::index) fn new(
        segment: &'s Segment,
        judge: &'s Judge<'s>,
        window: Window,
    ) -> Self {
        let mut plan = Self {
            segment,
            window,
            judge,
            node: Node::All(Vec::new()),
            cards: Cards::none(),
            reads_texts: false,
            phrases: Vec::new(),
        };
        let (node, cards) = plan.node(&judge.query.predicate);
        (plan.node, plan.cards) = (node, plan.in_window(cards));
        plan
    }

    pub(super) fn window(&self) -> &Window {
        &self.window
    }

    /// A look-up may reach beyond the window where that is faster; its result must not.
    fn in_window(&self, cards: Cards<'s>) -> Cards<'s> {
        let within = |set| self.window.restrict(set);
        Cards { sure: within(cards.sure), possible: cards.possible.map(within) }
    }

    pub(in crate::index) fn segment(&self) -> &'s Segment {
        self.segment
    }

    pub(super) fn judge(&self) -> &'s Judge<'s> {
        self.judge
    }

    /// A card, as far as the condition and the order of the list need it.
    pub(super) fn record(&self, at: u32) -> CardRecord {
        self.segment.read(at, self.reads_texts)
    }

    /// The cards that may match.
    pub(in crate::index) fn possible(&self) -> &RoaringBitmap {
        self.cards.possible()
    }

    /// The cards that match for sure.
    pub(in crate::index) fn sure(&self) -> &RoaringBitmap {
        &self.cards.sure
    }

    /// Whether all cards that may match do match.
    pub(in crate::index) fn is_exact(&self) -> bool {
        self.cards.possible.is_none()
    }

    /// Every card of the window.
    pub(super) fn everything(&self) -> RoaringBitmap {
        range(self.window.of_range(0..place(self.segment.len())))
    }

    fn node(&mut self, predicate: &'s Predicate) -> (Node<'s>, Cards<'s>) {
        match predicate {
            Predicate::All(parts) => {
                let found: Vec<_> = parts.iter().map(|part| self.node(part)).collect();
                let (nodes, mut sets): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                sets.sort_by_key(|cards: &Cards<'_>| cards.possible().len());
                let mut sets = sets.into_iter();
                let cards = match sets.next() {
                    None => Cards::exactly(self.everything()),
                    Some(first) => sets.fold(first, |all, one| all.and(&one)),
                };
                (Node::All(nodes), cards)
            }
            Predicate::Any(parts) => {
                let found: Vec<_> = parts.iter().map(|part| self.node(part)).collect();
                let (nodes, sets): (Vec<_>, Vec<_>) = found.into_iter().unzip();
                let cards = sets.iter().fold(Cards::none(), |all, one| all.or(one));
                (Node::Any(nodes), cards)
            }
            Predicate::Known { negated, test } => {
                let cards = self.known(test);
                let cards = if *negated { cards.not(&self.everything()) } else { cards };
                (Node::Leaf { cards: cards.clone(), negated: *negated, cases: &[] }, cards)
            }
            Predicate::Content { negated, cases } => {
                let mut any = Cards::none();
                for case in cases {
                    let mut cards = self.test(&case.test);
                    if let Some(games) = &case.games {
                        cards = cards.and(&Cards::exactly(
                            self.of_sets(|set| games.iter().any(|game| **game == *set.game)),
                        ));
                    }
                    any = any.or(&cards);
                }
                let mut cards =
                    if *negated { any.not(&self.window.within(&self.segment.open)) } else { any };
                if *negated && self.judge.patterns.lacks(cases) {
                    // Nobody knows whether an expression fits that could not be compiled.
                    cards = Cards::none();
                }
                (Node::Leaf { cards: cards.clone(), negated: *negated, cases }, cards)
            }
        }
    }

    /// The cards of the window in these sets.
    pub(super) fn of_sets(&self, wanted: impl Fn(&super::SetRange) -> bool) -> RoaringBitmap {
        self.segment.of_sets(wanted, |range| self.window.of_range(range))
    }

    /// The cards of the window whose sets have such a release day; only days that are public.
    fn of_releases(&self, fits: impl Fn(NaiveDate) -> bool) -> Cards<'s> {
        let fits =
            |set: &super::SetRange| self.judge.release_of(&set.game, &set.set).is_some_and(&fits);
        Cards::exactly(self.of_sets(fits) & &self.segment.open)
    }

    /// The unlocked cards of the window, with the time of the unlock.
    fn unlocked(&self) -> &'s [(u32, DateTime<Utc>)] {
        self.window.of_sorted(&self.segment.unlocked, |(at, _)| *at)
    }

    /// The cards that started hidden, by their counted submissions, if these were passed.
    pub(super) fn progress(&self) -> Option<&'s Keyed<i128>> {
        self.judge.progress.and_then(|progress| progress.of_segment(self.segment))
    }

    fn known(&self, test: &KnownTest) -> Cards<'s> {
        let segment = self.segment;
        match test {
            KnownTest::Game(code) => Cards::exactly(self.of_sets(|set| *set.game == **code)),
            KnownTest::Set(code) => Cards::exactly(self.of_sets(|set| *set.set == **code)),
            KnownTest::Number(number) => {
                Cards::exactly(segment.other_numbers.any_of([number.as_str()], &self.window))
            }
            KnownTest::NumberValue(wanted) => {
                let wanted = wanted.map(i128::from);
                Cards::exactly(compared(&segment.number_values, wanted, &self.window))
            }
            KnownTest::Hidden => Cards::of(self.window.within(&segment.hidden)),
            KnownTest::Unlocked => {
                Cards::exactly(self.unlocked().iter().map(|(at, _)| *at).collect())
            }
            KnownTest::UnlockedOn(wanted) => {
                let fits = |(_, time): &&(u32, DateTime<Utc>)| wanted.holds(&time.date_naive());
                Cards::exactly(self.unlocked().iter().filter(fits).map(|(at, _)| *at).collect())
            }
            KnownTest::Submissions(wanted) => match self.progress() {
                Some(counts) => {
                    Cards::exactly(compared(counts, wanted.map(i128::from), &self.window))
                }
                None => Cards::none(),
            },
            KnownTest::Design(_) => Cards::none(),
        }
    }

    /// A test of printings in a list of printings: any printing of a matching card may pass it, or none.
    fn of_printings(&self, cards: RoaringBitmap) -> Cards<'s> {
        if self.judge.query.unique == Unique::Printings {
            Cards::perhaps(cards)
        } else {
            Cards::exactly(cards)
        }
    }

    fn test(&mut self, test: &'s Test) -> Cards<'s> {
        let segment = self.segment;
        self.reads_texts |= matches!(test, Test::Words(..) | Test::Regex(..) | Test::TextIs { .. });
        match test {
            Test::Any(tests) => {
                let mut any = Cards::none();
                for test in tests {
                    any = any.or(&self.test(test));
                }
                any
            }
            Test::Words(place, words) => self.words(place, words),
            Test::Regex(place, _) => match place {
                Place::Attribute { attribute, per_printing } => {
                    self.with_text(attribute, *per_printing)
                }
                _ => Cards::perhaps(self.window.within(&segment.open).into_owned()),
            },
            Test::Name(key) => Cards::exactly(segment.same_key(key)),
            Test::CardNames(keys) => {
                let alike = keys.iter().map(|key| segment.same_key(&search_key(key)));
                Cards::perhaps(alike.fold(RoaringBitmap::new(), |all, one| all | one))
            }
            Test::NamePrefix(key) => Cards::exactly(segment.keys_beginning(key, &self.window)),
            Test::TextIs { attribute, per_printing, folded } => {
                let words: Vec<&str> = folded.split(' ').skip(1).collect();
                match segment.attributes.get(attribute) {
                    Some(index) if !words.is_empty() => {
                        Cards::perhaps(self.all_of(index.words(*per_printing), &words))
                    }
                    _ => self.with_text(attribute, *per_printing),
                }
            }
            Test::Number { sum, per_printing, compared } => {
                self.number(sum, *per_printing, compared.map(i128::from))
            }
            Test::Choice { attribute, per_printing, values } => {
                let keys = values.iter().flat_map(|value| {
                    let text = Scalar::Text(value.as_str().into());
                    [Scalar::InList(Box::new(text.clone())), text]
                });
                self.scalars(attribute, *per_printing, &keys.collect::<Vec<_>>())
            }
            Test::Flag { attribute, per_printing, value } => {
                self.scalars(attribute, *per_printing, &[Scalar::Bool(*value)])
            }
            Test::Kinds(kinds) => Cards::exactly(segment.kinds.any_of(kinds, &self.window)),
            Test::Rarities(rarities) => {
                self.of_printings(segment.rarities.any_of(rarities, &self.window))
            }
            Test::Styles(styles) => Cards::exactly(segment.styles.any_of(styles, &self.window)),
            Test::Slots(slots) => Cards::exactly(segment.slots.any_of(slots, &self.window)),
            Test::HasAttribute { attribute, per_printing } => {
                match segment.attributes.get(attribute) {
                    Some(index) if *per_printing => {
                        let present = self.window.within(index.present(true)).into_owned();
                        self.with_printings(present, true)
                    }
                    Some(index) => Cards::of(self.window.within(&index.present)),
                    None => Cards::none(),
                }
            }
            Test::HasEffect => Cards::of(self.window.within(&segment.with_effect)),
            Test::HasLore => Cards::of(self.window.within(&segment.with_lore)),
            Test::Year(wanted) => self.of_releases(|day| wanted.holds(&day.year().into())),
            Test::Released(wanted) => self.of_releases(|day| wanted.holds(&day)),
        }
    }

    /// Cards in which an attribute is a text.
    fn with_text(&self, code: &str, per_printing: bool) -> Cards<'s> {
        match self.segment.attributes.get(code) {
            Some(index) => {
                Cards::perhaps(self.window.within(index.with_text(per_printing)).into_owned())
            }
            None => Cards::none(),
        }
    }

    fn number(&self, sum: &[String], per_printing: bool, wanted: Comparison<i128>) -> Cards<'s> {
        let segment = self.segment;
        if let [code] = sum {
            let Some(attribute) = segment.attributes.get(code) else { return Cards::none() };
            let scalars = attribute.printing.as_ref().filter(|_| per_printing);
            let scalars = scalars.unwrap_or(&attribute.card);
            let cards = scalars_compared(scalars, wanted, &self.window);
            return self.with_printings(cards, per_printing);
        }
        let Some(known) = segment.sums.get(sum) else {
            let missing = |code: &String| !segment.attributes.contains_key(code);
            return if sum.iter().any(missing) {
                Cards::none()
            } else {
                Cards::perhaps(self.window.within(&segment.open).into_owned())
            };
        };
        let keyed = if per_printing { &known.printing } else { &known.card };
        self.with_printings(compared(keyed, wanted, &self.window), per_printing)
    }

    fn with_printings(&self, cards: RoaringBitmap, per_printing: bool) -> Cards<'s> {
        if per_printing {
            self.of_printings(cards & &self.segment.with_printing)
        } else {
            Cards::exactly(cards)
        }
    }

    fn scalars(&self, code: &str, per_printing: bool, keys: &[Scalar]) -> Cards<'s> {
        let Some(attribute) = self.segment.attributes.get(code) else { return Cards::none() };
        match attribute.printing.as_ref().filter(|_| per_printing) {
            Some(scalars) => self.of_printings(scalars.any_of(keys, &self.window)),
            None if attribute.has_all => {
                self.with_printings(attribute.card.any_of(keys, &self.window), per_printing)
            }
            None => Cards::perhaps(self.window.within(&attribute.present).into_owned()),
        }
    }

    /// The cards with each of the words in some text; the last word must be complete, too.
    fn all_of(&self, lists: &Keyed<u32>, words: &[&str]) -> RoaringBitmap {
        let mut cards: Option<RoaringBitmap> = None;
        for word in words {
            let found = self.segment.vocabulary.find(word);
            let found = found.and_then(|(_, rank)| lists.find(&rank));
            let one = lists.lists().union(found, &self.window);
            cards = Some(match cards {
                Some(cards) => cards & one,
                None => one,
            });
        }
        cards.unwrap_or_default()
    }

    fn words(&mut self, place: &'s Place, words: &'s [String]) -> Cards<'s> {
        let segment = self.segment;
        let Some((last, others)) = words.split_last() else { return Cards::none() };
        let parts: &[&Keyed<u32>] = match place {
            Place::Everywhere => &[
                &segment.words.name,
                &segment.words.effects,
                &segment.words.lore,
                &segment.words.emoji,
            ],
            Place::Name => &[&segment.words.name],
            Place::Effects => &[&segment.words.effects],
            Place::Lore => &[&segment.words.lore],
            Place::Text => &[&segment.words.effects, &segment.words.lore],
            Place::Attribute { attribute, per_printing } => {
                match segment.attributes.get(attribute) {
                    Some(index) => &[index.words(*per_printing)],
                    None => return Cards::none(),
                }
            }
        };
        let ranks = segment.vocabulary.beginning(last);
        let mut any = RoaringBitmap::new();
        for lists in parts {
            let from = lists.keys().partition_point(|rank| *rank < ranks.start);
            let to = lists.keys().partition_point(|rank| *rank < ranks.end);
            let mut cards = lists.lists().range(from..to, &self.window);
            if !others.is_empty() && !cards.is_empty() {
                let others: Vec<&str> = others.iter().map(String::as_str).collect();
                cards &= self.all_of(lists, &others);
            }
            any |= cards;
        }
        if others.is_empty() {
            let per_printing = matches!(place, Place::Attribute { per_printing: true, .. });
            return self.with_printings(any, per_printing);
        }
        let ids: Option<Vec<u32>> =
            others.iter().map(|word| segment.vocabulary.find(word).map(|(id, _)| id)).collect();
        let phrase =
            |ids: Vec<u32>| Phrase { finder: Finder::new(&as_tokens(&ids)).into_owned(), last };
        self.phrases.push((words.as_ptr(), ids.map(phrase)));
        Cards::perhaps(any)
    }

    /// Whether a card that may match does match. The test is completed even if it exhausts the budget: so each page tests
    /// at least one card, and the next page goes on after it.
    pub(in crate::index) fn fits(&self, at: u32, steps: &Steps) -> bool {
        let card = TestedCard { plan: self, at, document: self.segment.document(at), steps };
        card.fits(&self.node)
    }

    /// All matching cards, within the budget.
    pub(in crate::index) fn all(&self, live: &RoaringBitmap, steps: &Steps) -> RoaringBitmap {
        let mut cards = self.sure() & live;
        if !self.is_exact() {
            let uncertain = &(self.possible() & live) - &cards;
            let found = uncertain.iter().take_while(|_| !steps.are_used_up());
            let found: Vec<u32> = found.filter(|at| self.fits(*at, steps)).collect();
            cards |= RoaringBitmap::from_sorted_iter(found).unwrap_or_default();
        }
        cards
    }
}

/// A card under test.
struct TestedCard<'t, 's> {
    plan: &'t Plan<'s>,
    at: u32,
    document: Option<Document<'s>>,
    steps: &'t Steps,
}

impl TestedCard<'_, '_> {
    fn fits(&self, node: &Node<'_>) -> bool {
        match node {
            Node::All(nodes) => nodes.iter().all(|node| self.fits(node)),
            Node::Any(nodes) => nodes.iter().any(|node| self.fits(node)),
            Node::Leaf { cards, negated, cases } => {
                if cards.sure.contains(self.at) {
                    return true;
                }
                let is_possible = cards.possible.as_ref().is_some_and(|set| set.contains(self.at));
                is_possible && cases.iter().any(|case| self.holds_in(case)) != *negated
            }
        }
    }

    fn holds_in(&self, case: &Case) -> bool {
        let of = |games: &Vec<String>| {
            let own = &self.plan.segment.set_of(self.at).game;
            games.iter().any(|game| **game == **own)
        };
        case.games.as_ref().is_none_or(of) && self.holds(&case.test)
    }

    fn holds(&self, test: &Test) -> bool {
        let Some(document) = &self.document else { return false };
        match test {
            Test::Any(tests) => tests.iter().any(|test| self.holds(test)),
            Test::Words(place, words) if !matches!(place, Place::Attribute { .. }) => {
                let known = self.plan.phrases.iter().find(|(at, _)| *at == words.as_ptr());
                match known {
                    Some((_, Some(phrase))) => {
                        let mut texts = texts(document, place).iter();
                        texts.any(|text| self.has_phrase(text, phrase))
                    }
                    Some((_, None)) => false,
                    None => self.holds_for_whole_card(test),
                }
            }
            Test::Regex(place, pattern) if !matches!(place, Place::Attribute { .. }) => {
                self.has_pattern(document, place, pattern)
            }
            Test::CardNames(keys) => {
                self.steps.take(200);
                keys.contains(&name_key(self.plan.segment.name(self.at)))
            }
            other => self.holds_for_whole_card(other),
        }
    }

    /// Tests the whole card.
    fn holds_for_whole_card(&self, test: &Test) -> bool {
        let card = self.plan.segment.record(self.at);
        self.steps.take(WHOLE_CARD + self.attribute_regex_cost(&card, test));
        let entry = Entry { card: &card, printing: None };
        let case = Case { games: None, test: test.clone() };
        self.plan.judge.holds_in_case(entry, &[case]) == Some(true)
    }

    /// The cost of a regular expression on an attribute, besides reading the card.
    fn attribute_regex_cost(&self, card: &CardRecord, test: &Test) -> u64 {
        let Test::Regex(Place::Attribute { attribute, per_printing }, pattern) = test else {
            return 0;
        };
        let Some(content) = &card.content else { return 0 };
        let length = |attributes: &Map<String, Value>| {
            attributes.get(attribute).and_then(Value::as_str).map(str::len)
        };
        let of_card = length(&content.words.attributes).unwrap_or(0);
        let bytes = if *per_printing {
            let own = content.printings.iter().map(|own| length(&own.attributes));
            own.map(|own| own.unwrap_or(of_card)).sum::<usize>()
        } else {
            of_card
        };
        self.plan.judge.patterns.cost(pattern) * bytes as u64
    }

    fn has_phrase(&self, text: &[u8], phrase: &Phrase<'_>) -> bool {
        self.steps.take(200 + text.len() as u64);
        let Phrase { finder, last } = phrase;
        let mut from = 0;
        while let Some(found) = finder.find(&text[from..]) {
            let (start, end) = (from + found, from + found + finder.needle().len());
            // Bytes from 128 up are followed by others of the same word, so a hit may begin inside a word.
            let is_start = start == 0 || text[start - 1] < 128;
            if is_start
                && let Some(Some(word)) = tokens(&text[end..]).next()
                && self.plan.segment.vocabulary.word(word).starts_with(last)
            {
                return true;
            }
            from = start + 1;
        }
        false
    }

    fn has_pattern(&self, document: &Document<'_>, place: &Place, pattern: &str) -> bool {
        let patterns: &Patterns = self.plan.judge.patterns;
        let vocabulary = &self.plan.segment.vocabulary;
        let mut marked: Vec<u8> = Vec::with_capacity(512);
        let write = |text: &[u8], marked: &mut Vec<u8>| {
            for token in tokens(text) {
                match token {
                    Some(id) => {
                        if marked.last().is_some_and(|last| *last != BETWEEN) {
                            marked.push(SPACE);
                        }
                        marked.extend(vocabulary.word(id).as_bytes());
                    }
                    None => marked.push(BETWEEN),
                }
            }
        };
        let fits = |marked: &mut Vec<u8>| {
            self.steps.take(200 + patterns.cost_of(pattern, marked));
            let fits = patterns.fits_marked(pattern, marked);
            marked.clear();
            fits
        };
        for text in texts(document, place) {
            if matches!(place, Place::Everywhere) && !marked.is_empty() && !text.is_empty() {
                marked.push(BETWEEN);
            }
            write(text, &mut marked);
            if !matches!(place, Place::Everywhere) && fits(&mut marked) {
                return true;
            }
        }
        matches!(place, Place::Everywhere) && fits(&mut marked)
    }
}

/// The texts of a place; everywhere, they are the parts of one.
fn texts<'d, 's>(document: &'d Document<'s>, place: &Place) -> &'d [&'s [u8]] {
    let range = match place {
        Place::Everywhere => 0..4,
        Place::Name => 0..1,
        Place::Effects => 1..2,
        Place::Lore => 2..3,
        Place::Text => 1..3,
        Place::Attribute { .. } => 0..0,
    };
    &document.texts[range]
}

/// All ordinals of a range.
pub(super) fn range(ordinals: Range<u32>) -> RoaringBitmap {
    let mut cards = RoaringBitmap::new();
    cards.insert_range(ordinals);
    cards
}

/// The cards whose keys satisfy the comparison; `all`: the range of comparable keys.
fn of_keys<K: Ord>(
    keyed: &Keyed<K>,
    all: (usize, usize),
    wanted: Comparison<i128>,
    compare: impl Fn(&K, i128) -> std::cmp::Ordering,
    window: &Window,
) -> RoaringBitmap {
    let in_range = |places| keyed.lists().range(places, window);
    let first_from = |value| keyed.keys().partition_point(|key| compare(key, value).is_lt());
    let first_above = |value| keyed.keys().partition_point(|key| compare(key, value).is_le());
    let (start, end) = all;
    match wanted {
        Comparison::Between(low, high) => {
            let from = first_from(low);
            in_range(from..first_above(high).max(from))
        }
        Comparison::Is(operator, value) => {
            let (below, above) = (first_from(value), first_above(value));
            match operator {
                Operator::Has | Operator::Equal => in_range(below..above),
                Operator::NotEqual => in_range(start..below) | in_range(above..end),
                Operator::Less => in_range(start..below),
                Operator::AtMost => in_range(start..above),
                Operator::Greater => in_range(above..end),
                Operator::AtLeast => in_range(below..end),
            }
        }
    }
}

fn compared(keyed: &Keyed<i128>, wanted: Comparison<i128>, window: &Window) -> RoaringBitmap {
    of_keys(keyed, (0, keyed.keys().len()), wanted, |key, value| key.cmp(&value), window)
}

fn scalars_compared(
    keyed: &Keyed<Scalar>,
    wanted: Comparison<i128>,
    window: &Window,
) -> RoaringBitmap {
    let compare = |key: &Scalar, value| match key {
        Scalar::Null | Scalar::Bool(_) => std::cmp::Ordering::Less,
        Scalar::Number(number) => i128::from(*number).cmp(&value),
        _ => std::cmp::Ordering::Greater,
    };
    of_keys(keyed, numbers(keyed), wanted, compare, window)
}

/// The range of keys that are numbers.
pub(super) fn numbers(keyed: &Keyed<Scalar>) -> (usize, usize) {
    let start = keyed.keys().partition_point(|key| matches!(key, Scalar::Null | Scalar::Bool(_)));
    let end = keyed
        .keys()
        .partition_point(|key| matches!(key, Scalar::Null | Scalar::Bool(_) | Scalar::Number(_)));
    (start, end)
}
