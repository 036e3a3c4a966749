//! Cards that a list names by set and number alone.

use cardscape_engine::{
    CardReference, Catalogue, DeckDialect, DeckEntry, DeckReading, DeckText, IgnoredReason,
    LineVerdict, MentionDepth, ReadDeck, Resolution, UnknownReason, encode_share_code, read_deck,
    write_deck,
};
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card};

const CARDS: [(&str, &str, &str); 11] = [
    ("port", "001", "Pocket Bat"),
    ("port", "002", "Salt"),
    ("port", "004", "Lamp-7"),
    ("port", "005", "Agent"),
    ("port", "006", "4xPORT-002"),
    ("ab", "xY7", "Anchor"),
    ("ab", "8", "Brig"),
    ("ab", "z9", "Crane"),
    ("ab", "Z9", "Derrick"),
    ("2x2", "7", "Twin"),
    ("port", "010", "AB"),
];

/// Cards of three sets, each in two rarities.
fn catalogue() -> Catalogue {
    let cards = CARDS.map(|(set, number, name)| {
        let definition = json!({
            "number": number, "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
            "printings": [{ "rarity": "plain" }, { "rarity": "gilded" }],
        });
        pool_card(set, card(definition))
    });
    Catalogue::builder(&game(HARBOUR)).extend(cards).build()
}

fn read(text: &str) -> ReadDeck {
    read_deck(text, &DeckReading::new(&catalogue()))
}

/// `2 Name set number {rarity}`.
fn outline(entry: &DeckEntry) -> String {
    let DeckEntry { quantity, card, .. } = entry;
    let place = card.set.iter().chain(&card.number).map(|part| format!(" {part}"));
    let rarity = card.rarity.iter().map(|rarity| format!(" {{{rarity}}}"));
    format!("{quantity} {}{}", card.name, place.chain(rarity).collect::<String>())
}

/// The quantity and the card of each line, and whether every line is a card.
fn entries(text: &str) -> (Vec<String>, bool) {
    let read = read(text);
    let is_known = |verdict: &LineVerdict| !matches!(verdict, LineVerdict::Unknown { .. });
    let all_known = read.lines.iter().all(|line| line.entry.is_some() && is_known(&line.verdict));
    (read.deck.entries.iter().map(outline).collect(), all_known)
}

fn assert_one(line: &str, expected: &str) {
    assert_eq!(entries(line), (vec![expected.to_owned()], true), "{line}");
}

/// A list of `4xPORT-001` has entries; its lines are not headings.
#[test]
fn a_set_and_a_number_with_a_dash_are_a_card() {
    for (line, expected) in [
        ("4xPORT-001", "4 Pocket Bat port 001"),
        ("4 PORT-001", "4 Pocket Bat port 001"),
        ("4x port-1", "4 Pocket Bat port 001"),
        ("4×PORT-001", "4 Pocket Bat port 001"),
        ("PORT-002 x3", "3 Salt port 002"),
        ("2 PORT-002 Salt", "2 Salt PORT 002"),
        ("3xPORT-002 Salt", "3 Salt PORT 002"),
        ("2 Lamp-7", "2 Lamp-7"),
        ("4 PORT-001 // mine", "4 Pocket Bat port 001"),
        ("4 PORT-001 // Pocket Bat", "4 Pocket Bat port 001"),
        ("PORT-001 x4 // mine", "4 Pocket Bat port 001"),
        ("2 PORT-002 Salt // mine", "2 Salt PORT 002"),
        ("4 PORT-001 (foil)", "4 Pocket Bat port 001 {gilded}"),
        ("4 PORT-001/060", "4 Pocket Bat port 001"),
        ("PORT-001 (4)", "4 Pocket Bat port 001"),
        ("PORT-001: 4", "4 Pocket Bat port 001"),
        ("PORT-002 Salt (4)", "4 Salt PORT 002"),
    ] {
        assert_one(line, expected);
    }
    let (found, _) = entries("4xPORT-001\n3xPORT-002\n2xPORT-005");
    assert_eq!(found, ["4 Pocket Bat port 001", "3 Salt port 002", "2 Agent port 005"]);
    for line in ["4xHARBOUR-001", "2 Agent-7", "Level-4", "2 Level-4 Agent", "2 PORT-9 Agent"] {
        assert!(!entries(line).1, "{line}");
    }
}

#[test]
fn a_set_in_parentheses_is_no_number() {
    let outlines = |list: &str| read(list).deck.entries.iter().map(outline).collect::<Vec<_>>();
    // The game has no such set.
    assert_eq!(outlines("Trainer: 4\n4 Pocket Bat (ab12)"), ["4 Pocket Bat"]);
    assert_eq!(outlines("Trainer: 4\n4 Nobody Knows (ab12)"), ["4 Nobody Knows ab12"]);
    let forge = "[metadata]\n[Main]\n1 Pocket Bat (port)\n1 Salt|PORT";
    assert_eq!(outlines(forge), ["1 Pocket Bat port", "1 Salt PORT"]);
}

/// A name goes first, and the code of a set may begin like a quantity.
#[test]
fn a_set_that_looks_like_a_quantity_is_a_set() {
    for (line, expected) in [
        ("4xPORT-002", "1 4xPORT-002"),
        ("2 4xPORT-002", "2 4xPORT-002"),
        ("4xLamp-7", "4 Lamp-7"),
        ("2X2-7", "1 Twin 2x2 7"),
        ("- 2X2-7 (3)", "3 Twin 2x2 7"),
        ("4 2X2-7", "4 Twin 2x2 7"),
        ("4x2X2-7", "4 Twin 2x2 7"),
        ("2X2-7 [2 copies]", "2 Twin 2x2 7"),
        ("2X2-7 [3]", "3 Twin 2x2 7"),
        ("2X2-7 #mine (3)", "3 Twin 2x2 7"),
        ("2X2-7 3", "3 Twin 2x2 7"),
        ("2X2-7 (3) foil", "3 Twin 2x2 7 {gilded}"),
    ] {
        assert_one(line, expected);
    }
    let both = ["3 Twin 2x2 7".to_owned(), "1 Agent".to_owned()];
    for line in ["2X2-7 (3), Agent (1)", "2x2-7 x3, Agent x1", "- 2x2-7 x3; Agent x1"] {
        assert_eq!(entries(line), (both.to_vec(), true), "{line}");
    }
    for (line, expected) in [
        ("2x2-8", "1  2x2 8"),
        ("2x2-8 (3)", "3  2x2 8"),
        ("3 2x2-8", "3  2x2 8"),
        ("2x2-8 Twin (3)", "3 2x2-8 Twin"),
        ("2x2-8 Twin x3", "3 2x2-8 Twin"),
        ("PORT-999 Twin x3", "3 PORT-999 Twin"),
    ] {
        assert_eq!(entries(line), (vec![expected.to_owned()], false), "{line}");
    }
    let (found, _) = entries("2x2-8 x3, Agent x1");
    assert_eq!(found, ["3  2x2 8", "1 Agent"]);
}

/// Before, such a line was unknown or one copy.
#[test]
fn a_place_may_have_a_quantity_in_every_form_after_it() {
    for (line, expected) in [
        ("PORT-001 2", "2 Pocket Bat port 001"),
        ("PORT-001 * 2", "2 Pocket Bat port 001"),
        ("PORT-001 [2]", "2 Pocket Bat port 001"),
        ("PORT-001 [2 copies]", "2 Pocket Bat port 001"),
        ("PORT-001 (2) (foil)", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-001 (2) foil", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-001 x2 foil", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-001 (2) *F*", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-001 (2x) {gilded}", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-001 (2) (foil) // mine", "2 Pocket Bat port 001 {gilded}"),
        ("PORT-002 Salt (2) (foil)", "2 Salt PORT 002 {gilded}"),
        ("PORT-002 Salt 2", "2 Salt PORT 002"),
        ("1. PORT-001 (2)", "2 Pocket Bat port 001"),
    ] {
        assert_one(line, expected);
    }
    let read = read("PORT-001 (2) [Sideboard]");
    assert_eq!((&*read.deck.entries[0].zone, read.deck.entries[0].quantity), ("side", 2));
    assert_eq!(read.lines[0].tags, ["Sideboard"]);
}

/// Phones and word processors put other dashes in place of a hyphen.
#[test]
fn a_place_may_have_another_dash() {
    for dash in ['-', '‐', '‑', '–', '—', '−', '－'] {
        assert_one(&format!("2 PORT{dash}001"), "2 Pocket Bat port 001");
        assert_one(&format!("PORT{dash}001"), "1 Pocket Bat port 001");
        assert_one(&format!("4xPORT{dash}001 // mine"), "4 Pocket Bat port 001");
        assert_one(&format!("2 PORT{dash}002 Salt"), "2 Salt PORT 002");
    }
    for heading in ["Cargo—12", "Sideboard–15", "Level—4"] {
        let verdict = &read(heading).lines[0].verdict;
        assert!(matches!(verdict, LineVerdict::Ignored(_)), "{heading}: {verdict:?}");
    }
}

/// In a service, the card may be one that the reader does not know: the entry must still mean it.
#[test]
fn an_unknown_place_keeps_its_set_and_its_number() {
    for line in ["2 port-077", "2 port 077", "2 (port) 077", "port-077 (2)", "2 - port-077"] {
        let read = read(line);
        let card = &read.deck.entries[0].card;
        let place = (&*card.name, card.set.as_deref(), card.number.as_deref());
        assert_eq!(place, ("", Some("port"), Some("077")), "{line}");
        let LineVerdict::Unknown { reason, .. } = &read.lines[0].verdict else {
            panic!("{line}: {:?}", read.lines[0].verdict);
        };
        assert_eq!(*reason, Some(UnknownReason::SetAndNumberUnknown), "{line}");
    }
    for line in ["2 nowhere-001", "2 nowhere 001", "2 Cargo-12", "2 Cargo 12", "2 port-077 Name"] {
        let read = read(line);
        assert_eq!(read.deck.entries[0].card.name, line[2..], "{line}");
    }
    // A similar name goes before two words of a set and a number.
    assert_eq!(entries("2 AB 8th").0, ["2  AB 8th"]);
    assert_eq!(entries("2 Lamp 8").0, ["2 Lamp 8"]);
}

/// Before, such a line was the card of this set and number.
#[test]
fn a_set_that_is_called_like_a_kind_of_cards_needs_a_quantity_before_two_words() {
    let definition = json!({
        "number": "12", "name": "Punt", "kind": "cargo",
        "attributes": { "weight": 1, "price": 1 },
    });
    let catalogue =
        Catalogue::builder(&game(HARBOUR)).extend([pool_card("ships", card(definition))]).build();
    for (line, expected) in [("Ships 12", "1 Ships 12"), ("2 Ships 12", "2 Punt ships 12")] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(outline(&read.deck.entries[0]), expected, "{line}");
    }
}

/// Before, such a line was a heading.
#[test]
fn several_places_of_a_line_are_entries() {
    let both = ["2 Pocket Bat port 001".to_owned(), "1 Agent port 005".to_owned()];
    for line in [
        "2xPORT-001, 1xPORT-005",
        "2xPORT-001; 1xPORT-005",
        "2xPORT-001,1xPORT-005",
        "- 2xPORT-001, 1 PORT-005",
        "PORT-001 x2, PORT-005 x1",
        "PORT-001 (2); PORT-005 (1)",
        "PORT 001 (2), PORT-005 (1)",
    ] {
        assert_eq!(entries(line), (both.to_vec(), true), "{line}");
    }
    // Titles of decks are no cards, and the text of an unknown card stays as it is written.
    let (found, _) = entries("PORT-2 Top 8 decks:\n2 PORT-001");
    assert_eq!(found, ["2 Pocket Bat port 001"]);
    let (found, _) = entries("4x [PORT-001] Monkey");
    assert!(found[0].contains("Monkey") && !found[0].contains(']'), "{found:?}");
    let (found, all_known) = entries("2xPORT-001 Pocket Bat, 3xPORT-999");
    assert_eq!(found, ["2 Pocket Bat PORT 001", "3  PORT 999"]);
    assert!(!all_known);
    for line in ["PORT-001, PORT-005", "2xPORT-001, PORT-005", "2xPORT-001 1xPORT-005"] {
        let verdict = &read(line).lines[0].verdict;
        assert!(matches!(verdict, LineVerdict::Unknown { .. }), "{line}: {verdict:?}");
    }
}

/// Before, most of these lines were headings.
#[test]
fn a_place_may_have_marks_around_it() {
    for (line, expected) in [
        ("**4 PORT-001**", "4 Pocket Bat port 001"),
        ("**4xPORT-001**", "4 Pocket Bat port 001"),
        ("`4xPORT-001`", "4 Pocket Bat port 001"),
        ("4 **PORT-001**", "4 Pocket Bat port 001"),
        ("**PORT-001** (4)", "4 Pocket Bat port 001"),
        ("(4xPORT-001)", "4 Pocket Bat port 001"),
        ("[4xPORT-001]", "4 Pocket Bat port 001"),
        ("- [ ] 4xPORT-001", "4 Pocket Bat port 001"),
        ("- 4 PORT-001 *F*", "4 Pocket Bat port 001 {gilded}"),
        ("4xPORT-001 *F*", "4 Pocket Bat port 001 {gilded}"),
        ("PORT-001 *F*", "1 Pocket Bat port 001 {gilded}"),
        ("**PORT-001**", "1 Pocket Bat port 001"),
        ("[PORT-001]", "1 Pocket Bat port 001"),
        ("(PORT-001)", "1 Pocket Bat port 001"),
        ("[PORT-001] (4)", "4 Pocket Bat port 001"),
        ("(PORT-001) (4)", "4 Pocket Bat port 001"),
        ("[PORT-002 Salt]", "1 Salt PORT 002"),
        ("(PORT-002 Salt)", "1 Salt PORT 002"),
        ("PORT-001:", "1 Pocket Bat port 001"),
        ("[PORT-001 x4]", "4 Pocket Bat port 001"),
        ("[PORT-001 4x]", "4 Pocket Bat port 001"),
        ("(PORT-001 x4)", "4 Pocket Bat port 001"),
        ("[PORT-002 Salt x4]", "4 Salt PORT 002"),
        ("[Salt x4]", "4 Salt"),
        ("(Salt x4)", "4 Salt"),
    ] {
        assert_one(line, expected);
    }
    let both = ["4 Pocket Bat port 001".to_owned(), "2 Salt port 002".to_owned()];
    assert_eq!(entries("[PORT-001 x4]\n[PORT-002 x2]"), (both.to_vec(), true));
    for heading in ["[Pepper x4]", "[Cargo x4]", "[Sideboard x4]"] {
        let verdict = &read(heading).lines[0].verdict;
        assert!(matches!(verdict, LineVerdict::Ignored(_)), "{heading}: {verdict:?}");
    }
}

/// In bold, a set that is called like a kind of cards is still a set, if it has the number, and a name with a number is still a name.
#[test]
fn a_place_or_a_name_in_bold_may_begin_like_a_heading() {
    let cards = [("ships", "2", "Punt"), ("port", "1", "Ships-3")].map(|(set, number, name)| {
        let definition = json!({
            "number": number, "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
        });
        pool_card(set, card(definition))
    });
    let catalogue = Catalogue::builder(&game(HARBOUR)).extend(cards).build();
    let read = |line| read_deck(line, &DeckReading::new(&catalogue));
    for list in ["**Ships-2**", "**Ships-2**\n2 Ships-3"] {
        assert_eq!(outline(&read(list).deck.entries[0]), "1 Punt ships 2", "{list}");
    }
    assert_eq!(outline(&read("**Ships-3**").deck.entries[0]), "1 Ships-3");
    let heading = LineVerdict::Ignored(IgnoredReason::Heading);
    assert_eq!(read("**Ships-4**").lines[0].verdict, heading);
}

/// Before, the title of a deck was 40 copies of an unknown card.
#[test]
fn a_title_may_begin_like_a_set_and_a_number() {
    let heading = LineVerdict::Ignored(IgnoredReason::Heading);
    for title in [
        "PORT-50 Budget Deck (40)",
        "PORT-50 Budget Deck (40 cards)",
        "PORT-50 Budget Deck [40]",
        "PORT-50 Budget Deck - 40",
        "PORT-50 Budget Deck (100)",
        "HARBOUR-50 Budget Deck (40)",
    ] {
        for list in [format!("{title}\n2 Salt"), format!("{title}\n\n2 Salt\n1 PORT-001")] {
            let read = read(&list);
            assert_eq!(read.lines[0].verdict, heading, "{list}");
            assert_eq!(outline(&read.deck.entries[0]), "2 Salt", "{list}");
        }
    }
    for (list, expected) in [
        // Not above cards, or not with the number of the cards of a deck.
        ("PORT-50 Budget Deck (40)", "40 PORT-50 Budget Deck"),
        ("PORT-50 Whale (4)\n2 Salt", "4 PORT-50 Whale"),
        ("PORT-50 (40)\n2 Salt", "40  PORT 50"),
        // The set has the number, or a card has the name.
        ("PORT-001 Bat (40)\n2 Salt", "40 PORT-001 Bat"),
        ("PORT-50 Agent (40)\n2 Salt", "40 PORT-50 Agent"),
        ("PORT-50 Whale (10)\nPORT-51 Shark (10)", "10 PORT-50 Whale"),
    ] {
        assert_eq!(outline(&read(list).deck.entries[0]), expected, "{list}");
    }
}

/// Before, a line without a quantity or in brackets was a heading, and one with a quantity directly before the set was one copy.
#[test]
fn an_unknown_number_of_a_known_set_is_an_unknown_card() {
    for (line, quantity) in [
        ("PORT-999", 1),
        ("PORT-999 (4)", 4),
        ("PORT-999: 4", 4),
        ("4xPORT-999", 4),
        ("4 PORT-999", 4),
        ("**4xPORT-999**", 4),
        ("[PORT-999]", 1),
        ("(PORT-999)", 1),
        ("- [PORT-999]", 1),
        ("[2xPORT-999]", 2),
        ("[2 PORT-999]", 2),
        ("(4xPORT-999)", 4),
        ("[PORT-999] (4)", 4),
        ("(PORT-999) (4)", 4),
        ("(PORT-999) x4", 4),
        ("PORT-999 (4) foil", 4),
        ("PORT-999 4", 4),
        ("PORT-999 // mine", 1),
        ("4 PORT–999", 4),
    ] {
        let read = read(line);
        let LineVerdict::Unknown { reason, .. } = &read.lines[0].verdict else {
            panic!("{line}: {:?}", read.lines[0].verdict);
        };
        assert_eq!(*reason, Some(UnknownReason::SetAndNumberUnknown), "{line}");
        assert_eq!(
            outline(&read.deck.entries[0]).replace(" {foil}", ""),
            format!("{quantity}  PORT 999"),
            "{line}"
        );
    }
    let LineVerdict::Unknown { near, .. } = &read("4xPORT-003").lines[0].verdict else {
        panic!("the number is unknown");
    };
    assert_eq!(near, &["4xPORT-002"]);
    let LineVerdict::Unknown { near, .. } = &read("PORT-003").lines[0].verdict else {
        panic!("the number is unknown");
    };
    assert_eq!(near, &["4xPORT-002"]);
    let (found, _) = entries("[PORT-001]\n[PORT-999]\n[PORT-005]");
    assert_eq!(found, ["1 Pocket Bat port 001", "1  PORT 999", "1 Agent port 005"]);
    for heading in [
        "Level-4",
        "Cargo-12",
        "Cargo-12:",
        "Sideboard-15",
        "[Level-4]",
        "(Level-4)",
        "[Cargo-12]",
        "(4 Cargo-12)",
        "[Sideboard-15]",
        "(Sideboard-15)",
    ] {
        let verdict = &read(heading).lines[0].verdict;
        let is_heading = matches!(
            verdict,
            LineVerdict::Ignored(IgnoredReason::Heading | IgnoredReason::ZoneHeader { .. })
        );
        assert!(is_heading, "{heading}: {verdict:?}");
    }
}

/// Before, only the number of a card as it is written was found without a name, and none without brackets or a dash.
#[test]
fn numbers_are_found_in_any_case() {
    for (line, expected) in [
        ("2 (AB) xY7", "2 Anchor ab xY7"),
        ("2 (AB) xy7", "2 Anchor ab xY7"),
        ("2 AB xY7", "2 Anchor ab xY7"),
        ("2 ab xy7", "2 Anchor ab xY7"),
        ("AB XY7", "1 Anchor ab xY7"),
        ("4xAB-XY7", "4 Anchor ab xY7"),
        ("4XAB-xY7", "4 Anchor ab xY7"),
        ("2 Anchor AB xy7", "2 Anchor AB xy7"),
        ("2 AB Z9", "2 Derrick ab Z9"),
        ("4xab-z9", "4 Crane ab z9"),
        ("2 port 002/060", "2 Salt port 002"),
        ("2 AB 8", "2 Brig ab 8"),
        // A name with a quantity goes first.
        ("AB 8", "8 AB"),
    ] {
        assert_one(line, expected);
    }
    for line in ["2 AB 77", "2 Nowhere 8", "2 AB x"] {
        assert!(!entries(line).1, "{line}");
    }
}

/// Before, such a field was only a name.
#[test]
fn a_table_may_have_places_in_the_column_of_the_name() {
    for (text, expected) in [
        ("Quantity,Name\n4,PORT-001", "4 Pocket Bat port 001"),
        ("Quantity\tName\n4\tPORT-001", "4 Pocket Bat port 001"),
        ("Quantity,Name,Foil\n4,PORT-001,yes", "4 Pocket Bat port 001 {gilded}"),
        ("Quantity,Name,Set\n4,PORT-001,port", "4 Pocket Bat port 001"),
        ("Quantity;Name\n4;PORT-002 Salt", "4 Salt PORT 002"),
        ("Quantity,Name\n4,Lamp-7", "4 Lamp-7"),
        ("Quantity,Name\n4,4xPORT-002", "4 4xPORT-002"),
        (r#"{"deck":{"PORT-001":3}}"#, "3 Pocket Bat port 001"),
    ] {
        let (found, _) = entries(text);
        assert_eq!(found, [expected], "{text}");
    }
    for text in ["Quantity,Name\n4,PORT-999", "Quantity,Name,Set\n4,PORT-001,ab"] {
        let verdict = &read(text).lines[1].verdict;
        assert!(matches!(verdict, LineVerdict::Unknown { .. }), "{text}: {verdict:?}");
    }
}

/// Deckstats has the number of a set in one column, and its code in another one.
#[test]
fn the_code_of_a_set_goes_before_its_id_in_a_table() {
    let read =
        read("amount,card_name,is_foil,is_pinned,set_id,set_code\n4,\"Salt\",0,0,147,\"port\"");
    let columns = vec!["is_pinned".to_owned()];
    let header = LineVerdict::Ignored(IgnoredReason::ColumnsNotRead { columns });
    assert_eq!(read.lines[0].verdict, header);
    assert_eq!(read.lines[1].verdict, LineVerdict::Accepted);
    assert_eq!(outline(&read.deck.entries[0]), "4 Salt port");
    assert_eq!(entries("Quantity,Name,Set Id\n4,Salt,port").0, ["4 Salt port"]);
    // So does any other column for the set.
    for other in ["set", "set_name"] {
        let text = format!("quantity,name,set_id,{other}\n4,Salt,147,port");
        assert_eq!(entries(&text).0, ["4 Salt port"], "{text}");
    }
    // The size of the set is no part of the number.
    assert_eq!(entries("Quantity,Name,Set,Number\n4,Salt,port,002/11").0, ["4 Salt port 002"]);
}

#[test]
fn a_star_after_a_number_belongs_to_it() {
    let cards = ["146", "146★", "7"].map(|number| {
        let definition = json!({
            "number": number, "name": "Salt", "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
            "printings": [{ "rarity": "plain" }, { "rarity": "gilded" }],
        });
        pool_card("port", card(definition))
    });
    let catalogue = Catalogue::builder(&game(HARBOUR)).extend(cards).build();
    for (line, expected, is_accepted) in [
        ("1 Salt (port) 146★", "1 Salt port 146★", true),
        ("1 Salt (port) 146★ *F*", "1 Salt port 146★ {gilded}", true),
        ("1 Salt (port) 146", "1 Salt port 146", true),
        // No card has this number.
        ("1 Salt (port) 7★", "1 Salt port", false),
        // Other signs after a name are its influence.
        ("3 Salt ●●", "3 Salt", true),
        ("3 Salt★", "3 Salt", true),
        ("3 Salt (port) 7 ●●", "3 Salt port 7", true),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(outline(&read.deck.entries[0]), expected, "{line}");
        assert_eq!(read.lines[0].verdict == LineVerdict::Accepted, is_accepted, "{line}");
    }
    let deck = read_deck("1 Salt (port) 146★", &DeckReading::new(&catalogue)).deck;
    for dialect in [DeckDialect::Arena, DeckDialect::Moxfield, DeckDialect::Archidekt] {
        let losses = write_deck(&deck, dialect, &catalogue, None).losses;
        assert!(losses.is_empty(), "{dialect}: {losses:?}");
    }
}

/// A service loads only the cards that a list mentions.
#[test]
fn places_are_mentioned() {
    let game = game(HARBOUR);
    for text in [
        "4xPORT-001",
        "2xPORT-001, 1xPORT-005",
        "**4xPORT-001**",
        "[PORT-001]",
        "(PORT-001)",
        "(PORT-001) (4)",
        "[PORT-001 Salt]",
        "[PORT-001 x4]",
        "2 PORT 001",
        "PORT-001 (2) (foil)",
        "PORT-001 * 2",
        "2 PORT—001",
        "PORT-001 (2), Salt (1)",
        "Quantity,Name\n4,PORT-001",
    ] {
        let mentions = DeckText::new(text, None).mentions(&game, MentionDepth::Every);
        let place = ("PORT".to_owned(), "001".to_owned());
        assert!(mentions.numbered.contains(&place), "{text}: {:?}", mentions.numbered);
    }
    // Where only some lines are our own text, a line in brackets is the header of a zone at first, with a code in small letters.
    let text = DeckText::new("2 Salt {gilded}\n[PORT-001]", None);
    let mentions = text.mentions(&game, MentionDepth::Every);
    assert!(mentions.numbered.contains(&("port".to_owned(), "001".to_owned())), "{mentions:?}");
}

/// The sideboard begins at the blank line as in other lists, because each line has a quantity.
#[test]
fn places_are_lines_of_a_list() {
    let read = read("4xPORT-001\n3xPORT-002 // mine\n\n2xPORT-005");
    assert_eq!(read.dialect, DeckDialect::Mtgo);
    let zones = read.deck.entries.iter().map(|entry| (&*entry.zone, entry.quantity));
    assert_eq!(zones.collect::<Vec<_>>(), [("main", 4), ("main", 3), ("side", 2)]);
}

/// The cards of [`catalogue`], of which `port 002` had other places before, one of them that of a card that was merged into it.
fn catalogue_after_moves() -> Catalogue {
    let cards = catalogue();
    Catalogue::builder(cards.game())
        .extend(cards.iter().cloned())
        .old_place("port", "090", "port/002")
        .old_place("ab", "1", "port/002")
        .old_place("port", "001", "port/002")
        .old_place("port", "091", "no card")
        .build()
}

#[test]
fn old_places_lead_to_the_present_card() {
    let catalogue = catalogue_after_moves();
    for (line, expected) in [
        ("2 (port) 090", "2 Salt port 002"),
        ("2 (PORT) 90", "2 Salt port 002"),
        ("2 PORT-090", "2 Salt port 002"),
        ("2 Salt (port) 090", "2 Salt port 002"),
        // Our own text stays as it is written.
        ("2 Salt (port) 090 {gilded}", "2 Salt port 090 {gilded}"),
        ("2 Salt (ab) 01", "2 Salt port 002"),
        // A card that has the place now has precedence.
        ("2 (port) 1", "2 Pocket Bat port 001"),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(read.deck.entries.iter().map(outline).collect::<Vec<_>>(), [expected]);
        assert_eq!(read.lines[0].verdict, LineVerdict::Accepted, "{line}");
    }
    for (line, is_known) in [
        ("2 (port) 091", false),
        ("2 (port) 092", false),
        // The old place of another card than the named one.
        ("2 Pocket Bat (port) 090", false),
        ("2 \"Salt\" (\"port\") \"090\"", true),
        ("2 \"\" (\"ab\") \"1\"", true),
    ] {
        let read = read_deck(line, &DeckReading::new(&catalogue));
        assert_eq!(read.lines[0].verdict == LineVerdict::Accepted, is_known, "{line}");
    }
    let code = "1 \"\" (\"port\") \"090\"\n2 \"\" (\"ab\") \"1\"";
    let before = read_deck(code, &DeckReading::new(&catalogue)).deck;
    let code = encode_share_code("harbour", &before).unwrap();
    let read = read_deck(&code, &DeckReading::new(&catalogue));
    let entries: Vec<String> = read.deck.entries.iter().map(outline).collect();
    assert_eq!(entries, ["2 Salt port 002", "1 Salt port 002"]);
}

/// A number with zeros before it is written in full: another card whose number differs only in them is not meant.
#[test]
fn an_old_number_with_zeros_is_not_that_of_another_card() {
    let cards = catalogue();
    let catalogue = Catalogue::builder(cards.game())
        .extend(cards.iter().cloned())
        .old_place("port", "0002", "port/001")
        .old_place("port", "5", "port/001")
        .build();
    let find = |name: &str, number: &str| {
        let (set, number) = (Some("port".to_owned()), Some(number.to_owned()));
        match catalogue.find(&CardReference { name: name.to_owned(), set, number, rarity: None }) {
            Resolution::Card(card) => card.definition.number.clone(),
            _ => String::new(),
        }
    };
    for (number, expected) in [
        ("0002", "001"),
        ("002", "002"),
        ("2", "002"),
        ("00002", "002"),
        // Without zeros, it may be short for the number of a card.
        ("5", "005"),
    ] {
        assert_eq!(find("", number), expected, "{number}");
        let line = format!("1 (port) {number}");
        let read = read_deck(&line, &DeckReading::new(&catalogue));
        assert_eq!(read.deck.entries[0].card.number.as_deref(), Some(expected), "{line}");
        assert_eq!(read.lines[0].verdict, LineVerdict::Accepted, "{line}");
    }
    let unseen = Catalogue::builder(cards.game())
        .extend(cards.iter().cloned())
        .unseen_place("PORT", "0002")
        .unseen_place("port", "5")
        .unseen_place("port", "001")
        .build();
    let find_unseen = |number: &str| {
        let (set, number) = (Some("port".to_owned()), Some(number.to_owned()));
        match unseen.find(&CardReference { set, number, ..CardReference::default() }) {
            Resolution::Card(card) => Some(card.definition.number.clone()),
            _ => None,
        }
    };
    // The card that had this number is not here.
    assert_eq!(find_unseen("0002"), None);
    for (number, expected) in [("002", "002"), ("2", "002"), ("5", "005"), ("001", "001")] {
        assert_eq!(find_unseen(number).as_deref(), Some(expected), "{number}");
    }
    assert_eq!(find("Pocket Bat", "0002"), "001");
    assert_eq!(find("Salt", "0002"), "002", "the card of this name has the number now");
    let line = "1 PORT-0002 Salt";
    let read = read_deck(line, &DeckReading::new(&catalogue));
    assert_eq!(read.deck.entries.iter().map(outline).collect::<Vec<_>>(), ["1 Salt PORT 0002"]);
}

/// A stored deck has names as they were when it was written.
#[test]
fn references_with_an_old_name_mean_the_card_that_they_were_written_for() {
    let cards = catalogue();
    let reference = |name: &str, number: Option<&str>| CardReference {
        name: name.to_owned(),
        set: number.map(|_| "PORT".to_owned()),
        number: number.map(str::to_owned),
        rarity: None,
    };
    let cards = Catalogue::builder(cards.game())
        .extend(cards.iter().cloned())
        .meaning(reference("Old Salt", None), "port/002")
        .meaning(reference("Old Salt", Some("2")), "port/002")
        .meaning(reference("Old Salt", Some("9")), "port/002")
        // Another card has the old name now.
        .meaning(reference("Agent", Some("2")), "port/002")
        .meaning(reference("Agent", None), "port/002")
        // It has never had this number.
        .meaning(reference("Agent", Some("9")), "port/002")
        // It had this number.
        .meaning(reference("Agent", Some("90")), "port/002")
        .old_place("port", "090", "port/002")
        .build();
    let found = |name, number| match cards.find(&reference(name, number)) {
        Resolution::Card(card) => (true, card.definition.name.as_str()),
        Resolution::OtherPrinting(card) => (false, card.definition.name.as_str()),
        _ => (false, ""),
    };
    assert_eq!(found("Old Salt", None), (true, "Salt"));
    assert_eq!(found("Old Salt", Some("2")), (true, "Salt"));
    assert_eq!(found("Old Salt", Some("9")), (false, "Salt"), "the card never had the number");
    assert_eq!(found("Agent", Some("2")), (true, "Salt"));
    assert_eq!(found("Agent", None), (true, "Agent"), "the name is as it is written");
    assert_eq!(found("Agent", Some("9")), (false, "Agent"), "the card never had the number");
    assert_eq!(found("Agent", Some("90")), (true, "Salt"));
    assert_eq!(found("Older Salt", None), (false, ""));
}
