//! Uno Emoji: card definitions and the box.

use cardscape_engine::{CardDefinition, Deck, Format, Provenance, ReportStatus, validate};
use serde_json::json;

use crate::support::{
    boxed, card, change, copies_in_box, faults, judge, outline, reminder, shipped, with, without,
};

const COLOURED: [&str; 3] = ["skip", "reverse", "draw_two"];

fn check(card: &CardDefinition) -> Vec<String> {
    faults("uno-emoji", card)
}

fn red_5() -> CardDefinition {
    card(json!({ "number": "001", "name": "Red 5", "kind": "number",
                 "attributes": { "colour": "red", "number": 5, "face": "🙂" } }))
}

fn wild(kind: &str) -> CardDefinition {
    card(json!({ "number": "001", "name": "Wild", "kind": kind }))
}

fn action(kind: &str) -> CardDefinition {
    with(wild(kind), "colour", json!("red"))
}

#[test]
fn u_1_2_four_colours() {
    for card in [red_5(), action("skip"), action("reverse"), action("draw_two")] {
        for colour in ["red", "yellow", "green", "blue"] {
            assert!(check(&with(card.clone(), "colour", json!(colour))).is_empty(), "{colour}");
        }
        let pink = with(card.clone(), "colour", json!("pink"));
        assert_eq!(check(&pink), ["ATTRIBUTE_VALUE_UNKNOWN U-1.2 - -"]);
        assert_eq!(check(&without(card, "colour")), ["ATTRIBUTE_MISSING U-1.2 - -"]);
    }
}

#[test]
fn u_1_3_number_cards_have_a_number_and_a_face() {
    for number in 0..=9 {
        assert!(check(&with(red_5(), "number", json!(number))).is_empty(), "{number}");
    }
    for (number, limit) in [(-1, 0), (10, 9)] {
        assert_eq!(
            check(&with(red_5(), "number", json!(number))),
            [format!("ATTRIBUTE_OUT_OF_RANGE U-1.3 {limit} {number}")]
        );
    }
    assert_eq!(check(&without(red_5(), "face")), ["ATTRIBUTE_MISSING U-1.3 - -"]);
    assert_eq!(check(&without(red_5(), "number")), ["ATTRIBUTE_MISSING U-1.3 - -"]);
}

#[test]
fn u_5_1_u_5_2_u_5_3_coloured_action_cards_have_no_number() {
    for (kind, rule) in COLOURED.into_iter().zip(["U-5.1", "U-5.2", "U-5.3"]) {
        assert!(check(&action(kind)).is_empty(), "{kind}");
        let numbered = with(action(kind), "number", json!(5));
        assert_eq!(check(&numbered), [format!("ATTRIBUTE_UNKNOWN {rule} - -")]);
    }
}

#[test]
fn u_5_4_u_5_5_u_5_8_u_5_9_wild_cards_have_neither_colour_nor_number() {
    for (kind, rule) in [
        ("wild", "U-5.4"),
        ("wild_draw_four", "U-5.5"),
        ("wild_customizable", "U-5.8"),
        ("wild_emoji", "U-5.9"),
    ] {
        assert!(check(&wild(kind)).is_empty(), "{kind}");
        let expected = [format!("ATTRIBUTE_UNKNOWN {rule} - -")];
        assert_eq!(check(&with(wild(kind), "colour", json!("red"))), expected);
        assert_eq!(check(&with(wild(kind), "number", json!(5))), expected);
    }
}

#[test]
fn u_5_8_a_house_rule_is_a_text() {
    let ruled = |rule: &str| check(&with(wild("wild_customizable"), "house_rule", json!(rule)));
    assert!(ruled("Everybody swaps seats.").is_empty());
    assert_eq!(ruled(&"x".repeat(201)), ["ATTRIBUTE_OUT_OF_RANGE U-5.8 200 201"]);
    let plain = with(wild("wild"), "house_rule", json!("Everybody swaps seats."));
    assert_eq!(check(&plain), ["ATTRIBUTE_UNKNOWN U-5.4 - -"]);
}

#[test]
fn u_2_1_a_card_of_the_box_has_a_name_and_one_reminder_at_most() {
    let nameless = CardDefinition { name: String::new(), ..red_5() };
    assert_eq!(check(&nameless), ["NAME_INVALID U-2.1 120 -"]);
    let kinds = COLOURED.into_iter().map(action);
    let wilds = ["wild", "wild_draw_four", "wild_customizable", "wild_emoji"].into_iter().map(wild);
    for mut card in kinds.chain(wilds).chain([red_5()]) {
        card.effects = vec![reminder()];
        assert!(check(&card).is_empty(), "{}", card.kind);
        card.effects.push(reminder());
        assert!(check(&card)[0].starts_with("EFFECT_COUNT_INVALID U-"), "{}", card.kind);
    }
}

/// The box with these numbers of Wild Customizable and Wild Emoji.
fn uno_box(customizable: u32, emoji: u32) -> Deck {
    boxed("uno-emoji", |card| match card.kind.as_str() {
        "number" if card.attributes["number"] == 0 => 1,
        "wild" | "wild_draw_four" => 4,
        "wild_customizable" => customizable,
        "wild_emoji" => emoji,
        _ => 2,
    })
}

fn violations_of(deck: &Deck) -> Vec<String> {
    outline(&judge(deck, &shipped("uno-emoji"), "box").violations)
}

fn format() -> Format {
    shipped("uno-emoji").game().format("box").unwrap().clone()
}

#[test]
fn u_1_1_the_box_has_112_cards() {
    let whole = judge(&uno_box(3, 1), &shipped("uno-emoji"), "box");
    assert_eq!((whole.total, whole.status), (112, ReportStatus::Legal));
    let mut list = uno_box(3, 1);
    change(&mut list, "Wild", 1);
    assert_eq!(
        violations_of(&list),
        ["BOX_CARD_EXTRA U-2.1 4 5", "BOX_TOTAL_MISMATCH U-2.1 112 113"]
    );
    let numbers = format().variants.len();
    assert_eq!(numbers, 3, "one for each split of the last four");
}

#[test]
fn u_1_4_the_usual_108_cards_and_the_last_four() {
    for variant in &format().variants {
        let format = format().with_variant(&variant.code).unwrap();
        let count = |kinds: &[&str]| copies_in_box("uno-emoji", &format, kinds).iter().sum::<u32>();
        assert_eq!(count(&["number"]), 76);
        assert_eq!(count(&COLOURED), 24);
        assert_eq!((count(&["wild"]), count(&["wild_draw_four"])), (4, 4));
        let special = [count(&["wild_customizable"]), count(&["wild_emoji"])];
        assert_eq!(special.iter().sum::<u32>(), 4);
        assert!(special.iter().all(|copies| *copies >= 1), "{special:?}");
        let empty = validate(&Deck::default(), &shipped("uno-emoji"), &format);
        assert!(outline(&empty.violations).iter().any(|one| one.ends_with(" 112 0")));
    }
}

#[test]
fn u_2_1_u_t13_missing_and_extra_cards_all_at_once() {
    let mut list = uno_box(3, 1);
    assert_eq!(violations_of(&list), [""; 0]);
    change(&mut list, "Red 0", -1);
    assert_eq!(
        violations_of(&list),
        ["BOX_CARD_MISSING U-2.1 1 0", "BOX_TOTAL_MISMATCH U-2.1 112 111"]
    );
    let report = judge(&list, &shipped("uno-emoji"), "box");
    assert_eq!(report.status, ReportStatus::Incomplete);
    change(&mut list, "Wild", 1);
    assert_eq!(violations_of(&list), ["BOX_CARD_EXTRA U-2.1 4 5", "BOX_CARD_MISSING U-2.1 1 0"]);
    let report = judge(&list, &shipped("uno-emoji"), "box");
    assert_eq!(report.status, ReportStatus::Illegal);
    assert_eq!(report.violations[1].cards[0].name, "Red 0");
    let empty = judge(&Deck::default(), &shipped("uno-emoji"), "box");
    assert_eq!(empty.violations.len(), 56 + 1, "every card of the box, and the total");
    assert_eq!(empty.status, ReportStatus::Incomplete);
}

#[test]
fn u_2_1_known_cards_and_no_empty_lines() {
    let mut list = uno_box(3, 1);
    list.entries[0].card.name = "Pink 0".to_owned();
    assert_eq!(violations_of(&list), ["CARD_UNKNOWN U-2.1 - 1", "BOX_CARD_MISSING U-2.1 1 0"]);
    let mut list = uno_box(3, 1);
    list.entries.push(cardscape_engine::DeckEntry::main(0, "Wild"));
    assert_eq!(violations_of(&list), ["ENTRY_COUNT_INVALID U-2.1 1 0"]);
}

#[test]
fn u_2_2_each_split_of_the_last_four_has_its_variant() {
    let splits = [("three_and_one", 3, 1), ("two_and_two", 2, 2), ("one_and_three", 1, 3)];
    let pool = shipped("uno-emoji");
    for (code, customizable, emoji) in splits {
        let variant = format().with_variant(code).unwrap();
        for (other, more, less) in splits {
            let report = validate(&uno_box(more, less), &pool, &variant);
            assert_eq!(report.variant.as_deref(), Some(code));
            if other == code {
                assert_eq!(report.violations, [], "{code}");
                continue;
            }
            let rule = if code == "three_and_one" { "U-2.1" } else { "U-2.2" };
            let found: Vec<String> =
                report.violations.iter().map(|one| format!("{} {}", one.code, one.rule)).collect();
            assert_eq!(
                found,
                [format!("BOX_CARD_EXTRA {rule}"), format!("BOX_CARD_MISSING {rule}")],
                "{other} in {code}"
            );
        }
        assert_eq!(customizable + emoji, 4);
    }
    assert!(format().with_variant("four_and_none").is_none());
    assert!(format().with_variant("none_and_four").is_none());
}

#[test]
fn u_a1_three_and_one_unless_told_otherwise() {
    let format = format();
    assert_eq!(format.variant.as_deref(), Some("three_and_one"));
    assert!(format.variants.iter().all(|variant| variant.provenance == Provenance::Assumed));
    let defaults: Vec<&str> = format
        .variants
        .iter()
        .filter(|variant| variant.default)
        .map(|variant| &*variant.code)
        .collect();
    assert_eq!(defaults, ["three_and_one"]);
    assert_eq!(violations_of(&uno_box(3, 1)), [""; 0]);
    assert_ne!(violations_of(&uno_box(2, 2)), [""; 0]);
}
