//! The shipped games: every manifest, set and sample deck.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;

use cardscape_engine::{check_set, name_key, parse_deck_text, render_deck_text, validate};
use support::{GAMES, files, game, sets, shipped};

#[test]
fn every_manifest_reads_and_serialises() {
    for code in GAMES {
        let game = game(code);
        assert_eq!(game.code(), code);
        let json = serde_json::to_value(&game).unwrap();
        assert!(!json["formats"][0]["rules"].as_array().unwrap().is_empty(), "{code}");
        for rule in game.formats().iter().flat_map(|format| &format.rules) {
            assert!(rule.reference.text.ends_with('.'), "{code}: {}", rule.reference.rule);
        }
    }
}

#[test]
fn every_set_is_sound() {
    for code in GAMES {
        let game = game(code);
        let sets = sets(code);
        assert!(!sets.is_empty(), "{code} has no set");
        let mut names = BTreeMap::new();
        for (file, set) in sets {
            assert_eq!(file, format!("{}.json", set.code));
            let faults: Vec<String> = check_set(&game, &set)
                .iter()
                .map(|fault| {
                    format!(
                        "{} {} {}",
                        fault.pointer,
                        fault.violation.code,
                        fault.violation.message()
                    )
                })
                .collect();
            assert!(faults.is_empty(), "{code}/{file}:\n{}", faults.join("\n"));
            for card in set.cards {
                let other = names.insert(name_key(&card.name), card.name.clone());
                assert_eq!(other, None, "{code}: a name occurs in two sets");
            }
        }
    }
}

#[test]
fn every_sample_deck_is_what_its_name_says() {
    for code in GAMES {
        let catalogue = shipped(code);
        let decks = files(code, "decks");
        assert!(
            decks.iter().any(|(file, _)| file.starts_with("legal-")),
            "{code} has no legal deck"
        );
        assert!(
            decks.iter().any(|(file, _)| file.starts_with("illegal-")),
            "{code} has no illegal deck"
        );
        for (file, text) in decks {
            let parsed = parse_deck_text(&text);
            assert_eq!(parsed.faults, [], "{code}/{file}");
            let (game_code, format) = parsed.notes["format"].split_once('/').unwrap();
            assert_eq!(game_code, code, "{file}");
            let mut report =
                validate(&parsed.deck, &catalogue, catalogue.game().format(format).unwrap());
            report.suggest(&catalogue);
            let messages: Vec<String> = report
                .violations
                .iter()
                .map(|one| format!("{} {}", one.code, one.message()))
                .collect();
            assert_eq!(
                report.is_legal(),
                file.starts_with("legal-"),
                "{code}/{file}:\n{}",
                messages.join("\n")
            );
            assert_eq!(parse_deck_text(&render_deck_text(&parsed.deck)).deck, parsed.deck);
        }
    }
}

/// The illegal sample decks show what reports look like: all that is wrong, at once.
#[test]
fn the_illegal_sample_decks_get_every_violation() {
    let outline = |code: &str, file: &str| {
        let (_, text) = files(code, "decks").into_iter().find(|(name, _)| name == file).unwrap();
        let parsed = parse_deck_text(&text);
        let catalogue = shipped(code);
        let format = parsed.notes["format"].split_once('/').unwrap().1.to_owned();
        let mut report =
            validate(&parsed.deck, &catalogue, catalogue.game().format(&format).unwrap());
        report.suggest(&catalogue);
        let mut lines = support::outline(&report.violations);
        lines.extend(report.violations.into_iter().flat_map(|violation| violation.suggestions));
        lines
    };
    assert_eq!(
        outline("ttcg", "illegal-forty-eight-cards.txt"),
        [
            "COPY_LIMIT_EXCEEDED T-2.2.1b 2 3",
            "CARD_UNKNOWN T-2.2.1e - 2",
            "DECK_SIZE_BELOW_MIN T-2.2.1a 50 48",
            "Bellows Smith",
        ]
    );
    assert_eq!(
        outline("emoji-tcg", "illegal-one-too-many.txt"),
        [
            "COPY_LIMIT_EXCEEDED E-6.2 4 5",
            "COPY_LIMIT_EXCEEDED E-6.3 3 4",
            "COPY_LIMIT_EXCEEDED E-6.4 2 3",
            "COPY_LIMIT_EXCEEDED E-6.5 1 2",
        ]
    );
}
