//! Emojito!: card definitions and the box.

use cardscape_engine::{CardDefinition, Deck, DeckEntry, Provenance};
use serde_json::json;

use crate::support::{boxed, card, faults, game, judge, outline, shipped, with, without};

fn check(card: &CardDefinition) -> Vec<String> {
    faults("emojito", card)
}

fn joy() -> CardDefinition {
    card(
        json!({ "number": "001", "name": "Joy", "kind": "emotion", "attributes": { "emotion": "Joy" } }),
    )
}

#[test]
fn m_1_1_a_card_is_an_emotion_and_nothing_more() {
    assert!(check(&joy()).is_empty());
    assert!(check(&with(joy(), "emoji", json!("😀"))).is_empty());
    let nameless = CardDefinition { name: String::new(), ..joy() };
    assert_eq!(check(&nameless), ["NAME_INVALID M-1.1 120 -"]);
    assert_eq!(check(&without(joy(), "emotion")), ["ATTRIBUTE_MISSING M-1.1 - -"]);
    for number in ["type", "rank", "points"] {
        let card = with(joy(), number, json!(3));
        assert_eq!(check(&card), ["ATTRIBUTE_UNKNOWN M-1.1 - -"], "{number}");
    }
}

#[test]
fn m_a1_the_emotions_are_a_sample_of_ours() {
    let game = game("emojito");
    let emotion = &game.kind("emotion").unwrap().attributes["emotion"];
    assert_eq!(emotion.reference.provenance, Provenance::Sample);
    assert_eq!(shipped("emojito").len(), 100);
}

fn violations_of(deck: &Deck) -> Vec<String> {
    outline(&judge(deck, &shipped("emojito"), "box").violations)
}

#[test]
fn m_2_1_each_of_the_100_cards_once() {
    let mut list = boxed("emojito", |_| 1);
    assert_eq!(list.entries.len(), 100);
    assert_eq!(violations_of(&list), [""; 0]);
    list.entries[7].quantity = 2;
    list.entries.remove(8);
    assert_eq!(
        violations_of(&list),
        ["BOX_CARD_EXTRA M-2.1 1 2", "BOX_CARD_MISSING M-2.1 1 0"],
        "the total alone would not tell"
    );
    list.entries[7].quantity = 1;
    assert_eq!(
        violations_of(&list),
        ["BOX_CARD_MISSING M-2.1 1 0", "BOX_TOTAL_MISMATCH M-2.1 100 99"]
    );
}

#[test]
fn m_2_1_known_cards_and_no_empty_lines() {
    let mut list = boxed("emojito", |_| 1);
    list.entries.push(DeckEntry::main(1, "Ennui de Luxe"));
    list.entries.push(DeckEntry::main(0, "Joy"));
    assert_eq!(
        violations_of(&list),
        [
            "BOX_TOTAL_MISMATCH M-2.1 100 101",
            "CARD_UNKNOWN M-2.1 - 1",
            "ENTRY_COUNT_INVALID M-2.1 1 0",
        ]
    );
}
