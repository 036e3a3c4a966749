//! Checks of card and set definitions that hold for every game.

use crate::support::{self, codes, game, unit};
use cardscape_engine::{
    CardDefinition, SET_FAULTS_MAX, SetDefinition, SetFault, card_faults, check_card, check_set,
};
use serde_json::json;

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

/// Each fault repeats the rarity, so a long one with many attributes would take a thousand times the memory of the card.
#[test]
fn a_card_has_a_limited_number_of_faults_and_none_repeats_a_long_text() {
    let mut attributes = json!({ "attack": "high" });
    for at in 0..SET_FAULTS_MAX {
        attributes[format!("b{at}")] = json!(1);
    }
    let printings = json!([{ "rarity": "x".repeat(1_000), "attributes": attributes }]);
    let printings = serde_json::from_value(printings).unwrap();
    let card = CardDefinition { printings, ..unit("Lantern Guard", "light", 1) };
    let faults = card_faults(&game("ttcg"), &card);
    assert_eq!(faults.len(), SET_FAULTS_MAX);
    let places: Vec<&str> = faults.iter().take(3).map(|fault| fault.pointer.as_str()).collect();
    let attribute = |code: &str| format!("/printings/0/attributes/{code}");
    assert_eq!(places, ["/printings/0/rarity", &attribute("attack"), &attribute("b0")]);
    let mut cards = faults.iter().flat_map(|fault| &fault.violation.cards);
    assert!(cards.all(|card| card.rarity.as_ref().is_some_and(|rarity| rarity.len() == 64)));
}

/// Each fault has its own copy of all values that would be right, which may be thousands.
#[test]
fn only_the_first_faults_of_a_card_or_set_have_suggestions() {
    let ttcg = game("ttcg");
    let suggesting = |faults: &[SetFault]| -> Vec<bool> {
        let unknown =
            faults.iter().filter(|fault| fault.violation.code.as_str().ends_with("UNKNOWN"));
        unknown.map(|fault| !fault.violation.suggestions.is_empty()).collect()
    };
    let expected: Vec<bool> = (0..150).map(|at| at < 100).collect();
    let mut card = unit("Lantern Guard", "light", 1);
    for at in 0..150 {
        card.attributes.insert(format!("b{at}"), json!(1));
    }
    assert_eq!(suggesting(&card_faults(&ttcg, &card)), expected);
    let mut card = unit("Lantern Guard", "light", 1);
    let subtypes: Vec<String> = (0..150).map(|at| format!("b{at}")).collect();
    card.attributes.insert("subtypes".to_owned(), json!(subtypes));
    assert_eq!(suggesting(&card_faults(&ttcg, &card)), expected);
    let of_no_kind = |at: usize| CardDefinition {
        number: at.to_string(),
        kind: "trap".to_owned(),
        ..unit(&format!("Guard {at}"), "light", 1)
    };
    let set = SetDefinition {
        code: "reef".to_owned(),
        name: "Reef".to_owned(),
        released_on: None,
        hidden: None,
        unlock_threshold: None,
        cards: (0..150).map(of_no_kind).collect(),
    };
    assert_eq!(suggesting(&check_set(&ttcg, &set)), expected);
}

#[test]
fn an_unknown_kind_is_reported_with_the_known_ones() {
    let card = CardDefinition { kind: "trap".to_owned(), ..unit("Lantern Guard", "light", 1) };
    let violations = check_card(&game("ttcg"), &card);
    assert_eq!(codes(&violations), ["KIND_UNKNOWN"]);
    assert_eq!(violations[0].suggestions, ["unit", "spell", "lore"]);
}

#[test]
fn effects_have_texts_and_no_slot_where_there_are_none() {
    let mut card = unit("Lantern Guard", "light", 1);
    card.effects[0].slot = Some("post".to_owned());
    card.effects[1].text = " ".to_owned();
    assert_eq!(codes(&check_card(&game("ttcg"), &card)), ["TEXT_INVALID", "EFFECT_SLOT_UNKNOWN"]);
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
    set.unlock_threshold = Some(100_001);
    assert!(places(&set).contains(&"/unlock_threshold UNLOCK_THRESHOLD_INVALID".to_owned()));
    set.cards[1].printings[1].attributes.insert("attack".to_owned(), json!(9));
    assert!(places(&set).contains(&"/cards/1/printings/1 UNIT_STAT_TOTAL".to_owned()));
    set.cards.clear();
    assert!(places(&set).contains(&"/cards SET_EMPTY".to_owned()));
}

/// A name or text that looks like another one, or like nothing, is refused, and the message names the character.
#[test]
fn names_and_texts_have_no_characters_that_nobody_sees() {
    let messages = |card: &CardDefinition| -> Vec<String> {
        let faults = card_faults(&game("ttcg"), card);
        faults
            .iter()
            .map(|fault| format!("{} {}", fault.pointer, fault.violation.message()))
            .collect()
    };
    let turned = "a character that changes the direction of the text, U+202E";
    let mut card = unit("Lantern\u{202E} Guard", "light", 1);
    card.effects[0].text.push('\u{FEFF}');
    let found = messages(&card);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0], format!("/name The name has {turned}."));
    assert!(found[1].starts_with("/effects/0/text A text of "), "{found:?}");
    assert!(found[1].ends_with(" has an invisible character, U+FEFF."), "{found:?}");
    for name in ["Lantern\u{3164}", "\u{200B}\u{200D}", "Guard\u{E0041}"] {
        assert_eq!(messages(&unit(name, "light", 1)).len(), 1, "{name:?}");
    }
    for name in ["حارس", "❤\u{FE0F}", "👩🏻\u{200D}🚒", "می\u{200C}خواهم"] {
        assert_eq!(messages(&unit(name, "light", 1)), [""; 0], "{name:?}");
    }
    let mut set = SetDefinition {
        code: "reef".to_owned(),
        name: "Re\u{202E}ef".to_owned(),
        released_on: None,
        hidden: None,
        unlock_threshold: None,
        cards: vec![unit("Lantern Guard", "light", 1)],
    };
    let faults = check_set(&game("ttcg"), &set);
    assert_eq!(faults.len(), 1);
    assert_eq!(
        (&*faults[0].pointer, faults[0].violation.message()),
        ("/name", format!("The name has {turned}."))
    );
    assert_eq!(faults[0].violation.refused_character(), Some('\u{202E}'));
    set.name = "Reef".to_owned();
    assert_eq!(check_set(&game("ttcg"), &set), []);
}

#[test]
fn set_files_with_unknown_fields_or_bad_json_are_refused_with_their_place() {
    let error = SetDefinition::from_json("{\n \"code\": \"a\", \"colour\": 1 }").unwrap_err();
    assert_eq!(error.line, 2);
    assert!(error.problem.contains("unknown field `colour`"), "{error}");
    assert!(SetDefinition::from_json("{").is_err());
    assert!(SetDefinition::from_json("").is_err());
}
