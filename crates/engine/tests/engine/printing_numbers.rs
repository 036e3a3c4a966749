//! Printings computed from the base numbers of a design.

use cardscape_engine::{
    Attributes, CardDefinition, Game, NumberBudget, PrintingDefinition, Violation, check_card,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{
    GAMES, HARBOUR, RARITIES, card, cards, codes, game, outline, set_printing, spell, unit, with,
};

/// The card with its printings derived from its own values.
fn derived(game: &Game, card: &CardDefinition) -> CardDefinition {
    CardDefinition { printings: game.derive_printings(card), ..card.clone() }
}

fn judged(game: &Game, card: &CardDefinition) -> Vec<Violation> {
    check_card(game, &derived(game, card))
}

fn bare(card: CardDefinition) -> CardDefinition {
    CardDefinition { printings: Vec::new(), ..card }
}

/// The two numbers of each derived printing of a TTCG card.
fn numbers(card: &CardDefinition, of: [&str; 2]) -> Vec<(i64, i64)> {
    let number = |printing: &PrintingDefinition, name| printing.attributes[name].as_i64().unwrap();
    let printings = game("ttcg").derive_printings(card);
    printings.iter().map(|one| (number(one, of[0]), number(one, of[1]))).collect()
}

fn units(attack: i64, rank: i64) -> CardDefinition {
    let card = with(bare(unit("Lantern Guard", "light", rank)), "attack", json!(attack));
    with(card, "defense", json!(500 * rank - attack))
}

#[test]
fn a_total_is_split_in_proportion() {
    let of = ["attack", "defense"];
    let even = [(750, 750), (755, 755), (760, 760), (765, 765), (770, 770), (775, 775)];
    assert_eq!(numbers(&units(750, 3), of), even, "as in the document's example");
    let uneven = [(400, 100), (408, 102), (416, 104), (424, 106), (432, 108), (440, 110)];
    assert_eq!(numbers(&units(400, 1), of), uneven);
    let rounded = [(333, 167), (340, 170), (346, 174), (353, 177), (360, 180), (366, 184)];
    assert_eq!(numbers(&units(333, 1), of), rounded);
    assert_eq!(numbers(&units(0, 1), of)[5], (0, 550));
}

#[test]
fn a_gain_is_split_evenly() {
    let boosts =
        numbers(&bare(spell("Borrowed Courage", 1, 20, -30)), ["boost_attack", "boost_defense"]);
    assert_eq!(boosts, [(20, -30), (23, -28), (25, -25), (28, -23), (30, -20), (33, -18)]);
    // If one attribute is at its upper bound, the other takes all.
    let high =
        numbers(&bare(spell("Borrowed Courage", 1, 9998, 0)), ["boost_attack", "boost_defense"]);
    assert_eq!(high[5], (9999, 24));
}

#[test]
fn what_the_designer_wrote_wins() {
    let game = game("ttcg");
    let mut design = units(250, 1);
    let own = |rarity: &str, attributes: Value| -> PrintingDefinition {
        serde_json::from_value(json!({ "rarity": rarity, "attributes": attributes })).unwrap()
    };
    design.printings = vec![
        own("rare", json!({ "attack": 520, "defense": 0 })),
        own("uncommon", json!({ "defense": 400 })),
    ];
    let derived = derived(&game, &design);
    assert!(check_card(&game, &derived).is_empty());
    let rarities: Vec<&str> = derived.printings.iter().map(|one| &*one.rarity).collect();
    assert_eq!(rarities, RARITIES);
    assert_eq!(derived.printings[2], design.printings[0]);
    assert_eq!(derived.printings[1].attributes["attack"], 110, "what is left of 510");

    // A wrong value stays, so that it is reported.
    design.printings = vec![
        own("rare", json!({ "attack": 1, "defense": "high" })),
        own("gold", json!({ "attack": 1 })),
        own("rare", json!({})),
        own("common", json!({ "attack": 7 })),
    ];
    let reported = judged(&game, &design);
    assert_eq!(
        codes(&reported),
        [
            "PRINTING_BASE_MISMATCH",
            "UNIT_STAT_TOTAL",
            "ATTRIBUTE_TYPE_MISMATCH",
            "RARITY_UNKNOWN",
            "UNIT_STAT_TOTAL",
            "PRINTING_DUPLICATE",
            "UNIT_STAT_TOTAL"
        ]
    );
    design.printings = vec![own("rare", json!({ "attack": 521 }))];
    assert_eq!(outline(&judged(&game, &design)), ["UNIT_STAT_TOTAL T-4.6b 520 521"]);
}

#[test]
fn kinds_with_some_rarities_have_those_of_the_card() {
    let harbour = game(HARBOUR);
    let cargo = |printings: Value| {
        card(json!({ "number": "1", "name": "Tea", "kind": "cargo", "printings": printings,
                     "attributes": { "weight": 3, "price": 7 } }))
    };
    let rarities = |card: &CardDefinition| -> Vec<(String, Option<i64>)> {
        let printings = harbour.derive_printings(card);
        let one = |one: &PrintingDefinition| {
            (one.rarity.clone(), one.attributes.get("price").and_then(Value::as_i64))
        };
        printings.iter().map(one).collect()
    };
    let named = |rarity: &str, price| (rarity.to_owned(), Some(price));
    assert_eq!(rarities(&cargo(json!([]))), [named("plain", 7)]);
    assert_eq!(rarities(&cargo(json!([{ "rarity": "gilded" }]))), [named("gilded", 9)]);
    let ship = card(json!({ "number": "1", "name": "Gull", "kind": "ship",
                            "attributes": { "class": "sloop", "crew": 4, "guns": 6 } }));
    assert_eq!(rarities(&ship), [("plain".to_owned(), None)], "nothing varies");
    let unknown = CardDefinition { kind: "trap".to_owned(), ..ship };
    assert_eq!(
        (harbour.derive_printings(&unknown), harbour.number_budgets(&unknown)),
        (vec![], vec![])
    );
}

#[test]
fn budgets_tell_what_each_printing_must_come_to() {
    let game = game("ttcg");
    let totals = |budgets: &[NumberBudget]| -> Vec<Option<i64>> {
        budgets.iter().map(|budget| budget.total).collect()
    };
    let budgets = game.number_budgets(&units(200, 2));
    assert_eq!(totals(&budgets), [1000, 1010, 1020, 1030, 1040, 1050].map(Some));
    assert_eq!((&*budgets[1].rarity, &*budgets[1].reference.rule), ("uncommon", "T-4.6b"));
    assert_eq!(budgets[1].of, ["attack", "defense"]);
    assert!(budgets[1].at_least.is_empty());
    let mut open = units(200, 2);
    open.attributes.remove("rank");
    assert_eq!(totals(&game.number_budgets(&open)), [None; 6]);

    let mut spell = bare(spell("Borrowed Courage", 1, 20, -30));
    let budgets = game.number_budgets(&spell);
    assert_eq!(totals(&budgets), [-10, -5, 0, 5, 10, 15].map(Some));
    assert_eq!(
        (budgets[3].at_least["boost_attack"], budgets[3].at_least["boost_defense"]),
        (20, -30)
    );
    spell.attributes.remove("boost_attack");
    let budgets = game.number_budgets(&spell);
    assert_eq!((budgets[3].total, budgets[3].at_least.len()), (None, 1));
}

/// Every shipped card could have been designed by its base numbers alone.
#[test]
fn shipped_cards_have_sound_derived_printings() {
    for code in GAMES.into_iter().chain([HARBOUR]) {
        let game = game(code);
        for card in cards(code).map(|card| card.definition) {
            assert_eq!(derived(&game, &card).printings.len(), card.printings.len().max(1));
            let found = judged(&game, &bare(card.clone()));
            assert!(found.is_empty(), "{code}: {}: {found:?}", card.name);
            if code == "ttcg" && !card.printings.is_empty() {
                assert_eq!(game.derive_printings(&card), card.printings, "{}", card.name);
            }
        }
    }
}

/// A valid base card of TTCG, and for each rarity whether the designer wrote that printing (with the share of its total that goes to the first
/// attribute), and whether both of its numbers.
fn designs() -> impl Strategy<Value = (CardDefinition, Vec<Option<(f64, bool)>>)> {
    let base = prop_oneof![
        (1_i64..=5, 0.0_f64..=1.0).prop_map(|(rank, split)| units(share(500 * rank, split), rank)),
        (1_i64..=3, -9999_i64..=9974, -9999_i64..=9974)
            .prop_map(|(rank, attack, defense)| bare(spell("Courage", rank, attack, defense))),
    ];
    (base, prop::collection::vec(prop::option::of((0.0_f64..=1.0, any::<bool>())), 6))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "a split")]
fn share(total: i64, split: f64) -> i64 {
    (total as f64 * split) as i64
}

proptest! {
    #[test]
    fn derived_printings_are_sound_and_own_ones_stay((base, own) in designs()) {
        let game = game("ttcg");
        prop_assert_eq!(outline(&judged(&game, &base)), Vec::<String>::new());
        let mut design = base.clone();
        let budgets = game.number_budgets(&base);
        for (tier, (budget, own)) in budgets.iter().zip(own).enumerate().skip(1) {
            let Some((split, both)) = own else { continue };
            let total = budget.total.unwrap();
            let least: Vec<i64> =
                budget.of.iter().map(|name| budget.at_least.get(name).copied().unwrap_or(0)).collect();
            let first = least[0] + share(total - least[0] - least[1], split);
            design.printings.push(PrintingDefinition { rarity: RARITIES[tier].to_owned(), attributes: Attributes::new() });
            let numbers = [(&*budget.of[0], first), (&*budget.of[1], total - first)];
            set_printing(&mut design, RARITIES[tier], if both { &numbers } else { &numbers[..1] });
        }
        let whole = derived(&game, &design);
        prop_assert_eq!(outline(&check_card(&game, &whole)), Vec::<String>::new());
        for printing in &design.printings {
            let kept = whole.printings.iter().find(|one| one.rarity == printing.rarity).unwrap();
            for (name, value) in &printing.attributes {
                prop_assert_eq!(&kept.attributes[name], value);
            }
        }
        prop_assert_eq!(game.derive_printings(&whole), whole.printings, "nothing is left to derive");
    }

    /// All numbers give an answer, and no value of the card is lost.
    #[test]
    fn any_numbers_will_do(
        base in prop::collection::vec(any::<i64>(), 2),
        own in prop::collection::vec((0_usize..7, prop::option::of(any::<i64>())), 0..4),
        rank in any::<i64>(),
    ) {
        for (code, kind, names) in [
            ("ttcg", "unit", ["attack", "defense"]),
            ("ttcg", "spell", ["boost_attack", "boost_defense"]),
            (HARBOUR, "cargo", ["price", "weight"]),
        ] {
            let mut wild = bare(CardDefinition { kind: kind.to_owned(), ..units(0, 1) });
            wild.attributes.insert("rank".to_owned(), json!(rank % 7));
            for (name, value) in names.iter().zip(&base) {
                wild.attributes.insert((*name).to_owned(), json!(value));
            }
            for (rarity, value) in &own {
                let rarity = RARITIES.get(*rarity).copied().unwrap_or("gilded");
                let attributes = value.iter().map(|value| (names[0].to_owned(), json!(value))).collect();
                wild.printings.push(PrintingDefinition { rarity: rarity.to_owned(), attributes });
            }
            let printings = game(code).derive_printings(&wild);
            for own in &wild.printings {
                let stays = |one: &&PrintingDefinition| one.rarity == own.rarity
                    && own.attributes.iter().all(|(name, value)| one.attributes.get(name) == Some(value));
                prop_assert!(printings.iter().any(|one| stays(&one)));
            }
            game(code).number_budgets(&wild);
        }
    }
}
