//! A game that no code knows: zones, a limit list, exemptions, a fixed box and dated rules, as data alone.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, Game, ReportStatus, parse_deck_text, validate,
};
use serde_json::json;
use support::{card, codes, outline, pool};

const MANIFEST: &str = r#"
code = "harbour"
name = "Harbour"
rules_version = "harbour/3"

[[zones]]
code = "main"
name = "Hold"

[[zones]]
code = "side"
name = "Quay"
aliases = ["quay"]

[[zones]]
code = "extra"
name = "Fleet"

[[kinds]]
code = "cargo"
name = "Cargo"
[kinds.attributes]
basic = { type = "boolean", optional = true }
weight = { type = "integer", min = 0, max = 100 }

[[kinds]]
code = "ship"
name = "Ship"

[[formats]]
code = "trade"
name = "Trade"
version = "1"
effective_from = "2020-01-01"
[[formats.rules]]
rule = "H-1"
text = "An old hold has at least ten cards."
zone_size = { min = 10 }

[[formats]]
code = "trade"
name = "Trade"
version = "2"
effective_from = "2025-01-01"

[[formats.rules]]
rule = "H-1"
text = "A hold has at least six cards."
zone_size = { zone = "main", min = 6 }
[[formats.rules]]
rule = "H-2"
text = "A quay has at most two cards."
zone_size = { zone = "side", max = 2 }
[[formats.rules]]
rule = "H-3"
text = "At most three of a name over all zones, except basic cargo."
copy_limit = { max = 3, exempt = { where = { basic = true } } }
[[formats.rules]]
rule = "H-4"
text = "The fleet holds ships only."
allowed = { zones = ["extra"], select = { kinds = ["ship"] } }
[[formats.rules]]
rule = "H-5"
text = "Ships stand in the fleet only."
forbidden = { zones = ["main", "side"], select = { kinds = ["ship"] } }
[[formats.rules]]
rule = "H-6"
text = "A hold has at least one light cargo."
requires = { zones = ["main"], min = 1, select = { kinds = ["cargo"], where = { weight = { max = 10 } } } }
[[formats.rules]]
rule = "H-7"
text = "The list of spring."
effective_from = "2025-03-01"
effective_until = "2025-09-01"
limit_list = { cards = { "Silk" = 0 } }
[[formats.rules]]
rule = "H-7"
text = "The list of autumn."
effective_from = "2025-09-01"
limit_list = { cards = { "Silk" = 1, "Gunpowder!" = 0 } }
[[formats.rules]]
rule = "H-8"
text = "Nothing too heavy, but anchors."
code = "TOO_HEAVY"
severity = "warning"
forbidden = { select = { where = { weight = { min = 91 } }, not = { names = ["Anchor"] } } }

[[formats]]
code = "crate"
name = "Crate"
version = "1"
[[formats.rules]]
rule = "H-9"
text = "The crate has its six cards."
fixed_box = { total = 6, contents = [
  { copies = 4, select = { names = ["Salt"] } },
  { copies = 1, select = { any = [{ names = ["Silk"] }, { names = ["Anchor"] }] } },
] }
"#;

fn cargo(name: &str, weight: i64) -> CardDefinition {
    card(
        json!({ "number": "1", "name": name, "kind": "cargo", "attributes": { "weight": weight } }),
    )
}

fn harbour() -> Catalogue {
    let mut salt = cargo("Salt", 20);
    salt.attributes.insert("basic".to_owned(), json!(true));
    let ship = card(json!({ "number": "1", "name": "Brig", "kind": "ship" }));
    let cards = [
        salt,
        cargo("Silk", 5),
        cargo("Gunpowder", 30),
        cargo("Anchor", 95),
        cargo("Marble", 99),
        ship,
    ];
    pool(&Game::from_toml(MANIFEST).unwrap(), cards)
}

fn judge(text: &str) -> cardscape_engine::Report {
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    let catalogue = harbour();
    validate(&parsed.deck, &catalogue, catalogue.game().format("trade").unwrap())
}

#[test]
fn exemptions_zones_and_requirements() {
    let report = judge("9 Salt\n1 Silk\n\nSideboard\n1 Anchor\n[extra]\n3 Brig\n");
    assert_eq!(report.violations, []);
    assert_eq!(
        report.counts.iter().map(|(zone, count)| (&**zone, *count)).collect::<Vec<_>>(),
        [("extra", 3), ("main", 10), ("side", 1)]
    );

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
            "ZONE_UNKNOWN deck - -",
        ]
    );
    assert_eq!(report.violations[0].zone.as_deref(), Some("side"));
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
        "Nothing too heavy, but anchors. Expected 0, found 1. Concerned: “Marble” (test) 005."
    );
}

#[test]
fn boxes_by_name() {
    let catalogue = harbour();
    let format = catalogue.game().format("crate").unwrap();
    let check =
        |text: &str| outline(&validate(&parse_deck_text(text).deck, &catalogue, format).violations);
    assert!(check("4 Salt\n1 Silk\n1 Anchor").is_empty());
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
    let other = Game::from_toml(&format!("# the same, with a comment\n{MANIFEST}")).unwrap();
    let deck = parse_deck_text("5 Salt\n2 Brig\nSB: 4 Anchor\n1 Marble").deck;
    for code in ["trade", "crate"] {
        let own = validate(&deck, &catalogue, catalogue.game().format(code).unwrap());
        assert_eq!(validate(&deck, &catalogue, other.format(code).unwrap()), own);
    }
}

#[test]
fn a_layer_of_extra_cards_equals_one_pool() {
    let base = std::sync::Arc::new(harbour());
    let extra = [
        support::pool_card("gift", cargo("Spice", 1)),
        support::pool_card("test", cargo("Again", 1)),
    ];
    let layered = Catalogue::with_extra(std::sync::Arc::clone(&base), extra.clone());
    assert_eq!((base.len(), layered.len()), (6, 7), "a card of a known set and number is left out");
    assert_eq!(layered.iter().count(), 7);
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
        "formats[2].rules[0].fixed_box.total",
    ] {
        assert!(places.iter().any(|known| known == place), "{place} is not among\n{error}");
    }
}

#[test]
fn a_syntax_error_has_its_line() {
    let error = Game::from_toml("code = \"a\"\nname = \"b\"\nzones = [").unwrap_err();
    assert_eq!(error.faults.len(), 1);
    assert!(error.faults[0].place.starts_with("line 3"), "{error}");
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
