//! Measures queries on an index of a million synthetic cards: `cargo bench -p cardscape-search --bench index`.
//! `CARDS=20000` uses fewer cards, `THREADS=1` builds the index on one thread.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Instant;

use cardscape_engine::Effect;
use cardscape_engine::rng::{RandomNumbers as _, SplitMix64};
use cardscape_search::index::{
    Builder, CardContent, CardRecord, Change, EffectTags, FacetAttribute, Index, NamePlace,
    NameQuery, PrintingRecord, Runner, Snapshot, Task, Unlock,
};
use cardscape_search::{
    CardQuery, Comparison, KnownTest, Operator, Place, Predicate, SortKey, SumOf, Test, Unique,
    Words,
};
use divan::{Bencher, black_box};
use serde_json::{Map, Value};

struct Chance(SplitMix64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0.below_by_product(end)
    }

    /// A random element; those near the beginning of the list are more frequent.
    fn of<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let both = self.below(list.len() as u64).min(self.below(list.len() as u64));
        list[usize::try_from(both).unwrap_or_default()]
    }
}

const TYPES: &[&str] = &["fire", "water", "dark", "light", "wind", "earth", "metal", "ghost"];
const WORDS: &[&str] = &[
    "the", "a", "card", "draw", "your", "hand", "opponent", "discard", "deck", "unit", "attack",
    "gains", "until", "end", "of", "turn", "when", "this", "is", "played", "two", "three", "each",
    "market", "kettle", "ember", "fox", "tortoise", "river", "lantern", "old", "town", "beneath",
    "moon", "silver", "copper", "whistle", "garden", "storm", "quiet", "machine", "ghost", "salt",
];
const RARITIES: &[&str] =
    &["common", "uncommon", "rare", "super_rare", "mythic_rare", "ultra_rare"];
const STYLES: &[&str] = &["passive", "active", "counter", "mill"];

fn sentence(chance: &mut Chance, words: u64) -> String {
    (0..words).map(|_| chance.of(WORDS)).collect::<Vec<_>>().join(" ")
}

fn invented(mut number: u64) -> String {
    let mut word = String::new();
    for _ in 0..4 {
        let syllable = usize::try_from(number % 80).unwrap_or_default();
        number /= 80;
        word.push(char::from(b"bdfgjklmnprstvwz"[syllable / 5]));
        word.push(char::from(b"aeiou"[syllable % 5]));
    }
    word
}

fn card(at: u64) -> CardRecord {
    let chance = &mut Chance(SplitMix64::new(at));
    let mut attributes = Map::new();
    attributes.insert("type".to_owned(), chance.of(TYPES).into());
    attributes.insert("subtype".to_owned(), vec![Value::from(chance.of(TYPES))].into());
    attributes.insert("rank".to_owned(), (1 + chance.below(6)).into());
    let (attack, defense) = (chance.below(150) * 10, chance.below(150) * 10);
    attributes.insert("attack".to_owned(), attack.into());
    attributes.insert("defense".to_owned(), defense.into());
    let name = format!("{} {} {}", chance.of(WORDS), invented(at * 23_456_789), chance.of(WORDS));
    let effects: Vec<Effect> = (0..=chance.below(2))
        .map(|_| Effect {
            style: Some(chance.of(STYLES).to_owned()),
            slot: None,
            text: sentence(chance, 14),
        })
        .collect();
    let lore = (chance.below(3) > 0).then(|| sentence(chance, 20));
    let printing = |(rarity, tier): (&&str, i16)| {
        let more = u64::try_from(tier).unwrap_or_default() * 50;
        let own = [("attack", attack + more), ("defense", defense + more)];
        let own = own.map(|(code, number)| (code.to_owned(), Value::from(number)));
        PrintingRecord { rarity: (*rarity).to_owned(), tier, attributes: own.into_iter().collect() }
    };
    CardRecord {
        id: u128::from(at.wrapping_mul(0xd134_2543_de82_ef95)) << 64 | u128::from(at),
        game: ["aa", "bb", "cc"][usize::try_from(at % 3).unwrap_or_default()].to_owned(),
        set: format!("set{:02}", at / 3 % 12),
        number: format!("{:05}", at / 36),
        unlock: if at % 1_000 == 7 { Unlock::Hidden } else { Unlock::Never },
        content: (at % 1_000 != 7).then(|| CardContent {
            kind: if chance.below(4) == 0 { "spell" } else { "unit" }.to_owned(),
            words: Words::of(&name, &effects, lore.as_deref(), &attributes),
            effects: effects
                .into_iter()
                .map(|effect| EffectTags { style: effect.style, slot: effect.slot })
                .collect(),
            has_lore: lore.is_some(),
            printings: RARITIES.iter().zip(1..).map(printing).collect(),
            name,
            attributes,
        }),
    }
}

/// Runs tasks on this many threads, one of which is the calling thread, as in the service.
struct Threads(usize);

impl Threads {
    /// As many as the service uses at its start.
    fn from_environment() -> Self {
        let wanted = std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok());
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        Self(wanted.unwrap_or_else(cores))
    }
}

impl Runner for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let tasks = Mutex::new(tasks.into_iter());
        let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
        let work = || std::iter::from_fn(next).for_each(|task| task());
        std::thread::scope(|scope| {
            for _ in 1..self.0 {
                scope.spawn(work);
            }
            work();
        });
    }
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let cards = std::env::var("CARDS").ok().and_then(|cards| cards.parse().ok());
    let cards: u64 = cards.unwrap_or(1_000_000);
    let mut builder = Builder::new();
    builder.sum(vec!["attack".to_owned(), "defense".to_owned()]);
    let start = Instant::now();
    (0..cards).for_each(|at| builder.push(card(at * 7_919 % cards)));
    let pushed = start.elapsed();
    let index = builder.finish_with(&Threads::from_environment());
    let now = index.snapshot();
    eprintln!("{cards} cards: made and pushed in {pushed:?}, all in {:?}", start.elapsed());
    eprintln!("{} MiB: {:?}", now.memory_bytes() >> 20, now.memory());
    eprintln!(
        "{}",
        std::fs::read_to_string("/proc/self/status")
            .unwrap_or_default()
            .lines()
            .filter(|line| line.starts_with("VmRSS") || line.starts_with("VmHWM"))
            .collect::<Vec<_>>()
            .join(" ")
    );
    index
});

fn now() -> Arc<Snapshot> {
    INDEX.snapshot()
}

fn choice(attribute: &str, value: &str) -> Predicate {
    Predicate::content(Test::Choice {
        attribute: attribute.to_owned(),
        per_printing: false,
        values: vec![value.to_owned()],
    })
}

fn number(sum: &[&str], operator: Operator, value: i64) -> Predicate {
    Predicate::content(Test::Number {
        sum: sum.iter().map(|code| (*code).to_owned()).collect(),
        per_printing: true,
        compared: Comparison::Is(operator, value),
    })
}

fn words(place: Place, text: &str) -> Predicate {
    Predicate::content(Test::Words(place, cardscape_search::words(text)))
}

fn not(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Content { negated, cases } => Predicate::Content { negated: !negated, cases },
        Predicate::Known { negated, test } => Predicate::Known { negated: !negated, test },
        other => other,
    }
}

fn query(name: &str) -> CardQuery {
    let attack = || SortKey::Sum(vec![SumOf { of: None, attributes: vec!["attack".to_owned()] }]);
    let set = || Predicate::known(KnownTest::Set("set03".to_owned()));
    let (parts, sort, descending, unique) = match name {
        "everything" => (vec![], SortKey::Place, false, Unique::Cards),
        "type" => (vec![choice("type", "ghost")], SortKey::Place, false, Unique::Cards),
        "type rank" => (
            vec![choice("type", "fire"), number(&["rank"], Operator::Has, 3)],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "attack range" => (
            vec![number(&["attack"], Operator::Greater, 700), choice("type", "dark")],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "total" => (
            vec![number(&["attack", "defense"], Operator::Greater, 3_300)],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "word" => (vec![words(Place::Everywhere, "kettle")], SortKey::Place, false, Unique::Cards),
        "letter" => (vec![words(Place::Everywhere, "b")], SortKey::Place, false, Unique::Cards),
        "phrase" => (vec![words(Place::Text, "draw a card")], SortKey::Place, false, Unique::Cards),
        "rare phrase" => {
            (vec![words(Place::Text, "salt ghost machine")], SortKey::Place, false, Unique::Cards)
        }
        "no phrase" => (
            vec![not(words(Place::Text, "draw a card")), choice("type", "fire")],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "regex" => (
            vec![Predicate::content(Test::Regex(Place::Text, "draw (?:[^| ])+ card".to_owned()))],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "rare regex" => (
            vec![Predicate::content(Test::Regex(Place::Text, "zz(?:[^|])+ card".to_owned()))],
            SortKey::Place,
            false,
            Unique::Cards,
        ),
        "by attack" => (vec![choice("type", "fire")], attack(), true, Unique::Cards),
        "by name" => (vec![choice("type", "fire")], SortKey::Name, false, Unique::Cards),
        "set by name" => (vec![set(), choice("type", "ghost")], SortKey::Name, true, Unique::Cards),
        "by number" => (vec![choice("type", "fire")], SortKey::Number, true, Unique::Cards),
        "printings" => (
            vec![
                number(&["attack"], Operator::Greater, 1_500),
                Predicate::content(Test::Rarities(vec!["rare".to_owned()])),
            ],
            attack(),
            true,
            Unique::Printings,
        ),
        other => unreachable!("{other}"),
    };
    CardQuery { predicate: Predicate::All(parts), sort, descending, unique }
}

const QUERIES: &[&str] = &[
    "everything",
    "type",
    "type rank",
    "attack range",
    "total",
    "word",
    "letter",
    "phrase",
    "rare phrase",
    "no phrase",
    "regex",
    "rare regex",
    "by attack",
    "by name",
    "set by name",
    "by number",
    "printings",
];

#[divan::bench(args = QUERIES)]
fn page(bencher: Bencher<'_, '_>, name: &str) {
    let (now, query) = (now(), query(name));
    bencher.bench(|| now.search(black_box(&query), &[], None, 51));
}

#[divan::bench(args = QUERIES)]
fn count(bencher: Bencher<'_, '_>, name: &str) {
    let (now, query) = (now(), query(name));
    bencher.bench(|| now.count(black_box(&query), &[], 10_000));
}

#[divan::bench(args = ["everything", "type", "attack range", "phrase"])]
fn facets(bencher: Bencher<'_, '_>, name: &str) {
    let (now, query) = (now(), query(name));
    let wanted = ["type", "subtype"].map(|code| FacetAttribute { code, per_printing: false });
    bencher.bench(|| now.facets(&query.predicate, &[], &wanted));
}

#[divan::bench(args = ["everything", "type", "attack range"])]
fn random(bencher: Bencher<'_, '_>, name: &str) {
    let (now, query) = (now(), query(name));
    bencher.bench(|| now.random(&query, &[], black_box(123_456_789)));
}

fn typed(text: &str, near: bool) -> NameQuery {
    let (search_key, words) = (cardscape_engine::search_key(text), cardscape_search::words(text));
    NameQuery { search_key, words, near }
}

#[divan::bench(args = ["the", "fox", "kettle gar", "babe", "q"])]
fn suggest(bencher: Bencher<'_, '_>, text: &str) {
    let (now, query) = (now(), typed(text, text.len() > 2));
    bencher.bench(|| now.suggest_names(None, &query, &[], 10));
}

#[divan::bench(args = [false, true])]
fn named(bencher: Bencher<'_, '_>, near: bool) {
    let (now, query) = (now(), typed("kettle bababado garden", near));
    bencher.bench(|| now.named(NamePlace::default(), &query, &[]));
}

#[divan::bench(args = [1, 20])]
fn change(bencher: Bencher<'_, '_>, cards: u64) {
    let mut index = INDEX.clone();
    let mut at = 0;
    bencher.bench_local(|| {
        at += cards;
        let put = |at| Change::Put(Box::new(card(at % 10_000)));
        index.apply((at..at + cards).map(put).collect());
        index.snapshot()
    });
}

fn main() {
    divan::main();
}
