//! Counts, shares and curves.

use std::sync::Arc;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckEntry, Distribution, NumberSummary, ZoneStatistics,
    deck_statistics, parse_deck_text,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{fish, fish_name, pond};
use crate::support::{GAMES, card, deck, files, game, pool, pool_card, shipped, spell, unit};

fn main_zone(deck: &Deck, catalogue: &Catalogue) -> ZoneStatistics {
    deck_statistics(deck, catalogue).zones.swap_remove(0)
}

fn values(of: &Distribution) -> Vec<(Value, u64)> {
    of.values.iter().map(|one| (one.value.clone(), one.copies)).collect()
}

fn bars(of: &NumberSummary) -> Vec<(i64, u64)> {
    of.curve.iter().map(|bar| (bar.value, bar.copies)).collect()
}

#[test]
fn every_attribute_of_the_schema_is_counted() {
    let pool = pool(
        &game("ttcg"),
        [unit("Ember", "fire", 1), unit("Reef", "water", 3), spell("Bell", 2, 10, 0)],
    );
    let zone = main_zone(&deck([(2, "Ember"), (1, "Reef"), (1, "Bell"), (1, "Ember")]), &pool);
    assert_eq!((zone.cards, zone.known, zone.unknown, zone.ambiguous), (5, 5, 0, 0));
    assert_eq!(values(&zone.kinds), [(json!("unit"), 4), (json!("spell"), 1)]);
    assert_eq!(values(&zone.sets), [(json!("test"), 5)]);
    // In the order of the manifest, not of the copies: earth, water, fire, …, and spells after all units.
    let types = &zone.attributes["type"];
    assert_eq!(values(types), [(json!("water"), 1), (json!("fire"), 3), (json!("spell"), 1)]);
    let share = types.values[1].share;
    assert_eq!((share.numerator, share.denominator), (3, 5));
    assert!((share.value - 0.6).abs() < 1e-15);
    let subtypes = &zone.attributes["subtypes"];
    assert_eq!((subtypes.with_value, subtypes.without), (4, 1));
    let rank = zone.attributes["rank"].numbers.as_ref().unwrap();
    assert_eq!(bars(rank), [(1, 3), (2, 1), (3, 1)]);
    assert!((rank.mean - 1.6).abs() < 1e-15 && (rank.median - 1.0).abs() < 1e-15);
    let wanted =
        ["about", "attack", "boost_attack", "boost_defense", "defense", "rank", "subtypes", "type"];
    assert!(zone.attributes.keys().eq(wanted), "{:?}", zone.attributes.keys());
    assert_eq!((zone.attributes["about"].without, &zone.attributes["about"].numbers), (5, &None));
}

/// Attack differs by rarity: 250 for rank 1, and 50 more in the sixth tier.
#[test]
fn a_written_rarity_has_its_own_numbers() {
    let pool = pool(&game("ttcg"), [unit("Ember", "fire", 1)]);
    let list = parse_deck_text("2 Ember\n1 Ember {primal rare}\n1 Ember {legendary}\n").deck;
    let zone = main_zone(&list, &pool);
    assert_eq!((zone.known, zone.other_printings), (4, 1));
    let attack = zone.attributes["attack"].numbers.as_ref().unwrap();
    assert_eq!((attack.min, attack.max, attack.copies), (250, 300, 4));
    let rarities = &zone.rarities;
    assert_eq!(values(rarities), [(json!("primal_rare"), 1)]);
    assert_eq!((rarities.with_value, rarities.without, rarities.unclear), (1, 2, 1));
    assert_eq!((zone.sets.with_value, zone.sets.unclear), (3, 1));
}

#[test]
fn an_old_name_with_a_set_means_the_card_of_this_set() {
    let pike =
        |set: &str| pool_card(set, card(json!({ "number": "1", "name": "Pike", "kind": "fish" })));
    let old = CardReference {
        name: "Jack".to_owned(),
        set: Some("shore".to_owned()),
        number: None,
        rarity: None,
    };
    let pool = Catalogue::builder(&pond(""))
        .extend([pike("shore"), pike("deep")])
        .meaning(old.clone(), "shore/1")
        .build();
    let list = Deck { entries: vec![DeckEntry { card: old, ..DeckEntry::main(2, "") }] };
    let zone = main_zone(&list, &pool);
    assert_eq!((values(&zone.sets), zone.sets.unclear), (vec![(json!("shore"), 2)], 0));
}

#[test]
fn unknown_cards_and_zones_are_never_dropped() {
    let game = pond("");
    let pool = fish(&game, [2]);
    let mut list = parse_deck_text("3 Fish 2\n2 Crab\n1 crab (reef)\n1 Crab\n").deck;
    list.entries.push(DeckEntry { zone: "attic".to_owned(), ..DeckEntry::main(4, "Fish 2") });
    list.entries.push(DeckEntry::main(0, "Fish 2"));
    let statistics = deck_statistics(&list, &pool);
    assert_eq!((statistics.cards, statistics.elsewhere), (11, 4));
    let zone = &statistics.zones[0];
    assert_eq!((zone.cards, zone.known, zone.unknown), (7, 3, 4));
    let reported: Vec<_> =
        zone.unknown_cards.iter().map(|one| (one.name.as_str(), one.quantity)).collect();
    assert_eq!(reported, [("Crab", Some(3)), ("crab", Some(1))]);
    assert_eq!(zone.attributes["size"].values[0].share.denominator, 3);
}

/// Two cards of one name: values that they share count, values that differ are unclear.
#[test]
fn ambiguous_names_count_where_the_cards_agree() {
    let game = pond("");
    let fish = |set: &str, number: &str, size: i64| {
        let definition = card(json!({
            "number": number, "name": "Carp", "kind": "fish", "attributes": { "size": size, "note": "grey" },
        }));
        pool_card(set, definition)
    };
    let pool = Catalogue::builder(&game)
        .extend([fish("shore", "1", 2), fish("reef", "7", 3), fish("reef", "8", 3)])
        .build();
    let list = parse_deck_text("4 Carp\n2 Carp (reef)\n1 Carp (shore)\n1 Carp (moor)\n").deck;
    let zone = main_zone(&list, &pool);
    // The two of the reef differ in nothing but their numbers.
    assert_eq!((zone.known, zone.ambiguous, zone.other_printings), (8, 4, 1));
    assert_eq!(values(&zone.attributes["note"]), [(json!("grey"), 8)]);
    let size = &zone.attributes["size"];
    assert_eq!(values(size), [(json!(2), 1), (json!(3), 2)]);
    assert_eq!((size.with_value, size.without, size.unclear), (3, 0, 5));
    assert_eq!(values(&zone.sets), [(json!("reef"), 2), (json!("shore"), 1)]);
    assert_eq!((zone.sets.unclear, zone.kinds.unclear), (5, 0));
}

#[test]
fn lists_count_each_element_once() {
    let game = pond("");
    let colours = |name: &str, colours: Value| {
        card(
            json!({ "number": "1", "name": name, "kind": "fish", "attributes": { "colours": colours } }),
        )
    };
    let pool = pool(
        &game,
        [
            colours("Both", json!(["blue", "red"])),
            colours("Twice", json!(["blue", "blue"])),
            colours("None", json!([])),
        ],
    );
    let zone = main_zone(&deck([(1, "Both"), (2, "Twice"), (4, "None")]), &pool);
    let colours = &zone.attributes["colours"];
    assert_eq!(values(colours), [(json!("red"), 1), (json!("blue"), 3)]);
    assert_eq!((colours.with_value, colours.without), (3, 4));
}

#[test]
fn long_curves_show_the_span_with_the_most_copies() {
    let game = pond("");
    let pool = fish(&game, [-5_000, 0, 10, 40, 49, 50, i64::MAX]);
    let list = deck([
        (9, "Fish minus 5000"),
        (2, "Fish 0"),
        (3, "Fish 10"),
        (1, "Fish 40"),
        (1, "Fish 49"),
        (2, "Fish 50"),
        (1, "Fish 9223372036854775807"),
    ]);
    let size = main_zone(&list, &pool).attributes["size"].numbers.clone().unwrap();
    assert_eq!((size.min, size.max, size.copies), (-5_000, i64::MAX, 19));
    assert_eq!(size.curve.len(), 50);
    assert_eq!(
        (size.curve[0].value, size.curve[0].copies, size.below, size.above),
        (-5_000, 9, 0, 10)
    );
    let list = deck([
        (2, "Fish minus 5000"),
        (2, "Fish 0"),
        (3, "Fish 10"),
        (1, "Fish 40"),
        (1, "Fish 49"),
        (2, "Fish 50"),
    ]);
    let size = main_zone(&list, &pool).attributes["size"].numbers.clone().unwrap();
    // From 0 to 49 and from 10 on there are seven copies each; the lower span is chosen.
    assert_eq!((size.curve[0].value, size.curve[49].value, size.below, size.above), (0, 49, 2, 2));
    assert_eq!(size.curve.iter().map(|bar| bar.copies).sum::<u64>(), 7);
    assert!((size.median - 10.0).abs() < 1e-15, "{}", size.median);
}

#[test]
fn the_median_of_an_even_number_lies_between() {
    let pool = fish(&pond(""), [1, 4]);
    let size =
        main_zone(&deck([(2, "Fish 1"), (2, "Fish 4")]), &pool).attributes["size"].numbers.clone();
    assert!((size.unwrap().median - 2.5).abs() < 1e-15);
}

/// 500 entries of 500 different cards: the lists end, and say what they leave out.
#[test]
fn hostile_decks_have_bounded_answers() {
    let pool = fish(&pond(""), 0..300);
    let known = (0..300).map(|size| (u32::MAX, format!("Fish {size}")));
    let unknown = (0..200).map(|at| (1, format!("Nobody {at:03}")));
    let entries = known.chain(unknown).map(|(copies, name)| DeckEntry::main(copies, name));
    let zone = main_zone(&Deck { entries: entries.collect() }, &pool);
    assert_eq!((zone.known, zone.unknown), (300 * u64::from(u32::MAX), 200));
    assert_eq!((zone.unknown_cards.len(), zone.unknown_cards_left_out), (100, 100));
    let size = &zone.attributes["size"];
    assert_eq!(size.values.len(), 100);
    let other = size.other.as_ref().unwrap();
    assert_eq!((other.values, other.copies), (200, 200 * u64::from(u32::MAX)));
    let numbers = size.numbers.as_ref().unwrap();
    assert_eq!((numbers.curve.len(), numbers.above), (50, 250 * u64::from(u32::MAX)));
    assert!((numbers.mean - 149.5).abs() < 1e-12, "{}", numbers.mean);
}

#[test]
fn the_answer_as_json() {
    let pool = fish(&pond(""), [1, 3]);
    let reported =
        json!(deck_statistics(&deck([(1, "Fish 1"), (1, "Fish 3"), (1, "Crab")]), &pool));
    let zone = &reported["zones"][0];
    assert_eq!(reported["game"], "pond");
    let share = json!({ "numerator": 1, "denominator": 2, "value": 0.5 });
    assert_eq!(
        zone["attributes"]["size"],
        json!({
            "with_value": 2, "without": 0, "unclear": 0,
            "values": [{ "value": 1, "copies": 1, "share": share }, { "value": 3, "copies": 1, "share": share }],
            "numbers": {
                "copies": 2, "min": 1, "max": 3, "mean": 2.0, "median": 2.0, "below": 0, "above": 0,
                "curve": [{ "value": 1, "copies": 1 }, { "value": 2, "copies": 0 }, { "value": 3, "copies": 1 }],
            },
        })
    );
}

/// The sample decks of all games, without unknown cards.
#[test]
fn every_sample_deck_adds_up() {
    for code in GAMES {
        for (file, text) in files(code, "decks") {
            if !file.starts_with("legal") {
                continue;
            }
            let statistics = deck_statistics(&parse_deck_text(&text).deck, &shipped(code));
            let zone = &statistics.zones[0];
            assert_eq!((zone.cards, zone.unknown), (statistics.cards, 0), "{code}/{file}");
            assert!(zone.cards > 0, "{code}/{file}");
            for (attribute, of) in &zone.attributes {
                assert_eq!(
                    of.with_value + of.without + of.unclear,
                    zone.known,
                    "{code}/{file}: {attribute}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same as a simple count, for any order of the lines.
    #[test]
    fn numbers_are_those_of_a_simple_count(lines in proptest::collection::vec((1_u32..9, -40_i64..40), 1..30)) {
        let game = pond("");
        let sizes: std::collections::BTreeSet<i64> = lines.iter().map(|(_, size)| *size).collect();
        let pool: Arc<Catalogue> = fish(&game, sizes);
        let entries: Vec<DeckEntry> =
            lines.iter().map(|(copies, size)| DeckEntry::main(*copies, fish_name(*size))).collect();
        let backwards = Deck { entries: entries.iter().rev().cloned().collect() };
        let list = Deck { entries };
        prop_assert_eq!(deck_statistics(&list, &pool), deck_statistics(&backwards, &pool));
        let mut all: Vec<i64> =
            lines.iter().flat_map(|(copies, size)| std::iter::repeat_n(*size, *copies as usize)).collect();
        all.sort_unstable();
        let size = main_zone(&list, &pool).attributes["size"].numbers.clone().unwrap();
        prop_assert_eq!(size.copies, all.len() as u64);
        #[expect(clippy::cast_precision_loss, reason = "small")]
        let (mean, median) = (
            all.iter().sum::<i64>() as f64 / all.len() as f64,
            (all[(all.len() - 1) / 2] + all[all.len() / 2]) as f64 / 2.0,
        );
        prop_assert!((size.mean - mean).abs() < 1e-12 && (size.median - median).abs() < 1e-12);
        for bar in &size.curve {
            prop_assert_eq!(bar.copies, all.iter().filter(|size| **size == bar.value).count() as u64);
        }
        let shown: u64 = size.curve.iter().map(|bar| bar.copies).sum();
        prop_assert_eq!(shown + size.below + size.above, size.copies);
        // No other span of this length has more.
        let best = all.iter().map(|from| all.iter().filter(|size| (*from..from + 50).contains(*size)).count()).max();
        prop_assert_eq!(Some(shown), best.map(|best| best as u64));
    }
}
