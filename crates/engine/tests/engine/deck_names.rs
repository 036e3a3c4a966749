//! Names of cards with marks that have a meaning in lists: how they are written, what is lost, and how they are read.

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, DeckTextFault, Guess,
    IgnoredReason, LineVerdict, LossKind, encode_share_code, read_deck, render_deck_text,
    write_deck,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card, shipped};

const NAMES: [&str; 15] = [
    "Wolf | Moon",
    "Wolf",
    "Fast x2",
    "Fast",
    "[Main] (twin)",
    "Name (SET) 3",
    "3 Swords",
    "// Dark",
    "Agent #7",
    "Salt, 1 Silk",
    "Salt",
    "Silk",
    "C+",
    "]",
    "2.5 Waves",
];

/// Cards with these names, in one set.
fn catalogue() -> Catalogue {
    let cards = NAMES.iter().enumerate().map(|(at, name)| {
        let definition = json!({
            "number": (at + 1).to_string(), "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 },
        });
        pool_card("odd", card(definition))
    });
    Catalogue::builder(&game(HARBOUR)).extend(cards).build()
}

/// The names that are reported as lost.
fn lost(dialect: DeckDialect) -> Vec<&'static str> {
    let entries = NAMES.iter().map(|name| DeckEntry::main(2, *name)).collect();
    let written = write_deck(&Deck { entries }, dialect, &catalogue(), None);
    let lost = written.losses.iter().filter(|loss| loss.kind == LossKind::Name);
    lost.filter_map(|loss| Some(NAMES[loss.entry?])).collect()
}

/// A reader that knows the cards finds all of them, but other programs do not.
#[test]
fn names_that_other_programs_read_differently_are_reported() {
    let in_all = ["[Main] (twin)", "Name (SET) 3", "Agent #7", "Salt, 1 Silk"];
    for dialect in [DeckDialect::Arena, DeckDialect::Moxfield, DeckDialect::Archidekt] {
        assert_eq!(lost(dialect), in_all, "{dialect}");
    }
    let in_forge = lost(DeckDialect::Forge);
    assert!(in_forge.contains(&"Wolf | Moon") && !in_forge.contains(&"Fast x2"), "{in_forge:?}");
    for dialect in [DeckDialect::Own, DeckDialect::Json, DeckDialect::Csv] {
        assert_eq!(lost(dialect), [""; 0], "{dialect}");
    }
}

fn entries(list: &str) -> Vec<(u32, String)> {
    let catalogue = catalogue();
    let read = read_deck(list, &DeckReading::new(&catalogue));
    let unknown = |line: &&cardscape_engine::ReadLine| {
        matches!(line.verdict, LineVerdict::Unknown { .. } | LineVerdict::Ambiguous { .. })
    };
    assert_eq!(read.lines.iter().find(unknown), None, "{list}");
    read.deck.entries.into_iter().map(|entry| (entry.quantity, entry.card.name)).collect()
}

#[test]
fn a_name_is_found_as_typed_before_it_is_split() {
    for name in NAMES {
        assert_eq!(entries(&format!("2 {name}")), [(2, name.to_owned())]);
        assert_eq!(entries(&format!("1 Salt\n2x {name}"))[1], (2, name.to_owned()));
    }
    // Without a bar in the name of a card, the text after it is a set.
    let catalogue = catalogue();
    let read = read_deck("2 Wolf|ODD\n2 Fast|ODD", &DeckReading::new(&catalogue));
    let sets: Vec<_> = read.deck.entries.iter().map(|entry| entry.card.set.as_deref()).collect();
    assert_eq!(sets, [Some("ODD"), Some("ODD")], "{read:?}");
}

/// Names that are only marks, that look like several cards, and that have codes and links in them.
fn names() -> impl Strategy<Value = String> {
    let salt = CardReference {
        set: Some("port".to_owned()),
        number: Some("001".to_owned()),
        ..CardReference::default()
    };
    let deck = Deck { entries: vec![DeckEntry { card: salt, ..DeckEntry::main(2, "") }] };
    let code = encode_share_code(HARBOUR, &deck).unwrap();
    let with_code = [code.clone(), format!("Foo {code}"), format!("Foo: {code}")];
    let links = ["ydke://cREBAA==!!!", "Foo: ydke://cREBAA==!!!", "https://a.b/c"];
    let odd = ["Salt, 1 Silk", "x Salt", "Salt x2", "Salt | Silk", "🙂🙂", "2.5 Salt", "Sideboard"];
    let fixed: Vec<String> =
        with_code.into_iter().chain(links.iter().chain(&odd).map(ToString::to_string)).collect();
    prop_oneof![select(fixed), "[!-/:-@\\[-`{-~]{1,3}", "[ -~]{0,8}[!-~]"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Our own text as the service sends it, with the format in the first line, is read back as the same deck.
    #[test]
    fn no_name_is_lost_in_our_own_text(names in proptest::collection::vec(names(), 1..4)) {
        let entries = names.iter().map(|name| DeckEntry::main(2, name.trim())).collect();
        let deck = Deck { entries };
        let text = format!("// format: harbour/voyage\n\n{}", render_deck_text(&deck));
        // No card of the catalogue has such a name.
        let catalogue = Catalogue::builder(&game(HARBOUR)).build();
        let reading = DeckReading::new(&catalogue);
        prop_assert_eq!(&read_deck(&text, &reading).deck, &deck, "{}", text);
        prop_assert_eq!(&read_deck(&text, &reading.in_dialect(DeckDialect::Own)).deck, &deck);
        let catalogue = shipped(HARBOUR);
        let read = read_deck(&text, &DeckReading::new(&catalogue)).deck;
        prop_assert_eq!(read, deck, "{}", text);
    }
}

fn fault_of(list: &str) -> Option<DeckTextFault> {
    let read = read_deck(list, &DeckReading::new(&shipped(HARBOUR)));
    read.lines.iter().find_map(|line| match &line.verdict {
        LineVerdict::Ignored(IgnoredReason::Unreadable { fault }) => Some(*fault),
        _ => None,
    })
}

#[test]
fn the_limits_of_quantities_and_lines_are_stated() {
    for list in ["2.5 Salt", "1 Silk\n0,5x Nobody", "// format: harbour/voyage\n\n2.5 Salt"] {
        assert_eq!(fault_of(list), Some(DeckTextFault::QuantityNotWhole), "{list}");
    }
    assert_eq!(fault_of("1,000 Salts"), None);
    let many = ["1 Salt"; 101].join(", ");
    assert_eq!(fault_of(&many), Some(DeckTextFault::TooManyCards));
    assert!(DeckTextFault::TooManyCards.to_string().contains("100 cards"));
    assert_eq!(fault_of(&["1 Salt"; 100].join(", ")), None);
}

#[test]
fn a_header_decides_about_a_wrong_separator() {
    let catalogue = shipped(HARBOUR);
    let read = read_deck("sep=,\nQuantity;Name\n2;Salt\n", &DeckReading::new(&catalogue));
    assert_eq!(read.dialect, DeckDialect::Csv);
    assert_eq!(read.deck.entries, [DeckEntry::main(2, "Salt")]);
}

/// A card above a share code is no card of the deck, and the result says as what it was read.
#[test]
fn a_name_above_a_share_code_is_the_name_of_the_deck() {
    let catalogue = shipped(HARBOUR);
    let deck = Deck { entries: vec![DeckEntry::main(2, "Silk")] };
    let code = write_deck(&deck, DeckDialect::ShareCode, &catalogue, None).text;
    let read = read_deck(&format!("Salt\n{code}"), &DeckReading::new(&catalogue));
    let note = IgnoredReason::Note { key: "name".to_owned() };
    assert_eq!(read.lines[0].verdict, LineVerdict::Ignored(note));
    assert_eq!(read.notes.get("name").map(String::as_str), Some("Salt"));
    assert_eq!(read.deck.entries.len(), 1);
    let guess = |line: &cardscape_engine::ReadLine| matches!(&line.verdict, LineVerdict::Guessed { how } if how.contains(&Guess::OneCopy));
    assert!(!read.lines.iter().any(guess));
}

/// A greeting is not the name of a deck.
#[test]
fn a_long_line_above_a_share_code_is_no_name() {
    let catalogue = shipped(HARBOUR);
    let deck = Deck { entries: vec![DeckEntry::main(2, "Silk")] };
    let code = write_deck(&deck, DeckDialect::ShareCode, &catalogue, None).text;
    for (title, is_name) in
        [("x".repeat(100), true), ("é".repeat(100), true), ("x".repeat(101), false)]
    {
        let read = read_deck(&format!("{title}\n{code}"), &DeckReading::new(&catalogue));
        assert_eq!((read.dialect, read.deck.entries.len()), (DeckDialect::ShareCode, 1), "{title}");
        assert_eq!(read.notes.get("name").is_some_and(|name| *name == title), is_name, "{title}");
        let is_comment = read.lines[0].verdict == LineVerdict::Ignored(IgnoredReason::Comment);
        assert_eq!(is_comment, !is_name, "{title}");
    }
}

/// Also without the comment with the format, by which our own text is recognised for certain.
#[test]
fn our_own_text_with_bars_is_not_taken_for_forge() {
    let names = ["Wolf | Moon", "Silk (2)", "]", "Nope | Nada"];
    let deck = Deck { entries: names.iter().map(|name| DeckEntry::main(1, *name)).collect() };
    let catalogue = catalogue();
    let text = write_deck(&deck, DeckDialect::Own, &catalogue, None).text;
    let read = read_deck(&text, &DeckReading::new(&catalogue));
    assert_eq!((read.dialect, read.deck), (DeckDialect::Own, deck), "{text}");
}
