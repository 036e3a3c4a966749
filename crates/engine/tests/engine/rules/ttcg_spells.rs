//! TTCG: spells and their boosts.

use cardscape_engine::{CardDefinition, Provenance};
use proptest::prelude::*;
use serde_json::json;

use super::ttcg_cards::TYPES;
use crate::support::{RARITIES, faults, game, set_printing, spell, with};

fn check(card: &CardDefinition) -> Vec<String> {
    faults("ttcg", card)
}

fn courage() -> CardDefinition {
    spell("Borrowed Courage", 1, 20, 0)
}

/// The violations of a spell with these base boosts and these boosts in one rarity; all others are right.
fn spell_with(base: (i64, i64), rarity: &str, attack: i64, defense: i64) -> Vec<String> {
    let mut card = spell("Borrowed Courage", 1, base.0, base.1);
    set_printing(&mut card, rarity, &[("boost_attack", attack), ("boost_defense", defense)]);
    check(&card)
}

#[test]
fn t_3_1a_a_spell_has_the_type_spell() {
    assert!(check(&courage()).is_empty());
    for kind in TYPES {
        let card = with(courage(), "type", json!(kind));
        assert_eq!(check(&card), ["ATTRIBUTE_VALUE_UNKNOWN T-3.1a - -"], "{kind}");
    }
}

#[test]
fn t_2_2_6b_spell_ranks_are_1_to_3() {
    for rank in 1..=3 {
        assert!(check(&spell("Borrowed Courage", rank, 20, 0)).is_empty());
    }
    let ranked = |rank: i64| check(&with(courage(), "rank", json!(rank)));
    assert_eq!(ranked(0), ["ATTRIBUTE_OUT_OF_RANGE T-2.2.6b 1 0"]);
    assert_eq!(ranked(4), ["ATTRIBUTE_OUT_OF_RANGE T-2.2.6b 3 4"]);
}

#[test]
fn t_4_6c_the_bonus_is_exact_and_lowers_neither_boost() {
    for base in [(20, 0), (0, 20), (-10, -10), (-30, 40), (0, 0)] {
        for (tier, rarity) in (0..).zip(RARITIES).skip(1) {
            let bonus = 5 * tier;
            for part in [0, bonus / 2, bonus] {
                let (attack, defense) = (base.0 + part, base.1 + bonus - part);
                assert!(spell_with(base, rarity, attack, defense).is_empty(), "{base:?} {rarity}");
                for (gain, wrong) in [(bonus - 1, defense - 1), (bonus + 1, defense + 1)] {
                    assert_eq!(
                        spell_with(base, rarity, attack, wrong),
                        [format!("SPELL_BOOST_TOTAL T-4.6c {bonus} {gain}")],
                        "{base:?} {rarity}"
                    );
                }
            }
            // The sum is right, but one of the two is below the base.
            for (attack, defense) in [(bonus + 1, -1), (-1, bonus + 1), (bonus + 100, -100)] {
                assert_eq!(
                    spell_with(base, rarity, base.0 + attack, base.1 + defense),
                    [format!("SPELL_BOOST_TOTAL T-4.6c {bonus} {bonus}")],
                    "{base:?} {rarity}"
                );
            }
        }
    }
}

#[test]
fn t_4_6c_each_printing_is_compared_with_the_base_not_with_its_neighbour() {
    let mut card = spell("Borrowed Courage", 1, 20, 0);
    set_printing(&mut card, "uncommon", &[("boost_attack", 25), ("boost_defense", 0)]);
    set_printing(&mut card, "rare", &[("boost_attack", 20), ("boost_defense", 10)]);
    assert!(check(&card).is_empty());
    set_printing(&mut card, "primal_rare", &[("boost_attack", 20), ("boost_defense", 0)]);
    assert_eq!(check(&card), ["SPELL_BOOST_TOTAL T-4.6c 25 0"]);
}

#[test]
fn t_4_6c_boosts_are_whole_numbers_within_reason() {
    let ttcg = game("ttcg");
    for part in ["boost_attack", "boost_defense"] {
        let bounds = &ttcg.kind("spell").unwrap().attributes[part].reference;
        assert_eq!(bounds.provenance, Provenance::Assumed, "{part}");
    }
    for far in [-9999, 9999 - 25] {
        assert!(check(&spell("Borrowed Courage", 1, far, far)).is_empty(), "{far}");
    }
    for (boost, limit) in [(-10_000, -9999), (10_000, 9999)] {
        for part in ["boost_attack", "boost_defense"] {
            let found = check(&with(courage(), part, json!(boost)));
            let fault = format!("ATTRIBUTE_OUT_OF_RANGE T-4.6c {limit} {boost}");
            assert!(found.contains(&fault), "{found:?}");
        }
    }
}

#[test]
fn t_t3_a_boost_of_20_and_0() {
    for (rarity, attack) in
        [("common", 20), ("uncommon", 25), ("mythic_rare", 40), ("primal_rare", 45)]
    {
        assert!(spell_with((20, 0), rarity, attack, 0).is_empty(), "{rarity}");
    }
    assert_eq!(spell_with((20, 0), "primal_rare", 46, 0), ["SPELL_BOOST_TOTAL T-4.6c 25 26"]);
}

#[test]
fn t_t4_a_boost_of_minus_10_and_minus_10() {
    for (rarity, attack, defense) in [("common", -10, -10), ("rare", -5, -5), ("primal_rare", 0, 5)]
    {
        assert!(spell_with((-10, -10), rarity, attack, defense).is_empty(), "{rarity}");
    }
    assert_eq!(spell_with((-10, -10), "rare", -5, -6), ["SPELL_BOOST_TOTAL T-4.6c 10 9"]);
}

#[test]
fn t_t5_t_a11_the_two_examples_that_break_the_rule_are_rejected() {
    assert_eq!(spell_with((0, 20), "ultra_rare", 5, 35), ["SPELL_BOOST_TOTAL T-4.6c 15 20"]);
    assert_eq!(spell_with((-10, -10), "primal_rare", 5, 20), ["SPELL_BOOST_TOTAL T-4.6c 25 45"]);
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
            assert!(spell_with((0, 0), rarity, *attack, *defense).is_empty(), "{rarity}");
            let shifted = spell_with((-30, 40), rarity, attack - 30, defense + 40);
            assert!(shifted.is_empty(), "{rarity}");
            let more = spell_with((0, 0), rarity, attack + 5, *defense);
            assert!(more[0].starts_with("SPELL_BOOST_TOTAL T-4.6c"), "{rarity}: {more:?}");
        }
    }
}

proptest! {
    #[test]
    fn t_i10_spells_are_right_exactly_at_their_gain(
        base in (-200_i64..=200, -200_i64..=200), tier in 1_usize..6, gains in (-3_i64..=30, -3_i64..=30),
    ) {
        let bonus = 5 * i64::try_from(tier).unwrap();
        let found = spell_with(base, RARITIES[tier], base.0 + gains.0, base.1 + gains.1);
        let gain = gains.0 + gains.1;
        if gain == bonus && gains.0 >= 0 && gains.1 >= 0 {
            prop_assert_eq!(found, Vec::<String>::new());
        } else {
            prop_assert_eq!(found, [format!("SPELL_BOOST_TOTAL T-4.6c {bonus} {gain}")]);
        }
    }
}
