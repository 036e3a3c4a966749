//! Compares the index with a scan of all cards, for random catalogues, queries and changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, NaiveDate};
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::judge::Judge;
use super::names::{self, trigrams};
use super::pattern::Patterns;
use super::progress::Progress;
use super::releases::Releases;
use super::runner::Backwards;
use super::segment::{FEW, Plan, Steps};
use super::*;
use crate::{
    CardQuery, Case, Comparison, KnownTest, Operator, Place, Predicate, SortKey, SumOf, Test,
    Unique, Words, folded, words,
};
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_engine::{Effect, name_key, search_key};

/// A random generator that returns the same numbers for the same seed.
struct Random(SplitMix64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0.below_by_product(end)
    }

    fn small(&mut self, end: u64) -> i64 {
        self.below(end).try_into().unwrap()
    }

    fn one_in(&mut self, many: u64) -> bool {
        self.below(many) == 0
    }

    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }

    fn some(&mut self, list: &[&str]) -> Vec<String> {
        let mut chosen: Vec<String> =
            list.iter().filter(|_| self.one_in(2)).map(|one| (*one).to_owned()).collect();
        if chosen.is_empty() {
            chosen.push(self.of(list).to_owned());
        }
        chosen
    }

    fn text(&mut self, most: u64) -> String {
        let count = self.below(most + 1);
        let text: Vec<&str> = (0..count).map(|_| self.of(WORDS)).collect();
        text.join(" ")
    }
}

const GAMES: &[&str] = &["aa", "ab", "b"];
const SETS: &[&str] = &["one", "two", "x"];
const WORDS: &[&str] = &[
    "draw", "a", "card", "cards", "discard", "two", "Éclair", "fox", "foxes", "🔥", "x-ray", "12",
    "nobody's",
];
const KINDS: &[&str] = &["spell", "unit", "Unit"];
const RARITIES: &[&str] = &["common", "rare", "ultra"];
const TAGS: &[&str] = &["active", "counter", "passive"];
const TYPES: &[&str] = &["dark", "fire", "🔥", "7"];
const CODES: &[&str] =
    &["type", "subtypes", "attack", "defense", "rank", "foil", "about", "nothing"];
const OPERATORS: &[Operator] = &[
    Operator::Has,
    Operator::Equal,
    Operator::NotEqual,
    Operator::Less,
    Operator::AtMost,
    Operator::Greater,
    Operator::AtLeast,
];

fn content(random: &mut Random) -> CardContent {
    let mut attributes = Map::new();
    if !random.one_in(4) {
        attributes.insert("type".to_owned(), random.of(TYPES).into());
    }
    if !random.one_in(3) {
        let list = if random.one_in(4) { Vec::new() } else { random.some(TYPES) };
        attributes.insert("subtypes".to_owned(), list.into());
    }
    for code in ["attack", "defense", "rank"] {
        if !random.one_in(3) {
            attributes.insert(code.to_owned(), (random.small(9) * 100 - 300).into());
        }
    }
    if random.one_in(2) {
        attributes.insert("foil".to_owned(), random.one_in(2).into());
    }
    if random.one_in(2) {
        attributes.insert("about".to_owned(), random.text(4).into());
    }
    if random.one_in(9) {
        attributes.insert("nothing".to_owned(), Value::Null);
    }
    let effects: Vec<Effect> = (0..random.below(3))
        .map(|_| Effect {
            style: random.one_in(2).then(|| random.of(TAGS).to_owned()),
            slot: random.one_in(3).then(|| random.of(TAGS).to_owned()),
            text: random.text(6),
        })
        .collect();
    let name = match random.below(9) {
        0 => "???".to_owned(),
        _ => format!("{} {}", random.of(WORDS), random.text(2)),
    };
    let lore = (!random.one_in(3)).then(|| random.text(6));
    let printings = RARITIES.iter().zip(1_i16..).filter(|_| !random.one_in(3)).collect::<Vec<_>>();
    let printings = printings.into_iter().map(|(rarity, tier)| {
        let mut own = Map::new();
        for code in ["attack", "defense"] {
            if attributes.contains_key(code) && random.one_in(2) {
                own.insert(code.to_owned(), (random.small(9) * 100).into());
            }
        }
        if attributes.contains_key("type") && random.one_in(5) {
            own.insert("type".to_owned(), random.of(TYPES).into());
        }
        // A printing may have what its card has not, and may have nothing where its card has something.
        if random.one_in(3) {
            own.insert("about".to_owned(), random.text(3).into());
        }
        if random.one_in(5) {
            own.insert("foil".to_owned(), random.one_in(2).into());
        }
        if random.one_in(5) {
            let list = if random.one_in(3) { Vec::new() } else { random.some(TYPES) };
            own.insert("subtypes".to_owned(), list.into());
        }
        PrintingRecord { rarity: (*rarity).to_owned(), tier, attributes: own }
    });
    CardContent {
        printings: printings.collect(),
        kind: random.of(KINDS).to_owned(),
        words: Words::of(&name, &effects, lore.as_deref(), &attributes),
        effects: effects
            .into_iter()
            .map(|effect| EffectTags { style: effect.style, slot: effect.slot })
            .collect(),
        has_lore: lore.is_some_and(|lore| !lore.is_empty()),
        name,
        attributes,
    }
}

/// A random card. Cards with different `place` numbers have different places.
fn card(id: u128, place: u64, random: &mut Random) -> CardRecord {
    let unlock = match random.below(8) {
        0 => Unlock::Hidden,
        1 | 2 => Unlock::At(
            DateTime::from_timestamp_micros(
                1_700_000_000_000_000 + random.small(5) * 50_000_000_500,
            )
            .unwrap(),
        ),
        _ => Unlock::Never,
    };
    let number = match place % 3 {
        0 => format!("{:03}", place / 9),
        1 => format!("{}", place / 9),
        _ if place / 9 % 4 == 1 => format!("0{}a", place / 9),
        _ => format!("P-{}", place / 9),
    };
    CardRecord {
        id,
        game: GAMES[usize::try_from(place % 3).unwrap()].to_owned(),
        set: SETS[usize::try_from(place / 3 % 3).unwrap()].to_owned(),
        number,
        content: (unlock != Unlock::Hidden).then(|| content(random)),
        unlock,
    }
}

fn place_of_text(random: &mut Random) -> Place {
    match random.below(6) {
        0 => Place::Everywhere,
        1 => Place::Name,
        2 => Place::Text,
        3 => Place::Effects,
        4 => Place::Lore,
        _ => Place::Attribute {
            attribute: random.of(&["about", "type", "none"]).to_owned(),
            per_printing: random.one_in(2),
        },
    }
}

const PATTERNS: &[&str] = &[
    "draw (a|two) cards?",
    "^a",
    "s$",
    "\\bfox\\b",
    "[a-f]x",
    ".{3}\\d",
    "x ray$",
    "🔥",
    "^🔥$",
    "d\\w+ \\w+ c",
    "a ^draw",
    "card$ .*draw",
    "[^a]$",
    "\\s\\d",
    "(fox){2}",
    "q*",
    "^.*$",
    "[^ ] f",
    "a\\b.*",
    "\\W",
    "\\D\\S",
    " ",
    "^ ",
    ".f",
];

/// A random comparison, also with ranges whose first value is the higher one.
fn comparison<T>(random: &mut Random, value: impl Fn(&mut Random) -> T) -> Comparison<T> {
    match random.below(9) {
        0 | 1 => Comparison::Between(value(random), value(random)),
        at => Comparison::Is(OPERATORS[usize::try_from(at - 2).unwrap()], value(random)),
    }
}

fn test(random: &mut Random, depth: u64) -> Test {
    let number = |random: &mut Random, sum: &[&str]| Test::Number {
        sum: sum.iter().map(|code| (*code).to_owned()).collect(),
        per_printing: random.one_in(2),
        compared: comparison(random, |random| random.small(11) * 100 - 300),
    };
    match random.below(if depth == 0 { 19 } else { 20 }) {
        0 | 1 => {
            let words: Vec<String> =
                (0..=random.below(3)).flat_map(|_| words(random.of(WORDS))).collect();
            let mut words = words;
            if random.one_in(2) {
                let last = words.pop().unwrap();
                words.push(last.chars().take(2).collect());
            }
            Test::Words(place_of_text(random), words)
        }
        2 => {
            let place = place_of_text(random);
            Test::Regex(place, crate::regex::to_postgres(random.of(PATTERNS)).unwrap())
        }
        3 => Test::Name(search_key(&format!("{} {}", random.of(WORDS), random.of(WORDS)))),
        4 if random.one_in(2) => {
            let mut name = || name_key(&format!("{} {}", random.of(WORDS), random.of(WORDS)));
            let count = 3;
            Test::CardNames(Arc::new((0..count).map(|_| name()).collect()))
        }
        4 => Test::NamePrefix(search_key(random.of(WORDS)).chars().take(2).collect()),
        5 => Test::TextIs {
            attribute: "about".to_owned(),
            per_printing: random.one_in(2),
            folded: folded(&random.text(2)),
        },
        6 => number(random, &["attack"]),
        7 => number(random, &["rank"]),
        8 => number(random, &["attack", "defense"]),
        9 => number(random, &["attack", "rank"]),
        10 | 11 => Test::Choice {
            attribute: random.of(CODES).to_owned(),
            per_printing: random.one_in(2),
            values: random.some(TYPES),
        },
        12 => Test::Flag {
            attribute: random.of(&["foil", "type"]).to_owned(),
            per_printing: random.one_in(2),
            value: random.one_in(2),
        },
        13 => Test::Kinds(random.some(KINDS)),
        14 => Test::Rarities(random.some(RARITIES)),
        15 => Test::Styles(random.some(TAGS)),
        16 => Test::Slots(random.some(TAGS)),
        17 => match random.below(3) {
            0 => Test::HasEffect,
            1 => Test::HasLore,
            _ => Test::HasAttribute {
                attribute: random.of(CODES).to_owned(),
                per_printing: random.one_in(2),
            },
        },
        18 if random.one_in(2) => {
            Test::Released(comparison(random, |random| day(2024, 4 + u32::from(random.one_in(2)))))
        }
        18 => Test::Year(comparison(random, |random| 2023 + random.small(3))),
        _ => Test::Any((0..=random.below(2)).map(|_| test(random, 0)).collect()),
    }
}

fn day(year: i32, month: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, 1).unwrap()
}

fn known_test(random: &mut Random) -> KnownTest {
    match random.below(10) {
        0 => KnownTest::Game(random.of(GAMES).to_owned()),
        1 => KnownTest::Set(random.of(SETS).to_owned()),
        2 => KnownTest::number(random.of(&["P-4", "p-4", "00P-3", "5A", "0013a", "05", "zz"])),
        3 | 4 => KnownTest::NumberValue(comparison(random, |random| random.small(20))),
        5 => KnownTest::Hidden,
        6 => KnownTest::Unlocked,
        7 | 8 => KnownTest::Submissions(comparison(random, |random| random.small(4))),
        _ => KnownTest::UnlockedOn(comparison(random, |random| {
            NaiveDate::from_ymd_opt(2023, 11, 14 + u32::from(random.one_in(2))).unwrap()
        })),
    }
}

fn predicate(random: &mut Random, depth: u64) -> Predicate {
    let parts = |random: &mut Random| {
        (0..random.below(4)).map(|_| predicate(random, depth - 1)).collect::<Vec<_>>()
    };
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Predicate::Known { negated: random.one_in(3), test: known_test(random) },
        1..5 => Predicate::Content {
            negated: random.one_in(3),
            cases: (0..random.below(4))
                .map(|_| Case {
                    games: random.one_in(3).then(|| random.some(GAMES)),
                    test: test(random, 1),
                })
                .collect(),
        },
        5 | 6 => Predicate::All(parts(random)),
        _ => Predicate::Any(parts(random)),
    }
}

fn query(random: &mut Random) -> CardQuery {
    let sum = |of: Option<(&str, &str)>, attributes: &[&str]| SumOf {
        of: of.map(|(game, kind)| (game.to_owned(), kind.to_owned())),
        attributes: attributes.iter().map(|code| (*code).to_owned()).collect(),
    };
    let sort = match random.below(14) {
        0..3 => SortKey::Place,
        3 => SortKey::Number,
        4 => SortKey::Name,
        5 => SortKey::Kind,
        6 => SortKey::Sum(vec![sum(None, &["attack"])]),
        7 => SortKey::Sum(vec![
            sum(Some(("aa", "unit")), &["attack", "defense"]),
            sum(Some(("ab", "unit")), &["rank"]),
            sum(Some(("aa", "unit")), &["rank"]),
        ]),
        8 => SortKey::Choice {
            attribute: "type".to_owned(),
            values: ["fire", "7", "fire", "dark"].map(str::to_owned).to_vec(),
        },
        9 => SortKey::Rarity,
        10 => SortKey::Unlocked,
        11 if random.one_in(2) => SortKey::Released,
        11 => SortKey::Year,
        12 => SortKey::Submissions,
        _ => SortKey::Sum(vec![sum(None, &["attack", "rank"])]),
    };
    CardQuery {
        predicate: predicate(random, 2),
        sort,
        descending: random.one_in(2),
        unique: if random.one_in(3) { Unique::Printings } else { Unique::Cards },
    }
}

/// Whether cards of a segment may be tested in another order than that of the list, so that its pages may not fit together.
fn may_be_out_of_order(now: &Snapshot, view: &View, query: &CardQuery) -> bool {
    let knows = |sum: &SumOf| {
        sum.attributes.len() < 2
            || now.parts.iter().all(|part| part.segment.knows_sum(&sum.attributes))
    };
    match &query.sort {
        SortKey::Place => return false,
        SortKey::Sum(sums) if !sums.iter().all(knows) => return true,
        _ if query.predicate.is_costly() => return false,
        _ => {}
    }
    let (releases, patterns) = (&now.releases, &Patterns::of(query));
    let judge = Judge { query, releases, patterns, progress: now.progress.as_deref() };
    now.parts.iter().any(|part| {
        let plan = Plan::new(&part.segment, &judge, part.segment.window(&judge));
        plan.possible().intersection_len(&Snapshot::indexed_cards(part, view)) <= FEW
    })
}

/// Pages fit together, even if each of them tests only a few cards.
fn check_small_budgets(now: &Snapshot, view: &View, query: &CardQuery, page: usize, all: &[Hit]) {
    for budget in [100, 5_000, 50_000] {
        let (mut walked, mut after): (Vec<Hit>, Option<Position>) = (Vec::new(), None);
        loop {
            let Page { hits, cut, tested_to } =
                now.search_within(budget, query, view, after.as_ref(), page);
            if cut {
                assert!(may_be_out_of_order(now, view, query), "{query:#?}");
                break;
            }
            let is_last = hits.len() < page && tested_to.is_none();
            let last = hits.last().map(|hit| Position {
                key: hit.key.clone(),
                game: hit.game.to_string(),
                set: hit.set.to_string(),
                number: hit.number.clone(),
                tier: hit.tier,
            });
            let next = tested_to.or(last);
            assert!(is_last || next != after, "{query:#?}");
            after = next;
            walked.extend(hits);
            if is_last || walked.len() > all.len() {
                assert_eq!(walked, all, "{query:#?}");
                break;
            }
        }
    }
}

/// All cards in plain collections: the expected results come from a scan of them.
#[derive(Default)]
struct Scan {
    cards: BTreeMap<u128, CardRecord>,
    releases: Releases,
    counts: Arc<Counts>,
}

impl Scan {
    fn visible_cards(&self, view: &View) -> Vec<CardRecord> {
        let mut cards = self.cards.clone();
        cards.extend(view.iter().map(|card| (card.id, card.clone())));
        cards.into_values().collect()
    }

    fn check(&self, index: &Index, view: &View, query: &CardQuery, page: usize) {
        let (cards, patterns, now) =
            (self.visible_cards(view), Patterns::of(query), index.snapshot());
        assert!(!needs_progress(query) || !now.answers(query), "{query:?}");
        let now = now.with_progress(&self.counts);
        let progress = Progress::new(&self.counts, [].into_iter());
        let (releases, progress) = (&self.releases, Some(&progress));
        let judge = Judge { query, releases, patterns: &patterns, progress };
        let hits = naive::list(&cards, &judge, None, usize::MAX);
        let all: Vec<Hit> = hits.into_iter().map(answer::Listed::into_hit).collect();
        let mut walked: Vec<Hit> = Vec::new();
        loop {
            let after = walked.last().map(|hit| Position {
                key: hit.key.clone(),
                game: hit.game.to_string(),
                set: hit.set.to_string(),
                number: hit.number.clone(),
                tier: hit.tier,
            });
            let Page { hits, cut, tested_to } = now.search(query, view, after.as_ref(), page);
            assert!(!cut && tested_to.is_none(), "{query:?}");
            let is_last = hits.len() < page;
            walked.extend(hits);
            if is_last || walked.len() > all.len() {
                break;
            }
        }
        assert_eq!(walked, all, "{query:#?}");
        check_small_budgets(&now, view, query, page, &all);
        let count = now.count(query, view, 10_000);
        assert_eq!((count.entries, count.is_exact), (all.len() as u64, true), "{query:#?}");
        let few = now.count(query, view, 3);
        assert_eq!((few.entries, few.is_exact), (all.len().min(3) as u64, all.len() <= 3));

        let cards_query = CardQuery { unique: Unique::Cards, ..query.clone() };
        let judge = Judge { query: &cards_query, ..judge };
        let open = naive::open(&cards, &judge);
        for number in 0..open.len() as u64 {
            let drawn = now.random(query, view, number + 2 * open.len() as u64);
            assert_eq!(drawn, Some(open[usize::try_from(number).unwrap()].id), "{query:#?}");
        }
        if open.is_empty() {
            assert_eq!(now.random(query, view, 5), None);
        }
        for per_printing in [false, true] {
            let wanted = facet_attributes(CODES, per_printing);
            let mut tally = naive::Tally::new();
            for card in &open {
                naive::tally(card, &wanted, &mut tally);
            }
            let facets = now.facets(&query.predicate, view, &wanted);
            assert_eq!(facets.counts, naive::facet_counts(tally), "{query:#?}");
        }
    }

    fn check_names(&self, index: &Index, view: &View, random: &mut Random) {
        let (cards, now) = (self.visible_cards(view), index.snapshot());
        let typed = format!("{} {}", random.of(WORDS), random.text(1));
        let mut key = search_key(&typed);
        if random.one_in(2) {
            key = key.chars().take(3).collect();
        }
        let query = NameQuery {
            near: key.chars().count() >= 3 && !random.one_in(4),
            search_key: key,
            words: words(&typed),
        };
        let game = random.one_in(2).then(|| random.of(GAMES));
        let set = random.one_in(2).then(|| random.of(SETS));
        let place = NamePlace { game, set };
        let of_place = |place: NamePlace<'_>| {
            cards.iter().filter(|card| place.holds(card)).cloned().collect::<Vec<_>>()
        };
        assert_eq!(
            now.named(place, &query, view),
            naive::named(&cards, place, &query),
            "{query:?}"
        );
        let found: BTreeSet<_> = of_place(NamePlace { game, set: None })
            .iter()
            .filter_map(|card| names::suggestion(&query, card.content.as_ref()?))
            .collect();
        for limit in [1, 4, 1_000] {
            let found: Vec<String> =
                found.iter().take(limit).map(|(_, _, name)| name.clone()).collect();
            assert_eq!(now.suggest_names(game, &query, view, limit), found, "{query:?}");
        }
        let key = search_key(&typed);
        for game in GAMES {
            let same_of = |cards: &[CardRecord]| {
                let named = cards.iter().filter(|card| card.game == *game).filter(|card| {
                    card.content.as_ref().is_some_and(|one| search_key(&one.name) == key)
                });
                let places = named.map(|card| (card.set.clone(), card.number.clone(), card.id));
                let mut places: Vec<(String, String, u128)> = places.collect();
                places.sort_unstable();
                places
            };
            let found = now.same_name(game, &key, view);
            let found: Vec<(String, String, u128)> =
                found.into_iter().map(|card| (card.set, card.number, card.id)).collect();
            assert_eq!(found, same_of(&cards));
            let open = now.open_with_name(game, &key);
            let of_all = same_of(&self.visible_cards(&[]));
            assert!(open.iter().map(|card| card.id).eq(of_all.into_iter().map(|(_, _, id)| id)));
            assert!(open.iter().all(|card| search_key(card.name) == key));
            let is_of_game = |card: &CardRecord| card.game == *game && card.content.is_some();
            assert_eq!(now.has_open_cards(game), self.visible_cards(&[]).iter().any(is_of_game));
        }
        assert!(!now.has_open_cards("no game"));
        for card in self.cards.values().take(20) {
            assert_eq!(now.at(&card.game, &card.set, &card.number), Some(card.id));
            assert_eq!(now.card(card.id).as_ref(), Some(card));
            let open = now.open_card(card.id).map(|one| (one.name, one.set(), one.number()));
            let content = card.content.as_ref().filter(|_| card.unlock != Unlock::Hidden);
            assert_eq!(open, content.map(|one| (&*one.name, &*card.set, &*card.number)));
        }
        assert_eq!((now.at("aa", "one", "zz"), now.card(12_345_678)), (None, None));
        assert!(now.open_card(12_345_678).is_none());
    }
}

/// The attributes with these codes, to be counted.
fn facet_attributes<'a>(codes: &[&'a str], per_printing: bool) -> Vec<FacetAttribute<'a>> {
    codes.iter().map(|code| FacetAttribute { code, per_printing }).collect()
}

/// The hidden cards that one requester holds.
fn view_of(scan: &Scan, random: &mut Random) -> Vec<CardRecord> {
    if random.one_in(2) {
        return Vec::new();
    }
    let hidden = scan.cards.values().filter(|card| card.unlock == Unlock::Hidden);
    let hidden: Vec<CardRecord> = hidden.filter(|_| random.one_in(2)).cloned().collect();
    hidden.into_iter().map(|card| CardRecord { content: Some(content(random)), ..card }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn results_equal_those_of_a_scan(seed in any::<u64>()) {
        let random = &mut Random(SplitMix64::new(seed));
        let (mut scan, mut builder) = (Scan::default(), Builder::new());
        for sum in [["attack", "defense"], ["defense", "rank"]] {
            builder.sum(sum.map(str::to_owned).to_vec());
        }
        let many = random.below(120);
        let mut put = |builder: &mut Builder, card: CardRecord| {
            scan.cards.insert(card.id, card.clone());
            builder.push(card);
        };
        for place in 0..many {
            // The ids are not in order, and some cards are added twice.
            let id = u128::from(place * 7_919 % 1_009);
            if random.one_in(9) {
                put(&mut builder, card(id, place, random));
            }
            put(&mut builder, card(id, place, random));
        }
        for (game, set, day) in [("aa", "one", day(2023, 5)), ("aa", "two", day(2024, 4)), ("b", "x", day(2024, 5)), ("b", "one", day(2025, 1))] {
            builder.released(game.to_owned(), set.to_owned(), Some(day));
            scan.releases.insert(game.to_owned(), set.to_owned(), Some(day));
        }
        let threads = [1, 2, 5][usize::try_from(random.below(3)).unwrap()];
        let mut index = builder.finish_with(&Backwards(threads));
        let mut compaction: Option<Compaction> = None;
        for round in 0..6 {
            // Some counts belong to cards that were always open, or that do not exist; these have no effect.
            let counted = (0..140).map(|place| u128::from(place * 7_919_u64 % 1_009));
            let counts = counted.filter(|_| random.one_in(2)).collect::<Vec<_>>();
            scan.counts = Arc::new(counts.into_iter().map(|id| (id, random.small(4))).collect());
            for _ in 0..4 {
                let (view, query) = (view_of(&scan, random), query(random));
                let page = 1 + usize::try_from(random.below(20)).unwrap();
                scan.check(&index, &view, &query, page);
                scan.check_names(&index, &view, random);
            }
            prop_assert_eq!(index.snapshot().cards(), scan.cards.len());
            let hidden = scan.cards.values().filter(|card| card.unlock == Unlock::Hidden).count();
            prop_assert_eq!(index.snapshot().hidden(), hidden);
            let numbers: Vec<u64> = (0..hidden as u64).map(|number| number + 3 * hidden as u64).collect();
            let drawn: BTreeSet<u128> = index.snapshot().hidden_cards(&numbers).into_iter().collect();
            let all = scan.cards.values().filter(|card| card.unlock == Unlock::Hidden).map(|card| card.id);
            prop_assert_eq!(drawn, all.collect::<BTreeSet<u128>>());
            prop_assert_eq!(index.snapshot().hidden_cards(&[7]).len(), usize::from(hidden > 0));
            let before = index.snapshot();
            let cards_before = before.cards();
            let mut changes = Vec::new();
            for _ in 0..random.below(12) {
                let place = random.below(140);
                let id = u128::from(place * 7_919 % 1_009);
                if random.one_in(4) {
                    scan.cards.remove(&id);
                    changes.push(Change::Remove(id));
                } else {
                    // Some move to another place.
                    let card = card(id, place + 200 * random.below(2), random);
                    scan.cards.insert(id, card.clone());
                    changes.push(Change::Put(Box::new(card)));
                }
            }
            if random.one_in(2) {
                let day = random.one_in(2).then(|| day(2024, 6));
                let (game, set) = ("ab".to_owned(), "two".to_owned());
                scan.releases.insert(game.clone(), set.clone(), day);
                changes.push(Change::Released { game, set, day });
            }
            if random.one_in(4) {
                let (game, set) = ("ab".to_owned(), "two".to_owned());
                scan.releases.remove(game.clone(), set.clone());
                changes.push(Change::RemoveSet { game, set });
            }
            if random.one_in(2) {
                index.apply(changes.clone());
            }
            index.apply(changes);
            prop_assert_eq!(before.cards(), cards_before, "a snapshot does not change");
            // Installs a compaction that was started before these changes.
            if let Some(compaction) = compaction.take() {
                index.install(compaction.run());
            }
            compaction = index.compaction();
            if round % 2 == 0 && let Some(compaction) = compaction.take() {
                index.install(compaction.run());
            }
        }
    }
}

#[test]
fn a_hidden_card_is_found_by_its_place_and_nothing_else() {
    let mut random = Random(SplitMix64::new(7));
    let mut index = Index::default();
    let hidden = CardRecord { unlock: Unlock::Hidden, content: None, ..card(1, 4, &mut random) };
    index.apply(vec![Change::Put(Box::new(hidden.clone()))]);
    let now = index.snapshot();
    let find = |predicate: Predicate, view: &View| {
        let query =
            CardQuery { predicate, sort: SortKey::Place, descending: false, unique: Unique::Cards };
        now.search(&query, view, None, 10).hits.len()
    };
    assert_eq!(find(Predicate::known(KnownTest::Hidden), &[]), 1);
    for _ in 0..500 {
        for negated in [false, true] {
            let cases = vec![Case { games: None, test: test(&mut random, 1) }];
            assert_eq!(find(Predicate::Content { negated, cases }, &[]), 0);
        }
    }
    assert_eq!(now.facets(&Predicate::always(), &[], &facet_attributes(CODES, true)).counts, []);
    let content = CardContent { has_lore: true, ..content(&mut random) };
    let held = CardRecord { content: Some(content), ..hidden };
    assert_eq!(find(Predicate::content(Test::HasLore), std::slice::from_ref(&held)), 1);
}

#[test]
fn keys_have_the_notation_of_the_database() {
    let time = |micros| DateTime::from_timestamp_micros(micros).unwrap();
    for (value, text) in [
        (position::SortValue::Number(-12), "-12"),
        (position::SortValue::Time(time(1_700_000_000_000_000)), "2023-11-14 22:13:20+00"),
        (position::SortValue::Time(time(1_700_000_000_120_000)), "2023-11-14 22:13:20.12+00"),
    ] {
        assert_eq!(value.to_text(), text);
        let sort = if text.contains('+') { SortKey::Unlocked } else { SortKey::Number };
        assert!(sort.admits(text));
    }
}

#[test]
fn words_that_only_an_attribute_has_are_found() {
    let random = &mut Random(SplitMix64::new(7));
    let attributes: Map<String, Value> =
        [("artist".to_owned(), "Zoë Quill".into())].into_iter().collect();
    let content = CardContent {
        words: Words::of("Ember Fox", &[], None, &attributes),
        name: "Ember Fox".to_owned(),
        attributes,
        ..content(random)
    };
    let card = CardRecord { unlock: Unlock::Never, content: Some(content), ..card(1, 1, random) };
    let mut changed = Index::default();
    changed.apply(vec![Change::Put(Box::new(card.clone()))]);
    let mut builder = Builder::new();
    builder.push(card);
    for index in [changed, builder.finish()] {
        let find = |test: Test| {
            let (predicate, sort) = (Predicate::content(test), SortKey::Place);
            let query = CardQuery { predicate, sort, descending: false, unique: Unique::Cards };
            index.snapshot().search(&query, &[], None, 10).hits.len()
        };
        let artist = || "artist".to_owned();
        let in_artist = |typed: &str| {
            let place = Place::Attribute { attribute: artist(), per_printing: false };
            find(Test::Words(place, words(typed)))
        };
        let folded = folded("zoe quill");
        assert_eq!(find(Test::TextIs { attribute: artist(), per_printing: false, folded }), 1);
        assert_eq!(in_artist("qui"), 1);
        assert_eq!(in_artist("zoe quill"), 1);
        // Words of an attribute are not searched by a plain word.
        assert_eq!(find(Test::Words(Place::Everywhere, words("quill"))), 0);
    }
}

#[test]
fn texts_of_printings_are_found_in_place_of_those_of_their_card() {
    let random = &mut Random(SplitMix64::new(7));
    let printing = |tier: i16, own: Value| PrintingRecord {
        rarity: RARITIES[usize::try_from(tier).unwrap() - 1].to_owned(),
        tier,
        attributes: own.as_object().unwrap().clone(),
    };
    let attributes: Map<String, Value> =
        [("motto".to_owned(), "Alpha Beta".into()), ("cost".to_owned(), 2.into())]
            .into_iter()
            .collect();
    let content = CardContent {
        words: Words::of("Ember Fox", &[], None, &attributes),
        name: "Ember Fox".to_owned(),
        attributes,
        printings: vec![
            printing(1, serde_json::json!({})),
            printing(2, serde_json::json!({ "motto": "Ômega Two", "opt": "zeta", "cost": -3 })),
        ],
        ..content(random)
    };
    let card = CardRecord { unlock: Unlock::Never, content: Some(content), ..card(1, 1, random) };
    let mut changed = Index::default();
    changed.apply(vec![Change::Put(Box::new(card.clone()))]);
    let mut builder = Builder::new();
    builder.push(card);
    for index in [changed, builder.finish()] {
        let now = index.snapshot();
        // Whether the card is found, and the tiers of the printings that are found.
        let find = |test: Test, unique: Unique| {
            let (predicate, sort) = (Predicate::content(test), SortKey::Place);
            let query = CardQuery { predicate, sort, descending: false, unique };
            let hits = now.search(&query, &[], None, 10).hits;
            assert_eq!(now.count(&query, &[], 10).entries, hits.len() as u64);
            hits.into_iter().map(|hit| hit.tier).collect::<Vec<_>>()
        };
        let in_text = |code: &str, typed: &str, per_printing: bool| {
            let place = Place::Attribute { attribute: code.to_owned(), per_printing };
            Test::Words(place, words(typed))
        };
        let has = |code: &str, per_printing| Test::HasAttribute {
            attribute: code.to_owned(),
            per_printing,
        };
        let is = |code: &str, text: &str| Test::TextIs {
            attribute: code.to_owned(),
            per_printing: true,
            folded: folded(text),
        };
        for (test, tiers) in [
            (in_text("motto", "omega", true), &[2_i16][..]),
            (in_text("motto", "omega tw", true), &[2]),
            (in_text("motto", "alpha", true), &[1]),
            (in_text("motto", "alpha be", true), &[1]),
            (in_text("opt", "zeta", true), &[2]),
            (is("motto", "omega two"), &[2]),
            (is("motto", "alpha beta"), &[1]),
            (has("motto", true), &[1, 2]),
            (has("opt", true), &[2]),
            (has("opt", false), &[]),
            (in_text("motto", "omega", false), &[]),
        ] {
            assert_eq!(find(test.clone(), Unique::Printings), tiers, "{test:?}");
            let found = find(test.clone(), Unique::Cards).len();
            assert_eq!(found, usize::from(!tiers.is_empty()), "{test:?}");
        }
        let regex = Place::Attribute { attribute: "motto".to_owned(), per_printing: true };
        assert_eq!(find(Test::Regex(regex, "om[a-z]ga".to_owned()), Unique::Cards).len(), 1);
        for (per_printing, values) in [(false, &[2_i64][..]), (true, &[-3, 2])] {
            let facets =
                now.facets(&Predicate::always(), &[], &facet_attributes(&["cost"], per_printing));
            let costs = facets.counts.iter().filter(|count| count.attribute == "cost");
            let costs: Vec<_> = costs.map(|count| (count.value.as_i64(), count.cards)).collect();
            let expected: Vec<_> = values.iter().map(|value| (Some(*value), 1_u64)).collect();
            assert_eq!(costs, expected);
        }
    }
}

/// A game may have as many different numbers as cards, and another one a few numbers of the same attribute.
#[test]
fn very_many_numbers_of_a_game_are_not_all_counted_and_those_of_another_game_are() {
    let random = &mut Random(SplitMix64::new(7));
    let mut builder = Builder::new();
    for id in 0..180_u64 {
        let game = GAMES[usize::try_from(id % 3).unwrap()];
        let number = if game == "aa" { id } else { id % 4 };
        let attributes = [("hp".to_owned(), Value::from(number))].into_iter().collect();
        let content = CardContent { attributes, ..content(random) };
        let card = card(id.into(), id, random);
        assert_eq!(card.game, game);
        builder.push(CardRecord { unlock: Unlock::Never, content: Some(content), ..card });
    }
    let now = builder.finish().snapshot();
    let part = &now.parts[0];
    // Without a budget no card is read.
    let counted = |game: &str| {
        let (mut tally, steps) = (naive::Tally::new(), Steps::new(0));
        let of_game = part.segment.of_place(NamePlace { game: Some(game), set: None }).unwrap();
        part.segment.tally(&of_game, &facet_attributes(&["hp"], false), &steps, &mut tally);
        let mut counts = naive::facet_counts(tally);
        counts.retain(|count| count.attribute == "hp");
        (counts.len(), counts.iter().map(|count| count.cards).sum::<u64>())
    };
    assert_eq!(counted("aa"), (MAX_FACET_VALUES + 1, 41));
    assert_eq!(counted("ab"), (4, 60));
}

#[test]
fn few_cards_among_many_of_another_game_are_sorted_by_their_unlocking() {
    let random = &mut Random(SplitMix64::new(7));
    let (mut scan, mut builder) = (Scan::default(), Builder::new());
    for place in 0..140_u64 {
        let card = card(place.into(), place, random);
        let (game, step) = if place.is_multiple_of(20) { ("b", place / 40) } else { ("aa", place) };
        let time = DateTime::from_timestamp_micros(1_700_000_000_000_000 - step.cast_signed());
        // One of the few is not unlocked.
        let unlock = if place == 20 { Unlock::Never } else { Unlock::At(time.unwrap()) };
        let (game, content) = (game.to_owned(), Some(content(random)));
        let card = CardRecord { game, unlock, content, ..card };
        scan.cards.insert(card.id, card.clone());
        builder.push(card);
    }
    let index = builder.finish();
    for descending in [false, true] {
        for unique in [Unique::Cards, Unique::Printings] {
            let predicate = Predicate::known(KnownTest::Game("b".to_owned()));
            let query = CardQuery { predicate, sort: SortKey::Unlocked, descending, unique };
            for page in 1..4 {
                scan.check(&index, &[], &query, page);
            }
        }
    }
}

#[test]
fn similarities_equal_those_of_pg_trgm() {
    // The expected values come from `pg_trgm`.
    for (one, other, expected) in
        [("word", "two words", 0.363_636), ("emberfox", "emberfxo", 0.5), ("abc", "xyz", 0.0)]
    {
        let found = names::similarity(&trigrams(one), &trigrams(other));
        assert!((found - expected).abs() < 1e-4, "{one} {other} {found}");
    }
}

#[test]
fn queries_that_only_the_database_answers_are_recognised() {
    let sum = ["attack", "defense"].map(str::to_owned).to_vec();
    let asks = |test: Test, unique: Unique| CardQuery {
        predicate: Predicate::content(test),
        sort: SortKey::Place,
        descending: false,
        unique,
    };
    let total = Test::Number {
        sum: sum.clone(),
        per_printing: true,
        compared: Comparison::Is(Operator::Greater, 7),
    };
    let total = asks(total, Unique::Cards);
    let regex = |unique| asks(Test::Regex(Place::Name, "fox".to_owned()), unique);
    let random = &mut Random(SplitMix64::new(7));
    for is_noted in [false, true] {
        let mut builder = Builder::new();
        if is_noted {
            builder.sum(sum.clone());
        }
        builder.push(card(1, 1, random));
        let cards = builder.finish().snapshot();
        assert_eq!(cards.answers(&total), is_noted);
        let sort = SortKey::Sum(vec![SumOf { of: None, attributes: sum.clone() }]);
        assert_eq!(cards.answers(&CardQuery { sort, ..regex(Unique::Cards) }), is_noted);
        assert!(cards.answers(&regex(Unique::Cards)));
        assert!(!cards.answers(&regex(Unique::Printings)));
    }
}
