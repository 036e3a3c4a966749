use std::collections::BTreeMap;

use cardscape_engine::{
    Catalogue, Format, Game, ViolationCode, check_card, parse_deck_text, validate,
};
use serde_json::json;

use super::found::FoundCard;
use super::*;

const HARBOUR: &str = r#"
code = "harbour"
name = "Harbour"
rules_version = "1"
[[zones]]
code = "main"
name = "Main hold"
[[zones]]
code = "at_sea"
name = "Side hold"
[[rarities]]
code = "plain"
name = "Plain"
[[rarities]]
code = "gilt"
name = "Gilded"
[[kinds]]
code = "cargo"
name = "Freight"
[kinds.attributes.weight]
name = "load"
type = "integer"
min = 0
max = 100
[kinds.attributes.timber]
type = "choice"
values = ["oak_wood", "tar"]
text = "A cargo is made of one thing."
[kinds.attributes.marks]
type = "choices"
max_items = 1
optional = true
values = ["red", "blue"]
[kinds.attributes.seal]
name = "seal"
type = "text"
max_length = 5
optional = true
[[kinds]]
code = "ship"
name = "Vessel"
[[formats]]
code = "open"
name = "Open"
version = "1"
effective_from = "2025-01-01"
[[formats.rules]]
rule = "H-1"
text = "A main hold has one card at most."
zone_size = { zone = "main", max = 1 }
[[formats.rules]]
rule = "H-2"
text = "A side hold has two cards."
zone_size = { zone = "at_sea", min = 2 }
"#;

fn harbour() -> Game {
    Game::from_toml(HARBOUR).unwrap()
}

/// A violation with two cards and all optional parts.
fn found<'a>(code: &str, limit: i64, actual: i64) -> Found<'a> {
    let card = |name, rarity| FoundCard {
        name,
        set: Some("port"),
        number: Some("002"),
        rarity: Some(rarity),
        copy: Some("copy 1"),
        hidden: false,
    };
    Found {
        code: ViolationCode::from_name(code),
        rule: "H-7",
        rule_text: "Silk is dear",
        limit: Some(limit),
        actual: Some(actual),
        unknown_cards: None,
        zone: Some("at_sea"),
        set: Some("port"),
        attribute: Some("weight"),
        cards: vec![card("Silk", "plain"), card("Silk", "gilt")],
        suggestions: &[],
        refused: None,
    }
}

#[test]
fn every_code_of_the_engine_has_words_of_its_own() {
    let (game, mut all) = (harbour(), BTreeMap::new());
    for (code, _) in ViolationCode::TABLE {
        for game in [Some(&game), None] {
            let names = Names::of(game);
            for cards in [0, 1, 2] {
                let mut broken = found(code, 3, 4);
                broken.cards.truncate(cards);
                let of_decks = deck_words::sentence(&broken, names);
                if of_decks.is_some() && cards == 0 {
                    continue;
                }
                let of_cards = card_words::sentence(&broken, names);
                assert!(of_decks.is_some() != of_cards.is_some(), "{code}");
                let text = explain(&broken, game);
                assert!(text.ends_with('.') && !text.contains(".."), "{code}: {text}");
                assert!(text.starts_with(|first: char| !first.is_lowercase()), "{code}: {text}");
                // A code that the game does not have is shown as it is written.
                let written: &[&str] = match *code {
                    "ZONE_UNKNOWN" => &["at_sea"],
                    "RARITY_UNKNOWN" => &["plain", "gilt"],
                    _ => &[],
                };
                for part in ["\"", "weight", "at_sea", "gilt", "plain", "  "] {
                    let is_told = text.contains(part);
                    assert!(!is_told || written.contains(&part), "{code}: {text}");
                }
                if game.is_some() && cards == 1 {
                    all.entry(text).or_insert_with(Vec::new).push(*code);
                }
            }
        }
    }
    // Some codes share a message, because they are about the same in one or in several zones.
    let alike: Vec<_> = all.values().filter(|codes| codes.len() > 1).cloned().collect();
    for pair in [
        ["DECK_SIZE_BELOW_MIN", "ZONE_SIZE_BELOW_MIN"],
        ["DECK_SIZE_ABOVE_MAX", "ZONE_SIZE_ABOVE_MAX"],
        ["NAME_INVALID", "SET_NAME_INVALID"],
    ] {
        assert!(alike.contains(&pair.to_vec()), "{alike:?}");
    }
    assert_eq!(alike.len(), 3, "{alike:?}");
}

#[test]
fn messages_depend_on_numbers_and_names_replace_codes() {
    let game = harbour();
    for (code, limit, actual, expected) in [
        ("DECK_SIZE_ABOVE_MAX", 1, 2, "Side hold has 2 cards; at most 1 is allowed."),
        ("ZONE_SIZE_ABOVE_MAX", 40, 1_041, "Side hold has 1,041 cards; at most 40 are allowed."),
        ("ZONE_SIZE_ABOVE_MAX", 0, 1, "Side hold has 1 card; none is allowed."),
        ("ZONE_SIZE_BELOW_MIN", 1, 0, "Side hold has 0 cards; at least 1 is needed."),
        ("ZONE_SIZE_BELOW_MIN", 2, 1, "Side hold has 1 card; at least 2 are needed."),
        ("COPY_LIMIT_EXCEEDED", 3, 4, "4 copies of “Silk”; at most 3 are allowed."),
        ("CARD_BANNED", 0, 1, "“Silk” is banned; the deck has 1 copy."),
        (
            "REQUIRED_CARDS_MISSING",
            2,
            1,
            "Silk is dear. Side hold has 1 such card; at least 2 are needed.",
        ),
        (
            "BUDGET_EXCEEDED",
            100,
            109,
            "Load of the cards in Side hold adds up to 109; the most is 100. Most of it: “Silk”.",
        ),
        ("BOX_CARD_EXTRA", 0, 2, "“Silk” does not belong in the box, which has 2 copies."),
        ("BOX_CARD_EXTRA", 1, 2, "The box has 2 copies of “Silk”; only 1 belongs in it."),
        (
            "PRINTING_UNKNOWN",
            0,
            1,
            "There is no such printing: “Silk”, port 002, Plain, “Silk”, port 002, Gilded.",
        ),
        ("ATTRIBUTE_OUT_OF_RANGE", 100, 101, "Load of “Silk” is 101; the most is 100."),
        ("ATTRIBUTE_OUT_OF_RANGE", 0, -1, "Load of “Silk” is −1; the least is 0."),
        ("EFFECT_COUNT_INVALID", 1, 2, "“Silk” has 2 effects in “Weight”; at most 1 is allowed."),
        ("PRINTING_MISSING", 2, 0, "“Silk” lacks printings: Plain, Gilded."),
        (
            "PRINTING_GAIN_MISMATCH",
            5,
            5,
            "A number is too low beside the lowest rarity: Load of “Silk”.",
        ),
        (
            "PRINTING_GAIN_MISMATCH",
            5,
            4,
            "Load of “Silk” must be 5 more than in the lowest rarity, not 4.",
        ),
    ] {
        assert_eq!(explain(&found(code, limit, actual), Some(&game)), expected, "{code}");
    }
    let sum =
        Found { attribute: Some("weight + timber"), ..found("ATTRIBUTE_TOTAL_MISMATCH", 10, 11) };
    assert_eq!(explain(&sum, Some(&game)), "Load + Timber of “Silk” add up to 11, not to 10.");
    assert_eq!(explain(&sum, None), "Weight + Timber of “Silk” add up to 11, not to 10.");
    for (unknown, expected) in
        [(1, "1 unknown card is not counted."), (2, "2 unknown cards are not counted.")]
    {
        let sum = Found { unknown_cards: Some(unknown), ..found("BUDGET_BELOW_MIN", 10, 5) };
        assert!(explain(&sum, None).ends_with(expected), "{}", explain(&sum, None));
    }
}

/// The cards of a violation can be in the order of their amounts.
#[test]
fn each_card_is_named_once() {
    let game = harbour();
    let mut broken = found("BUDGET_EXCEEDED", 100, 109);
    broken.cards.push(FoundCard { name: "Salt", ..broken.cards[0] });
    broken.cards.swap(1, 2);
    let text = explain(&broken, Some(&game));
    assert!(text.ends_with(" Most of it: “Silk”, “Salt”."), "{text}");
}

#[test]
fn rules_with_codes_of_their_own_have_the_text_of_the_manifest() {
    let named = found("SILK_TAX", 500, 490);
    assert_eq!(explain(&named, None), "Silk is dear. Expected: 500. Found: 490. About: “Silk”.");
    let bare = Found { limit: None, cards: Vec::new(), ..found("SILK_TAX", 0, 0) };
    assert_eq!(explain(&bare, None), "Silk is dear.");
    // The sum is right, but one of its parts is too low.
    assert_eq!(explain(&found("SILK_TAX", 5, 5), None), "Silk is dear. About: “Silk”.");
    assert_eq!(explain(&Found { rule_text: "", ..bare }, None), "Rule H-7 is broken.");
}

#[test]
fn advice_uses_names() {
    let game = harbour();
    let advice_on = |code, attribute, suggestions: &[&str]| {
        let suggestions: Vec<String> = suggestions.iter().map(|one| (*one).to_owned()).collect();
        let broken = Found { attribute, suggestions: &suggestions, ..found(code, 1, 2) };
        advice(&broken, Some(&game)).unwrap_or_default()
    };
    for (code, attribute, suggestions, expected) in [
        ("CARD_UNKNOWN", None, &["Silk"][..], "Perhaps: Silk."),
        ("ZONE_UNKNOWN", None, &["main", "at_sea"], "The game has: Main hold, Side hold."),
        ("KIND_NOT_ALLOWED", None, &["at_sea"], "Allowed in: Side hold."),
        ("IDENTITY_MISMATCH", Some("timber"), &["oak_wood"], "What fits: Oak wood."),
        ("VALUE_LIMIT_EXCEEDED", Some("weight"), &["5"], "Most cards have: 5."),
        ("KIND_UNKNOWN", None, &["cargo", "ship"], "The game has: Freight, Vessel."),
        ("RARITY_UNKNOWN", None, &["gilt"], "The game has: Gilded."),
        ("ATTRIBUTE_UNKNOWN", None, &["weight"], "Possible: Load."),
        ("ATTRIBUTE_VALUE_UNKNOWN", Some("timber"), &["tar"], "Possible: Tar."),
        ("WOOD_UNKNOWN", Some("timber"), &["oak_wood"], "Possible: Oak wood."),
        ("EFFECT_SLOT_UNKNOWN", None, &["at_night"], "Possible: At night."),
        (
            "PRINTING_UNKNOWN",
            None,
            &["Silk (port) 002 {gilt}"],
            "Write, for example: Silk (port) 002 {gilt}.",
        ),
        ("COPY_LIMIT_EXCEEDED", None, &[], ""),
    ] {
        assert_eq!(advice_on(code, attribute, suggestions), expected, "{code}");
    }
}

#[test]
fn violations_of_the_engine_have_messages() {
    let game = harbour();
    let catalogue = Catalogue::builder(&game).build();
    let format: &Format = game.format("open").unwrap();
    let report = validate(&parse_deck_text("2 Silk").deck, &catalogue, format);
    let all: Vec<String> =
        report.violations.iter().map(|one| explain(&Found::from(one), Some(&game))).collect();
    for expected in [
        "Main hold has 2 cards; at most 1 is allowed.",
        "Side hold has 0 cards; at least 2 are needed.",
    ] {
        assert!(all.iter().any(|text| text == expected), "{all:?}");
    }
    let edits = report.violations.iter().filter_map(|one| mending(one.fix.as_ref()?, Some(&game)));
    let edits: Vec<String> = edits.collect();
    assert!(edits.contains(&"Take 1 card out of Main hold.".to_owned()), "{edits:?}");

    let card = json!({
        "number": "1", "name": "Silk", "kind": "cargo",
        "attributes": { "weight": 900, "timber": "air", "marks": ["red", "blue"], "seal": "too long", "x_y": 1 },
    });
    let broken = check_card(&game, &serde_json::from_value(card).unwrap());
    let all: Vec<String> =
        broken.iter().map(|one| explain(&Found::from(one), Some(&game))).collect();
    for expected in [
        "Load of “Silk” is 900; the most is 100.",
        "Timber of “Silk” has a value that the game does not know.",
        "Marks of “Silk” has 2 values; at most 1 is allowed.",
        "Seal of “Silk” is empty, longer than 5 characters, or has characters that are not shown.",
        "“Silk” cannot have X y here.",
    ] {
        assert!(all.iter().any(|text| text == expected), "{expected}: {all:?}");
    }
}
