//! Physical copies in decks: none may be in a deck twice.

use crate::support::{self, card, game, outline, pool, unit};
use cardscape_engine::{
    CardReference, Catalogue, Deck, DeckEntry, Fix, Game, Report, ReportStatus, parse_deck_text,
    render_deck_text, validate,
};
use proptest::prelude::*;
use serde_json::json;

fn sparks() -> Catalogue {
    pool(&game("ttcg"), (0..30).map(|at| unit(&format!("Spark {at}"), "fire", 1)))
}

fn entry(quantity: u32, name: &str, copies: &[&str]) -> DeckEntry {
    DeckEntry {
        copies: copies.iter().map(|copy| (*copy).to_owned()).collect(),
        ..DeckEntry::main(quantity, name)
    }
}

/// A legal deck of 50 cards, its first entries replaced by these.
fn judge(first: Vec<DeckEntry>) -> Report {
    let rest = (first.len()..25).map(|at| DeckEntry::main(2, format!("Spark {at}")));
    let deck = Deck { entries: first.into_iter().chain(rest).collect() };
    support::judge(&deck, &sparks(), "standard")
}

#[test]
fn t_2_2_1e_different_copies_are_legal() {
    let report = judge(vec![
        entry(2, "Spark 0", &["a", "b"]),
        entry(2, "Spark 1", &["c"]),
        entry(2, "Spark 2", &["A", " ", ""]),
    ]);
    assert_eq!(report.violations, [], "ids differ by case; blank ones name nothing");
}

#[test]
fn t_2_2_1e_one_copy_twice_in_an_entry() {
    let report = judge(vec![entry(2, "Spark 0", &["a", " a "])]);
    assert_eq!(outline(&report.violations), ["SERIAL_DUPLICATE T-2.2.1e 1 2"]);
    assert_eq!(report.status, ReportStatus::Illegal);
    let violation = &report.violations[0];
    assert_eq!(violation.cards.len(), 1);
    assert_eq!(violation.cards[0].copy.as_deref(), Some("a"));
    assert_eq!(violation.fix, Some(Fix::NameCopyOnce { copy: "a".to_owned() }));
    assert_eq!(violation.message(), "The copy \"a\" stands 2 times in the deck: “Spark 0”.");
    let json = serde_json::to_value(violation).unwrap();
    assert_eq!(json["cards"][0]["copy"], "a");
    assert_eq!(json["fix"], json!({ "action": "name_copy_once", "copy": "a" }));
}

#[test]
fn t_2_2_1e_one_copy_over_entries_and_cards() {
    let report = judge(vec![
        entry(1, "Spark 0", &["a"]),
        entry(1, "spark-0", &["a"]),
        entry(2, "Spark 1", &["b", "a"]),
        entry(2, "Sprak 2", &["b"]),
        DeckEntry::main(2, "Spark 3"),
    ]);
    assert_eq!(
        outline(&report.violations),
        [
            "CARD_UNKNOWN T-2.2.1e - 2",
            "SERIAL_DUPLICATE T-2.2.1e 1 3",
            "SERIAL_DUPLICATE T-2.2.1e 1 2",
            "DECK_SIZE_BELOW_MIN T-2.2.1a 50 48",
        ]
    );
    let named = |at: usize| -> Vec<&str> {
        report.violations[at].cards.iter().map(|card| card.name.as_str()).collect()
    };
    assert_eq!(named(1), ["Spark 0", "Spark 1"], "one mention for each card");
    assert_eq!(named(2), ["Spark 1", "Sprak 2"], "unknown cards have copies, too");
}

/// Otherwise a report on many entries that all name many copies would have all entries for each copy.
#[test]
fn t_2_2_1e_the_first_cards_of_a_copy_are_mentioned() {
    let report =
        judge((0..25).rev().map(|at| entry(2, &format!("Spark {at}"), &["a", "b"])).collect());
    assert_eq!(
        outline(&report.violations),
        ["SERIAL_DUPLICATE T-2.2.1e 1 25", "SERIAL_DUPLICATE T-2.2.1e 1 25"]
    );
    let mut first: Vec<String> = (0..25).map(|at| format!("Spark {at}")).collect();
    first.sort();
    first.truncate(20);
    for violation in &report.violations {
        let named: Vec<&str> = violation.cards.iter().map(|card| card.name.as_str()).collect();
        assert_eq!(named, first);
    }
}

#[test]
fn t_2_2_1e_more_copies_than_cards() {
    let report = judge(vec![entry(2, "Spark 0", &["a", "b", "c", "d"])]);
    assert_eq!(outline(&report.violations), ["ENTRY_COPIES_EXCEEDED T-2.2.1e 2 4"]);
    assert_eq!(report.violations[0].message(), "An entry of 2 × “Spark 0” names 4 copies.");
    assert_eq!(
        report.violations[0].fix,
        Some(Fix::NameFewerCopies { name: "Spark 0".to_owned(), quantity: 2 })
    );
}

/// Zones do not matter, and a format without the rule does not check copies.
#[test]
fn over_all_zones_where_the_format_asks() {
    const MANIFEST: &str = r#"
        code = "pond"
        name = "Pond"
        rules_version = "pond/1"
        [[zones]]
        code = "main"
        name = "Pond"
        [[zones]]
        code = "side"
        name = "Shore"
        [[kinds]]
        code = "fish"
        name = "Fish"
        [[formats]]
        code = "serial"
        name = "With serials"
        version = "1"
        [[formats.rules]]
        rule = "P-1"
        text = "No copy twice."
        unique_copies = {}
        [[formats]]
        code = "plain"
        name = "Without"
        version = "1"
        [[formats.rules]]
        rule = "P-2"
        text = "One fish."
        zone_size = { min = 1 }
    "#;
    let game = Game::from_toml(MANIFEST).unwrap();
    let pike = card(json!({ "number": "1", "name": "Pike", "kind": "fish" }));
    let catalogue = pool(&game, [pike]);
    let side = DeckEntry { zone: "side".to_owned(), ..entry(1, "Pike", &["x"]) };
    let deck = Deck { entries: vec![entry(1, "Pike", &["x"]), side] };
    let found =
        |code: &str| outline(&validate(&deck, &catalogue, game.format(code).unwrap()).violations);
    assert_eq!(found("serial"), ["SERIAL_DUPLICATE P-1 1 2"]);
    assert!(found("plain").is_empty());
}

#[test]
fn copies_are_in_json_and_not_in_text() {
    let deck = Deck { entries: vec![entry(2, "Spark 0", &["a"]), DeckEntry::main(1, "Spark 1")] };
    let json = serde_json::to_value(&deck).unwrap();
    assert_eq!(json["entries"][0]["copies"], json!(["a"]));
    assert_eq!(json["entries"][1].get("copies"), None);
    assert_eq!(serde_json::from_value::<Deck>(json).unwrap(), deck);
    let text = render_deck_text(&deck);
    assert_eq!(text, "2 Spark 0\n1 Spark 1\n");
    let read = parse_deck_text(&text).deck;
    assert!(read.entries.iter().all(|entry| entry.copies.is_empty()));
}

proptest! {
    #[test]
    fn the_order_of_entries_and_copies_does_not_matter(
        (entries, mixed) in proptest::collection::vec(
            (0_usize..6, 0_u32..4, proptest::collection::vec("[abc ]{1,2}", 0..4)), 0..12,
        ).prop_flat_map(|entries| (Just(entries.clone()), Just(entries).prop_shuffle())),
    ) {
        let deck = |entries: &[(usize, u32, Vec<String>)], turned: bool| Deck {
            entries: entries.iter().map(|(at, quantity, copies)| {
                let mut copies = copies.clone();
                if turned { copies.reverse(); }
                // No card has the last name.
                let card = CardReference::named(format!("Spark {}", 25 + at));
                DeckEntry { copies, card, ..DeckEntry::main(*quantity, "") }
            }).collect(),
        };
        let catalogue = sparks();
        let report = |deck: &Deck| support::judge(deck, &catalogue, "standard");
        prop_assert_eq!(report(&deck(&entries, false)), report(&deck(&mixed, true)));
    }
}
