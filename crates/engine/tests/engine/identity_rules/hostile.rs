//! Cards and decks that no real game has: nothing panics, nothing overflows, and the order of entries does not matter.

use super::{GAME, MANIFEST, cards, names, only};
use crate::support::{card, outline, pool_card};
use cardscape_engine::{Catalogue, Deck, DeckEntry, Fix, Game, PoolCard, ReportStatus, validate};
use proptest::prelude::*;
use serde_json::{Value, json};

fn job(number: usize, attributes: Value) -> PoolCard {
    pool_card(
        "test",
        card(
            json!({ "number": format!("{number}"), "name": format!("Job {number}"), "kind": "job", "attributes": attributes }),
        ),
    )
}

fn judged(pool: Vec<PoolCard>, deck: &Deck, format: &str) -> cardscape_engine::Report {
    let catalogue = Catalogue::builder(&GAME).extend(pool).build();
    validate(deck, &catalogue, GAME.format(format).unwrap())
}

/// A number of copies of each of the first cards.
fn deck(cards: usize, copies: u32) -> Deck {
    Deck { entries: (0..cards).map(|at| DeckEntry::main(copies, format!("Job {at}"))).collect() }
}

#[test]
fn sums_do_not_overflow() {
    let pool = |cost: i64| (0..500).map(|at| job(at, json!({ "cost": cost }))).collect::<Vec<_>>();
    let report = judged(pool(i64::MAX), &deck(500, 10_000), "costs");
    let violation = only(&report, "BUDGET_EXCEEDED");
    assert_eq!(
        (violation.limit, violation.actual),
        (Some(10), Some(i64::MAX)),
        "as large as a number gets"
    );
    assert_eq!(violation.cards.len(), 20, "bounded");
    assert!(
        matches!(violation.fix, Some(Fix::RemoveAmong { ref names, quantity: 5_000_000 }) if names.len() == 500)
    );
    assert!(violation.message().contains("and 14 more"), "{}", violation.message());
    let report = judged(pool(i64::MIN), &deck(500, 10_000), "costs");
    let violation = only(&report, "BUDGET_BELOW_MIN");
    assert_eq!((violation.limit, violation.actual), (Some(-10), Some(i64::MIN)));
    // Both cancel each other out, in any order.
    let mixed = vec![job(0, json!({ "cost": i64::MAX })), job(1, json!({ "cost": -i64::MAX }))];
    assert_eq!(judged(mixed, &deck(2, u32::MAX), "costs").violations, []);
}

#[test]
fn what_is_no_whole_number_counts_nothing() {
    let odd = [
        json!(1e300),
        json!(10.5),
        json!(11.0),
        json!(u64::MAX),
        json!("11"),
        json!([11]),
        json!({ "x": 11 }),
        json!(null),
        json!(true),
    ];
    let pool: Vec<PoolCard> =
        odd.iter().enumerate().map(|(at, value)| job(at, json!({ "cost": value }))).collect();
    assert_eq!(judged(pool, &deck(odd.len(), 3), "costs").violations, []);
}

#[test]
fn negative_numbers_count_against_others() {
    let pool = vec![
        job(0, json!({ "cost": 7 })),
        job(1, json!({ "cost": -3 })),
        job(2, json!({ "cost": 5 })),
    ];
    assert_eq!(judged(pool.clone(), &deck(3, 1), "costs").violations, []);
    let report = judged(pool, &deck(3, 2), "costs");
    let violation = only(&report, "BUDGET_EXCEEDED");
    assert_eq!((violation.limit, violation.actual), (Some(10), Some(18)));
    assert_eq!(names(&violation), ["Job 0", "Job 2"], "what lowers the sum is not to blame");
    assert_eq!(violation.fix, Some(Fix::RemoveCopies { name: "Job 0".to_owned(), quantity: 2 }));
}

#[test]
fn bounds_that_no_game_states() {
    let boss = |size: Value, limit: Value| {
        let attributes =
            json!({ "faction": "docks", "minimum_size": size, "influence_limit": limit });
        let value =
            json!({ "number": "b", "name": "Boss", "kind": "boss", "attributes": attributes });
        pool_card("test", card(value))
    };
    let mut list = deck(1, 1);
    list.entries.push(DeckEntry { zone: "boss".to_owned(), ..DeckEntry::main(1, "Boss") });
    let found = |size: Value, limit: Value| {
        let foreign = job(0, json!({ "faction": "mint", "influence": 1 }));
        let report = judged(vec![boss(size, limit), foreign], &list, "standard");
        let mut lines = outline(&report.violations);
        lines.retain(|line| !line.contains("Y-5"));
        lines
    };
    assert_eq!(found(json!(-5), json!(null)), [""; 0]);
    assert_eq!(found(json!(i64::MIN), json!(i64::MAX)), [""; 0]);
    assert_eq!(found(json!(1.5), json!("none")), [""; 0]);
    let largest = i64::MAX;
    assert_eq!(
        found(json!(i64::MAX), json!(i64::MIN)),
        [
            format!("BUDGET_EXCEEDED Y-3 {} 1", i64::MIN),
            format!("DECK_SIZE_BELOW_MIN Y-2 {largest} 1"),
        ]
    );
}

/// Cards that contribute equally are sorted by name, not by their order in the pool.
#[test]
fn equals_stand_by_name() {
    let cards = |factions: [&str; 4]| -> Vec<PoolCard> {
        let jobs = factions.into_iter().enumerate();
        jobs.map(|(at, faction)| job(at, json!({ "faction": faction, "cost": 6 }))).collect()
    };
    let orders = |pool: &[PoolCard], format: &str, code: &str| {
        let backwards: Vec<PoolCard> = pool.iter().rev().cloned().collect();
        let list = Deck { entries: [deck(4, 1).entries, deck(1, 2).entries].concat() };
        let one = judged(pool.to_vec(), &list, format);
        assert_eq!(one, judged(backwards, &list, format), "{format}");
        let mut found = one.violations.into_iter().filter(|one| one.code.as_str() == code);
        let violation = found.next().unwrap();
        names(&violation).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let pool = cards(["mint", "opera", "docks", "neutral"]);
    let by_name = ["Job 0", "Job 1", "Job 2", "Job 3"];
    assert_eq!(orders(&pool, "costs", "BUDGET_EXCEEDED"), by_name);
    assert_eq!(orders(&pool, "family", "VALUE_LIMIT_EXCEEDED"), by_name[1..]);
    assert_eq!(orders(&pool, "family", "VALUE_REPEATED"), by_name);
}

/// A format and a pool of different games: meaningless, but without panic.
#[test]
fn pools_of_other_games_are_judged_somehow() {
    let other = Game::from_toml(&MANIFEST.replace("\"syndicate\"", "\"other\"")).unwrap();
    let catalogue = Catalogue::builder(&other).extend(cards()).build();
    for format in GAME.formats() {
        let report = validate(&deck(3, 2), &catalogue, format);
        assert_eq!(report, validate(&deck(3, 2), &catalogue, format));
        assert_ne!(report.status, ReportStatus::Legal, "no card is known");
    }
}

fn attribute_values() -> impl Strategy<Value = Value> {
    let numbers = prop_oneof![any::<i64>(), -3_i64..9];
    let words = proptest::sample::select(vec!["docks", "mint", "sun", "moon", "star", "rare", ""]);
    prop_oneof![
        4 => numbers.prop_map(Value::from),
        4 => words.clone().prop_map(Value::from),
        4 => proptest::collection::vec(words.prop_map(Value::from), 0..4).prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => Just(Value::Null),
        1 => Just(json!([[1], { "x": null }, 2])),
    ]
}

fn wild_pool() -> impl Strategy<Value = Vec<PoolCard>> {
    let codes = [
        "faction",
        "influence",
        "suits",
        "grade",
        "cost",
        "worth",
        "minimum_size",
        "influence_limit",
    ];
    let kinds = proptest::sample::select(vec!["job", "scheme", "boss"]);
    let one = (
        kinds,
        proptest::collection::vec(
            (proptest::sample::select(codes.to_vec()), attribute_values()),
            0..6,
        ),
    );
    proptest::collection::vec(one, 1..12).prop_map(|cards| {
        let cards = cards.into_iter().enumerate();
        cards
            .map(|(at, (kind, attributes))| {
                let attributes: serde_json::Map<String, Value> =
                    attributes.into_iter().map(|(code, value)| (code.to_owned(), value)).collect();
                let value = json!({ "number": format!("{at}"), "name": format!("Job {at}"), "kind": kind, "attributes": attributes });
                pool_card("test", card(value))
            })
            .collect()
    })
}

fn wild_deck() -> impl Strategy<Value = Deck> {
    let zones = proptest::sample::select(vec!["main", "main", "boss", "attic"]);
    let quantities = prop_oneof![4 => 0_u32..5, 1 => any::<u32>()];
    let entry = (zones, quantities, 0_usize..14).prop_map(|(zone, quantity, at)| DeckEntry {
        zone: zone.to_owned(),
        ..DeckEntry::main(quantity, format!("Job {at}"))
    });
    proptest::collection::vec(entry, 0..20).prop_map(|entries| Deck { entries })
}

proptest! {
    /// Every input gives a report, the same each time, which depends neither on the order of entries nor on that of the pool.
    #[test]
    fn reports_depend_on_content_alone(
        (pool, mixed_pool) in wild_pool().prop_flat_map(|pool| (Just(pool.clone()), Just(pool).prop_shuffle())),
        (deck, mixed) in wild_deck().prop_flat_map(|deck| (Just(deck.clone()), Just(deck.entries).prop_shuffle())),
    ) {
        let mixed = Deck { entries: mixed };
        let catalogue = Catalogue::builder(&GAME).extend(pool).build();
        let other = Catalogue::builder(&GAME).extend(mixed_pool).build();
        let grades = GAME.format("points").unwrap().with_variant("grades").unwrap();
        for format in GAME.formats().iter().chain([&grades]) {
            let report = validate(&deck, &catalogue, format);
            prop_assert!(report.violations.iter().all(|one| !one.message().is_empty() && one.cards.len() <= 20));
            prop_assert!(serde_json::to_string(&report).is_ok());
            prop_assert_eq!(&report, &validate(&mixed, &catalogue, format));
            prop_assert_eq!(&report, &validate(&mixed, &other, format));
        }
    }
}
