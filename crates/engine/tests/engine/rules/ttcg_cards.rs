//! TTCG: card definitions.

use cardscape_engine::{
    Attributes, CardDefinition, PrintingCheck, SetDefinition, card_faults, check_set,
};
use proptest::prelude::*;
use serde_json::json;

use crate::support::{
    RARITIES, card, faults, game, set_printing, sets, shipped, spell, unit, with, without,
};

pub(crate) const TYPES: [&str; 8] =
    ["earth", "water", "fire", "air", "electric", "light", "nature", "dark"];

fn check(card: &CardDefinition) -> Vec<String> {
    faults("ttcg", card)
}

fn lantern() -> CardDefinition {
    unit("Lantern Guard", "light", 1)
}

fn courage() -> CardDefinition {
    spell("Borrowed Courage", 1, 20, 0)
}

/// The violations of a unit whose printing in this rarity has these values; all other values are right.
fn unit_with(rank: i64, rarity: &str, attack: i64, defense: i64) -> Vec<String> {
    let mut card = unit("Lantern Guard", "light", rank);
    set_printing(&mut card, rarity, &[("attack", attack), ("defense", defense)]);
    check(&card)
}

fn unit_total(rank: i64, tier: i64) -> i64 {
    500 * rank + 10 * tier
}

#[test]
fn t_3_1a_a_unit_has_one_of_eight_types() {
    for kind in TYPES {
        assert!(check(&unit("Lantern Guard", kind, 1)).is_empty(), "{kind}");
    }
    for kind in ["spell", "Fire", "plasma", ""] {
        let card = with(lantern(), "type", json!(kind));
        assert_eq!(check(&card), ["ATTRIBUTE_VALUE_UNKNOWN T-3.1a - -"], "{kind}");
    }
    let both = with(lantern(), "type", json!(["light", "dark"]));
    assert_eq!(check(&both), ["ATTRIBUTE_TYPE_MISMATCH T-3.1a - -"]);
    assert_eq!(check(&without(lantern(), "type")), ["ATTRIBUTE_MISSING T-3.1a - -"]);
}

#[test]
fn t_3_1a_units_have_subtypes_and_spells_have_none() {
    let subtypes = [
        "dragon",
        "beast",
        "elemental",
        "aquatic",
        "warrior",
        "spellcaster",
        "machine",
        "ghost",
        "insect",
        "reptile",
        "fairy",
        "undead",
        "botanic",
    ];
    for subtype in subtypes {
        assert!(check(&with(lantern(), "subtypes", json!([subtype]))).is_empty(), "{subtype}");
    }
    assert!(check(&with(lantern(), "subtypes", json!(subtypes))).is_empty(), "one or more");
    let none = with(lantern(), "subtypes", json!([]));
    assert_eq!(check(&none), ["ATTRIBUTE_OUT_OF_RANGE T-3.1a 1 0"]);
    let fault = card_faults(&game("ttcg"), &none).remove(0);
    assert!(fault.violation.rule_text.contains("one or more"), "{}", fault.violation.rule_text);
    assert_eq!(check(&without(lantern(), "subtypes")), ["ATTRIBUTE_MISSING T-3.1a - -"]);
    let twice = with(lantern(), "subtypes", json!(["ghost", "ghost"]));
    assert_eq!(check(&twice), ["ATTRIBUTE_VALUE_DUPLICATE T-3.1a - -"]);
    let ghostly = with(courage(), "subtypes", json!(["ghost"]));
    assert_eq!(check(&ghostly), ["ATTRIBUTE_UNKNOWN T-3.1a - -"]);
}

#[test]
fn t_a13_the_subtypes_of_the_glossary_are_rejected() {
    for subtype in ["flying", "humanoid", "Flying", "Humanoid", "Dragon", ""] {
        let card = with(lantern(), "subtypes", json!(["beast", subtype]));
        assert_eq!(check(&card), ["SUBTYPE_UNKNOWN T-3.1a - -"], "{subtype}");
        let fault = card_faults(&game("ttcg"), &card).remove(0);
        assert_eq!(fault.pointer, "/attributes/subtypes/1");
        assert_eq!(fault.violation.suggestions.len(), 13, "the closed list is told");
    }
}

#[test]
fn t_3_1b_what_a_type_tends_to_is_no_rule() {
    for kind in TYPES {
        for (attack, defense) in [(500, 0), (0, 500)] {
            let mut card = unit("Lantern Guard", kind, 1);
            set_printing(&mut card, "common", &[("attack", attack), ("defense", defense)]);
            assert!(check(&card).is_empty(), "{kind} {attack}/{defense}");
        }
    }
}

#[test]
fn t_4_6a_units_have_rank_1_to_5_and_500_for_each() {
    for rank in 1..=5 {
        assert!(unit_with(rank, "common", 500 * rank, 0).is_empty());
        let limit = 500 * rank;
        assert_eq!(
            unit_with(rank, "common", limit, 10),
            [format!("UNIT_STAT_TOTAL T-4.6b {limit} {}", limit + 10)],
            "what the next rarity has, this one has not"
        );
    }
    let ranked = |rank: i64| check(&with(lantern(), "rank", json!(rank)));
    assert_eq!(ranked(0), ["ATTRIBUTE_OUT_OF_RANGE T-4.6a 1 0"]);
    assert_eq!(ranked(6), ["ATTRIBUTE_OUT_OF_RANGE T-4.6a 5 6"]);
    assert_eq!(ranked(-1), ["ATTRIBUTE_OUT_OF_RANGE T-4.6a 1 -1"]);
}

#[test]
fn t_4_6b_t_t2_all_30_unit_totals() {
    let mut seen = Vec::new();
    for rank in 1..=5 {
        for (tier, rarity) in (0..).zip(RARITIES) {
            let total = unit_total(rank, tier);
            seen.push(total);
            for attack in [0, 1, total / 2, total] {
                let defense = total - attack;
                assert!(unit_with(rank, rarity, attack, defense).is_empty(), "{rank} {rarity}");
                for wrong in [defense - 1, defense + 1].into_iter().filter(|wrong| *wrong >= 0) {
                    let actual = attack + wrong;
                    assert_eq!(
                        unit_with(rank, rarity, attack, wrong),
                        [format!("UNIT_STAT_TOTAL T-4.6b {total} {actual}")],
                        "rank {rank}, {rarity}, {attack}/{wrong}"
                    );
                }
            }
        }
    }
    assert_eq!(seen.len(), 30);
    assert_eq!(&seen[..6], [500, 510, 520, 530, 540, 550]);
    assert_eq!(&seen[24..], [2500, 2510, 2520, 2530, 2540, 2550]);
}

#[test]
fn t_4_6b_neither_value_is_negative() {
    assert_eq!(unit_with(1, "uncommon", -10, 520), ["ATTRIBUTE_OUT_OF_RANGE T-4.6b 0 -10"]);
    assert_eq!(unit_with(3, "rare", 1521, -1), ["ATTRIBUTE_OUT_OF_RANGE T-4.6b 0 -1"]);
}

/// A card of the pool may be checked before its printings are known: the base printing is the card itself.
#[test]
fn t_4_6b_a_card_without_printings_is_judged_as_its_lowest_rarity() {
    let mut card = with(lantern(), "attack", json!(251));
    card.printings.clear();
    assert_eq!(check(&card), ["UNIT_STAT_TOTAL T-4.6b 500 501", "PRINTING_MISSING T-4.6e 6 0"]);
}

/// The example compares the gains: 10 % at rank 1 and 2 % at rank 5, and a spell's 25 are 5 % and 1 %.
#[test]
fn t_t2_what_rarity_gains_in_relation_to_the_base() {
    let game = game("ttcg");
    let check = |kind: &str| game.kind(kind).unwrap().checks[0].check.clone();
    let PrintingCheck::Total { base, rarity_bonus, .. } = check("unit") else { panic!() };
    let PrintingCheck::Gain { rarity_bonus: boosts, .. } = check("spell") else { panic!() };
    let share = |bonus: i64, rank: &str| (bonus * 100, base[rank]);
    let (unit, spell) = (rarity_bonus["primal_rare"], boosts["primal_rare"]);
    let is_percent = |(hundredfold, whole): (i64, i64), percent| hundredfold == whole * percent;
    assert!(is_percent(share(unit, "1"), 10) && is_percent(share(unit, "5"), 2));
    assert!(is_percent(share(spell, "1"), 5) && is_percent(share(spell, "5"), 1));
    assert_eq!(unit_with(1, "primal_rare", 551, 0), ["UNIT_STAT_TOTAL T-4.6b 550 551"]);
}

#[test]
fn t_t1_the_rank_3_example() {
    assert!(unit_with(3, "common", 750, 750).is_empty());
    assert!(unit_with(3, "primal_rare", 775, 775).is_empty());
    assert_eq!(unit_with(3, "primal_rare", 775, 776), ["UNIT_STAT_TOTAL T-4.6b 1550 1551"]);
}

#[test]
fn t_a10_each_printing_splits_its_total_as_it_likes() {
    let mut card = unit("Lantern Guard", "light", 2);
    for (tier, rarity) in (0..).zip(RARITIES) {
        let total = unit_total(2, tier);
        let attack = [total, 0, 17, total / 2, total - 1, 1][usize::try_from(tier).unwrap()];
        set_printing(&mut card, rarity, &[("attack", attack), ("defense", total - attack)]);
    }
    assert!(check(&card).is_empty(), "a value may even fall from one rarity to the next");
}

proptest! {
    /// The whole table in one property: a unit is right exactly when its sum is right.
    #[test]
    fn t_i10_units_are_right_exactly_at_their_total(
        rank in 1_i64..=5, tier in 0_usize..6, split in 0.0_f64..=1.0, off in -30_i64..=30,
    ) {
        let total = unit_total(rank, i64::try_from(tier).unwrap()) + off;
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss)]
        let attack = (total as f64 * split) as i64;
        let found = unit_with(rank, RARITIES[tier], attack, total - attack);
        if off == 0 {
            prop_assert_eq!(found, Vec::<String>::new());
        } else {
            prop_assert_eq!(found, [format!("UNIT_STAT_TOTAL T-4.6b {} {total}", total - off)]);
        }
    }
}

/// A second check of the shipped cards: the sums are computed here, not by the engine.
#[test]
fn t_i10_every_shipped_printing_has_its_total() {
    let mut seen = 0;
    for card in shipped("ttcg").iter().map(|card| &card.definition) {
        let of = |values: &Attributes, name: &str| {
            values.get(name).unwrap_or_else(|| &card.attributes[name]).as_i64().unwrap()
        };
        for printing in &card.printings {
            let tier = RARITIES.iter().position(|rarity| *rarity == printing.rarity).unwrap();
            let tier = i64::try_from(tier).unwrap();
            let own = |name: &str| of(&printing.attributes, name);
            let base = |name: &str| of(&card.attributes, name);
            match card.kind.as_str() {
                "unit" => {
                    let total = unit_total(base("rank"), tier);
                    assert_eq!(own("attack") + own("defense"), total, "{}", card.name);
                }
                "lore" => panic!("{}: lore cards have no rarities", card.name),
                _ => {
                    let gain = |name: &str| own(name) - base(name);
                    let (attack, defense) = (gain("boost_attack"), gain("boost_defense"));
                    assert!(attack >= 0 && defense >= 0, "{}", card.name);
                    assert_eq!(attack + defense, 5 * tier, "{}", card.name);
                }
            }
            seen += 1;
        }
    }
    assert!(seen >= 500, "{seen} printings");
}

#[test]
fn t_4_6d_one_picture_and_six_finishes() {
    let game = game("ttcg");
    let finishes: Vec<(u32, &str)> =
        game.rarities().iter().map(|rarity| (rarity.tier, rarity.finish.as_str())).collect();
    assert_eq!(
        finishes,
        [
            (1, "matte"),
            (2, "shiny text"),
            (3, "shiny borders"),
            (4, "holographic"),
            (5, "foil accents"),
            (6, "prismatic"),
        ]
    );
    let mut card = lantern();
    let printing = card.printings.last_mut().unwrap();
    printing.attributes.insert("art".to_owned(), json!("moonlight.png"));
    printing.attributes.insert("rank".to_owned(), json!(1));
    assert_eq!(
        check(&card),
        ["ATTRIBUTE_UNKNOWN T-3.1a - -"; 2],
        "only attack and defense differ between printings"
    );
}

#[test]
fn t_4_6e_every_card_exists_in_all_six_rarities() {
    for card in [lantern(), courage()] {
        for (at, rarity) in RARITIES.iter().enumerate() {
            let mut short = card.clone();
            short.printings.remove(at);
            assert_eq!(check(&short), ["PRINTING_MISSING T-4.6e 6 5"], "{rarity}");
        }
        let mut twice = card.clone();
        twice.printings.push(card.printings[2].clone());
        assert_eq!(check(&twice), ["PRINTING_DUPLICATE T-4.6e - -"]);
        let mut none = card;
        none.printings.clear();
        assert_eq!(check(&none), ["PRINTING_MISSING T-4.6e 6 0"]);
    }
    let mut secret = lantern();
    let values = secret.printings[0].clone();
    secret.printings.push(values);
    secret.printings[6].rarity = "secret_rare".to_owned();
    assert_eq!(check(&secret), ["RARITY_UNKNOWN T-4.6e - -"]);
}

#[test]
fn t_4_6e_t_a12_the_shares_are_weights() {
    let weights: Vec<u32> = game("ttcg").rarities().iter().map(|rarity| rarity.weight).collect();
    assert_eq!(weights, [40, 20, 10, 4, 2, 1]);
    // The printed shares, in hundredths of a percent, have the same proportions; 3.75 % are missing.
    let printed = [5000, 2500, 1250, 500, 250, 125];
    assert!(weights.iter().zip(printed).all(|(weight, share)| weight * 125 == share));
    assert_eq!(printed.iter().sum::<u32>(), 9625);
}

#[test]
fn t_2_2_5a_t_a28_exactly_two_effects() {
    for card in [lantern(), courage()] {
        let mut one = card.clone();
        let spare = one.effects.pop().unwrap();
        assert_eq!(check(&one), ["EFFECT_COUNT_INVALID T-2.2.5a 2 1"]);
        let mut three = card.clone();
        three.effects.push(spare);
        assert_eq!(check(&three), ["EFFECT_COUNT_INVALID T-2.2.5a 2 3"]);
        let mut none = card;
        none.effects.clear();
        assert_eq!(check(&none), ["EFFECT_COUNT_INVALID T-2.2.5a 2 0"]);
    }
}

#[test]
fn t_2_2_5a_each_effect_has_one_of_seven_styles() {
    let mut card = lantern();
    for style in ["normal", "continuous", "counter", "equip", "latent", "dormant", "passive"] {
        card.effects.iter_mut().for_each(|effect| effect.style = Some(style.to_owned()));
        assert!(check(&card).is_empty(), "{style}");
    }
    for style in ["overload", "echo", "pulse", "Normal", ""] {
        card.effects[1].style = Some(style.to_owned());
        assert_eq!(check(&card), ["EFFECT_STYLE_UNKNOWN T-2.2.5a - -"], "{style}");
    }
    card.effects[1].style = None;
    assert_eq!(check(&card), ["EFFECT_STYLE_UNKNOWN T-2.2.5a - -"]);
}

#[test]
fn t_4_2a_lore_cards_are_background_only() {
    let lore = card(json!({
        "number": "001", "name": "Where the Lantern Came From", "kind": "lore",
        "attributes": { "about": "Lantern Guard" }, "lore": "It was always lit.",
    }));
    assert!(check(&lore).is_empty(), "no effects, no rarities, no numbers");
    assert!(check(&without(lore.clone(), "about")).is_empty());
    let mut active = lore.clone();
    active.effects = lantern().effects;
    assert_eq!(check(&active), ["EFFECT_COUNT_INVALID T-4.2a 0 2"]);
    assert_eq!(check(&with(lore, "attack", json!(1))), ["ATTRIBUTE_UNKNOWN T-4.2a - -"]);
}

#[test]
fn t_4_3_a_sound_name_and_number() {
    let named = |name: &str| check(&CardDefinition { name: name.to_owned(), ..lantern() });
    assert!(named("Fathom, the Patient Deep").is_empty());
    for name in ["", "  ", "a\u{0}b", &"x".repeat(121)] {
        assert_eq!(named(name), ["NAME_INVALID T-4.3 120 -"], "{name:?}");
    }
    let numbered = |number: &str| check(&CardDefinition { number: number.to_owned(), ..lantern() });
    assert!(numbered("S-042-b").is_empty());
    for number in ["", "0 1", "№1", "1_b", "-1", "1-", "1--2", &"1".repeat(17)] {
        assert_eq!(numbered(number), ["NUMBER_INVALID T-4.3 16 -"], "{number:?}");
    }
}

#[test]
fn t_4_3_names_and_numbers_are_unique_in_a_set() {
    let (_, mut set): (_, SetDefinition) = sets("ttcg").swap_remove(0);
    assert_eq!(check_set(&game("ttcg"), &set), []);
    set.cards[1].name = set.cards[0].name.to_uppercase();
    set.cards[4].number = set.cards[2].number.clone();
    let found: Vec<String> = check_set(&game("ttcg"), &set)
        .iter()
        .map(|fault| format!("{} {} {}", fault.pointer, fault.violation.code, fault.violation.rule))
        .collect();
    assert_eq!(
        found,
        ["/cards/1/name NAME_DUPLICATE T-4.3", "/cards/4/number NUMBER_DUPLICATE T-4.3"]
    );
}

#[test]
fn t_4_3_the_base_printing_and_the_card_agree() {
    let card = with(lantern(), "attack", json!(251));
    assert_eq!(check(&card), ["PRINTING_BASE_MISMATCH T-4.3 - -"]);
}
