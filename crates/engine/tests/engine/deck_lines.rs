//! The line numbers of entries and of faults.

use cardscape_engine::{
    CardReference, Deck, DeckEntry, DeckTextFault, parse_deck_text, render_deck_text,
};

#[test]
fn every_entry_has_its_line() {
    let parsed = parse_deck_text(
        "\u{feff}// a list\r\n2 A\r\n\r\nside\r\nB\r\n1 C\r\nSB: 1 D\r\n# end\r\n1 E",
    );
    let entries: Vec<(usize, &str)> = parsed
        .lines
        .iter()
        .copied()
        .zip(parsed.deck.entries.iter().map(|entry| entry.card.name.as_str()))
        .collect();
    assert_eq!(entries, [(2, "A"), (6, "C"), (7, "D"), (9, "E")]);
    assert_eq!(parsed.lines.len(), parsed.deck.entries.len());
    assert_eq!(parsed.faults[0].line, 5);
}

#[test]
fn a_line_without_a_name_says_so() {
    for line in [
        "1",
        "1 (veil) 002",
        "1 (veil)",
        "1x [VEIL] 2a {rare}",
        "1 (veil) {Ultra Rare}",
        "1 {rare}",
    ] {
        let parsed = parse_deck_text(line);
        assert_eq!(parsed.deck, Deck::default(), "{line}");
        assert_eq!(parsed.faults[0].fault, DeckTextFault::NameMissing, "{line}");
        assert!(parsed.faults[0].fault.to_string().contains("name is missing"));
    }
    for (line, name) in [
        ("1 (Half) Fox", "(Half) Fox"),
        ("1 (Un)known 2", "(Un)known 2"),
        ("1 (in winter) 2", "(in winter) 2"),
        ("1 \"(veil) 002\"", "(veil) 002"),
        ("1 {rare} Fox", "{rare} Fox"),
        ("1 *Stars*", "*Stars*"),
    ] {
        let parsed = parse_deck_text(line);
        assert_eq!(parsed.faults, [], "{line}");
        assert_eq!(parsed.deck.entries, [DeckEntry::main(1, name)], "{line}");
    }
}

#[test]
fn names_that_look_like_sets_are_written_in_quotes() {
    for name in ["(veil) 002", "(veil)", "{rare}", "[x] 1 {rare}"] {
        let deck = Deck { entries: vec![DeckEntry::main(1, name)] };
        let text = render_deck_text(&deck);
        assert!(text.starts_with("1 \""), "{text}");
        assert_eq!(parse_deck_text(&text).deck, deck);
    }
    let card = CardReference {
        set: Some("veil".to_owned()),
        number: Some("002".to_owned()),
        ..CardReference::default()
    };
    let deck = Deck { entries: vec![DeckEntry { card, ..DeckEntry::main(1, "") }] };
    assert_eq!(parse_deck_text(&render_deck_text(&deck)).deck, deck, "no name, in quotes");
}

#[test]
fn quantities_that_are_none_are_reported_in_words() {
    for (line, fault, words) in [
        ("-1 Fox", DeckTextFault::QuantityInvalid, "no sign"),
        ("+2 Fox", DeckTextFault::QuantityInvalid, "no sign"),
        ("4294967296 Fox", DeckTextFault::QuantityTooLarge, "too large"),
        ("99999999999999999999999 Fox", DeckTextFault::QuantityTooLarge, "too large"),
    ] {
        let parsed = parse_deck_text(line);
        assert_eq!(parsed.faults[0].fault, fault, "{line}");
        let message = parsed.faults[0].fault.to_string();
        assert!(message.contains(words) && !message.contains("4294967295"), "{message}");
    }
}
