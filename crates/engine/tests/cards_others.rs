//! Card definitions of Emoji TCG and of the boxes, and whole sets. Tests are named after the rules.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use cardscape_engine::{CardDefinition, SetDefinition, check_card, check_set};
use serde_json::{Value, json};
use support::{card, codes, emoji, game, outline, unit};

fn faults(game_code: &str, card: &CardDefinition) -> Vec<String> {
    outline(&check_card(&game(game_code), card))
}

fn with(mut card: CardDefinition, attribute: &str, value: Value) -> CardDefinition {
    card.attributes.insert(attribute.to_owned(), value);
    card
}

#[test]
fn e_4_1_exactly_one_of_five_types() {
    for kind in ["faces", "vibes", "signs", "tech", "objects"] {
        assert!(
            faults("emoji-tcg", &with(emoji("Wink", "basicmoji"), "type", json!(kind))).is_empty()
        );
    }
    let food = with(emoji("Wink", "basicmoji"), "type", json!("food"));
    assert_eq!(faults("emoji-tcg", &food), ["ATTRIBUTE_VALUE_UNKNOWN E-4.1 - -"]);
    let both = with(emoji("Wink", "basicmoji"), "type", json!(["faces", "tech"]));
    assert_eq!(faults("emoji-tcg", &both), ["ATTRIBUTE_TYPE_MISMATCH E-4.1 - -"]);
}

#[test]
fn e_4_2_exactly_one_of_four_stages() {
    for stage in ["basicmoji", "supermoji", "ultramoji", "megamoji"] {
        assert!(faults("emoji-tcg", &emoji("Wink", stage)).is_empty(), "{stage}");
    }
    let mut none = emoji("Wink", "basicmoji");
    none.attributes.remove("stage");
    assert!(faults("emoji-tcg", &none).contains(&"ATTRIBUTE_MISSING E-4.2 - -".to_owned()));
}

#[test]
fn e_4_3a_a_basicmoji_has_at_most_a_post_effect() {
    let mut basic = emoji("Wink", "basicmoji");
    basic.effects.clear();
    assert!(faults("emoji-tcg", &basic).is_empty());
    basic.effects = emoji("Wink", "supermoji").effects;
    assert_eq!(faults("emoji-tcg", &basic), ["EFFECT_SLOT_UNKNOWN E-4.3a - -"; 2]);
    basic.effects =
        [emoji("Wink", "basicmoji").effects, emoji("Wink", "basicmoji").effects].concat();
    assert_eq!(faults("emoji-tcg", &basic), ["EFFECT_COUNT_INVALID E-4.3a 1 2"]);
}

#[test]
fn e_4_3b_higher_stages_have_upgrade_and_glitch() {
    for stage in ["supermoji", "ultramoji", "megamoji"] {
        let mut high = emoji("Wink", stage);
        high.effects.remove(0);
        assert_eq!(faults("emoji-tcg", &high), ["EFFECT_COUNT_INVALID E-4.3b 1 0"]);
        high.effects = emoji("Wink", "basicmoji").effects;
        assert_eq!(faults("emoji-tcg", &high).len(), 3, "no Upgrade, no Glitch, and a Post effect");
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
    assert!(faults("emoji-tcg", &with(emoji("Wink", "basicmoji"), "keywords", all)).is_empty());
    let twice = with(emoji("Wink", "basicmoji"), "keywords", json!(["viral", "viral", "frozen"]));
    assert_eq!(
        faults("emoji-tcg", &twice),
        ["ATTRIBUTE_VALUE_DUPLICATE E-4.4 - -", "ATTRIBUTE_VALUE_UNKNOWN E-4.4 - -"]
    );
}

#[test]
fn e_a2_power_is_0_to_99() {
    for (power, right) in [(0, true), (99, true), (-1, false), (100, false)] {
        let card = with(emoji("Wink", "basicmoji"), "power", json!(power));
        assert_eq!(faults("emoji-tcg", &card).is_empty(), right, "{power}");
    }
    let fraction = with(emoji("Wink", "basicmoji"), "power", json!(3.0));
    assert_eq!(codes(&check_card(&game("emoji-tcg"), &fraction)), ["ATTRIBUTE_TYPE_MISMATCH"]);
}

#[test]
fn u_1_2_u_1_3_number_cards_have_colour_number_and_face() {
    let five = card(json!({ "number": "001", "name": "Red 5", "kind": "number",
                            "attributes": { "colour": "red", "number": 5, "face": "🙂" } }));
    assert!(faults("uno-emoji", &five).is_empty());
    assert_eq!(
        faults("uno-emoji", &with(five.clone(), "number", json!(10))),
        ["ATTRIBUTE_OUT_OF_RANGE U-1.3 9 10"]
    );
    assert_eq!(
        faults("uno-emoji", &with(five.clone(), "colour", json!("pink"))),
        ["ATTRIBUTE_VALUE_UNKNOWN U-1.2 - -"]
    );
    let mut faceless = five;
    faceless.attributes.remove("face");
    assert_eq!(faults("uno-emoji", &faceless), ["ATTRIBUTE_MISSING U-1.3 - -"]);
}

#[test]
fn u_5_1_to_u_5_9_action_cards() {
    for kind in ["skip", "reverse", "draw_two"] {
        let mut action = card(
            json!({ "number": "001", "name": "Red", "kind": kind, "attributes": { "colour": "red" } }),
        );
        assert!(faults("uno-emoji", &action).is_empty(), "{kind}");
        action.attributes.clear();
        assert_eq!(faults("uno-emoji", &action), ["ATTRIBUTE_MISSING U-1.2 - -"]);
    }
    for kind in ["wild", "wild_draw_four", "wild_customizable", "wild_emoji"] {
        let wild = card(json!({ "number": "001", "name": "Wild", "kind": kind }));
        assert!(faults("uno-emoji", &wild).is_empty(), "{kind}");
        let coloured = with(wild, "colour", json!("red"));
        assert_eq!(codes(&check_card(&game("uno-emoji"), &coloured)), ["ATTRIBUTE_UNKNOWN"]);
    }
    let ruled = card(json!({ "number": "001", "name": "Wild", "kind": "wild_customizable",
                             "attributes": { "house_rule": "Everybody swaps seats." } }));
    assert!(faults("uno-emoji", &ruled).is_empty());
}

#[test]
fn d_2_1_d_2_2_belts_sensei_and_three_face_off_cards() {
    let belt = |rank: i64| {
        card(json!({ "number": "001", "name": "Belt", "kind": "belt",
                     "attributes": { "rank": rank, "belt": "white", "emoji": "🐑" } }))
    };
    assert!((1..=10).all(|rank| faults("emojo-dojo", &belt(rank)).is_empty()));
    assert_eq!(faults("emojo-dojo", &belt(11)), ["ATTRIBUTE_OUT_OF_RANGE D-2.1 10 11"]);
    let sensei = |points: i64| {
        card(json!({ "number": "001", "name": "Sensei", "kind": "sensei",
                     "attributes": { "points": points, "emoji": "🥋" } }))
    };
    assert!(faults("emojo-dojo", &sensei(15)).is_empty());
    assert_eq!(faults("emojo-dojo", &sensei(14)), ["ATTRIBUTE_OUT_OF_RANGE D-2.1 15 14"]);
    let face_off = |action: &str| {
        card(json!({ "number": "001", "name": "Face-Off", "kind": "face_off",
                     "attributes": { "action": action, "emoji": "😠" } }))
    };
    assert!(
        ["face_off", "tag_team", "roundhouse"].iter().all(|one| faults(
            "emojo-dojo",
            &face_off(one)
        )
        .is_empty())
    );
    assert_eq!(faults("emojo-dojo", &face_off("uppercut")), ["ATTRIBUTE_VALUE_UNKNOWN D-2.2 - -"]);
}

#[test]
fn m_1_1_emotions_have_no_rank_or_points() {
    let joy = card(
        json!({ "number": "001", "name": "Joy", "kind": "emotion", "attributes": { "emotion": "Joy" } }),
    );
    assert!(faults("emojito", &joy).is_empty());
    assert_eq!(faults("emojito", &with(joy, "points", json!(3))), ["ATTRIBUTE_UNKNOWN M-1.1 - -"]);
}

#[test]
fn sets_have_unique_numbers_and_names_and_sound_fields() {
    let mut set = SetDefinition {
        code: "Trial Set".to_owned(),
        name: String::new(),
        released_on: Some("2026-02-30".to_owned()),
        hidden: None,
        unlock_threshold: Some(0),
        cards: vec![unit("Lantern Guard", "light", 1), unit("LANTERN-GUARD!", "dark", 1)],
    };
    let places = |set: &SetDefinition| -> Vec<String> {
        let faults = check_set(&game("ttcg"), set);
        faults.iter().map(|fault| format!("{} {}", fault.pointer, fault.violation.code)).collect()
    };
    assert_eq!(
        places(&set),
        [
            "/code SET_CODE_INVALID",
            "/name SET_NAME_INVALID",
            "/released_on RELEASE_DATE_INVALID",
            "/unlock_threshold UNLOCK_THRESHOLD_INVALID",
            "/cards/1/number NUMBER_DUPLICATE",
            "/cards/1/name NAME_DUPLICATE",
        ]
    );
    set.cards[1].printings[1].attributes.insert("attack".to_owned(), json!(9));
    assert!(places(&set).contains(&"/cards/1/printings/1 UNIT_STAT_TOTAL".to_owned()));
    set.cards.clear();
    assert!(places(&set).contains(&"/cards SET_EMPTY".to_owned()));
}

#[test]
fn set_files_with_unknown_fields_or_bad_json_are_refused_with_their_place() {
    let error = SetDefinition::from_json("{\n \"code\": \"a\", \"colour\": 1 }").unwrap_err();
    assert_eq!(error.line, 2);
    assert!(error.problem.contains("unknown field `colour`"), "{error}");
    assert!(SetDefinition::from_json("{").is_err());
    assert!(SetDefinition::from_json("").is_err());
}
