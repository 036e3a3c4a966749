//! A game that no code knows: zones, a limit list, exemptions, a fixed box and dated rules, as data alone.
//!
//! It is the sample game of `docs/GAMES.md`, in `tests/data/games/harbour`.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::sync::{Arc, LazyLock};

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, Fix, Game, ManifestFault, Report, ReportStatus,
    check_card, check_set, parse_deck_text, render_deck_text, validate,
};
use serde_json::{Value, json};
use support::{HARBOUR, card, codes, deck, files, outline, pool_card, sets, shipped};

static MANIFEST: LazyLock<String> = LazyLock::new(|| support::manifest(HARBOUR));

fn cargo(name: &str, weight: i64) -> CardDefinition {
    let attributes = json!({ "weight": weight, "price": 1 });
    card(json!({ "number": "1", "name": name, "kind": "cargo", "attributes": attributes }))
}

fn harbour() -> Arc<Catalogue> {
    shipped(HARBOUR)
}

fn judge(text: &str) -> Report {
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    let catalogue = harbour();
    validate(&parsed.deck, &catalogue, catalogue.game().format("trade").unwrap())
}

#[test]
fn the_sets_are_sound_and_the_decks_what_their_names_say() {
    let catalogue = harbour();
    let game = catalogue.game();
    for (file, set) in sets(HARBOUR) {
        assert_eq!(check_set(game, &set), [], "{file}");
        assert_eq!(file, format!("{}.json", set.code));
    }
    let decks = files(HARBOUR, "decks");
    assert!(decks.len() >= 4);
    for (file, text) in decks {
        let parsed = parse_deck_text(&text);
        assert_eq!(parsed.faults, [], "{file}");
        let format = parsed.notes["format"].strip_prefix("harbour/").unwrap();
        let report = validate(&parsed.deck, &catalogue, game.format(format).unwrap());
        assert_eq!(report.is_legal(), file.starts_with("legal-"), "{file}: {report:#?}");
        assert_eq!(parse_deck_text(&render_deck_text(&parsed.deck)).deck, parsed.deck);
    }
}

/// What the manifest says of cards holds for cards.
#[test]
fn cards_are_checked_by_the_manifest_alone() {
    let game = support::game(HARBOUR);
    let faults = |value: Value| outline(&check_card(&game, &card(value)));
    let silk = json!({
        "number": "002", "name": "Silk", "kind": "cargo", "attributes": { "weight": 5, "price": 9 },
        "effects": [{ "style": "arrival", "text": "Draw one card." }],
        "printings": [{ "rarity": "plain" }, { "rarity": "gilded", "attributes": { "price": 11 } }],
    });
    assert_eq!(faults(silk.clone()), Vec::<String>::new());
    let changed = |pointer: &str, value: Value| {
        let mut card = silk.clone();
        *card.pointer_mut(pointer).unwrap() = value;
        faults(card)
    };
    assert_eq!(changed("/attributes/weight", json!(101)), ["ATTRIBUTE_OUT_OF_RANGE H-20 100 101"]);
    assert_eq!(changed("/effects/0/style", json!("song")), ["EFFECT_STYLE_UNKNOWN H-20 - -"]);
    assert_eq!(changed("/printings/1/attributes/price", json!(12)), ["GILDED_PRICE H-21 2 3"]);
    assert_eq!(changed("/name", json!(" ")), ["NAME_INVALID H-0 120 -"]);
    let ship = |guns: i64| {
        let attributes = json!({ "class": "sloop", "crew": 6, "guns": guns });
        faults(json!({ "number": "8", "name": "Cutter", "kind": "ship", "attributes": attributes }))
    };
    assert_eq!(ship(4), Vec::<String>::new());
    assert_eq!(ship(5), ["ATTRIBUTE_TOTAL_MISMATCH H-31 10 11"]);
}

#[test]
fn exemptions_zones_and_requirements() {
    let report = judge("9 Salt\n1 Silk\n\nSideboard\n1 Anchor\n[extra]\n3 Brig\n");
    assert_eq!(report.violations, []);
    assert_eq!(
        report.counts.iter().map(|count| (&*count.zone, count.cards)).collect::<Vec<_>>(),
        [("main", 10), ("side", 1), ("extra", 3)],
        "as the manifest orders its zones"
    );
    assert_eq!((report.cards_in("side"), report.cards_in("attic")), (1, 0));

    let report =
        judge("5 Salt\n2 Brig\nSB: 4 Anchor\n[Fleet]\n1 Anchor\n[extra]\n1 Salt\n2 Brig\n");
    assert_eq!(
        outline(&report.violations),
        [
            "ZONE_SIZE_ABOVE_MAX H-2 2 4",
            "COPY_LIMIT_EXCEEDED H-3 3 5",
            "COPY_LIMIT_EXCEEDED H-3 3 4",
            "KIND_NOT_ALLOWED H-4 0 1",
            "KIND_NOT_ALLOWED H-5 0 2",
            "REQUIRED_CARDS_MISSING H-6 1 0",
            // "Fleet" is a name of the zone, not one of its codes or aliases.
            "ZONE_UNKNOWN H-10 - -",
        ]
    );
    let ship = report.violations.iter().find(|one| one.rule == "H-6").unwrap();
    assert_eq!(ship.fix, Some(Fix::AddMatchingCards { zone: "main".to_owned(), quantity: 1 }));
    assert_eq!(report.violations[0].zone.as_deref(), Some("side"));
    // The crate has no rule about unknown cards; they are reported all the same, as the service's own rule.
    let format = harbour().game().format("crate").unwrap().clone();
    let report = validate(&deck([(1, "Slik")]), &harbour(), &format);
    assert!(outline(&report.violations).contains(&"CARD_UNKNOWN deck - 1".to_owned()));
}

#[test]
fn limit_lists_by_day() {
    let deck = parse_deck_text("6 Salt\n2 Silk\n1 Gunpowder").deck;
    let catalogue = harbour();
    let on = |day: &str| {
        let format = catalogue.game().format_on("trade", day.parse().unwrap())?;
        Some(outline(&validate(&deck, &catalogue, &format).violations))
    };
    assert_eq!(on("2019-12-31"), None);
    assert_eq!(on("2024-12-31").unwrap(), ["DECK_SIZE_BELOW_MIN H-1 10 9"]);
    assert!(on("2025-01-01").unwrap().is_empty());
    assert_eq!(on("2025-08-31").unwrap(), ["CARD_BANNED H-7 0 2"]);
    let autumn = ["CARD_BANNED H-7 0 1", "CARD_LIMIT_EXCEEDED H-7 1 2"];
    assert_eq!(on("2025-09-01").unwrap(), autumn);
    let undated = validate(&deck, &catalogue, catalogue.game().format("trade").unwrap());
    assert_eq!(outline(&undated.violations), autumn);
    assert_eq!(&*undated.format_version, "2");
}

#[test]
fn own_codes_and_severities() {
    let report = judge("6 Salt\n1 Silk\n1 Marble\n1 Anchor\n");
    assert_eq!(outline(&report.violations), ["TOO_HEAVY H-8 0 1"]);
    assert_eq!(report.status, ReportStatus::Legal);
    assert_eq!(
        report.violations[0].message(),
        "Nothing too heavy, but anchors. Expected 0, found 1. Concerned: “Marble” (port) 005."
    );
}

#[test]
fn boxes_by_name() {
    let catalogue = harbour();
    let format = catalogue.game().format("crate").unwrap();
    let check =
        |text: &str| outline(&validate(&parse_deck_text(text).deck, &catalogue, format).violations);
    assert!(check("4 Salt\n1 Silk\n1 Anchor").is_empty());
    let total_fix = |text: &str| {
        let report = validate(&parse_deck_text(text).deck, &catalogue, format);
        let total =
            report.violations.into_iter().find(|one| one.code.as_str() == "BOX_TOTAL_MISMATCH");
        total.and_then(|one| one.fix)
    };
    let zone = || "main".to_owned();
    assert_eq!(total_fix("9 Salt"), Some(Fix::RemoveCards { zone: zone(), quantity: 3 }));
    assert_eq!(total_fix("5 Salt"), Some(Fix::AddMatchingCards { zone: zone(), quantity: 1 }));
    let half = format.with_variant("half").unwrap();
    let two = parse_deck_text("2 Salt").deck;
    assert!(validate(&two, &catalogue, &half).is_legal());
    assert!(!validate(&two, &catalogue, format).is_legal());
    assert_eq!(
        check("5 Salt\n2 Brig\n1 Anchor"),
        [
            "BOX_CARD_EXTRA H-9 0 2",
            "BOX_CARD_EXTRA H-9 4 5",
            "BOX_TOTAL_MISMATCH H-9 6 8",
            "BOX_CARD_MISSING H-9 1 0"
        ]
    );
}

/// A catalogue answers for formats of another reading of the manifest, too: just not from what it has worked out.
#[test]
fn a_format_of_another_manifest_gives_the_same_report() {
    let catalogue = harbour();
    let other = Game::from_toml(&format!("# the same, with a comment\n{}", *MANIFEST)).unwrap();
    let deck = parse_deck_text("5 Salt\n2 Brig\nSB: 4 Anchor\n1 Marble").deck;
    for code in ["trade", "crate"] {
        let own = validate(&deck, &catalogue, catalogue.game().format(code).unwrap());
        assert_eq!(validate(&deck, &catalogue, other.format(code).unwrap()), own);
    }
}

#[test]
fn a_layer_of_extra_cards_equals_one_pool() {
    let base = harbour();
    let again = CardDefinition { number: "001".to_owned(), ..cargo("Again", 1) };
    let extra = [pool_card("gift", cargo("Spice", 1)), pool_card("port", again)];
    let layered = Catalogue::with_extra(Arc::clone(&base), extra.clone());
    let known = base.len();
    assert_eq!(layered.len(), known + 1, "a card of a known set and number is left out");
    assert_eq!(layered.iter().count(), known + 1);
    let whole = Catalogue::builder(base.game()).extend(base.iter().cloned()).extend(extra).build();
    let deck = parse_deck_text("6 Salt\n4 spice\n1 Spice (gift) 1\n1 Again").deck;
    let format = base.game().format("trade").unwrap();
    let report = validate(&deck, &layered, format);
    assert_eq!(report, validate(&deck, &whole, format));
    assert_eq!(codes(&report.violations), ["COPY_LIMIT_EXCEEDED", "CARD_UNKNOWN"]);
    assert_eq!(
        codes(&validate(&deck, &base, format).violations),
        ["REQUIRED_CARDS_MISSING", "CARD_UNKNOWN", "CARD_UNKNOWN"]
    );
}

#[test]
fn every_fault_of_a_manifest_at_once_with_its_place() {
    let text = MANIFEST
        .replace("min = 10 }", "min = \"ten\" }")
        .replace("max = 2 }", "max = 2, mox = 3 }")
        .replace("zones = [\"extra\"], select", "zones = [\"attic\"], select")
        .replace("kinds = [\"cargo\"], where", "kinds = [\"crate\"], where")
        .replace("weight = { max = 10 }", "wait = { max = 10 }")
        .replace("effective_until = \"2025-09-01\"", "effective_until = \"2025-02-30\"")
        .replace("code = \"TOO_HEAVY\"", "code = \"too heavy\"")
        .replace("total = 6, ", "");
    let error = Game::from_toml(&text).unwrap_err();
    let places: Vec<String> = error.faults.iter().map(|fault| fault.place.clone()).collect();
    for place in [
        "formats[0].rules[0].zone_size.min",
        "formats[1].rules[1].zone_size.mox",
        "formats[1].rules[3].allowed.zones",
        "formats[1].rules[5].requires.select.kinds",
        "formats[1].rules[5].requires.select",
        "formats[1].rules[6].effective_until",
        "formats[1].rules[8].code",
        "formats[2].variants[0].rules[0].fixed_box.total",
    ] {
        assert!(places.iter().any(|known| known == place), "{place} is not among\n{error}");
    }
    assert!(error.faults.iter().all(|fault| fault.position.is_some()), "{error}");
}

#[test]
fn faults_have_their_line_and_column() {
    let at = |text: &str| -> Vec<(usize, usize)> {
        let position = |fault: &ManifestFault| {
            fault.position.map_or((0, 0), |position| (position.line, position.column))
        };
        Game::from_toml(text).unwrap_err().faults.iter().map(position).collect()
    };
    assert_eq!(at("code = \"a\"\nname = \"b\"\nzones = ["), [(3, 10)]);
    assert_eq!(at("a = \nname = \"é\" x\nb = tru"), [(1, 5), (2, 12), (3, 5)]);
    let text = "x = 1\ncode = \"a\"\nname = \"b\"\nrules_version = \"1\"\n\n[[kinds]]\ncode = \"k\"\nname = 5\n  colour = \"red\"\n\
        [[kinds]]\nname = \"L\"\n";
    // An unknown key, a number for a text, an unknown key again, and a table without its code.
    assert_eq!(at(text), [(1, 1), (8, 1), (9, 3), (10, 1)]);
    assert!(!Game::from_toml("").unwrap_err().faults.is_empty());
}

#[test]
fn decks_read_and_write_json() {
    let deck: Deck = serde_json::from_value(
        json!({ "entries": [{ "quantity": 2, "card": { "name": "Salt" } }] }),
    )
    .unwrap();
    assert_eq!(deck.entries, [DeckEntry::main(2, "Salt")]);
    let bad = json!({ "entries": [{ "quantity": -2, "card": { "name": "Salt" } }] });
    assert!(serde_json::from_value::<Deck>(bad).is_err());
    let report = serde_json::to_value(judge("2 Silk")).unwrap();
    assert_eq!(report["status"], "illegal");
    assert_eq!(report["violations"][0]["code"], "CARD_LIMIT_EXCEEDED");
    assert_eq!(report["violations"][0]["severity"], "error");
    assert_eq!(
        report["violations"][0]["fix"],
        json!({ "action": "remove_copies", "name": "Silk", "quantity": 1 })
    );
    assert!(report["violations"][0]["message"].as_str().unwrap().contains("Silk"));
}
