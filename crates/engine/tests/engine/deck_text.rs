//! Deck lists as text.

use cardscape_engine::{
    CardReference, Deck, DeckEntry, DeckTextFault, parse_deck_text, render_deck_text,
};

fn reference(
    name: &str,
    set: Option<&str>,
    number: Option<&str>,
    rarity: Option<&str>,
) -> CardReference {
    CardReference {
        name: name.to_owned(),
        set: set.map(str::to_owned),
        number: number.map(str::to_owned),
        rarity: rarity.map(str::to_owned),
    }
}

fn one(line: &str) -> (String, u32, CardReference) {
    let parsed = parse_deck_text(line);
    assert_eq!(parsed.faults, [], "{line}");
    assert_eq!(parsed.deck.entries.len(), 1, "{line}");
    let entry = parsed.deck.entries.into_iter().next().unwrap();
    (entry.zone, entry.quantity, entry.card)
}

#[test]
fn the_forms_of_a_line() {
    for (line, quantity, card) in [
        ("2 Kettle Imp", 2, reference("Kettle Imp", None, None, None)),
        ("  4x Kettle Imp\t", 4, reference("Kettle Imp", None, None, None)),
        ("4X   Kettle Imp", 4, reference("Kettle Imp", None, None, None)),
        ("1 Kettle Imp (hearth)", 1, reference("Kettle Imp", Some("hearth"), None, None)),
        ("1 Kettle Imp [HEARTH] 7", 1, reference("Kettle Imp", Some("HEARTH"), Some("7"), None)),
        (
            "1 Kettle Imp (hearth) 017 {rare}",
            1,
            reference("Kettle Imp", Some("hearth"), Some("017"), Some("rare")),
        ),
        ("1 Kettle Imp *Ultra Rare*", 1, reference("Kettle Imp", None, None, Some("Ultra Rare"))),
        ("1 Fox (in the winter)", 1, reference("Fox (in the winter)", None, None, None)),
        ("3 “Fox”, the First", 3, reference("“Fox”, the First", None, None, None)),
        ("3 \"Fox\", the First", 3, reference("\"Fox\", the First", None, None, None)),
        (
            "3 \"Fox (winter)\" (frost) 9 {rare}",
            3,
            reference("Fox (winter)", Some("frost"), Some("9"), Some("rare")),
        ),
        ("1 7 of Cups", 1, reference("7 of Cups", None, None, None)),
        ("0 Nothing", 0, reference("Nothing", None, None, None)),
        ("4294967295 Ants", u32::MAX, reference("Ants", None, None, None)),
    ] {
        assert_eq!(one(line), ("main".to_owned(), quantity, card), "{line}");
    }
}

#[test]
fn sections_comments_and_line_ends() {
    let text = "\u{feff}// format: ttcg/standard\r\n# name : Bones\r\n\r\nDeck\r\n2 A\r\n\r\n1 B\r\nSideboard:\r\n1 C\r\nextra\r\n1 D\r\n\
                [Main]\r\n1 E\r\n[Token Box]\r\n1 F\r\nsb: 1 G\r\n// game: late\r\n";
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    let lines: Vec<(String, String)> =
        parsed.deck.entries.into_iter().map(|entry| (entry.zone, entry.card.name)).collect();
    let expected = [
        ("main", "A"),
        ("main", "B"),
        ("side", "C"),
        ("extra", "D"),
        ("main", "E"),
        ("token box", "F"),
        ("side", "G"),
    ];
    assert_eq!(lines, expected.map(|(zone, name)| (zone.to_owned(), name.to_owned())));
    assert_eq!(parsed.notes["format"], "ttcg/standard");
    assert_eq!(parsed.notes["name"], "Bones");
    assert_eq!(parsed.notes.get("game"), None, "comments after the first entry are only comments");
}

#[test]
fn faults_have_their_line_and_nothing_is_dropped() {
    let parsed = parse_deck_text("2 A\nKettle Imp\n-1 B\n4294967296 C\n3\n3x\n3rd Wish\n1 D");
    let faults: Vec<(usize, DeckTextFault)> =
        parsed.faults.iter().map(|fault| (fault.line, fault.fault)).collect();
    assert_eq!(
        faults,
        [
            (2, DeckTextFault::QuantityMissing),
            (3, DeckTextFault::QuantityInvalid),
            (4, DeckTextFault::QuantityTooLarge),
            (5, DeckTextFault::NameMissing),
            (6, DeckTextFault::NameMissing),
            (7, DeckTextFault::QuantityMissing),
        ]
    );
    assert_eq!(parsed.deck.entries.len(), 2);
    assert_eq!(parsed.faults[0].text, "Kettle Imp");
    assert!(!parsed.faults[0].fault.to_string().is_empty());
}

#[test]
fn rendering_reads_back_and_is_plain_where_it_can_be() {
    let entry =
        |zone: &str, card| DeckEntry { card, zone: zone.to_owned(), ..DeckEntry::main(2, "") };
    let deck = Deck {
        entries: vec![
            entry("main", reference("Kettle Imp", Some("hearth"), Some("017"), Some("rare"))),
            entry("main", reference("Fox (winter)", None, None, None)),
            entry("side", reference("Fox", None, Some("9"), None)),
            entry("Odd ] zone", reference("", Some("a b"), Some("1"), None)),
        ],
    };
    let text = render_deck_text(&deck);
    assert_eq!(
        text,
        "2 Kettle Imp (hearth) 017 {rare}\n2 \"Fox (winter)\"\n\nSideboard\n2 \"Fox\" \"9\"\n\n[\"Odd ] zone\"]\n2 \"\" (\"a b\") \"1\"\n"
    );
    let parsed = parse_deck_text(&text);
    assert_eq!((parsed.deck, parsed.faults), (deck, vec![]));
}
