//! TTCG card definitions. Tests are named after the rules.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use cardscape_engine::{CardDefinition, Violation, card_faults, check_card};
use serde_json::json;
use support::{RARITIES, codes, game, outline, set_printing, spell, unit};

fn check(card: &CardDefinition) -> Vec<Violation> {
    check_card(&game("ttcg"), card)
}

/// Whether one printing of a card passes; the card's other printings are sound.
fn passes(mut card: CardDefinition, rarity: &str, values: &[(&str, i64)]) -> bool {
    set_printing(&mut card, rarity, values);
    let violations = check(&card);
    for violation in &violations {
        assert!(
            matches!(violation.code.as_str(), "UNIT_STAT_TOTAL" | "SPELL_BOOST_TOTAL"),
            "{violation:?}"
        );
    }
    violations.is_empty()
}

fn unit_passes(rank: i64, rarity: &str, attack: i64, defense: i64) -> bool {
    passes(
        unit("Lantern Guard", "light", rank),
        rarity,
        &[("attack", attack), ("defense", defense)],
    )
}

fn boost_passes(base: (i64, i64), rarity: &str, attack: i64, defense: i64) -> bool {
    let card = spell("Borrowed Courage", 1, base.0, base.1);
    passes(card, rarity, &[("boost_attack", attack), ("boost_defense", defense)])
}

#[test]
fn t_t1_the_rank_3_example() {
    assert!(unit_passes(3, "common", 750, 750));
    assert!(unit_passes(3, "primal_rare", 775, 775));
    let mut card = unit("Lantern Guard", "light", 3);
    set_printing(&mut card, "primal_rare", &[("attack", 775), ("defense", 776)]);
    assert_eq!(outline(&check(&card)), ["UNIT_STAT_TOTAL T-4.6b 1550 1551"]);
}

#[test]
fn t_t2_t_4_6b_t_i10_all_30_unit_totals() {
    for rank in 1..=5 {
        for (tier, rarity) in (0..).zip(RARITIES) {
            let total = 500 * rank + 10 * tier;
            for attack in [0, 1, total / 2, total] {
                assert!(unit_passes(rank, rarity, attack, total - attack), "rank {rank} {rarity}");
                assert!(
                    !unit_passes(rank, rarity, attack, total - attack + 1),
                    "rank {rank} {rarity}"
                );
                if attack < total {
                    assert!(
                        !unit_passes(rank, rarity, attack, total - attack - 1),
                        "rank {rank} {rarity}"
                    );
                }
            }
        }
    }
}

#[test]
fn t_t3_a_boost_of_20_and_0() {
    for (rarity, attack) in
        [("common", 20), ("uncommon", 25), ("mythic_rare", 40), ("primal_rare", 45)]
    {
        assert!(boost_passes((20, 0), rarity, attack, 0), "{rarity}");
    }
}

#[test]
fn t_t4_a_boost_of_minus_10_and_minus_10() {
    for (rarity, attack, defense) in [("common", -10, -10), ("rare", -5, -5), ("primal_rare", 0, 5)]
    {
        assert!(boost_passes((-10, -10), rarity, attack, defense), "{rarity}");
    }
}

#[test]
fn t_t5_t_a11_the_two_examples_that_break_the_rule_are_rejected() {
    assert!(!boost_passes((0, 20), "ultra_rare", 5, 35));
    assert!(!boost_passes((-10, -10), "primal_rare", 5, 20));
}

#[test]
fn t_t6_the_splits_of_the_bonus() {
    let splits: [(&str, &[(i64, i64)]); 5] = [
        ("uncommon", &[(5, 0), (0, 5)]),
        ("rare", &[(10, 0), (5, 5), (0, 10)]),
        ("ultra_rare", &[(15, 0), (10, 5), (0, 15)]),
        ("mythic_rare", &[(20, 0), (15, 5), (10, 10)]),
        ("primal_rare", &[(25, 0), (15, 10), (0, 25)]),
    ];
    for (rarity, splits) in splits {
        for (attack, defense) in splits {
            assert!(
                boost_passes((0, 0), rarity, *attack, *defense),
                "{rarity} +{attack}/+{defense}"
            );
            assert!(boost_passes((-30, 40), rarity, attack - 30, defense + 40), "{rarity}");
        }
    }
}

#[test]
fn t_4_6c_the_bonus_is_exact_and_no_part_is_lowered() {
    assert!(!boost_passes((20, 0), "uncommon", 26, 0));
    assert!(!boost_passes((20, 0), "uncommon", 24, 0));
    // 10 - 5 = 5 in total, but the defense went down.
    assert!(!boost_passes((20, 0), "uncommon", 30, -5));
    let mut card = spell("Borrowed Courage", 1, 20, 0);
    set_printing(&mut card, "primal_rare", &[("boost_attack", 20)]);
    assert_eq!(outline(&check(&card)), ["SPELL_BOOST_TOTAL T-4.6c 25 0"]);
}

#[test]
fn t_4_6a_ranks_are_1_to_5() {
    for rank in 1..=5 {
        assert_eq!(check(&unit("Lantern Guard", "light", rank)), []);
    }
    assert_eq!(
        outline(&check(&unit("Lantern Guard", "light", 0))),
        ["ATTRIBUTE_OUT_OF_RANGE T-4.6a 1 0"]
    );
    assert_eq!(
        outline(&check(&unit("Lantern Guard", "light", 6))),
        ["ATTRIBUTE_OUT_OF_RANGE T-4.6a 5 6"]
    );
}

#[test]
fn t_2_2_6b_spell_ranks_are_1_to_3() {
    for rank in 1..=3 {
        assert_eq!(check(&spell("Borrowed Courage", rank, 20, 0)), []);
    }
    let violations = check(&spell("Borrowed Courage", 4, 20, 0));
    assert_eq!(outline(&violations), ["ATTRIBUTE_OUT_OF_RANGE T-2.2.6b 3 4"]);
}

#[test]
fn t_3_1a_one_type_each_and_subtypes_for_units_only() {
    let mut card = unit("Lantern Guard", "spell", 1);
    assert_eq!(codes(&check(&card)), ["ATTRIBUTE_VALUE_UNKNOWN"]);
    card.attributes.insert("type".to_owned(), json!(["light", "dark"]));
    assert_eq!(codes(&check(&card)), ["ATTRIBUTE_TYPE_MISMATCH"]);

    let mut card = unit("Lantern Guard", "light", 1);
    card.attributes.insert("subtypes".to_owned(), json!([]));
    assert_eq!(outline(&check(&card)), ["ATTRIBUTE_OUT_OF_RANGE T-3.1a 1 0"]);
    card.attributes.remove("subtypes");
    assert_eq!(codes(&check(&card)), ["ATTRIBUTE_MISSING"]);

    let mut card = spell("Borrowed Courage", 1, 20, 0);
    card.attributes.insert("subtypes".to_owned(), json!(["ghost"]));
    assert_eq!(codes(&check(&card)), ["ATTRIBUTE_UNKNOWN"]);
    card.attributes.remove("subtypes");
    card.attributes.insert("type".to_owned(), json!("fire"));
    assert_eq!(codes(&check(&card)), ["ATTRIBUTE_VALUE_UNKNOWN"]);
}

#[test]
fn t_a13_the_subtypes_of_the_glossary_are_rejected() {
    for subtype in ["flying", "humanoid", "Dragon", ""] {
        let mut card = unit("Lantern Guard", "light", 1);
        card.attributes.insert("subtypes".to_owned(), json!(["beast", subtype]));
        let faults = card_faults(&game("ttcg"), &card);
        assert_eq!(faults.len(), 1, "{subtype}");
        assert_eq!(faults[0].violation.code.as_str(), "SUBTYPE_UNKNOWN");
        assert_eq!(faults[0].pointer, "/attributes/subtypes/1");
        assert_eq!(faults[0].violation.suggestions.len(), 13);
    }
}

#[test]
fn t_2_2_5a_exactly_two_effects_with_a_style() {
    let mut card = unit("Lantern Guard", "light", 1);
    let spare = card.effects.pop().unwrap();
    assert_eq!(outline(&check(&card)), ["EFFECT_COUNT_INVALID T-2.2.5a 2 1"]);
    card.effects.extend([spare.clone(), spare]);
    assert_eq!(outline(&check(&card)), ["EFFECT_COUNT_INVALID T-2.2.5a 2 3"]);
    card.effects.pop();
    card.effects[0].style = Some("overload".to_owned());
    card.effects[1].style = None;
    assert_eq!(codes(&check(&card)), ["EFFECT_STYLE_UNKNOWN", "EFFECT_STYLE_UNKNOWN"]);
    for style in ["normal", "continuous", "counter", "equip", "latent", "dormant", "passive"] {
        card.effects.iter_mut().for_each(|effect| effect.style = Some(style.to_owned()));
        assert_eq!(check(&card), [], "{style}");
    }
    card.effects[0].slot = Some("post".to_owned());
    card.effects[1].text = " ".to_owned();
    assert_eq!(codes(&check(&card)), ["TEXT_INVALID", "EFFECT_SLOT_UNKNOWN"]);
}

#[test]
fn t_4_6e_every_card_exists_in_all_six_rarities() {
    let mut card = unit("Lantern Guard", "light", 1);
    let rare = card.printings.remove(2);
    let violations = check(&card);
    assert_eq!(outline(&violations), ["PRINTING_MISSING T-4.6e 6 5"]);
    assert_eq!(violations[0].cards[0].rarity.as_deref(), Some("rare"));
    card.printings.extend([rare.clone(), rare]);
    assert_eq!(codes(&check(&card)), ["PRINTING_DUPLICATE"]);
    card.printings[6].rarity = "secret_rare".to_owned();
    assert!(codes(&check(&card)).contains(&"RARITY_UNKNOWN"));
    card.printings.clear();
    assert_eq!(outline(&check(&card)), ["PRINTING_MISSING T-4.6e 6 0"]);
}

#[test]
fn t_4_6e_t_a12_the_shares_are_weights() {
    let weights: Vec<u32> = game("ttcg").rarities().iter().map(|rarity| rarity.weight).collect();
    assert_eq!(weights, [40, 20, 10, 4, 2, 1]);
}

#[test]
fn t_4_2a_lore_cards_have_no_effects_and_need_no_rarities() {
    let lore = support::card(json!({
        "number": "001", "name": "Where the Lantern Came From", "kind": "lore",
        "attributes": { "about": "Lantern Guard" }, "lore": "It was always lit.",
    }));
    assert_eq!(check(&lore), []);
}

#[test]
fn t_4_3_the_base_printing_and_the_card_agree() {
    let mut card = unit("Lantern Guard", "light", 1);
    card.attributes.insert("attack".to_owned(), json!(251));
    assert_eq!(codes(&check(&card)), ["PRINTING_BASE_MISMATCH"]);
}

/// Nothing stops at the first fault, and every fault has its place.
#[test]
fn all_faults_of_a_card_at_once() {
    let card = support::card(json!({
        "number": "", "name": "a\u{0}b", "kind": "unit",
        "attributes": { "type": "plasma", "subtypes": ["flying", 3], "rank": 147.5, "attack": "high", "a/b~c": 1 },
        "effects": [{ "text": "" }],
        "printings": [{ "rarity": "gold", "attributes": { "rank": 2, "attack": -1 } }],
    }));
    let faults = card_faults(&game("ttcg"), &card);
    let places: Vec<&str> = faults.iter().map(|fault| fault.pointer.as_str()).collect();
    assert_eq!(
        places,
        [
            "/name",
            "/number",
            "/effects/0/text",
            "/attributes/attack",
            "/attributes",
            "/attributes/rank",
            "/attributes/subtypes/0",
            "/attributes/subtypes/1",
            "/attributes/type",
            "/attributes/a~1b~0c",
            "/effects",
            "/effects/0/style",
            "/printings/0/rarity",
            "/printings/0/attributes/attack",
            "/printings/0/attributes/rank",
            "/printings",
        ]
    );
    assert!(faults.iter().all(|fault| !fault.violation.message().is_empty()));
}

#[test]
fn an_unknown_kind_is_told_with_the_known_ones() {
    let mut card = unit("Lantern Guard", "light", 1);
    card.kind = "trap".to_owned();
    let violations = check(&card);
    assert_eq!(codes(&violations), ["KIND_UNKNOWN"]);
    assert_eq!(violations[0].suggestions, ["unit", "spell", "lore"]);
}
