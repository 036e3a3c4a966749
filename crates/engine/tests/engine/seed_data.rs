//! The shipped games: every manifest, set and sample deck.

use std::collections::{BTreeMap, BTreeSet};

use crate::support::{self, GAMES, RARITIES, files, game, sets, shipped};
use cardscape_engine::{
    AttributeValue, CardDefinition, Catalogue, DeckCheck, Format, Provenance, Report, Rule,
    Violation, check_set, name_key, parse_deck_text, render_deck_text, validate,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// The sample decks of a game, which are texts; `illegal.json` is not one of them.
fn sample_decks(code: &str) -> Vec<(String, String)> {
    let mut decks = files(code, "decks");
    decks.retain(|(file, _)| file != "illegal.json");
    decks
}

/// The report that a player gets on a deck list, with similar names.
fn report_on(list: &str, format: &str, catalogue: &Catalogue) -> Report {
    let parsed = parse_deck_text(list);
    assert_eq!(parsed.faults, [], "{list}");
    let (game, format) = format.split_once('/').unwrap();
    assert_eq!(game, catalogue.game().code());
    let mut report = validate(&parsed.deck, catalogue, catalogue.game().format(format).unwrap());
    report.suggest(catalogue);
    report
}

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

/// Kinds inherit the provenance of `[cards]`, unless they have their own.
#[test]
fn rules_that_no_rulebook_states_are_assumed() {
    for code in GAMES {
        let game = game(code);
        for kind in game.kinds() {
            // The page of Uno Emoji does not say which numbers there are.
            let stated = kind.code != "number";
            let expected = if stated { Provenance::Source } else { Provenance::Assumed };
            assert_eq!(kind.reference.provenance, expected, "{code}: {}", kind.code);
        }
    }
    let box_of = |code: &str| -> Format { game(code).format("box").unwrap().clone() };
    for code in ["emojito", "emojo-dojo", "uno-emoji"] {
        let game = game(code);
        let json = serde_json::to_value(&game).unwrap();
        assert_eq!(json["cards"]["provenance"], "assumed", "{code}");
        for schema in game.kinds().iter().flat_map(|kind| &kind.effects) {
            assert_eq!(schema.reference.provenance, Provenance::Assumed, "{code}");
        }
        let is_of_every_format = |rule: &&Rule| {
            matches!(rule.check, DeckCheck::KnownCards | DeckCheck::EntryQuantity { .. })
        };
        let format = box_of(code);
        let rules: Vec<&Rule> = format.rules.iter().filter(is_of_every_format).collect();
        assert_eq!(rules.len(), 2, "{code}");
        for rule in rules {
            assert_eq!(rule.reference.provenance, Provenance::Assumed, "{code}");
        }
    }
    let copies = box_of("emojito").rules.into_iter().find_map(|rule| match rule.check {
        DeckCheck::FixedBox { contents, .. } => Some(contents),
        _ => None,
    });
    assert_eq!(copies.unwrap()[0].provenance, Provenance::Assumed, "each card once");
    let emoji = game("emoji-tcg");
    let effects = &emoji.kind("emoji").unwrap().effects;
    let post = &effects[0].slots[0].reference;
    assert_eq!(
        (effects[0].reference.provenance, post.provenance),
        (Provenance::Source, Provenance::Assumed)
    );
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
        let decks = sample_decks(code);
        for kind in ["legal-", "illegal-"] {
            assert!(
                decks.iter().any(|(file, _)| file.starts_with(kind)),
                "{code} has no {kind} deck"
            );
        }
        for (file, text) in decks {
            let parsed = parse_deck_text(&text);
            let report = report_on(&text, &parsed.notes["format"], &catalogue);
            let reported = messages(&report.violations);
            if file.starts_with("legal-") {
                assert_eq!(reported, Vec::<String>::new(), "{code}/{file}: not even a warning");
            } else {
                assert!(!report.is_legal(), "{code}/{file} is legal: {reported:?}");
            }
            assert_eq!(parse_deck_text(&render_deck_text(&parsed.deck)).deck, parsed.deck);
        }
    }
}

fn messages(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(|one| format!("{} {}", one.code, one.message())).collect()
}

/// The illegal sample decks show what reports look like: all that is wrong, at once.
#[test]
fn the_illegal_sample_decks_get_every_violation() {
    let outline = |code: &str, file: &str| {
        let (_, text) = sample_decks(code).into_iter().find(|(name, _)| name == file).unwrap();
        let format = parse_deck_text(&text).notes["format"].clone();
        let report = report_on(&text, &format, &shipped(code));
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

/// Copies per type and rank; the type of spells is `spell`.
fn pyramids(list: &str, catalogue: &Catalogue) -> BTreeMap<String, BTreeMap<i64, u32>> {
    let mut pyramids: BTreeMap<String, BTreeMap<i64, u32>> = BTreeMap::new();
    for entry in parse_deck_text(list).deck.entries {
        let key = name_key(&entry.card.name);
        let card = catalogue.iter().find(|card| name_key(&card.definition.name) == key).unwrap();
        let ranks = pyramids.entry(text(&card.definition, "type").to_owned()).or_default();
        *ranks.entry(number(&card.definition, "rank")).or_default() += entry.quantity;
    }
    pyramids
}

#[test]
fn the_ttcg_decks_are_pyramids_and_differ() {
    let catalogue = shipped("ttcg");
    let (mut decks, mut large, mut of_spells, mut two_chains) = (0, 0, 0, 0);
    for (file, list) in sample_decks("ttcg") {
        if !file.starts_with("legal-") {
            continue;
        }
        let pyramids = pyramids(&list, &catalogue);
        for (kind_type, ranks) in &pyramids {
            assert!(
                ranks.keys().copied().eq((1..).take(ranks.len())),
                "{file} {kind_type}: {ranks:?}"
            );
            assert!(
                ranks.values().is_sorted_by(|low, high| low >= high),
                "{file} {kind_type}: {ranks:?}"
            );
        }
        let total: u32 = pyramids.values().flat_map(BTreeMap::values).sum();
        let spells: u32 = pyramids["spell"].values().sum();
        decks += 1;
        large += usize::from(total > 50);
        of_spells += usize::from(2 * spells > total);
        two_chains += usize::from(pyramids.values().filter(|ranks| ranks.len() == 5).count() >= 2);
    }
    assert!(decks >= 4 && large >= 1 && of_spells >= 1 && two_chains >= 1);
}

/// `decks/illegal.json`: decks that teach the construction rules of one format, with what their reports say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lessons {
    /// `game/format`.
    format: String,
    decks: Vec<Lesson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Lesson {
    title: String,
    /// One sentence.
    teaches: String,
    /// Lines of a deck list.
    list: Vec<String>,
    status: String,
    /// In the report's order: severity, code, rule and message of each violation.
    report: Vec<Value>,
}

/// The lessons of every game that has any, by game.
fn lessons() -> Vec<(&'static str, Lessons)> {
    GAMES
        .into_iter()
        .filter_map(|code| {
            let (_, text) =
                files(code, "decks").into_iter().find(|(file, _)| file == "illegal.json")?;
            let lessons = serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{code}/decks/illegal.json: {error}"));
            Some((code, lessons))
        })
        .collect()
}

#[test]
fn every_lesson_gets_the_report_that_it_foretells() {
    let mut wrong = String::new();
    for (code, lessons) in lessons() {
        let catalogue = shipped(code);
        let mut titles = BTreeSet::new();
        for deck in lessons.decks {
            assert!(titles.insert(name_key(&deck.title)), "{code}: {:?} occurs twice", deck.title);
            assert!(is_one_sentence(&deck.teaches), "{code}: {:?}", deck.teaches);
            assert!(deck.list.iter().all(|line| !line.contains('\n')), "{code}: {:?}", deck.title);
            let report = report_on(&deck.list.join("\n"), &lessons.format, &catalogue);
            assert!(!report.violations.is_empty(), "{code}: {:?} teaches nothing", deck.title);
            let entry = |one: &Violation| json!({ "severity": one.severity, "code": one.code, "rule": one.rule, "message": one.message() });
            let actual = json!({
                "status": report.status,
                "report": report.violations.iter().map(entry).collect::<Vec<_>>(),
            });
            if actual != json!({ "status": deck.status, "report": deck.report }) {
                let actual = serde_json::to_string_pretty(&actual).unwrap();
                wrong.push_str(&format!("{code}, {:?} should have:\n{actual}\n", deck.title));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_ttcg_lessons_leave_out_no_rule() {
    let lessons = lessons();
    let (_, lessons) = lessons.iter().find(|(code, _)| *code == "ttcg").unwrap();
    let entries = || lessons.decks.iter().flat_map(|deck| &deck.report);
    let taught: BTreeSet<&str> = entries().map(|entry| entry["rule"].as_str().unwrap()).collect();
    let game = game("ttcg");
    let rules: BTreeSet<&str> = game
        .format("standard")
        .unwrap()
        .rules
        .iter()
        .map(|rule| rule.reference.rule.as_str())
        .collect();
    assert_eq!(taught, rules);
    let codes: BTreeSet<&str> = entries().map(|entry| entry["code"].as_str().unwrap()).collect();
    let all = [
        "CARD_UNKNOWN",
        "COPY_LIMIT_EXCEEDED",
        "DECK_SIZE_ABOVE_MAX",
        "DECK_SIZE_BELOW_MIN",
        "ENTRY_COUNT_INVALID",
        "KIND_NOT_ALLOWED",
        "NO_RANK_1_UNIT",
        "PRINTING_UNKNOWN",
        "UNREACHABLE_RANK",
    ];
    assert_eq!(codes, BTreeSet::from(all));
}

fn is_one_sentence(text: &str) -> bool {
    text.ends_with('.') && text.matches(['.', '!', '?', '\n']).count() == 1
}

/// The cards of both TTCG sets.
fn ttcg() -> Vec<CardDefinition> {
    sets("ttcg").into_iter().flat_map(|(_, set)| set.cards).collect()
}

fn text<'a>(card: &'a CardDefinition, attribute: &str) -> &'a str {
    card.attributes[attribute].as_str().unwrap()
}

fn number(card: &CardDefinition, attribute: &str) -> i64 {
    card.attributes[attribute].as_i64().unwrap()
}

#[test]
fn the_ttcg_sets_are_enough_to_play_with() {
    let cards = ttcg();
    let of = |kind: &str| cards.iter().filter(|card| card.kind == kind).collect::<Vec<_>>();
    let (units, spells) = (of("unit"), of("spell"));
    assert!(units.len() + spells.len() >= 165, "{} and {}", units.len(), spells.len());
    assert!(spells.len() >= 34, "{}", spells.len());
    for rank in 1..=3 {
        assert!(
            spells.iter().any(|spell| number(spell, "rank") == rank),
            "no spell of rank {rank}"
        );
    }
    assert!(cards.iter().filter(|card| card.lore.is_some()).count() >= 60);

    let game = game("ttcg");
    let unit = game.kinds().iter().find(|kind| kind.code == "unit").unwrap();
    let values = |attribute: &str| match &unit.attributes[attribute].value {
        AttributeValue::Choice { values } | AttributeValue::Choices { values, .. } => {
            values.clone()
        }
        other => panic!("{attribute} is {other:?}"),
    };
    let types = values("type");
    assert_eq!(types.len(), 8);
    for kind_type in types {
        // A chain needs every rank, and more cards of low ranks than of high ones.
        let ranks: Vec<usize> = (1..=5)
            .map(|rank| {
                let here = |unit: &&&CardDefinition| {
                    text(unit, "type") == kind_type && number(unit, "rank") == rank
                };
                units.iter().filter(here).count()
            })
            .collect();
        assert!(ranks[4] >= 1, "{kind_type}: {ranks:?}");
        assert!(ranks.is_sorted_by(|low, high| low >= high), "{kind_type}: {ranks:?}");
        assert!(ranks[0] > ranks[1] && ranks[1] > ranks[2], "{kind_type}: {ranks:?}");
    }
    let subtypes = values("subtypes");
    assert_eq!(subtypes.len(), 13);
    for subtype in subtypes {
        let uses = units
            .iter()
            .filter(|unit| {
                unit.attributes["subtypes"].as_array().unwrap().contains(&json!(subtype))
            })
            .count();
        assert!(uses >= 8, "{subtype} occurs {uses} times");
    }
    for style in &unit.effects[0].styles {
        let uses = cards
            .iter()
            .flat_map(|card| &card.effects)
            .filter(|effect| effect.style.as_ref() == Some(style))
            .count();
        assert!(uses >= 5, "{style} occurs {uses} times");
    }
}

/// Totals are fixed, so a card with more attack has less defense: no card is better than another in both.
#[test]
fn no_ttcg_card_outclasses_another() {
    let mut splits = BTreeMap::new();
    for card in ttcg().iter().filter(|card| card.kind != "lore") {
        let (first, second, step) = match card.kind.as_str() {
            "unit" => ("attack", "defense", 10),
            _ => ("boost_attack", "boost_defense", 5),
        };
        let rank = number(card, "rank");
        let base = if card.kind == "unit" { 500 * rank } else { 10 + 10 * rank };
        let mut before = (i64::MIN, i64::MIN);
        for (printing, (tier, rarity)) in card.printings.iter().zip((0..).zip(RARITIES)) {
            assert_eq!(printing.rarity, rarity, "{}", card.name);
            let split = (
                printing.attributes[first].as_i64().unwrap(),
                printing.attributes[second].as_i64().unwrap(),
            );
            assert_eq!(split.0 + split.1, base + step * tier, "{} {rarity}", card.name);
            assert!(split.0 >= before.0 && split.1 >= before.1, "{} {rarity} loses", card.name);
            before = split;
            let place = (text(card, "type").to_owned(), rank, rarity, split.0);
            if let Some(other) = splits.insert(place, card.name.clone()) {
                panic!("{} and {other} share {split:?} as {rarity}", card.name);
            }
        }
        let common = number(card, first);
        assert_eq!(common % if card.kind == "unit" { 25 } else { 5 }, 0, "{}: {common}", card.name);
    }
}

#[test]
fn ttcg_effects_keep_to_the_house_style() {
    const TRIGGERS: [&str; 4] = ["When ", "After ", "At the start of ", "During "];
    const LASTS: &str = "While this card remains on the field, ";
    let mut pairs = BTreeMap::new();
    for card in ttcg() {
        let mut pair = Vec::new();
        for effect in &card.effects {
            let (style, text) = (effect.style.as_deref().unwrap(), effect.text.as_str());
            let place = format!("{}: {style}: {text}", card.name);
            assert!(is_one_sentence(text), "{place}");
            assert!(text.chars().count() <= 140, "{place}");
            let triggered = TRIGGERS.iter().any(|trigger| text.starts_with(trigger));
            let fits = match style {
                "continuous" => text.starts_with(LASTS),
                "equip" => text.starts_with("Equip this card to "),
                "counter" | "latent" | "dormant" => triggered,
                "passive" => triggered || text.starts_with(LASTS),
                "normal" => !triggered && !text.starts_with(LASTS) && !text.starts_with("Equip "),
                _ => false,
            };
            assert!(fits, "{place}");
            pair.push(text.to_owned());
        }
        if card.kind == "lore" {
            continue;
        }
        pair.sort();
        assert_ne!(pair[0], pair[1], "{}", card.name);
        if let Some(other) = pairs.insert(pair, card.name.clone()) {
            panic!("{} and {other} have the same effects", card.name);
        }
    }
}

#[test]
fn ttcg_cards_are_numbered_without_gaps_and_lore_is_about_somebody() {
    let catalogue = shipped("ttcg");
    let mut stories = 0;
    for (file, set) in sets("ttcg") {
        for (card, number) in set.cards.iter().zip(1..) {
            assert_eq!(card.number, format!("{number:03}"), "{file}: {}", card.name);
            if let Some(lore) = &card.lore {
                let sentences = lore.matches(['.', '?', '!']).count();
                assert!(
                    (1..=3).contains(&sentences) && lore.ends_with('.'),
                    "{}: {lore}",
                    card.name
                );
            }
            if card.kind == "lore" {
                stories += 1;
                assert!(card.lore.is_some(), "{}", card.name);
                let about = name_key(text(card, "about"));
                assert!(
                    catalogue.iter().any(|other| name_key(&other.definition.name) == about),
                    "{} is about nobody",
                    card.name
                );
            }
        }
    }
    assert!(stories >= 1);
}

/// A keyword in a text, in any of its forms: `Jam`, `Jams`, `Jammed`; also `Unmute`.
fn keyword_in(keyword: &str, text: &str) -> bool {
    let stem = match keyword {
        "jammed" => "jam",
        "pinned" => "pin",
        "shadowbanned" => "shadowban",
        other => other,
    };
    text.split(|character: char| !character.is_alphanumeric()).any(|word| {
        word.starts_with(stem) || word.strip_prefix("un").is_some_and(|word| word.starts_with(stem))
    })
}

#[test]
fn the_emoji_tcg_pool_is_enough_to_play_with() {
    let game = game("emoji-tcg");
    let values = |code: &str| match &game.kinds()[0].attributes[code].value {
        AttributeValue::Choice { values, .. } | AttributeValue::Choices { values, .. } => {
            values.clone()
        }
        other => panic!("{other:?}"),
    };
    let cards: Vec<CardDefinition> =
        sets("emoji-tcg").into_iter().flat_map(|(_, set)| set.cards).collect();
    assert!(cards.len() >= 120, "{} cards", cards.len());
    for kind in values("type") {
        let count = |stage: &String| {
            let is = |card: &&CardDefinition| {
                card.attributes["type"] == kind.as_str()
                    && card.attributes["stage"] == stage.as_str()
            };
            cards.iter().filter(is).count()
        };
        let counts: Vec<usize> = values("stage").iter().map(count).collect();
        assert!(counts.is_sorted_by(|low, high| low > high) && counts[3] > 0, "{kind}: {counts:?}");
    }
    let keywords = values("keywords");
    let mut used = BTreeSet::new();
    for card in &cards {
        let text: Vec<String> =
            card.effects.iter().map(|effect| effect.text.to_lowercase()).collect();
        let text = text.join(" ");
        let stated: BTreeSet<&str> =
            keywords.iter().map(|word| &**word).filter(|word| keyword_in(word, &text)).collect();
        let listed = card.attributes.get("keywords").and_then(Value::as_array);
        let listed: BTreeSet<&str> =
            listed.into_iter().flatten().filter_map(Value::as_str).collect();
        assert_eq!(listed, stated, "{}: {text}", card.name);
        used.extend(stated.into_iter().map(str::to_owned));
    }
    assert_eq!(used.len(), keywords.len(), "only {used:?}");
}

/// A card shows its emoji wherever the game has that attribute, and no two cards of the Emoji TCG show the same.
#[test]
fn every_card_has_its_emoji() {
    for code in ["emoji-tcg", "emojo-dojo", "emojito"] {
        let game = game(code);
        let mut shown = BTreeSet::new();
        let cards = sets(code).into_iter().flat_map(|(_, set)| set.cards);
        for card in cards {
            let kind = game.kind(&card.kind).unwrap();
            assert!(kind.attributes.contains_key("emoji"), "{code}: {}", kind.code);
            let emoji = card.attributes.get("emoji").and_then(Value::as_str).unwrap_or_default();
            assert!(!emoji.is_empty() && !emoji.is_ascii(), "{code}: {}", card.name);
            let first = shown.insert(emoji.to_owned());
            assert!(first || code != "emoji-tcg", "{}: {emoji} again", card.name);
        }
        assert!(!shown.is_empty());
    }
}
