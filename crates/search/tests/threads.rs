//! The index does not depend on the number of threads that build it. Tested with real threads, and with enough cards for
//! several pieces of the size that the service uses.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::collections::BTreeSet;
use std::sync::Mutex;

use cardscape_engine::Effect;
use cardscape_search::index::{
    Builder, CardContent, CardRecord, EffectTags, FacetAttribute, Index, NamePlace, NameQuery,
    PrintingRecord, Runner, Snapshot, Task, Unlock,
};
use cardscape_search::{
    CardQuery, Comparison, KnownTest, Operator, Place, Predicate, SortKey, SumOf, Test, Unique,
    Words, words,
};
use chrono::DateTime;
use serde_json::Map;

/// Runs tasks on this many threads.
struct Threads(usize);

impl Runner for Threads {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        let tasks = Mutex::new(tasks.into_iter());
        let next = || tasks.lock().unwrap().next();
        std::thread::scope(|scope| {
            for _ in 0..self.0 {
                scope.spawn(|| std::iter::from_fn(next).for_each(|task| task()));
            }
        });
    }
}

fn pick<'a>(list: &[&'a str], at: u64) -> &'a str {
    list[usize::try_from(at).unwrap() % list.len()]
}

/// Enough for four pieces, and for ordinals on both sides of 65,536, where bitmaps begin a new container.
const CARDS: u64 = 68_000;
const NAMES: [&str; 7] =
    ["Ember Fox", "Éclair", "River Tortoise", "ember fox", "Old Lantern", "???", "Fox"];

fn content(at: u64) -> CardContent {
    let name = pick(&NAMES, at);
    let name = if at.is_multiple_of(3) { name.to_owned() } else { format!("{name} {at}") };
    let mut attributes = Map::new();
    // `kept` has exactly as many different values as can get a set each, `cut` one more. Each piece has fewer of them.
    attributes.insert("kept".to_owned(), format!("k{}", at % 20_000).into());
    attributes.insert("cut".to_owned(), format!("c{}", at % 20_001).into());
    attributes.insert("power".to_owned(), (at % 100).into());
    if at.is_multiple_of(2) {
        attributes.insert("types".to_owned(), vec!["fire", pick(&["dark", "old"], at / 2)].into());
        attributes.insert("about".to_owned(), pick(&["A fox", "no", ""], at).into());
    }
    let text = (at % 9 == 1).then(|| format!("Draw a card. {}", pick(&NAMES, at / 9)));
    let effects: Vec<Effect> = text
        .map(|text| Effect {
            style: Some(pick(&["active", "mill"], at).to_owned()),
            slot: None,
            text,
        })
        .into_iter()
        .collect();
    let printings =
        [("common", 1_i16), ("rare", 2)].into_iter().take(usize::try_from(at % 3).unwrap());
    let printings = printings.map(|(rarity, tier)| {
        let differs = at % 5 == u64::try_from(tier).unwrap();
        let power = differs.then(|| ("power".to_owned(), 500.into()));
        let about = (differs && at.is_multiple_of(7))
            .then(|| ("about".to_owned(), format!("fossil {}", at % 11).into()));
        let own = power.into_iter().chain(about);
        PrintingRecord { rarity: rarity.to_owned(), tier, attributes: own.collect() }
    });
    CardContent {
        kind: pick(&["spell", "unit", "spell", "spell"], at).to_owned(),
        words: Words::of(&name, &effects, None, &attributes),
        effects: effects
            .into_iter()
            .map(|effect| EffectTags { style: effect.style, slot: effect.slot })
            .collect(),
        has_lore: false,
        printings: printings.collect(),
        name,
        attributes,
    }
}

fn card(at: u64) -> CardRecord {
    let unlock = match at % 40 {
        7 => Unlock::Hidden,
        8 => Unlock::At(DateTime::from_timestamp_micros(1_700_000_000_000_000).unwrap()),
        _ => Unlock::Never,
    };
    CardRecord {
        id: u128::from(at.wrapping_mul(0xd134_2543_de82_ef95)) << 64 | u128::from(at),
        game: pick(&["bb", "aa", "aa", "aa", "aa"], at).to_owned(),
        set: pick(&["one", "two", "three"], at / 5).to_owned(),
        number: format!("{at:05}"),
        content: (unlock != Unlock::Hidden).then(|| content(at)),
        unlock,
    }
}

fn build(cards: &[CardRecord], runner: &dyn Runner) -> Index {
    let mut builder = Builder::new();
    builder.sum(vec!["power".to_owned(), "missing".to_owned()]);
    builder.sum(vec!["power".to_owned(), "power".to_owned()]);
    for card in cards {
        builder.push(card.clone());
    }
    builder.finish_with(runner)
}

fn queries() -> Vec<CardQuery> {
    let text = |text: &str| text.to_owned();
    let choice = |attribute: &str, value: &str, per_printing| {
        let (attribute, values) = (text(attribute), vec![text(value)]);
        Predicate::content(Test::Choice { attribute, per_printing, values })
    };
    let number = |sum: &[&str], per_printing, compared| {
        let sum = sum.iter().map(|code| text(code)).collect();
        Predicate::content(Test::Number { sum, per_printing, compared })
    };
    let in_words = |place, typed: &str| Predicate::content(Test::Words(place, words(typed)));
    let about = |per_printing| Place::Attribute { attribute: text("about"), per_printing };
    let predicates = [
        Predicate::always(),
        choice("kept", "k77", false),
        Predicate::All(vec![choice("cut", "c77", true), choice("kept", "k77", false)]),
        choice("types", "dark", false),
        number(&["power"], false, Comparison::Between(20, 30)),
        number(&["power"], true, Comparison::Is(Operator::Greater, 98)),
        number(&["power", "power"], true, Comparison::Is(Operator::Less, 6)),
        in_words(Place::Everywhere, "fox"),
        in_words(Place::Text, "draw a card"),
        in_words(about(false), "fo"),
        in_words(about(true), "fo"),
        in_words(about(true), "fossil 3"),
        Predicate::content(Test::HasAttribute { attribute: text("about"), per_printing: false }),
        Predicate::content(Test::HasAttribute { attribute: text("about"), per_printing: true }),
        Predicate::content(Test::Rarities(vec![text("rare")])),
        Predicate::content(Test::Styles(vec![text("mill")])),
        Predicate::content(Test::Name(text("ember fox"))),
        Predicate::content(Test::NamePrefix(text("old lantern 1"))),
        Predicate::known(KnownTest::Hidden),
        Predicate::known(KnownTest::Unlocked),
        Predicate::known(KnownTest::NumberValue(Comparison::Is(Operator::AtMost, 400))),
    ];
    let power = || SortKey::Sum(vec![SumOf { of: None, attributes: vec![text("power")] }]);
    let sorts = [SortKey::Place, SortKey::Name, power()];
    let of = |(at, predicate): (usize, Predicate)| {
        [Unique::Cards, Unique::Printings].map(|unique| CardQuery {
            predicate: predicate.clone(),
            sort: sorts[at % 3].clone(),
            descending: at % 2 == 1,
            unique,
        })
    };
    predicates.into_iter().enumerate().flat_map(of).collect()
}

/// Checks that both snapshots give the same results and use the same amount of memory.
fn assert_same(one: &Snapshot, other: &Snapshot, ids: impl IntoIterator<Item = u128>) {
    assert_eq!((one.cards(), one.hidden()), (other.cards(), other.hidden()));
    assert_eq!(one.memory(), other.memory());
    let bytes = [one, other].map(Snapshot::memory_bytes);
    assert_eq!(bytes, [one, other].map(|now| now.memory().values().sum::<usize>()));
    for query in queries() {
        let pages = [one, other].map(|index| index.search(&query, &[], None, 300));
        assert_eq!(pages[0], pages[1], "{query:?}");
        let counts = [one, other].map(|index| index.count(&query, &[], u64::MAX));
        assert_eq!(counts[0], counts[1], "{query:?}");
        let chosen = [one, other].map(|index| index.random(&query, &[], 123_457));
        assert_eq!(chosen[0], chosen[1], "{query:?}");
    }
    // For an attribute of which some values have no set (`cut`), cards are read one by one. This is slow, so few are counted.
    let few = Predicate::content(Test::NamePrefix("old lantern 1".to_owned()));
    for (predicate, codes) in
        [(Predicate::always(), ["kept", "types", "power"]), (few, ["cut", "about", "power"])]
    {
        let wanted = codes.map(|code| FacetAttribute { code, per_printing: code == "power" });
        let facets = [one, other].map(|index| index.facets(&predicate, &[], &wanted));
        assert_eq!(facets[0], facets[1]);
    }
    for (key, near) in [("ember fox", true), ("fox 1", true), ("???", false), ("", false)] {
        let query = NameQuery { search_key: key.to_owned(), words: words(key), near };
        let named = [one, other].map(|index| index.named(NamePlace::default(), &query, &[]));
        assert_eq!(named[0], named[1], "{key}");
        let same = [one, other].map(|index| index.same_name("aa", key, &[]));
        assert_eq!(same[0], same[1], "{key}");
        let names = [one, other].map(|index| index.suggest_names(None, &query, &[], 50));
        assert_eq!(names[0], names[1], "{key}");
    }
    for id in ids {
        assert_eq!(one.card(id), other.card(id));
    }
}

#[test]
fn the_index_does_not_depend_on_the_number_of_threads() {
    let mut cards: Vec<CardRecord> = (0..CARDS).map(|at| card(at * 7_919 % CARDS)).collect();
    // Some cards are added again, with other content.
    let again = (0..CARDS).step_by(61).map(card);
    let again = again.map(|card| CardRecord {
        content: card.content.map(|_| content(u64::from(u32::MAX))),
        ..card
    });
    cards.extend(again.collect::<Vec<_>>());
    let expected = build(&cards, &Threads(1)).snapshot();
    let ids: BTreeSet<u128> = cards.iter().map(|card| card.id).collect();
    let hidden = cards.iter().filter(|card| card.content.is_none()).map(|card| card.id);
    assert_eq!(expected.cards(), ids.len());
    assert_eq!(expected.hidden(), hidden.collect::<BTreeSet<_>>().len());
    for threads in [2, 5] {
        let found = build(&cards, &Threads(threads)).snapshot();
        assert_same(&found, &expected, ids.iter().copied().step_by(97));
    }
}

#[test]
fn few_cards_need_no_pieces() {
    let runners: [&dyn Runner; 4] = [&Idle, &Threads(1), &Threads(2), &Threads(5)];
    for many in [0, 1, 2] {
        let cards: Vec<CardRecord> = (6..6 + many).map(card).collect();
        for runner in runners {
            let found = build(&cards, runner).snapshot();
            assert_eq!(found.cards(), cards.len());
            assert_eq!(found.hidden(), usize::from(many == 2));
            assert_same(&found, &build(&cards, &Threads(1)).snapshot(), []);
            for card in &cards {
                assert_eq!(found.card(card.id).as_ref(), Some(card));
                assert_eq!(found.at(&card.game, &card.set, &card.number), Some(card.id));
            }
        }
    }
}

/// Drops all tasks: the builder must then run them on its own thread.
struct Idle;

impl Runner for Idle {
    fn threads(&self) -> usize {
        0
    }

    fn run(&self, tasks: Vec<Task<'_>>) {
        drop(tasks);
    }
}
