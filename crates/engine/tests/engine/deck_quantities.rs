//! Quantities and places of cards in forms that people type: after the name and before other parts, in words, in the number of a card.

use cardscape_engine::{
    Catalogue, DeckDialect, DeckReading, DeckText, Guess, LineVerdict, MentionDepth, read_deck,
    write_deck,
};
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card};

/// Five cards of one set.
fn catalogue() -> Catalogue {
    let names = ["Pocket Bat", "Salt", "Fast x2", "Lamp-7", "Agent"];
    let cards = names.into_iter().enumerate().map(|(at, name)| {
        let definition = json!({
            "number": format!("{:03}", at + 1), "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
        });
        pool_card("port", card(definition))
    });
    Catalogue::builder(&game(HARBOUR)).extend(cards).build()
}

/// The quantity and the card of each line, as `2 Name`, and whether every line is a card.
fn entries(text: &str) -> (Vec<String>, bool) {
    let catalogue = catalogue();
    let read = read_deck(text, &DeckReading::new(&catalogue));
    let is_known = |verdict: &LineVerdict| !matches!(verdict, LineVerdict::Unknown { .. });
    let entry = |entry: &cardscape_engine::DeckEntry| {
        let card = &entry.card;
        let place = card.set.iter().chain(&card.number).map(|part| format!(" {part}"));
        format!("{} {}{}", entry.quantity, card.name, place.collect::<String>())
    };
    let all_known = read.lines.iter().all(|line| line.entry.is_some() && is_known(&line.verdict));
    (read.deck.entries.iter().map(entry).collect(), all_known)
}

/// Before, each of these lines was one copy, without a word, or no card.
#[test]
fn a_quantity_between_the_name_and_other_parts_counts() {
    for (line, expected) in [
        ("Pocket Bat (2) (foil)", "2 Pocket Bat"),
        ("Pocket Bat (2) *F*", "2 Pocket Bat"),
        ("Pocket Bat (2x) (foil)", "2 Pocket Bat"),
        ("Pocket Bat [2] (port) 1", "2 Pocket Bat port 1"),
        ("Pocket Bat (x2) (port) 001", "2 Pocket Bat port 001"),
        ("Pocket Bat (2) // for later", "2 Pocket Bat"),
        ("Pocket Bat x2 // for later", "2 Pocket Bat"),
        ("Pocket Bat: 2 // for later", "2 Pocket Bat"),
        ("Pocket Bat (2 copies)", "2 Pocket Bat"),
        ("Pocket Bat (1 copy)", "1 Pocket Bat"),
        ("Pocket Bat (2 Copies)", "2 Pocket Bat"),
        ("Pocket Bat (2) [Sideboard]", "2 Pocket Bat"),
        ("Pocket Bat (60 cards)", "1 Pocket Bat"),
        ("Fast x2", "1 Fast x2"),
        ("Fast x2 (3) (foil)", "3 Fast x2"),
        ("Fast x2 // both of them", "1 Fast x2"),
    ] {
        assert_eq!(entries(line), (vec![expected.to_owned()], true), "{line}");
    }
}

/// Lists of some games name cards by set and number alone. Before, a list of `4xPORT-001` had no entries, because its lines were taken for headings.
#[test]
fn a_set_and_a_number_with_a_dash_are_a_card() {
    for (line, expected) in [
        ("4xPORT-001", "4 Pocket Bat port 001"),
        ("4 PORT-001", "4 Pocket Bat port 001"),
        ("4x port-1", "4 Pocket Bat port 001"),
        ("PORT-002 x3", "3 Salt port 002"),
        ("2 PORT-002 Salt", "2 Salt PORT 002"),
        ("3xPORT-002 Salt", "3 Salt PORT 002"),
        ("2 Lamp-7", "2 Lamp-7"),
        ("4 PORT-001 // mine", "4 Pocket Bat port 001"),
        ("4 PORT-001 // Pocket Bat", "4 Pocket Bat port 001"),
        ("2 PORT-002 Salt // mine", "2 Salt PORT 002"),
        ("4 PORT-001 (foil)", "4 Pocket Bat port 001"),
        ("4 PORT-001/060", "4 Pocket Bat port 001"),
        ("PORT-001 (4)", "4 Pocket Bat port 001"),
        ("PORT-001: 4", "4 Pocket Bat port 001"),
        ("PORT-002 Salt (4)", "4 Salt PORT 002"),
    ] {
        assert_eq!(entries(line), (vec![expected.to_owned()], true), "{line}");
    }
    let (found, _) = entries("4xPORT-001\n4xPORT-002\n2xPORT-005");
    assert_eq!(found, ["4 Pocket Bat port 001", "4 Salt port 002", "2 Agent port 005"]);
    for line in ["4xHARBOUR-001", "2 Agent-7", "Level-4", "2 Level-4 Agent", "2 PORT-9 Agent"] {
        assert!(!entries(line).1, "{line}");
    }
}

/// Many cards have their number and the size of their set printed on them.
#[test]
fn a_number_may_have_the_size_of_its_set() {
    for line in ["2 Salt (port) 2/60", "2 Salt (port) 002/060", "2 Salt port 2/60"] {
        let catalogue = catalogue();
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(read.lines[0].verdict, LineVerdict::Accepted, "{line}");
        let card = &read.deck.entries[0].card;
        let place = (card.name.as_str(), card.set.as_deref());
        assert_eq!(place, ("Salt", Some("port")), "{line}");
        assert!(["2", "002"].contains(&card.number.as_deref().unwrap_or_default()), "{line}");
    }
    for line in ["2 (port) 002/060", "2 Salz (port) 2/60"] {
        assert_eq!(entries(line).0, ["2 Salt port 002"], "{line}");
    }
    assert_eq!(entries("2 Salt (port) #2/60").0, ["2 Salt port 2"]);
    assert_eq!(entries("2 (port) 77/60").0, ["2  port 77"], "an unknown card");
}

/// A line of many words like quantities has few meanings.
#[test]
fn meanings_of_a_line_are_bounded() {
    let line = format!("a{}", " x2 #b".repeat(160));
    let game = game(HARBOUR);
    let text = DeckText::new(&line, None);
    let mentions = text.lines(&game).mentions(MentionDepth::Every);
    assert!(mentions.names.len() < 40, "{}", mentions.names.len());
}

/// A remark is told, and does not hide the quantity.
#[test]
fn a_remark_after_a_quantity_is_told() {
    let catalogue = catalogue();
    let read = read_deck("Pocket Bat x2 // for later", &DeckReading::new(&catalogue));
    let dropped = Guess::RemarkDropped { remark: "for later".to_owned() };
    assert_eq!(read.lines[0].verdict, LineVerdict::Guessed { how: vec![dropped] });
    let text = write_deck(&read.deck, DeckDialect::Plain, &catalogue, None).text;
    assert!(text.contains("2 Pocket Bat"), "{text}");
}
