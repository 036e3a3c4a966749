//! Names of cards with marks that have a meaning in lists: how they are written, what is lost, and how they are read.

use std::collections::BTreeMap;

use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, DeckText, DeckTextFault,
    Guess, IgnoredReason, LineVerdict, LossKind, MentionDepth, Resolution, encode_share_code,
    name_key, read_deck, render_deck_text, write_deck,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::deck_dialects::known_sets;
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
    catalogue_of(NAMES)
}

fn catalogue_of<'a>(names: impl IntoIterator<Item = &'a str>) -> Catalogue {
    let cards = names.into_iter().enumerate().map(|(at, name)| {
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

/// Names of cards with what other programs write before and after names.
fn guessed_names() -> impl Strategy<Value = String> {
    let before = select(vec!["", "PORT-001 ", "🔥 ", "2 ", "[port] "]);
    let name = select(vec!["Salt", "Silk", "Nobody"]);
    let after =
        select(vec!["", " // red", " // 2", " 🔥", " PORT 001", " #2", " x2", " (2)", " ★"]);
    (before, name, after).prop_map(|(before, name, after)| format!("{before}{name}{after}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A name that no card has is not taken for a card with a remark, a symbol, a set or a number.
    #[test]
    fn no_unknown_name_becomes_that_of_a_card(names in proptest::collection::vec(guessed_names(), 1..5)) {
        let (catalogue, known) = (shipped(HARBOUR), known_sets(HARBOUR));
        let entries = names.into_iter().map(|name| DeckEntry::main(2, name)).collect();
        let deck = Deck { entries };
        let text = write_deck(&deck, DeckDialect::Own, &catalogue, None).text;
        let commented = format!("// format: harbour/voyage\n\n{text}");
        let reading = DeckReading::new(&catalogue).with_sets(&known);
        prop_assert_eq!(read_deck(&commented, &reading).deck, deck, "{}", text);
    }
}

#[test]
fn a_card_whose_name_may_be_guessed_is_in_quotes_only_if_it_is_unknown() {
    let deck =
        Deck { entries: ["Salt // Ice", "Agent 7"].map(|name| DeckEntry::main(2, name)).into() };
    let text = |names: &[&str]| {
        write_deck(&deck, DeckDialect::Own, &catalogue_of(names.iter().copied()), None).text
    };
    assert_eq!(text(&["Salt", "Salt // Ice", "Agent 7"]), "2 Salt // Ice\n2 Agent 7\n");
    assert_eq!(text(&["Salt", "Agent"]), "2 \"Salt // Ice\"\n2 \"Agent 7\"\n");
}

/// The name of a card and a rarity, written one after the other, are also the name of another card, whether the game or only the line has the rarity.
#[test]
fn a_name_before_a_rarity_is_in_quotes_if_a_card_has_both_as_its_name() {
    let catalogue = catalogue_of(["Foo", "Foo {gilded}", "Bar"]);
    let rare = |name: &str, rarity: &str| {
        let rarity = Some(rarity.to_owned());
        let card = CardReference { rarity, ..CardReference::named(name) };
        DeckEntry { card, ..DeckEntry::main(2, "") }
    };
    let entries = vec![rare("Foo", "gilded"), rare("Foo", "plain"), rare("Bar", "gilded")];
    let deck = Deck { entries };
    let written = write_deck(&deck, DeckDialect::Own, &catalogue, None);
    assert_eq!(written.text, "2 \"Foo\" {gilded}\n2 Foo {plain}\n2 Bar {gilded}\n");
    assert_eq!(written.losses, []);
    let entry = Deck { entries: vec![deck.entries[0].clone()] };
    let text = write_deck(&entry, DeckDialect::Own, &catalogue, None).text;
    assert_eq!(read_deck(&text, &DeckReading::new(&catalogue)).deck, entry, "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Also in a list that is not stored, without the comment that says that it is our own text.
    #[test]
    fn no_name_becomes_that_of_a_card_with_marks(picked in proptest::collection::vec((select(MARKED.to_vec()), select(vec![None, Some("plain"), Some("gilded")]), any::<bool>()), 1..5)) {
        let cards = MARKED.iter().enumerate().map(|(at, name)| {
            let definition = json!({
                "number": (at + 1).to_string(), "name": name, "kind": "cargo", "attributes": { "weight": 1, "price": 1 },
                "printings": [{ "rarity": "plain" }, { "rarity": "gilded" }],
            });
            pool_card("odd", card(definition))
        });
        let catalogue = Catalogue::builder(&game(HARBOUR)).extend(cards).build();
        let entries = picked.into_iter().map(|(name, rarity, has_set)| {
            let (set, rarity) = (has_set.then(|| "odd".to_owned()), rarity.map(str::to_owned));
            let card = CardReference { set, rarity, ..CardReference::named(name) };
            DeckEntry { card, ..DeckEntry::main(2, "") }
        });
        let deck = Deck { entries: entries.collect() };
        let text = write_deck(&deck, DeckDialect::Own, &catalogue, None).text;
        let reading = DeckReading::new(&catalogue);
        prop_assert_eq!(&read_deck(&text, &reading).deck, &deck, "{}", text);
        let commented = format!("// format: harbour/voyage\n\n{text}");
        prop_assert_eq!(&read_deck(&commented, &reading).deck, &deck, "{}", text);
        prop_assert_eq!(&read_deck(&text, &reading.in_dialect(DeckDialect::Own)).deck, &deck);
    }
}

/// Names that end with what other lines have after a name.
const MARKED: [&str; 5] = ["Foo", "Foo {plain}", "Foo {gilded}", "Foo (odd) {gilded}", "Bar"];

/// Words with marks that mean something in a dialect.
fn odd_names() -> impl Strategy<Value = String> {
    let fixed = [
        "Agent #7",
        "Gold {gilded}",
        "Salt [Fleet]",
        "Salt [Sideboard]",
        "Salt (port)",
        "Salt (port) 001",
        "Wolf | Moon",
        "Wolf|PORT",
        "Ice // Fire",
        "Sun ^a^",
        "Sun ^a,#f00^",
        "Moon *F*",
        "\"Odd\" Thing",
        "The \"Odd\" Thing",
        "Pokémon: 6",
        "SB: Salt",
        "netrunnerdb.com",
        "The influence spent",
        "Name, Set, Number",
        "2,Salt",
        "Salt,2",
        "Salt: 2",
        "~x",
        "2",
        "[[x]]",
        "##Energy",
        "Salt PORT 001",
        "Salt ●●",
        "Sideboard",
        "Salt",
        "Silk",
    ];
    let marked =
        "[A-Z][a-z]{1,4} ?[|#/\"{}()*^<>~:;,+=_\\[\\]-]{1,2} ?[A-Za-z0-9]{0,4}[|#\"})*^>\\]]?";
    prop_oneof![select(fixed.map(str::to_owned).to_vec()), marked]
}

/// How many copies of each name stand in each zone.
fn copies<'a>(
    catalogue: &Catalogue,
    entries: impl IntoIterator<Item = &'a DeckEntry>,
) -> BTreeMap<(String, String), u32> {
    let mut copies = BTreeMap::new();
    for DeckEntry { zone, quantity, card, .. } in entries {
        let name = match catalogue.find(card) {
            Resolution::Card(known) | Resolution::OtherPrinting(known) => &known.definition.name,
            _ => &card.name,
        };
        // Our own text has the name of a zone as it is written.
        let zone = if zone == "quay" { "side" } else { zone };
        *copies.entry((zone.to_owned(), name_key(name))).or_default() += *quantity;
    }
    copies
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In every dialect, with and without knowing the dialect and the cards, an entry is read back or reported as lost.
    #[test]
    fn exports_are_read_back_or_name_what_they_lose(
        names in proptest::collection::vec((odd_names(), any::<bool>()), 1..6),
        are_known in any::<bool>(),
    ) {
        let entries = names.iter().zip(1..).map(|((name, is_side), quantity)| {
            let zone = if *is_side { "side" } else { "main" };
            DeckEntry { zone: zone.to_owned(), ..DeckEntry::main(quantity, name.trim()) }
        });
        let deck = Deck { entries: entries.collect() };
        let known: BTreeMap<String, &str> =
            names.iter().map(|(name, _)| (name_key(name), name.trim())).collect();
        let catalogue = catalogue_of(known.into_values().filter(|_| are_known));
        for dialect in DeckDialect::ALL {
            let written = write_deck(&deck, dialect, &catalogue, None);
            let is_lost = |at: usize| {
                written.losses.iter().any(|loss| {
                    let is_of_name = loss.kind.leaves_out() || loss.kind == LossKind::Name;
                    loss.entry.is_none_or(|entry| entry == at) && is_of_name
                })
            };
            let kept = deck.entries.iter().enumerate().filter(|(at, _)| !is_lost(*at));
            let kept = copies(&catalogue, kept.map(|(_, entry)| entry));
            let reading = DeckReading::new(&catalogue);
            for reading in [reading.in_dialect(dialect), reading] {
                let read = copies(&catalogue, &read_deck(&written.text, &reading).deck.entries);
                for (card, count) in &kept {
                    let found = read.get(card).copied().unwrap_or_default();
                    prop_assert!(found >= *count, "{} {:?} {:?}: {}", dialect, card, read, written.text);
                }
            }
        }
    }
}

#[test]
fn a_name_may_begin_with_the_word_for_a_zone() {
    let catalogue = catalogue_of(["Extra: Silk", "Silk"]);
    let list = "Extra: Silk\nSideboard: Silk";
    let read = read_deck(list, &DeckReading::new(&catalogue)).deck.entries;
    let cards: Vec<_> = read.iter().map(|entry| (&*entry.zone, &*entry.card.name)).collect();
    assert_eq!(cards, [("main", "Extra: Silk"), ("side", "Silk")]);
    let mentions = DeckText::new(list, None).mentions(catalogue.game(), MentionDepth::Literal);
    assert!(mentions.names.contains("Extra: Silk"), "{mentions:?}");
}

/// The reader knows both names: what stands in the line is the name, unless no card is called so.
#[test]
fn a_name_with_marks_is_meant_before_a_shorter_name() {
    let names = [
        "Agent",
        "Agent #7",
        "Gold",
        "Gold {gilded}",
        "Salt",
        "Salt [Fleet]",
        "Sun",
        "Sun ^a^",
        "Fox",
        "[PORT] Bay",
        "Bay",
    ];
    let catalogue = catalogue_of(names);
    let first = |list: &str| {
        let read = read_deck(list, &DeckReading::new(&catalogue));
        let entry = read.deck.entries.into_iter().next().expect("the line is an entry");
        (entry.zone, entry.quantity, entry.card.name)
    };
    let main = |quantity: u32, name: &str| ("main".to_owned(), quantity, name.to_owned());
    for name in names {
        assert_eq!(first(&format!("2 {name}")), main(2, name));
        assert_eq!(first(&format!("2 {}", name.to_lowercase())).1, 2);
        assert_eq!(first(&format!("2 {name} #tag")), main(2, name));
    }
    for (line, name) in [
        ("2 Agent #8", "Agent"),
        ("2 Agent #7 (odd) 2", "Agent #7"),
        ("2 Agent #7 *F*", "Agent #7"),
        ("2 Agent #7 ODD 2", "Agent #7"),
        ("2 Gold {gilded} odd 004", "Gold {gilded}"),
        ("2 Salt [PORT]", "Salt"),
        ("2 Fox (odd)", "Fox"),
        ("2 Sun ^b^", "Sun"),
    ] {
        assert_eq!(first(line).2, name, "{line}");
    }
    // Without such a card, the text in brackets is the zone, and after such a name, too.
    let (fleet, quay) = ("extra".to_owned(), "side".to_owned());
    assert_eq!(first("2 Agent [Fleet]"), (fleet, 2, "Agent".to_owned()));
    assert_eq!(first("2 Agent #7 [Quay]"), (quay, 2, "Agent #7".to_owned()));
}

/// A heading or a sentence above a code is no name of the deck, and a comment with the key may be one.
#[test]
fn only_a_title_or_a_comment_names_the_deck_of_a_share_code() {
    let catalogue = shipped(HARBOUR);
    let deck = Deck { entries: vec![DeckEntry::main(2, "Silk")] };
    let code = write_deck(&deck, DeckDialect::ShareCode, &catalogue, None).text;
    let (stated, heading) =
        (IgnoredReason::Note { key: "name".to_owned() }, IgnoredReason::Heading);
    for (above, name, reason) in [
        ("Tide turner", Some("Tide turner"), stated.clone()),
        ("// name: Zed", Some("Zed"), stated.clone()),
        ("# Name: Zed", Some("Zed"), stated),
        ("Deck:", None, heading.clone()),
        ("Sideboard", None, heading.clone()),
        ("Quay", None, heading.clone()),
        ("[Main]", None, heading.clone()),
        ("[Anything]", None, heading),
        ("My deck:", None, IgnoredReason::Comment),
    ] {
        let read = read_deck(&format!("{above}\n{code}"), &DeckReading::new(&catalogue));
        assert_eq!((read.dialect, read.deck.entries.len()), (DeckDialect::ShareCode, 1), "{above}");
        assert_eq!(read.notes.get("name").map(String::as_str), name, "{above}");
        assert_eq!(read.lines[0].verdict, LineVerdict::Ignored(reason), "{above}");
    }
    let long = format!("{}\n{code}", "x ".repeat(700));
    let read = read_deck(&long, &DeckReading::new(&catalogue));
    assert_eq!((read.deck.entries.len(), read.notes.len()), (1, 0), "{read:?}");
}

/// People paste codes from messages, with what stands around them.
#[test]
fn marks_and_links_around_a_share_code_are_left_out() {
    let catalogue = shipped(HARBOUR);
    let deck = Deck { entries: vec![DeckEntry::main(2, "Silk")] };
    let code = write_deck(&deck, DeckDialect::ShareCode, &catalogue, None).text;
    let code = code.trim();
    for (text, name) in [
        (format!("\"{code}\""), None),
        (format!("“{code}”"), None),
        (format!("{code}."), None),
        (format!("({code}),"), None),
        (format!("**{code}**"), None),
        (format!("<https://cards.example/decks/{code}>"), None),
        (format!("https://cards.example/check?code={code}"), None),
        (format!("> {code}"), None),
        (format!("- `{code}`"), None),
        (format!("**My Deck** {code}"), Some("My Deck")),
        (format!("**My Deck**\n> {code}"), Some("My Deck")),
        (format!("My Deck: https://cards.example/{code}"), None),
        (format!("https://cards.example/d/{code}/"), None),
        (format!("https://cards.example/d/?code={code}&x=1"), None),
        (format!("[deck](https://cards.example/{code})"), None),
        (format!("\u{200b}{code}\u{200d}"), None),
        (format!("\u{200e}{code}\u{200e}"), None),
        (format!("||{code}||"), None),
        (format!("code={code}"), None),
        (format!("{code} 🔥"), None),
        (format!("// format: harbour/voyage\n{code} 🔥"), None),
        (format!("{code} (2 cards)"), None),
        (format!("[My cool deck](https://cards.example/{code})"), None),
        (format!("<a href=\"https://cards.example/{code}\">My deck</a>"), None),
        (format!("[Standard] My Deck\n{code}"), Some("[Standard] My Deck")),
        (format!("My Deck [v2]\n{code}"), Some("My Deck [v2]")),
        (format!("_Fox\n{code}"), Some("_Fox")),
        (format!("__My Deck__: {code}"), None),
        (format!("**My Deck:** {code}"), None),
        (format!("| {code} |"), None),
        (format!("Embers <3\n{code}"), Some("Embers <3")),
        (format!("Bats -> win\n{code}"), Some("Bats -> win")),
        (format!("> Embers\n> {code}"), Some("Embers")),
        (format!("**Ember** and **Bone**\n{code}"), Some("**Ember** and **Bone**")),
        (format!("Name: Bats\n{code}"), Some("Bats")),
        (format!("Deck: Bats\n{code}"), Some("Bats")),
        (format!("{code} <- my deck"), None),
        (format!("Format: Standard\n{code}"), None),
    ] {
        let read = read_deck(&text, &DeckReading::new(&catalogue));
        assert_eq!((read.dialect, read.deck.entries.len()), (DeckDialect::ShareCode, 1), "{text}");
        assert_eq!(read.notes.get("name").map(String::as_str), name, "{text}");
    }
    // The last character is a check digit.
    let damaged = format!("\"{}{}\"", &code[..code.len() - 1], "0".repeat(16));
    let read = read_deck(&damaged, &DeckReading::new(&catalogue));
    assert_eq!((read.dialect, read.deck.entries.len()), (DeckDialect::ShareCode, 0), "{damaged}");
    // A link to something else is no code, and a quantity makes a card of it.
    for text in [
        "https://cards.example/1234".to_owned(),
        format!("2 \"{code}\""),
        format!("{code} 2"),
        format!("{code} {code}"),
        format!("1 \"Bones: https://cards.example/{code}\""),
        format!("2 \"My deck: {code}\""),
        format!("Sideboard\n4 \"My deck: {code}\""),
        format!(
            r#"{{"entries":[{{"quantity":3,"name":"Salt"}}],"url":"https://x.example/d/{code}"}}"#
        ),
        format!(r#"[{{"quantity":3,"name":"Salt","link":"https://x.example/d/{code}"}}]"#),
        format!("Silk,2,{code}"),
        format!("ydke://{code}"),
    ] {
        let read = read_deck(&text, &DeckReading::new(&catalogue));
        assert_ne!(read.dialect, DeckDialect::ShareCode, "{text}");
    }
}

/// One line with a mark of our own text does not make a heading in brackets a zone that the game does not have.
#[test]
fn headings_beside_marks_of_our_own_text_are_no_zones() {
    let catalogue = shipped(HARBOUR);
    let zones = |list: &str| -> Vec<String> {
        let read = read_deck(list, &DeckReading::new(&catalogue));
        assert_eq!(read.dialect, DeckDialect::Own, "{list}");
        read.deck.entries.into_iter().map(|entry| entry.zone).collect()
    };
    assert_eq!(zones("[Nowhere]\n1 Salt {plain}\n[Quay]\n1 Silk"), ["main", "side"]);
    assert_eq!(zones("[\"Nowhere\"]\n1 Salt {plain}"), ["Nowhere"]);
    assert_eq!(zones("// format: harbour/voyage\n\n[Nowhere]\n1 Salt {plain}"), ["nowhere"]);
    let mut deck = Deck { entries: vec![DeckEntry::main(1, "Salt [x]")] };
    deck.entries[0].zone = "nowhere".to_owned();
    let text = write_deck(&deck, DeckDialect::Own, &catalogue, None).text;
    assert_eq!(read_deck(&text, &DeckReading::new(&catalogue)).deck, deck, "{text}");
    // A column of zones may have kinds of cards.
    let table = "Quantity,Name,Section\n2,Salt,Cargo\n1,Silk,Quay\n";
    let read = read_deck(table, &DeckReading::new(&catalogue)).deck;
    let zones: Vec<&str> = read.entries.iter().map(|entry| entry.zone.as_str()).collect();
    assert_eq!(zones, ["main", "side"]);
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
    for list in [
        "2.5 Salt",
        "2,5 Salt",
        "0,5 Salt",
        "x2.5 Salt",
        "x2,5 Salt",
        "2,5\tSalt",
        "2,5 Salt\n1,5 Silk",
        "1 Silk\n0,5x Nobody",
        "1 Silk\nx2.5 Salt",
        "// format: harbour/voyage\n\n2.5 Salt",
        "// format: harbour/voyage\n\n2,5 Salt",
        "// format: harbour/voyage\n\nx2.5 Salt",
    ] {
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

/// Behind the name, other programs have categories, tags and finishes.
#[test]
fn names_in_quotation_marks_are_no_sign_of_our_own_text_before_other_marks() {
    let catalogue = catalogue_of([r#""Hans, Run!""#, "Silk"]);
    for (list, dialect) in [
        (
            "1x \"Hans, Run!\" (odd) 1 [Sideboard]\n2x Silk (odd) 2 [Sideboard]",
            DeckDialect::Archidekt,
        ),
        ("1 \"Hans, Run!\" (ODD) 1 #burn\n2 Silk (ODD) 2 #lands", DeckDialect::Moxfield),
    ] {
        let read = read_deck(list, &DeckReading::new(&catalogue));
        assert_eq!(read.dialect, dialect, "{list}");
        let names: Vec<&str> =
            read.deck.entries.iter().map(|entry| entry.card.name.as_str()).collect();
        assert_eq!(names, [r#""Hans, Run!""#, "Silk"], "{:#?}", read.lines);
    }
}

#[test]
fn an_export_of_ptcg_live_names_the_cards_that_another_dialect_reads_differently() {
    let catalogue = catalogue_of(["Agent", "Agent #7", "Silk"]);
    let card = CardReference {
        name: "Agent #7".to_owned(),
        set: Some("odd".to_owned()),
        number: Some("2".to_owned()),
        ..CardReference::default()
    };
    let deck = Deck { entries: vec![DeckEntry { card, ..DeckEntry::main(2, "") }] };
    let written = write_deck(&deck, DeckDialect::PtcgLive, &catalogue, None);
    let read = read_deck(&written.text, &DeckReading::new(&catalogue));
    let is_lost = written.losses.iter().any(|loss| loss.kind == LossKind::Name);
    let is_same = read.deck.entries[0].card.name == "Agent #7";
    assert!(is_lost || is_same, "{written:#?} {read:#?}");
}
