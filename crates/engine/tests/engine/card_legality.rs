//! What formats say about single cards.

use crate::support::{self, card, pool, shipped};
use cardscape_engine::{
    CardReference, CardStatus, Catalogue, Deck, DeckEntry, Format, Game, PoolCard, Severity,
    validate,
};
use serde_json::json;

const MANIFEST: &str = r#"
code = "orchard"
name = "Orchard"
rules_version = "orchard/1"

[[zones]]
code = "main"
name = "Basket"
[[zones]]
code = "side"
name = "Shed"

[[kinds]]
code = "fruit"
name = "Fruit"
[kinds.attributes]
rank = { type = "integer", min = 1 }
[[kinds]]
code = "tool"
name = "Tool"

[[formats]]
code = "season"
name = "Season"
version = "1"
[[formats.rules]]
rule = "O-1"
text = "Tools stand in the shed, and nothing else does."
allowed = { zones = ["side"], select = { kinds = ["tool"] } }
[[formats.rules]]
rule = "O-2"
text = "Tools stand in the shed alone."
forbidden = { zones = ["main"], select = { kinds = ["tool"] } }
[[formats.rules]]
rule = "O-3"
text = "Fruit of high rank is not played."
at_most = { max = 0, select = { where = { rank = { min = 5 } } } }
[[formats.rules]]
rule = "O-4"
text = "One sour fruit is one too many."
effective_until = "2026-06-01"
limit_list = { cards = { "Sloe" = 0, "Quince" = 1 } }
[[formats.rules]]
rule = "O-5"
text = "Sour fruit is rare."
effective_from = "2026-06-01"
limit_list = { cards = { "Sloe" = 2 } }
[[formats.rules]]
rule = "O-6"
severity = "warning"
text = "Plums stain."
forbidden = { select = { names = ["Plum"] } }

[[formats]]
code = "box"
name = "Box"
version = "1"
[[formats.rules]]
rule = "O-7"
text = "The box holds two plums and two tools."
fixed_box = { total = 4, contents = [
  { copies = 2, select = { names = ["Plum"] } },
  { copies = 2, select = { kinds = ["tool"] } },
] }
"#;

fn orchard() -> (Game, Catalogue) {
    let game = Game::from_toml(MANIFEST).unwrap();
    let cards = [
        ("Plum", "fruit", json!({ "rank": 1 })),
        ("Sloe", "fruit", json!({ "rank": 2 })),
        ("Quince", "fruit", json!({ "rank": 3 })),
        ("Durian", "fruit", json!({ "rank": 5 })),
        ("Rake", "tool", json!({})),
    ];
    let cards = cards.into_iter().enumerate().map(|(at, (name, kind, attributes))| {
        card(json!({ "number": at.to_string(), "name": name, "kind": kind, "attributes": attributes }))
    });
    let pool = pool(&game, cards);
    (game, pool)
}

/// Status, maximum number of copies and rule of each card of the pool.
fn statuses(game: &Game, pool: &Catalogue, format: &str, day: &str) -> Vec<String> {
    let rules = game.format_on(format, day.parse().unwrap()).unwrap().card_rules();
    let line = |card: &PoolCard| {
        let found = rules.judge(&card.definition, &card.set, card.released_on);
        let most = found.max_copies.map_or_else(|| "-".to_owned(), |most| most.to_string());
        let rule = found.rule.as_deref().unwrap_or("-");
        format!("{} {} {most} {rule}", card.definition.name, found.status.as_str())
    };
    pool.iter().map(line).collect()
}

#[test]
fn a_card_is_legal_restricted_banned_or_not_legal() {
    let (game, pool) = orchard();
    assert_eq!(
        statuses(&game, &pool, "season", "2026-05-31"),
        [
            "Plum legal - -",
            "Sloe banned 0 O-4",
            "Quince restricted 1 O-4",
            "Durian not_legal - O-3",
            "Rake legal - -",
        ]
    );
    assert_eq!(
        statuses(&game, &pool, "season", "2026-06-01"),
        [
            "Plum legal - -",
            "Sloe restricted 2 O-5",
            "Quince legal - -",
            "Durian not_legal - O-3",
            "Rake legal - -",
        ]
    );
    assert_eq!(
        statuses(&game, &pool, "box", "2026-06-01"),
        [
            "Plum legal - -",
            "Sloe not_legal - O-7",
            "Quince not_legal - O-7",
            "Durian not_legal - O-7",
            "Rake legal - -",
        ]
    );
}

/// Reports refuse a single copy in every zone exactly when the card is banned or not legal.
fn agrees_with_reports(game: &Game, pool: &Catalogue, format: &Format) {
    let rules = format.card_rules();
    for card in pool.iter() {
        let legality = rules.judge(&card.definition, &card.set, card.released_on);
        let is_refused = game.zones().iter().all(|zone| {
            let entry = DeckEntry {
                zone: zone.code.to_string(),
                card: CardReference {
                    name: card.definition.name.clone(),
                    set: Some(card.set.clone()),
                    number: Some(card.definition.number.clone()),
                    rarity: None,
                },
                ..DeckEntry::main(1, "")
            };
            let report = validate(&Deck { entries: vec![entry] }, pool, format);
            report.violations.iter().any(|violation| {
                violation.severity == Severity::Error && REFUSALS.contains(&violation.code.as_str())
            })
        });
        let is_in = matches!(legality.status, CardStatus::Legal | CardStatus::Restricted);
        assert_eq!(is_refused, !is_in, "{} {}: {legality:?}", format.code, card.definition.name);
    }
}

/// Codes of violations that concern single cards.
const REFUSALS: [&str; 5] = [
    "KIND_NOT_ALLOWED",
    "CARD_NOT_ALLOWED",
    "CARD_BANNED",
    "BOX_CARD_EXTRA",
    "GROUP_LIMIT_EXCEEDED",
];

#[test]
fn legality_is_what_reports_say() {
    let (game, pool) = orchard();
    for (format, day) in [("season", "2026-05-31"), ("season", "2026-06-01"), ("box", "2026-06-01")]
    {
        agrees_with_reports(&game, &pool, &game.format_on(format, day.parse().unwrap()).unwrap());
    }
    for code in support::GAMES {
        let pool = shipped(code);
        let game = pool.game();
        for format in game.formats() {
            agrees_with_reports(game, &pool, format);
            for variant in &format.variants {
                agrees_with_reports(game, &pool, &format.with_variant(&variant.code).unwrap());
            }
        }
    }
}
