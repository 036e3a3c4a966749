//! Decks that are bound by an identity card, budgets, and values that cards share: an invented game, as data alone.

mod hostile;
mod manifests;

use std::sync::LazyLock;

use crate::support::{card, codes, outline, pool_card};
use cardscape_engine::{
    Catalogue, Deck, Fix, Game, PoolCard, Report, ReportStatus, Severity, Violation,
    parse_deck_text, validate,
};
use serde_json::{Value, json};

const MANIFEST: &str = include_str!("../data/syndicate.toml");

static GAME: LazyLock<Game> = LazyLock::new(|| Game::from_toml(MANIFEST).unwrap());

fn cards() -> Vec<PoolCard> {
    let one =
        |name: &str, kind: &str, attributes: Value| (name.to_owned(), kind.to_owned(), attributes);
    let job = |name: &str, faction: &str, influence: i64| {
        one(name, "job", json!({ "faction": faction, "influence": influence }))
    };
    let mut cards = vec![
        one(
            "Harbour Queen",
            "boss",
            json!({ "faction": "docks", "minimum_size": 6, "influence_limit": 5, "suits": ["sun", "moon"] }),
        ),
        one(
            "Banker",
            "boss",
            json!({ "faction": "mint", "minimum_size": 4, "influence_limit": 2, "suits": ["star"] }),
        ),
        one("Phantom", "boss", json!({ "faction": "opera", "minimum_size": 3 })),
        job("Night Ferry", "docks", 4),
        job("Forged Note", "mint", 2),
        job("False Aria", "opera", 3),
        job("Errand", "neutral", 1),
        one("Old Key", "job", json!({ "faction": "mint" })),
        one("Strike", "scheme", json!({ "faction": "docks", "worth": 2 })),
        one("Coinage", "scheme", json!({ "faction": "mint", "worth": 3 })),
        one("Rumour", "scheme", json!({ "faction": "neutral", "worth": 1 })),
    ];
    for (at, suits) in
        ["sun", "moon", "star", "sun moon", "moon star", "sun moon star", ""].iter().enumerate()
    {
        let list: Vec<&str> = suits.split_whitespace().collect();
        let cost = i64::try_from(at).unwrap();
        let grade = ["plain", "fine", "rare"][at % 3];
        let attributes =
            json!({ "faction": "neutral", "suits": list, "cost": cost, "grade": grade });
        cards.push(one(&format!("Suit {at}"), "job", attributes));
    }
    let numbered = cards.into_iter().zip(1..);
    numbered
        .map(|((name, kind, attributes), number)| {
            let value = json!({ "number": format!("{number:03}"), "name": name, "kind": kind, "attributes": attributes });
            pool_card("test", card(value))
        })
        .collect()
}

fn catalogue() -> Catalogue {
    Catalogue::builder(&GAME).extend(cards()).build()
}

fn deck(text: &str) -> Deck {
    let parsed = parse_deck_text(text);
    assert_eq!(parsed.faults, []);
    parsed.deck
}

fn judge(text: &str, format: &str) -> Report {
    validate(&deck(text), &catalogue(), GAME.format(format).unwrap())
}

fn found(text: &str, format: &str) -> Vec<String> {
    outline(&judge(text, format).violations)
}

/// The violation of this code, which is the only one.
fn only(report: &Report, code: &str) -> Violation {
    let mut found = report.violations.iter().filter(|one| one.code.as_str() == code);
    let one = found.next().unwrap_or_else(|| panic!("no {code}: {report:#?}"));
    assert_eq!(found.next(), None);
    one.clone()
}

fn names(violation: &Violation) -> Vec<&str> {
    violation.cards.iter().map(|card| card.name.as_str()).collect()
}

// --- Identity --------------------------------------------------------------------------------------------------------

const NONE: [&str; 0] = [];

#[test]
fn y_2_the_identity_states_the_size() {
    let crew = |errands: u32| format!("2 Strike\n{errands} Errand\n[boss]\n1 Harbour Queen");
    assert_eq!(found(&crew(4), "standard"), NONE);
    assert_eq!(found(&crew(400), "standard"), NONE, "it states no maximum");
    assert_eq!(found(&crew(3), "standard"), ["DECK_SIZE_BELOW_MIN Y-2 6 5"]);
    // Another boss allows another size.
    assert_eq!(found("4 Rumour\n[boss]\n1 Banker", "standard"), NONE);
    assert_eq!(found("3 Rumour\n[boss]\n1 Banker", "standard")[0], "DECK_SIZE_BELOW_MIN Y-2 4 3");
    // Unknown cards count as cards.
    let report = judge("2 Strike\n4 Nobody\n[boss]\n1 Harbour Queen", "standard");
    assert_eq!(codes(&report.violations), ["CARD_UNKNOWN"]);
}

#[test]
fn y_3_influence_of_other_factions() {
    let crew = |more: &str| format!("2 Strike\n4 Errand\n{more}\n[boss]\n1 Harbour Queen");
    assert_eq!(found(&crew("9 Night Ferry"), "standard"), NONE, "the faction's own cost nothing");
    assert_eq!(found(&crew("1 Forged Note\n1 False Aria"), "standard"), NONE);
    assert_eq!(found(&crew("9 Old Key"), "standard"), NONE, "no influence, no cost");
    let report = judge(&crew("2 Forged Note\n1 False Aria"), "standard");
    assert_eq!(outline(&report.violations), ["BUDGET_EXCEEDED Y-3 5 7"]);
    assert_eq!(report.status, ReportStatus::Illegal);
    let violation = &report.violations[0];
    assert_eq!(names(violation), ["Forged Note", "False Aria"], "the worst first");
    assert_eq!(violation.cards[0].quantity, Some(2));
    assert_eq!(violation.attribute.as_deref(), Some("influence"));
    let fix = Fix::RemoveCopies { name: "Forged Note".to_owned(), quantity: 1 };
    assert_eq!(violation.fix, Some(fix));
    assert_eq!(
        violation.message(),
        "\"influence\" of the cards in the main zone comes to 7; at most 5 are allowed (2 too many). Most of it: \
         “Forged Note”, “False Aria”."
    );
    // The boss without a limit sets none.
    assert_eq!(found("4 Rumour\n99 Night Ferry\n[boss]\n1 Phantom", "standard"), NONE);
}

#[test]
fn y_3_several_cards_must_go_where_one_is_not_enough() {
    let crew = "4 Rumour\n1 Night Ferry\n1 False Aria\n2 Errand\n[boss]\n1 Banker";
    let violation = only(&judge(crew, "standard"), "BUDGET_EXCEEDED");
    assert_eq!((violation.limit, violation.actual), (Some(2), Some(7)));
    let names = vec!["False Aria".to_owned(), "Night Ferry".to_owned()];
    assert_eq!(violation.fix, Some(Fix::RemoveAmong { names, quantity: 2 }));
}

#[test]
fn y_4_cards_of_a_kind_are_of_the_faction_or_neutral() {
    let crew = |more: &str| format!("2 Strike\n4 Rumour\n{more}\n[boss]\n1 Harbour Queen");
    assert_eq!(found(&crew(""), "standard"), NONE);
    let report = judge(&crew("2 Coinage"), "standard");
    assert_eq!(outline(&report.violations), ["IDENTITY_MISMATCH Y-4 0 2"]);
    let violation = &report.violations[0];
    assert_eq!(
        violation.message(),
        "“Coinage” does not agree with the deck's identity in \"faction\". Possible: docks."
    );
    assert_eq!(violation.fix, Some(Fix::RemoveCopies { name: "Coinage".to_owned(), quantity: 2 }));
    assert_eq!(violation.severity, Severity::Error);
    assert_eq!(violation.zone.as_deref(), Some("main"));
}

#[test]
fn y_5_a_sum_below_its_minimum_is_incomplete() {
    let report = judge("1 Strike\n1 Rumour\n4 Errand\n[boss]\n1 Harbour Queen", "standard");
    assert_eq!(outline(&report.violations), ["BUDGET_BELOW_MIN Y-5 4 3"]);
    assert_eq!(report.status, ReportStatus::Incomplete);
    assert_eq!(report.violations[0].unknown_cards, None);
    let message = report.violations[0].message();
    assert_eq!(
        message,
        "\"worth\" of the cards in the main zone comes to 3; at least 4 are required."
    );
}

#[test]
fn without_an_identity_a_deck_is_incomplete_and_told_once() {
    let report = judge("2 Strike\n1 Coinage\n9 Forged Note", "standard");
    // Three rules have the same identity; rules that depend on it are not checked.
    assert_eq!(outline(&report.violations), ["IDENTITY_MISSING Y-2 1 0"]);
    assert_eq!(report.status, ReportStatus::Incomplete);
    let violation = &report.violations[0];
    assert_eq!(violation.fix, Some(Fix::AddMatchingCards { zone: "boss".to_owned(), quantity: 1 }));
    assert_eq!(violation.message(), "The deck has no card that binds the others in the boss zone.");
    // A boss in the crew leads nobody.
    assert_eq!(found("2 Strike\n9 Errand\n1 Phantom", "standard"), ["IDENTITY_MISSING Y-2 1 0"]);
    // A format that finds it by its kind looks in every zone.
    assert_eq!(found("1 Suit 0", "suits"), ["IDENTITY_MISSING Y-10 1 0"]);
    assert_eq!(found("1 Suit 0\n1 Harbour Queen", "suits"), NONE);
}

#[test]
fn an_identity_with_a_selector_is_told_once_too() {
    let zone = "identity = { zones = [\"boss\"] }";
    let selected = "identity = { zones = [\"boss\"], select = { kinds = [\"boss\"] } }";
    let manifest = MANIFEST.replace(zone, selected);
    let deck = deck("2 Strike\n1 Coinage\n9 Forged Note");
    let judge = |manifest: &str| {
        let game = Game::from_toml(manifest).unwrap();
        let catalogue = Catalogue::builder(&game).extend(cards()).build();
        validate(&deck, &catalogue, game.format("standard").unwrap())
    };
    assert_eq!(outline(&judge(&manifest).violations), ["IDENTITY_MISSING Y-2 1 0"]);
    // A warning of the first rule does not hide that the deck is incomplete by the others.
    let first = "rule = \"Y-2\"";
    let report = judge(&manifest.replace(first, &format!("{first}\nseverity = \"warning\"")));
    let found = ["IDENTITY_MISSING Y-3 1 0", "IDENTITY_MISSING Y-2 1 0"];
    assert_eq!(outline(&report.violations), found);
    assert_eq!(report.status, ReportStatus::Incomplete);
}

#[test]
fn of_several_identities_the_strictest_bounds_count() {
    // Size 6 from one boss, influence 2 from the other; docks and mint both match.
    let crew = "2 Strike\n1 Coinage\n2 Night Ferry\n2 Forged Note\n1 False Aria\n[boss]\n1 Harbour Queen\n1 Banker";
    assert_eq!(found(crew, "standard"), ["ZONE_SIZE_ABOVE_MAX Y-1 1 2", "BUDGET_EXCEEDED Y-3 2 3"]);
    let small = "2 Strike\n1 Coinage\n[boss]\n1 Harbour Queen\n1 Phantom";
    assert_eq!(
        found(small, "standard"),
        ["ZONE_SIZE_ABOVE_MAX Y-1 1 2", "IDENTITY_MISMATCH Y-4 0 1", "DECK_SIZE_BELOW_MIN Y-2 6 3"]
    );
}

#[test]
fn y_10_lists_of_values_are_within_the_union_of_the_identities() {
    let crew = |suits: &[u32], bosses: &str| {
        let suits: String = suits.iter().map(|at| format!("1 Suit {at}\n")).collect();
        format!("{suits}[boss]\n{bosses}")
    };
    let queen = "1 Harbour Queen";
    assert_eq!(found(&crew(&[0, 1, 3, 6], queen), "suits"), NONE, "sun, moon, both, none");
    let report = judge(&crew(&[2, 4, 5], queen), "suits");
    assert_eq!(outline(&report.violations), ["IDENTITY_MISMATCH Y-10 0 1"; 3]);
    assert_eq!(report.violations[0].suggestions, ["moon", "sun"]);
    assert_eq!(found(&crew(&[0, 1, 2, 3, 4, 5, 6], "1 Harbour Queen\n1 Banker"), "suits"), NONE);
    // An identity without values allows only cards without.
    let report = judge(&crew(&[0, 6], "1 Phantom"), "suits");
    assert_eq!(outline(&report.violations), ["IDENTITY_MISMATCH Y-10 0 1"]);
    assert_eq!(report.violations[0].suggestions, NONE);
}

#[test]
fn y_11_each_card_once_with_exemptions() {
    let with = |more: &str| found(&format!("{more}\n[boss]\n1 Harbour Queen"), "suits");
    assert_eq!(with("9 Errand\n1 Forged Note"), NONE);
    assert_eq!(with("2 Forged Note"), ["COPY_LIMIT_EXCEEDED Y-11 1 2"]);
}

#[test]
fn y_12_one_value_in_common_is_enough_where_the_rule_says_so() {
    let with = |at: u32| found(&format!("1 Suit {at}\n[boss]\n1 Banker"), "loose");
    for at in [2, 4, 5, 6] {
        assert_eq!(with(at), NONE, "{at}");
    }
    for at in [0, 1, 3] {
        assert_eq!(with(at), ["IDENTITY_MISMATCH Y-12 0 1"], "{at}");
    }
}

// --- Budgets ---------------------------------------------------------------------------------------------------------

#[test]
fn y_20_lists_of_points_have_their_days() {
    let list = deck("1 Night Ferry\n1 Old Key\n3 Errand");
    let on = |list: &Deck, day: &str| {
        let format = GAME.format_on("points", day.parse().unwrap()).unwrap();
        outline(&validate(list, &catalogue(), &format).violations)
    };
    assert_eq!(on(&list, "2025-11-30"), NONE);
    assert_eq!(on(&list, "2025-12-01"), NONE, "3 + 2 are five");
    assert_eq!(on(&list, "2026-02-28"), NONE);
    assert_eq!(on(&list, "2026-03-01"), ["BUDGET_EXCEEDED Y-20 4 5"]);
    let two = deck("2 NIGHT FERRY");
    assert_eq!(on(&two, "2026-02-28"), ["BUDGET_EXCEEDED Y-20 5 6"]);
    assert_eq!(on(&two, "2026-03-01"), NONE, "names of the list are compared as those of decks");
    let report = judge("1 Night Ferry\n1 Old Key", "points");
    let message = "The points of the cards come to 5; at most 4 are allowed (1 too many). Most of it: “Old Key”, “Night Ferry”.";
    assert_eq!(only(&report, "BUDGET_EXCEEDED").message(), message);
}

#[test]
fn y_21_points_by_a_choice_hold_in_their_variant() {
    let open = GAME.format("points").unwrap();
    let grades = open.with_variant("grades").unwrap();
    let judge =
        |text: &str, format| outline(&validate(&deck(text), &catalogue(), format).violations);
    // Suits 2 and 5 are rare, 1 and 4 fine.
    assert_eq!(judge("1 Suit 2\n1 Suit 5\n9 Suit 0\n9 Errand", &grades), NONE);
    let seven = "1 Suit 2\n1 Suit 5\n1 Suit 1";
    assert_eq!(judge(seven, &grades), ["BUDGET_EXCEEDED Y-21 6 7"]);
    assert_eq!(judge(seven, open), NONE);
}

#[test]
fn sums_leave_unknown_cards_out_and_say_so() {
    let report = judge(
        "2 Forged Note\n1 False Aria\n2 Nobody\n1 Noone\n4 Rumour\n[boss]\n1 Harbour Queen",
        "standard",
    );
    let violation = only(&report, "BUDGET_EXCEEDED");
    assert_eq!((violation.actual, violation.unknown_cards), (Some(7), Some(3)));
    assert!(
        violation
            .message()
            .ends_with(" 3 unknown cards are not counted, so the number is a lower bound.")
    );
    let json = serde_json::to_value(&violation).unwrap();
    assert_eq!(json["unknown_cards"], 3);
    // Cards of other zones do not count.
    let report = judge("1 Strike\n4 Errand\n[boss]\n1 Harbour Queen\n1 Nobody", "standard");
    assert_eq!(only(&report, "BUDGET_BELOW_MIN").unknown_cards, None);
    // An unknown boss does not count; that it is unknown is another violation.
    let report = judge("4 Errand\n[boss]\n1 Nobody", "standard");
    assert_eq!(only(&report, "IDENTITY_MISSING").unknown_cards, Some(1));
    // If numbers may be below 0, the sum is not a lower bound.
    let report = judge("2 Suit 5\n1 Suit 1\n1 Nobody", "costs");
    let violation = only(&report, "BUDGET_EXCEEDED");
    assert_eq!((violation.actual, violation.unknown_cards), (Some(11), None));
}

/// A card that the viewer may not see is as unknown as one that does not exist: the reports differ in nothing but the name.
#[test]
fn hidden_cards_give_nothing_away() {
    let without = |hidden: &str| {
        let seen = cards().into_iter().filter(|card| card.definition.name != hidden);
        Catalogue::builder(&GAME).extend(seen).build()
    };
    for hidden in ["Forged Note", "Coinage", "Harbour Queen", "Suit 5"] {
        let list = |name: &str| {
            deck(&format!(
                "3 {name}\n2 Strike\n2 False Aria\n1 Suit 2\n2 Suit 4\n[boss]\n1 Harbour Queen\n1 {name}"
            ))
        };
        for format in GAME.formats() {
            let text = |name: &str| {
                let report = validate(&list(name), &without(hidden), format);
                serde_json::to_string(&report).unwrap().replace(name, "X")
            };
            if hidden != "Harbour Queen" {
                assert_eq!(text(hidden), text("Zzzz"), "{hidden} in {}", format.code);
            }
            let reported = text(hidden);
            assert!(
                !reported.contains("influence_limit") && !reported.contains("minimum_size"),
                "{reported}"
            );
        }
    }
}

// --- Values ----------------------------------------------------------------------------------------------------------

#[test]
fn y_30_cards_of_one_value() {
    assert_eq!(
        found("3 Forged Note\n1 Old Key\n1 Strike", "family"),
        NONE,
        "schemes are not concerned"
    );
    let report = judge("3 Forged Note\n1 Old Key\n2 False Aria\n1 Night Ferry", "family");
    assert_eq!(outline(&report.violations), ["VALUE_LIMIT_EXCEEDED Y-30 1 3"]);
    let violation = &report.violations[0];
    assert_eq!(
        names(violation),
        ["False Aria", "Night Ferry"],
        "those that are not of the usual faction"
    );
    assert_eq!(violation.suggestions, ["mint"]);
    let names = vec!["False Aria".to_owned(), "Night Ferry".to_owned()];
    assert_eq!(violation.fix, Some(Fix::RemoveAmong { names, quantity: 3 }));
    assert_eq!(
        violation.message(),
        "The cards have 3 different values of \"faction\"; at most 1 is allowed. Too many with “False Aria”, \
         “Night Ferry”. Most cards have: mint."
    );
}

#[test]
fn y_31_every_value_of_a_list_counts() {
    assert_eq!(found("1 Suit 0\n1 Suit 3\n1 Suit 6", "family"), NONE);
    let report = judge("1 Suit 5", "family");
    assert_eq!(outline(&report.violations), ["VALUE_LIMIT_EXCEEDED Y-31 2 3"]);
    let fix = Fix::RemoveCopies { name: "Suit 5".to_owned(), quantity: 1 };
    assert_eq!(report.violations[0].fix, Some(fix));
    assert_eq!(
        found("1 Suit 0\n1 Suit 1\n1 Suit 2\n1 Nobody", "family")[0],
        "VALUE_LIMIT_EXCEEDED Y-31 2 3"
    );
}

#[test]
fn y_32_cards_that_differ() {
    assert_eq!(found("1 Suit 0\n1 Suit 1\n1 Suit 3\n9 Errand\n[boss]\n2 Suit 0", "family"), NONE);
    let report = judge("3 Suit 0\n1 Suit 1", "family");
    assert_eq!(outline(&report.violations), ["VALUE_REPEATED Y-32 1 3"]);
    let violation = &report.violations[0];
    assert_eq!(violation.fix, Some(Fix::RemoveCopies { name: "Suit 0".to_owned(), quantity: 2 }));
    assert_eq!(
        violation.message(),
        "3 cards in the main zone have one value of \"cost\": “Suit 0”."
    );
}

/// Each fix removes its violation.
#[test]
fn fixes_mend() {
    for (format, text) in [
        ("standard", "4 Rumour\n3 Night Ferry\n2 False Aria\n[boss]\n1 Banker"),
        ("standard", "4 Rumour\n2 Coinage\n[boss]\n1 Phantom"),
        ("suits", "1 Suit 2\n1 Suit 5\n1 Harbour Queen"),
        ("points", "3 Old Key\n2 Night Ferry"),
        ("family", "3 Forged Note\n2 False Aria"),
        ("family", "5 Suit 2"),
    ] {
        let mut list = deck(text);
        let report = validate(&list, &catalogue(), GAME.format(format).unwrap());
        assert_eq!(report.status, ReportStatus::Illegal, "{text}");
        for violation in report.violations {
            let (names, mut quantity) = match violation.fix.unwrap() {
                Fix::RemoveCopies { name, quantity } => (vec![name], quantity),
                Fix::RemoveAmong { names, quantity } => (names, quantity),
                other => panic!("{other:?}"),
            };
            for entry in list.entries.iter_mut().filter(|entry| names.contains(&entry.card.name)) {
                let taken = quantity.min(u64::from(entry.quantity));
                entry.quantity -= u32::try_from(taken).unwrap();
                quantity -= taken;
            }
        }
        list.entries.retain(|entry| entry.quantity > 0);
        let report = validate(&list, &catalogue(), GAME.format(format).unwrap());
        assert_eq!(report.violations, [], "{text}");
    }
}
