//! A format that rotates by release days, as data.

use crate::support::{self, card, outline};
use cardscape_engine::{Catalogue, Game, PoolCard, ReportStatus, parse_deck_text, validate};
use serde_json::json;

const MANIFEST: &str = r#"
code = "orchard"
name = "Orchard"
rules_version = "orchard/1"

[[kinds]]
code = "fruit"
name = "Fruit"
[kinds.attributes]
rank = { type = "integer", min = 1 }

[[formats]]
code = "season"
name = "Season"
version = "1"
[[formats.rules]]
rule = "O-1"
text = "Fruit of the last two years is legal."
effective_until = "2026-09-01"
allowed = { select = { released = { from = "2024-09-01" } } }
[[formats.rules]]
rule = "O-1"
text = "Fruit of the last two years is legal."
effective_from = "2026-09-01"
allowed = { select = { released = { from = "2025-09-01" } } }

[[formats]]
code = "vintage"
name = "Vintage"
version = "1"
[[formats.rules]]
rule = "O-2"
text = "Only fruit from before 2025, or without a date, is legal."
forbidden = { select = { kinds = ["fruit"], released = { from = "2025-01-01" } } }

[[formats]]
code = "year"
name = "Year"
version = "1"
[[formats.rules]]
rule = "O-3"
text = "Fruit of 2025, or of the box of seeds, is legal."
allowed = { select = { any = [{ released = { from = "2025-01-01", until = "2026-01-01" } }, { sets = ["seeds"] }] } }
[[formats.rules]]
rule = "O-4"
code = "UNREACHABLE_RANK"
text = "In 2025 a rank is played on the rank below."
advise_ladder = { attribute = "rank", select = { released = { until = "2026-01-01" } } }
"#;

/// One fruit of rank 2 for each set, named after its release day.
fn fruit() -> [PoolCard; 6] {
    let days = [
        Some("2024-08-31"),
        Some("2024-09-01"),
        Some("2024-12-31"),
        Some("2025-12-31"),
        Some("2026-01-01"),
        None,
    ];
    days.map(|day| {
        let name = day.unwrap_or("undated");
        let definition = card(
            json!({ "number": "1", "name": format!("Plum {name}"), "kind": "fruit", "attributes": { "rank": 2 } }),
        );
        let set = if day.is_some() { name } else { "seeds" };
        let released_on = day.map(|day| day.parse().unwrap());
        PoolCard { released_on, ..support::pool_card(set, definition) }
    })
}

/// The names of the fruit that a format does not allow on a day.
fn refused(catalogue: &Catalogue, game: &Game, format: &str, day: &str) -> Vec<String> {
    let deck: String =
        catalogue.iter().map(|card| format!("1 {}\n", card.definition.name)).collect();
    let format = game.format_on(format, day.parse().unwrap()).unwrap();
    let report = validate(&parse_deck_text(&deck).deck, catalogue, &format);
    report
        .violations
        .into_iter()
        .filter(|violation| violation.code.as_str() == "CARD_NOT_ALLOWED")
        .flat_map(|violation| violation.cards)
        .map(|card| card.name.trim_start_matches("Plum ").to_owned())
        .collect()
}

#[test]
fn a_rotation_by_day() {
    let game = Game::from_toml(MANIFEST).unwrap();
    let catalogue = Catalogue::builder(&game).extend(fruit()).build();
    let refused = |format: &str, day: &str| refused(&catalogue, &game, format, day);
    assert_eq!(refused("season", "2026-08-31"), ["2024-08-31", "undated"]);
    assert_eq!(
        refused("season", "2026-09-01"),
        ["2024-08-31", "2024-09-01", "2024-12-31", "undated"]
    );
    assert_eq!(refused("vintage", "2026-09-01"), ["2025-12-31", "2026-01-01"]);
    assert_eq!(
        refused("year", "2026-09-01"),
        ["2024-08-31", "2024-09-01", "2024-12-31", "2026-01-01"],
        "the last day counts, the next does not"
    );
}

/// The precomputed results of a catalogue, a layer over it and a format from another parse agree.
#[test]
fn layers_and_other_readings_agree() {
    let game = Game::from_toml(MANIFEST).unwrap();
    let other = Game::from_toml(&format!("{MANIFEST}# the same\n")).unwrap();
    let [first, second, rest @ ..] = fruit();
    let base = Catalogue::builder(&game).extend([first, second]).build();
    let layered = Catalogue::with_extra(std::sync::Arc::new(base), rest);
    for reading in [&game, &other] {
        assert_eq!(
            refused(&layered, reading, "season", "2026-09-01"),
            ["2024-08-31", "2024-09-01", "2024-12-31", "undated"]
        );
    }
    let deck = parse_deck_text("1 Plum 2025-12-31\n1 Plum 2026-01-01").deck;
    for reading in [&game, &other] {
        let report = validate(&deck, &layered, reading.format("year").unwrap());
        assert_eq!(
            outline(&report.violations),
            ["CARD_NOT_ALLOWED O-3 0 1", "UNREACHABLE_RANK O-4 - -"]
        );
        assert_eq!(report.violations[1].cards[0].name, "Plum 2025-12-31");
        assert_eq!(report.status, ReportStatus::Illegal);
    }
}

#[test]
fn spans_are_in_json_and_their_faults_have_a_place() {
    let game = Game::from_toml(MANIFEST).unwrap();
    let json = serde_json::to_value(game.format("year").unwrap()).unwrap();
    assert_eq!(
        json["rules"][0]["select"]["any"][0]["released"],
        json!({ "from": "2025-01-01", "until": "2026-01-01" })
    );
    assert_eq!(json["rules"][1]["select"]["released"], json!({ "until": "2026-01-01" }));
    for (wrong, place) in [
        ("{}", "formats[0].rules[0].allowed.select.released: from or until is required"),
        (
            "{ from = \"2025-02-30\" }",
            "formats[0].rules[0].allowed.select.released.from: must be an existing day",
        ),
        (
            "{ from = \"2025-01-02\", until = \"2025-01-02\" }",
            "formats[0].rules[0].allowed.select.released.until: is not after from",
        ),
        ("{ from = \"2025-01-02\", days = 3 }", "released.days: is not known here"),
    ] {
        let text = MANIFEST.replacen("{ from = \"2024-09-01\" }", wrong, 1);
        let error = Game::from_toml(&text).unwrap_err();
        assert_eq!(error.faults.len(), 1, "{error}");
        assert!(error.to_string().contains(place), "no {place} in {error}");
    }
}
