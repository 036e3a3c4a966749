//! One deck judged by several formats.

use crate::support::{card, pool};
use cardscape_engine::{
    Catalogue, Format, Game, ReportStatus, SUGGESTED_NAMES_MAX, legalities, parse_deck_text,
    validate,
};
use serde_json::json;

const MANIFEST: &str = r#"
code = "pond"
name = "Pond"
rules_version = "pond/1"
[[kinds]]
code = "fish"
name = "Fish"

[[formats]]
code = "open"
name = "Open water"
version = "3"
[[formats.rules]]
rule = "P-1"
text = "A shoal has fish."
zone_size = { min = 1 }
[[formats.rules]]
rule = "P-2"
text = "Every fish is known."
severity = "warning"
requires = { min = 9, select = {} }

[[formats]]
code = "deep"
name = "Deep water"
version = "1"
[[formats.variants]]
code = "summer"
name = "Summer"
default = true
[[formats.variants.rules]]
rule = "P-3"
text = "A summer shoal has five fish or more."
zone_size = { min = 5 }
[[formats.variants]]
code = "winter"
name = "Winter"
[[formats.variants.rules]]
rule = "P-4"
text = "A winter shoal has one fish."
zone_size = { max = 1 }
"#;

fn pond() -> Catalogue {
    let pike = card(json!({ "number": "1", "name": "Pike", "kind": "fish" }));
    pool(&Game::from_toml(MANIFEST).unwrap(), [pike])
}

fn formats(game: &Game) -> Vec<Format> {
    let deep = game.format("deep").unwrap();
    vec![deep.with_variant("winter").unwrap(), game.format("open").unwrap().clone(), deep.clone()]
}

#[test]
fn every_format_has_its_report_and_the_summary_sorts_them() {
    let catalogue = pond();
    let formats = formats(catalogue.game());
    let deck = parse_deck_text("2 Pike").deck;
    let judged = legalities(&deck, &catalogue, &formats);
    assert_eq!(
        judged.summary(),
        "Legal in pond/open; incomplete in pond/deep:summer; illegal in pond/deep:winter."
    );
    assert_eq!(
        judged.summary_as(["icy", "open", "deep"]),
        "Legal in open; incomplete in deep; illegal in icy."
    );
    assert!(!judged.is_legal_in_all());
    let each: Vec<_> = formats.iter().map(|format| validate(&deck, &catalogue, format)).collect();
    assert_eq!(judged.reports, each, "in the order of the formats");
    assert_eq!(judged.reports[0].variant.as_deref(), Some("winter"));
    assert_eq!(&*judged.reports[1].format_version, "3");
    assert_eq!(judged.reports[2].status, ReportStatus::Incomplete);
    let json = serde_json::to_value(&judged).unwrap();
    assert_eq!(json["summary"], judged.summary());
    assert_eq!(json["legal_in_all"], false);
    assert_eq!(json["reports"][0]["status"], "illegal");
}

#[test]
fn legal_in_all_or_judged_by_none() {
    let catalogue = pond();
    let formats = formats(catalogue.game());
    let one = parse_deck_text("1 Pike").deck;
    let judged = legalities(&one, &catalogue, &formats[..2]);
    assert!(judged.is_legal_in_all(), "warnings make no deck illegal");
    assert_eq!(judged.summary(), "Legal in pond/deep:winter, pond/open.");
    let none = legalities(&one, &catalogue, []);
    assert!(!none.is_legal_in_all());
    assert_eq!(none.summary(), "Judged by no format.");
}

#[test]
fn every_report_gets_suggestions() {
    let catalogue = pond();
    let formats = formats(catalogue.game());
    let mut judged = legalities(&parse_deck_text("1 Pikke").deck, &catalogue, &formats);
    assert_eq!(judged.suggest(&catalogue), 0);
    for report in judged.reports {
        let unknown =
            report.violations.iter().find(|one| one.code.as_str() == "CARD_UNKNOWN").unwrap();
        assert_eq!(unknown.suggestions, ["Pike"], "{}", report.format_name());
    }
}

#[test]
fn names_that_are_not_looked_up_are_counted() {
    let catalogue = pond();
    let list: String = (0..SUGGESTED_NAMES_MAX + 7).map(|at| format!("1 Pike{at:03}\n")).collect();
    let mut judged =
        legalities(&parse_deck_text(&list).deck, &catalogue, &formats(catalogue.game()));
    assert_eq!(judged.suggest(&catalogue), 7);
    let report = &judged.reports[0];
    let suggested = report.violations.iter().filter(|one| !one.suggestions.is_empty());
    assert_eq!(suggested.count(), SUGGESTED_NAMES_MAX);
}
