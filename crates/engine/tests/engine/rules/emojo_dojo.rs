//! Emojo Dojo: card definitions and the box.

use cardscape_engine::{
    CardDefinition, Deck, DeckEntry, Format, Provenance, ReportStatus, Rule, validate,
};
use serde_json::json;

use crate::support::{
    boxed, card, change, copies_in_box, faults, judge, outline, reminder, shipped, with, without,
};

fn check(card: &CardDefinition) -> Vec<String> {
    faults("emojo-dojo", card)
}

fn belt() -> CardDefinition {
    card(json!({ "number": "001", "name": "Belt", "kind": "belt",
                 "attributes": { "rank": 1, "belt": "white", "emoji": "🐑" } }))
}

fn sensei() -> CardDefinition {
    card(json!({ "number": "001", "name": "Sensei", "kind": "sensei",
                 "attributes": { "points": 15, "emoji": "🥋" } }))
}

fn face_off() -> CardDefinition {
    card(json!({ "number": "001", "name": "Face-Off", "kind": "face_off",
                 "attributes": { "action": "face_off", "emoji": "😠" } }))
}

#[test]
fn d_2_1_ten_belts_and_a_sensei_of_15_points() {
    for rank in 1..=10 {
        assert!(check(&with(belt(), "rank", json!(rank))).is_empty(), "{rank}");
    }
    for (rank, limit) in [(0, 1), (11, 10)] {
        assert_eq!(
            check(&with(belt(), "rank", json!(rank))),
            [format!("ATTRIBUTE_OUT_OF_RANGE D-2.1 {limit} {rank}")]
        );
    }
    assert_eq!(check(&without(belt(), "rank")), ["ATTRIBUTE_MISSING D-2.1 - -"]);
    assert!(check(&sensei()).is_empty());
    for points in [14, 16] {
        assert_eq!(
            check(&with(sensei(), "points", json!(points))),
            [format!("ATTRIBUTE_OUT_OF_RANGE D-2.1 15 {points}")]
        );
    }
    assert_eq!(check(&with(sensei(), "rank", json!(11))), ["ATTRIBUTE_UNKNOWN D-2.1 - -"]);
}

#[test]
fn d_2_2_three_face_off_cards_without_rank_or_points() {
    for action in ["face_off", "tag_team", "roundhouse"] {
        assert!(check(&with(face_off(), "action", json!(action))).is_empty(), "{action}");
    }
    let fourth = with(face_off(), "action", json!("uppercut"));
    assert_eq!(check(&fourth), ["ATTRIBUTE_VALUE_UNKNOWN D-2.2 - -"]);
    for number in ["rank", "points"] {
        let card = with(face_off(), number, json!(0));
        assert_eq!(check(&card), ["ATTRIBUTE_UNKNOWN D-2.2 - -"], "{number}");
    }
}

#[test]
fn d_2_3_ten_belts_and_the_sensei_besides() {
    let pool = shipped("emojo-dojo");
    let mut ranks: Vec<i64> = pool
        .iter()
        .filter(|card| card.definition.kind == "belt")
        .map(|card| card.definition.attributes["rank"].as_i64().unwrap())
        .collect();
    ranks.sort_unstable();
    assert_eq!(ranks, (1..=10).collect::<Vec<_>>(), "a belt of rank 10 stands beside the Sensei");
    assert_eq!(pool.iter().filter(|card| card.definition.kind == "sensei").count(), 1);
    assert_eq!(check(&with(belt(), "rank", json!(11))), ["ATTRIBUTE_OUT_OF_RANGE D-2.1 10 11"]);
}

#[test]
fn d_2_5_a_card_of_the_box_has_a_name_and_one_reminder_at_most() {
    let nameless = CardDefinition { name: String::new(), ..belt() };
    assert_eq!(check(&nameless), ["NAME_INVALID D-2.5 120 -"]);
    for mut card in [belt(), sensei(), face_off()] {
        card.effects = vec![reminder()];
        assert!(check(&card).is_empty(), "{}", card.kind);
        card.effects.push(reminder());
        assert!(check(&card)[0].starts_with("EFFECT_COUNT_INVALID D-2."), "{}", card.kind);
    }
}

fn dojo_box() -> Deck {
    boxed("emojo-dojo", |card| if card.kind == "face_off" { 4 } else { 8 })
}

fn half_box() -> Deck {
    boxed("emojo-dojo", |card| if card.kind == "face_off" { 2 } else { 4 })
}

fn violations_of(deck: &Deck) -> Vec<String> {
    outline(&judge(deck, &shipped("emojo-dojo"), "box").violations)
}

fn format() -> Format {
    shipped("emojo-dojo").game().format("box").unwrap().clone()
}

#[test]
fn d_2_5_d_t14_the_full_box_and_one_sensei_short() {
    let mut list = dojo_box();
    let report = judge(&list, &shipped("emojo-dojo"), "box");
    assert_eq!((report.total, report.status), (100, ReportStatus::Legal));
    assert_eq!(report.violations, []);
    change(&mut list, "Sensei", -1);
    assert_eq!(
        violations_of(&list),
        ["BOX_CARD_MISSING D-2.5 8 7", "BOX_TOTAL_MISMATCH D-2.5 100 99"]
    );
    change(&mut list, "Roundhouse", 1);
    assert_eq!(violations_of(&list), ["BOX_CARD_EXTRA D-2.5 4 5", "BOX_CARD_MISSING D-2.5 8 7"]);
}

#[test]
fn d_2_5_known_cards_and_no_empty_lines() {
    let mut list = dojo_box();
    list.entries.push(DeckEntry::main(1, "Uppercut"));
    list.entries.push(DeckEntry::main(0, "Sensei"));
    assert_eq!(
        violations_of(&list),
        [
            "BOX_TOTAL_MISMATCH D-2.5 100 101",
            "CARD_UNKNOWN D-2.5 - 1",
            "ENTRY_COUNT_INVALID D-2.5 1 0",
        ]
    );
}

#[test]
fn d_a1_the_copies_are_assumed() {
    let format = format();
    assert_eq!(format.provenance, Provenance::Assumed);
    assert_eq!(format.variant.as_deref(), Some("full"));
    let assumed = |rule: &Rule| rule.reference.provenance == Provenance::Assumed;
    let variants = &format.variants;
    assert!(variants.iter().flat_map(|variant| &variant.rules).all(assumed));
    let copies = |kinds: &[&str]| copies_in_box("emojo-dojo", &format, kinds);
    assert_eq!(copies(&["belt"]), [8; 10]);
    assert_eq!(copies(&["sensei"]), [8]);
    assert_eq!(copies(&["face_off"]), [4; 3]);
}

#[test]
fn d_14_d_14_1_two_players_may_take_half_the_box() {
    let half = format().with_variant("half").unwrap();
    let pool = shipped("emojo-dojo");
    let report = validate(&half_box(), &pool, &half);
    assert_eq!((report.total, report.violations), (50, vec![]));
    assert!(!judge(&half_box(), &pool, "box").is_legal(), "the full box is twice that");

    let mut list = half_box();
    change(&mut list, "White Belt", -1);
    assert_eq!(
        outline(&validate(&list, &pool, &half).violations),
        ["BOX_CARD_MISSING D-14.1 4 3", "BOX_TOTAL_MISMATCH D-14.1 50 49"]
    );
    change(&mut list, "Tag-Team", 1);
    assert_eq!(
        outline(&validate(&list, &pool, &half).violations),
        ["BOX_CARD_EXTRA D-14.1 2 3", "BOX_CARD_MISSING D-14.1 4 3"]
    );
}
