//! Emoji TCG: card definitions and deck construction.

use std::sync::Arc;

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, ReportStatus, Severity, Violation, check_card,
};
use serde_json::{Value, json};

use crate::support::{
    deck, emoji, faults, game, judge, outline, pool, pool_card, shipped, with, without,
};

const STAGES: [&str; 4] = ["basicmoji", "supermoji", "ultramoji", "megamoji"];

fn check(card: &CardDefinition) -> Vec<String> {
    faults("emoji-tcg", card)
}

fn wink() -> CardDefinition {
    emoji("Wink", "basicmoji")
}

#[test]
fn e_4_1_exactly_one_of_five_types() {
    for kind in ["faces", "vibes", "signs", "tech", "objects"] {
        assert!(check(&with(wink(), "type", json!(kind))).is_empty(), "{kind}");
    }
    let food = with(wink(), "type", json!("food"));
    assert_eq!(check(&food), ["ATTRIBUTE_VALUE_UNKNOWN E-4.1 - -"]);
    let both = with(wink(), "type", json!(["faces", "tech"]));
    assert_eq!(check(&both), ["ATTRIBUTE_TYPE_MISMATCH E-4.1 - -"]);
    assert_eq!(check(&without(wink(), "type")), ["ATTRIBUTE_MISSING E-4.1 - -"]);
}

#[test]
fn e_4_2_exactly_one_of_four_stages() {
    for stage in STAGES {
        assert!(check(&emoji("Wink", stage)).is_empty(), "{stage}");
    }
    // Without a stage no rule says which effects the card has.
    let staged = |stage: Value| {
        let mut card = with(wink(), "stage", stage);
        card.effects.clear();
        check(&card)
    };
    assert_eq!(staged(json!("gigamoji")), ["ATTRIBUTE_VALUE_UNKNOWN E-4.2 - -"]);
    assert_eq!(staged(json!(1)), ["ATTRIBUTE_TYPE_MISMATCH E-4.2 - -"]);
    let mut none = without(wink(), "stage");
    none.effects.clear();
    assert_eq!(check(&none), ["ATTRIBUTE_MISSING E-4.2 - -"]);
}

#[test]
fn e_4_3a_a_basicmoji_has_at_most_a_post_effect() {
    let mut basic = wink();
    basic.effects = emoji("Wink", "supermoji").effects;
    assert_eq!(check(&basic), ["EFFECT_SLOT_UNKNOWN E-4.3a - -"; 2]);
    basic.effects = [wink().effects, wink().effects].concat();
    assert_eq!(check(&basic), ["EFFECT_COUNT_INVALID E-4.3a 1 2"]);
    basic.effects.truncate(1);
    basic.effects[0].slot = None;
    assert_eq!(check(&basic), ["EFFECT_SLOT_UNKNOWN E-4.3a - -"]);
}

#[test]
fn e_4_3b_higher_stages_have_one_upgrade_and_one_glitch() {
    for stage in &STAGES[1..] {
        let whole = emoji("Wink", stage);
        for missing in 0..2 {
            let mut half = whole.clone();
            half.effects.remove(missing);
            assert_eq!(check(&half), ["EFFECT_COUNT_INVALID E-4.3b 1 0"], "{stage}");
            let mut double = whole.clone();
            double.effects.push(whole.effects[missing].clone());
            assert_eq!(check(&double), ["EFFECT_COUNT_INVALID E-4.3b 1 2"], "{stage}");
        }
        let mut posted = whole;
        posted.effects.extend(wink().effects);
        assert_eq!(check(&posted), ["EFFECT_SLOT_UNKNOWN E-4.3b - -"], "{stage}");
    }
}

#[test]
fn a_3_only_a_basicmoji_may_lack_its_effect() {
    for stage in STAGES {
        let mut plain = emoji("Wink", stage);
        plain.effects.clear();
        if stage == "basicmoji" {
            assert!(check(&plain).is_empty());
        } else {
            assert_eq!(check(&plain), ["EFFECT_COUNT_INVALID E-4.3b 1 0"; 2], "{stage}");
            let messages = check_card(&game("emoji-tcg"), &plain);
            let messages: Vec<String> = messages.iter().map(Violation::message).collect();
            for (message, slot) in messages.iter().zip(["upgrade", "glitch"]) {
                let end = format!(" has 0 effects in the slot {slot:?}, not 1.");
                assert!(message.ends_with(&end), "{message}");
            }
        }
    }
}

#[test]
fn e_4_4_keywords_are_a_closed_list() {
    let all = json!([
        "delete",
        "recycle",
        "mute",
        "jammed",
        "shadowbanned",
        "viral",
        "pinned",
        "boost",
        "nerf"
    ]);
    assert!(check(&with(wink(), "keywords", all)).is_empty());
    assert!(check(&without(wink(), "keywords")).is_empty());
    let wrong = with(wink(), "keywords", json!(["viral", "viral", "frozen"]));
    assert_eq!(
        check(&wrong),
        ["ATTRIBUTE_VALUE_DUPLICATE E-4.4 - -", "ATTRIBUTE_VALUE_UNKNOWN E-4.4 - -"]
    );
}

#[test]
fn e_11_3_a_2_printed_power_is_a_whole_number_from_0_to_99() {
    for power in [0, 1, 50, 99] {
        assert!(check(&with(wink(), "power", json!(power))).is_empty(), "{power}");
    }
    assert_eq!(check(&with(wink(), "power", json!(-1))), ["ATTRIBUTE_OUT_OF_RANGE E-11.3 0 -1"]);
    assert_eq!(check(&with(wink(), "power", json!(100))), ["ATTRIBUTE_OUT_OF_RANGE E-11.3 99 100"]);
    for odd in [json!(3.5), json!(3.0), json!("3"), json!(null)] {
        assert_eq!(check(&with(wink(), "power", odd)), ["ATTRIBUTE_TYPE_MISMATCH E-11.3 - -"]);
    }
}

#[test]
fn e_6_6_a_card_of_the_pool_has_a_name() {
    let nameless = CardDefinition { name: String::new(), ..wink() };
    assert_eq!(check(&nameless), ["NAME_INVALID E-6.6 120 -"]);
}

/// Cards by stage: enough for legal decks.
fn feed() -> Catalogue {
    let stages = [("basicmoji", 12), ("supermoji", 6), ("ultramoji", 4), ("megamoji", 3)];
    let cards = stages.into_iter().flat_map(|(stage, count)| {
        (0..count).map(move |at| emoji(&format!("{stage} {at}"), stage))
    });
    pool(&game("emoji-tcg"), cards)
}

/// 40 cards, with as many copies of each as are allowed.
fn legal() -> Deck {
    deck([
        (4, "basicmoji 0"),
        (4, "basicmoji 1"),
        (4, "basicmoji 2"),
        (4, "basicmoji 3"),
        (4, "basicmoji 4"),
        (4, "basicmoji 5"),
        (3, "supermoji 0"),
        (3, "supermoji 1"),
        (3, "supermoji 2"),
        (2, "ultramoji 0"),
        (2, "ultramoji 1"),
        (1, "megamoji 0"),
        (1, "megamoji 1"),
        (1, "megamoji 2"),
    ])
}

fn violations_of(deck: &Deck) -> Vec<String> {
    outline(&judge(deck, &feed(), "playtest").violations)
}

#[test]
fn e_2_2_e_6_1_e_t5_exactly_40_cards() {
    let mut list = legal();
    assert_eq!(violations_of(&list), [""; 0]);
    list.entries[0].quantity = 3;
    assert_eq!(violations_of(&list), ["DECK_SIZE_BELOW_MIN E-6.1 40 39"]);
    let short = judge(&list, &feed(), "playtest");
    assert_eq!(short.status, ReportStatus::Incomplete);
    list.entries[0].quantity = 4;
    list.entries.push(DeckEntry::main(1, "basicmoji 9"));
    assert_eq!(violations_of(&list), ["DECK_SIZE_ABOVE_MAX E-6.1 40 41"]);
    assert_eq!(judge(&list, &feed(), "playtest").status, ReportStatus::Illegal);
}

/// One copy more of one card of a stage, and one less of another, so that the size stays.
fn one_too_many(stage: usize, limit: u32) -> Vec<String> {
    let name = format!("{} 0", STAGES[stage]);
    let mut list = legal();
    let entry = list.entries.iter_mut().find(|entry| entry.card.name == name).unwrap();
    assert_eq!(entry.quantity, limit, "the limit itself is legal");
    entry.quantity += 1;
    list.entries[1].quantity -= 1;
    violations_of(&list)
}

#[test]
fn e_6_2_at_most_four_of_each_basicmoji() {
    assert_eq!(one_too_many(0, 4), ["COPY_LIMIT_EXCEEDED E-6.2 4 5"]);
}

#[test]
fn e_6_3_at_most_three_of_each_supermoji() {
    assert_eq!(one_too_many(1, 3), ["COPY_LIMIT_EXCEEDED E-6.3 3 4"]);
}

#[test]
fn e_6_4_at_most_two_of_each_ultramoji() {
    assert_eq!(one_too_many(2, 2), ["COPY_LIMIT_EXCEEDED E-6.4 2 3"]);
}

#[test]
fn e_6_5_at_most_one_of_each_megamoji() {
    assert_eq!(one_too_many(3, 1), ["COPY_LIMIT_EXCEEDED E-6.5 1 2"]);
}

#[test]
fn e_6_e_t5_four_separate_violations_in_one_answer() {
    let mut list = legal();
    for entry in [0, 6, 9, 11] {
        list.entries[entry].quantity += 1;
    }
    list.entries[1].quantity -= 4;
    list.entries.remove(1);
    assert_eq!(
        violations_of(&list),
        [
            "COPY_LIMIT_EXCEEDED E-6.2 4 5",
            "COPY_LIMIT_EXCEEDED E-6.3 3 4",
            "COPY_LIMIT_EXCEEDED E-6.4 2 3",
            "COPY_LIMIT_EXCEEDED E-6.5 1 2",
        ]
    );
}

#[test]
fn e_6_6_every_card_is_in_the_pool() {
    let mut list = legal();
    list.entries[13].card.name = "gigamoji 0".to_owned();
    assert_eq!(violations_of(&list), ["CARD_UNKNOWN E-6.6 - 1"]);
    list.entries[13].card.name = "megamoji 2".to_owned();
    list.entries[13].card.set = Some("elsewhere".to_owned());
    assert_eq!(violations_of(&list), ["SET_WITHOUT_CARDS E-6.6 - -", "PRINTING_UNKNOWN E-6.6 - -"]);
}

#[test]
fn e_6_7_no_empty_lines_and_lines_of_a_card_add_up() {
    let mut list = legal();
    list.entries.push(DeckEntry::main(0, "basicmoji 0"));
    assert_eq!(violations_of(&list), ["ENTRY_COUNT_INVALID E-6.7 1 0"]);
    list.entries[0].quantity = 2;
    list.entries[14].quantity = 2;
    assert_eq!(violations_of(&list), [""; 0]);
    list.entries[14].quantity = 3;
    list.entries[1].quantity = 3;
    assert_eq!(violations_of(&list), ["COPY_LIMIT_EXCEEDED E-6.2 4 5"]);
}

#[test]
fn a_1_cards_of_one_name_are_copies_of_one_card() {
    let mut again = emoji("Megamoji  0", "megamoji");
    again.number = "900".to_owned();
    let catalogue = Catalogue::with_extra(Arc::new(feed()), [pool_card("later", again)]);
    let mut list = legal();
    list.entries[13].card.name = "MEGAMOJI 0".to_owned();
    list.entries[13].card.set = Some("later".to_owned());
    assert_eq!(
        outline(&judge(&list, &catalogue, "playtest").violations),
        ["COPY_LIMIT_EXCEEDED E-6.5 1 2"]
    );
}

#[test]
fn e_8_6_advice_without_a_basicmoji() {
    let stated = violations_of(&deck([(3, "supermoji 0")]));
    assert!(stated.contains(&"NO_BASICMOJI E-8.6 1 0".to_owned()), "{stated:?}");
    assert_eq!(unreachable_by_stage(&[(4, "basicmoji 0")]), [""; 0]);
}

/// The cards that advice calls unreachable.
fn unreachable_by_stage(cards: &[(u32, &str)]) -> Vec<String> {
    let report = judge(&deck(cards.iter().copied()), &feed(), "playtest");
    report
        .violations
        .iter()
        .filter(|one| one.severity == Severity::Warning)
        .flat_map(|one| {
            one.cards.iter().map(|card| format!("{} {} {}", one.code, one.rule, card.name))
        })
        .collect()
}

#[test]
fn e_9_1_advice_about_stages() {
    let unreachable = |cards: &[(u32, &str)]| unreachable_by_stage(cards);
    assert_eq!(
        unreachable(&[(3, "supermoji 0"), (1, "megamoji 0")]),
        ["UNREACHABLE_STAGE E-9.1 megamoji 0", "UNREACHABLE_STAGE E-9.1 supermoji 0"]
    );
    assert_eq!(
        unreachable(&[(1, "basicmoji 0"), (1, "ultramoji 0")]),
        ["UNREACHABLE_STAGE E-9.1 ultramoji 0"],
        "no stage may be left out"
    );
    assert_eq!(unreachable(&[(1, "basicmoji 0"), (1, "supermoji 0"), (1, "ultramoji 0")]), [""; 0]);
}

/// The rules hold for the shipped pool as for the invented cards above.
#[test]
fn e_6_the_shipped_pool_has_cards_of_every_stage_to_limit() {
    let pool = shipped("emoji-tcg");
    for (stage, limit) in STAGES.iter().zip([4, 3, 2, 1]) {
        let card = pool.iter().find(|card| card.definition.attributes["stage"] == *stage).unwrap();
        let copies = |quantity| {
            let list = deck([(quantity, card.definition.name.as_str())]);
            let report = judge(&list, &pool, "playtest");
            report.violations.iter().any(|one| one.code.as_str() == "COPY_LIMIT_EXCEEDED")
        };
        assert!(!copies(limit) && copies(limit + 1), "{stage}");
    }
}
