//! Headings, and lines of cards that look like headings: counts, brackets, quantities after names, totals.

use cardscape_engine::{
    Catalogue, DeckDialect, DeckEntry, DeckReading, IgnoredReason, LineVerdict, ReadDeck,
    read_deck, write_deck,
};
use serde_json::json;

use crate::support::{HARBOUR, card, game, pool_card};

/// Cards with names of their own and with that of a kind of cards, in the set `port`.
fn catalogue() -> Catalogue {
    let names = ["Salt", "Silk", "Old Tar", "Cargo", "Total"];
    let cards = names.into_iter().enumerate().map(|(at, name)| {
        let definition = json!({
            "number": (at + 1).to_string(), "name": name, "kind": "cargo",
            "attributes": { "weight": 1, "price": 1 }, "printings": [{ "rarity": "gilded" }],
        });
        pool_card("port", card(definition))
    });
    Catalogue::builder(&game(HARBOUR)).extend(cards).build()
}

fn read(list: &str) -> ReadDeck {
    read_deck(list, &DeckReading::new(&catalogue()))
}

fn entries(list: &str) -> Vec<(String, u32, String)> {
    let entries = read(list).deck.entries.into_iter();
    entries.map(|entry| (entry.zone, entry.quantity, entry.card.name)).collect()
}

fn entry(zone: &str, quantity: u32, name: &str) -> (String, u32, String) {
    (zone.to_owned(), quantity, name.to_owned())
}

#[test]
fn a_heading_may_have_the_number_of_its_cards_in_any_form() {
    for heading in [
        "Sideboard (2 cards)",
        "Sideboard (2 cards):",
        "Sideboard (1 Card)",
        "Sideboard [2]",
        "Sideboard (2/15):",
        "Sideboard - 2 cards",
        "Sideboard: 2",
        "🛡️ Sideboard (15)",
        "=== SB ===",
        "SB:",
        "Quay (2 cards)",
        "⚓ Quay (2 cards):",
        "[Sideboard] 2",
        "Sideboard — 2",
        "Sideboard ( 2 )",
        "Sideboard 15",
        "Quay 2",
        "[SB]",
        "(SB)",
        "// SB",
        "# SB",
        "## SB (2)",
        "SB 2 cards",
        "Réserve",
        "Banquillo (2)",
    ] {
        let list = format!("4 Salt\n\n{heading}\n2 Silk");
        assert_eq!(entries(&list), [entry("main", 4, "Salt"), entry("side", 2, "Silk")], "{list}");
    }
    assert_eq!(entries("[SIDEBOARD] 2 Silk\n[MAIN] 4 Salt")[0], entry("side", 2, "Silk"));
}

#[test]
fn the_zone_of_a_commander_ends_below_its_cards() {
    let main = entry("main", 4, "Salt");
    for word in ["Commander", "Companion"] {
        let leader = entry(&word.to_lowercase(), 1, "Silk");
        for list in [
            "1 Silk\n\n4 Salt",
            "1 Silk\n\nCreatures\n4 Salt",
            "1 Silk\n\nCreatures (2)\n4 Salt",
            "1 Silk\n# Creatures\n4 Salt",
            "1 Silk\n**Creatures**\n4 Salt",
            "Creatures\n1 Silk\n\n4 Salt",
        ] {
            let list = format!("{word}\n{list}");
            assert_eq!(entries(&list), [leader.clone(), main.clone()], "{list}");
        }
    }
    // These zones may have many cards.
    let side = [entry("side", 1, "Silk"), entry("side", 4, "Salt")];
    assert_eq!(entries("Sideboard\n1 Silk\n\nCreatures\n4 Salt"), side);
    assert_eq!(entries("Maybeboard:\n1 Silk\n\n4 Salt"), []);
}

#[test]
fn a_zone_may_stand_before_a_name_alone() {
    let main = entry("main", 4, "Salt");
    for (line, card) in [
        ("Sideboard: Silk", entry("side", 1, "Silk")),
        ("Sideboard: Silk x2", entry("side", 2, "Silk")),
        ("[Sideboard] Silk", entry("side", 1, "Silk")),
        ("Extra: Old Tar", entry("extra", 1, "Old Tar")),
        ("Commander: Silk", entry("commander", 1, "Silk")),
        ("Sideboard: Slik", entry("side", 1, "Slik")),
    ] {
        let list = format!("4 Salt\n{line}");
        assert_eq!(entries(&list), [main.clone(), card], "{list}");
    }
    assert_eq!(entries("4 Salt\nMaybeboard: Silk"), [main]);
    // The word for the main deck states its name.
    let list = "Deck: 8 Rack\nCommander: Silk";
    let comment = LineVerdict::Ignored(IgnoredReason::Comment);
    assert_eq!(read(list).lines[0].verdict, comment);
}

/// In a list whose quantities stand after the names, a word with a number is no heading if a card has that name.
#[test]
fn a_card_with_the_name_of_a_kind_is_no_heading_where_quantities_follow_names() {
    for (salt, line) in [
        ("Salt (2)", "Cargo (4)"),
        ("Salt: 2", "Cargo: 4"),
        ("Salt - 2", "Cargo - 4"),
        ("Salt 2", "Cargo 4"),
        ("Salt [2]", "Cargo [4]"),
        ("• Salt (2)", "• Cargo (4)"),
        ("My deck\nSalt (2)", "Cargo (4)\n6 cards"),
        ("Deck: Mine\nSalt (2)", "Cargo (4)\nby ada"),
    ] {
        let list = format!("{salt}\n{line}");
        let found = entries(&list);
        for card in [entry("main", 2, "Salt"), entry("main", 4, "Cargo")] {
            assert!(found.contains(&card), "{list}: {found:?}");
        }
    }
    assert_eq!(entries("Salt (2)\nCargo x4")[1], entry("main", 4, "Cargo"));
    for (heading, cards) in [
        ("Cargo (4)", "2 Salt"),
        ("Cargo: 4", "2 Salt"),
        ("Cargo (4)", "2 Salt {gilded}"),
        ("Cargo (4)", "2 Salt|PORT"),
        ("Cargo (4)", "Salt x2"),
        ("Cargo: 4", "Salt (2)"),
        ("[Cargo] 4", "Salt x2"),
        ("// format: harbour/voyage\nCargo (4)", "2 Salt"),
    ] {
        let list = format!("{heading}\n{cards}");
        assert_eq!(entries(&list), [entry("main", 2, "Salt")], "{list}");
    }
    assert_eq!(entries("Cargo (2)\nSalt\nSilk").len(), 2, "the cards below have no quantity");
}

#[test]
fn a_line_with_a_bracket_at_one_end_is_no_heading() {
    for line in [
        "[F] Silt",
        "[1/2] Silt",
        "Silt x2 [foil]",
        "[Cargo] 2 Silt",
        "[12:05] Mara: Silt",
        "Silt (4/4)",
        "Silt - 2/2",
        "Silt: 2 cards",
    ] {
        let read = read(&format!("2 Salt\n{line}"));
        let verdict = &read.lines[1].verdict;
        assert!(!matches!(verdict, LineVerdict::Ignored(_)), "{line}: {verdict:?}");
    }
    let heading = LineVerdict::Ignored(IgnoredReason::Heading);
    for line in [
        "[Anything]",
        "[Ships] (4)",
        "[Ships] 24",
        "[Anything] 24 cards",
        "Ships [4]",
        "Anything [8 cards]",
    ] {
        assert_eq!(read(&format!("{line}\n2 Salt")).lines[0].verdict, heading, "{line}");
    }
}

#[test]
fn a_quantity_may_stand_between_the_name_and_the_rest_of_a_card() {
    for line in [
        "Old Tar x2 (port) 3",
        "Old Tar (2) (port) 3",
        "Old Tar (2) {gilded}",
        "Old Tar x2 {gilded}",
        "Old Tar (2) *gilded*",
        "Old Tar [2] (port)",
        "Old Tar (2) [port]",
        "Old Tar 2x (port)",
        "Old Tar ×2 #mine",
    ] {
        let read = read(line);
        let found = &read.deck.entries[0];
        assert_eq!((found.quantity, &*found.card.name), (2, "Old Tar"), "{line}: {read:?}");
        let (set, rarity) = (found.card.set.is_some(), found.card.rarity.is_some());
        assert_eq!((set, rarity), (line.contains("port"), line.contains("gilded")), "{line}");
    }
}

#[test]
fn a_fact_about_the_deck_may_look_like_a_card_in_a_zone() {
    for fact in ["Deck: 8 Rack", "Deck: Long haul"] {
        let list = format!("{fact}\n4 Salt\n\n2 Silk");
        let comment = LineVerdict::Ignored(IgnoredReason::Comment);
        assert_eq!(read(&list).lines[0].verdict, comment, "{list}");
        assert_eq!(entries(&list), [entry("main", 4, "Salt"), entry("side", 2, "Silk")], "{list}");
    }
    // If a card is called so, the word is a zone.
    let list = "Deck: 8 Salt\n4 Silk\n\n2 Old Tar";
    let cards = [entry("main", 8, "Salt"), entry("main", 4, "Silk"), entry("main", 2, "Old Tar")];
    assert_eq!(entries(list), cards);
    // It is, too, if other lines have one or the line names a printing: an unknown card is not left out in silence.
    for list in
        ["Deck: 4 Slat\nDeck: 4 Silk", "Deck: 4 Slat\nSB: 4 Silk", "Deck: 4 Slat (port) 9\n4 Silk"]
    {
        let verdict = &read(list).lines[0].verdict;
        assert!(matches!(verdict, LineVerdict::Unknown { .. }), "{list}: {verdict:?}");
        assert_eq!(entries(list)[0], entry("main", 4, "Slat"), "{list}");
    }
    // In a table, the zone stands in a column.
    let verdict = &read("Name,Quantity,Zone\nGame: Slat,2,Main").lines[1].verdict;
    assert!(matches!(verdict, LineVerdict::Unknown { .. }), "{verdict:?}");
}

#[test]
fn a_total_below_the_cards_is_no_card_and_leaves_the_sideboard() {
    let (main, side) = (entry("main", 4, "Salt"), entry("side", 2, "Silk"));
    for total in ["6 cards", "6 cards total", "Sum: 6", "Summe: 6 cards"] {
        for list in [format!("4 Salt\n\n2 Silk\n\n{total}"), format!("4 Salt\n\n2 Silk\n{total}")] {
            assert_eq!(entries(&list), [main.clone(), side.clone()], "{list}");
        }
    }
    let deck = cardscape_engine::Deck {
        entries: vec![DeckEntry { zone: "sb".to_owned(), ..DeckEntry::main(2, "Silk") }],
    };
    let text = write_deck(&deck, DeckDialect::Own, &catalogue(), None).text;
    assert_eq!(read(&text).deck, deck, "{text}");
    // Names that look like totals are kept by our own text.
    let deck = ["Sum", "cards", "Grand Total", "Total"].map(|name| DeckEntry::main(1, name));
    let deck = cardscape_engine::Deck { entries: deck.into() };
    let text = write_deck(&deck, DeckDialect::Own, &catalogue(), None).text;
    assert_eq!(read(&text).deck, deck, "{text}");
    assert_eq!(read(&format!("// format: harbour/voyage\n\n{text}")).deck, deck, "{text}");
}
