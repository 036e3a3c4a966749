//! No input panics: any manifests, sets, cards, deck lists and decks.

use std::sync::Arc;

use cardscape_engine::{
    CardDefinition, Catalogue, Date, Deck, DeckEntry, Format, Game, PrintingDefinition,
    SetDefinition, Severity, card_faults, check_card, check_set, name_key, parse_deck_text,
    render_deck_text, search_key, validate,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value};

use super::generators::{FORMATS, judged, legal, words};
use crate::support::{GAMES, files, game, manifest, pool_card, shipped};

/// Any JSON value, often one that manifests and sets have.
fn values() -> impl Strategy<Value = Value> {
    let numbers = select(vec![0, 1, -1, 2, 5, 64, i64::MAX, i64::MIN, i64::from(u32::MAX) + 1]);
    let known = select(vec![
        "",
        "main",
        "unit",
        "rank",
        "type",
        "fire",
        "stage",
        "basicmoji",
        "common",
        "rare",
        "box",
        "emoji",
        "attack",
        "integer",
        "choice",
        "choices",
        "text",
        "boolean",
        "name",
        "card",
        "error",
        "warning",
        "2025-03-17",
        "E-6.2",
    ]);
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        2 => any::<bool>().prop_map(Value::from),
        3 => numbers.prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<f64>().prop_map(Value::from),
        2 => words().prop_map(Value::from),
        4 => known.prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop_oneof![
            select(vec!["min", "max", "select", "where", "not", "any"]).prop_map(str::to_owned),
            words()
        ];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// A change somewhere inside a JSON value.
#[derive(Debug, Clone)]
enum Change {
    Remove,
    Replace(Value),
    /// A copy of the item is inserted after it (in lists), or replaces its neighbour.
    Double,
    Rename(String),
    Insert(String, Value),
}

fn changes() -> impl Strategy<Value = Vec<(Index, Index, Change)>> {
    let change = prop_oneof![
        Just(Change::Remove),
        values().prop_map(Change::Replace),
        Just(Change::Double),
        words().prop_map(Change::Rename),
        (words(), values()).prop_map(|(key, value)| Change::Insert(key, value)),
    ];
    proptest::collection::vec((any::<Index>(), any::<Index>(), change), 1..4)
}

fn is_container(value: &Value) -> bool {
    matches!(value, Value::Array(_) | Value::Object(_))
}

fn containers(value: &Value) -> usize {
    let children: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(map) => Box::new(map.values()),
        _ => return 0,
    };
    1 + children.map(containers).sum::<usize>()
}

/// Calls `act` with the container of this number, depth first.
fn with_container(value: &mut Value, left: &mut usize, act: &mut dyn FnMut(&mut Value)) {
    if !is_container(value) {
        return;
    }
    if *left == 0 {
        act(value);
        *left = usize::MAX;
        return;
    }
    *left -= 1;
    let children: Box<dyn Iterator<Item = &mut Value>> = match value {
        Value::Array(items) => Box::new(items.iter_mut()),
        Value::Object(map) => Box::new(map.values_mut()),
        _ => return,
    };
    for child in children {
        with_container(child, left, act);
        if *left == usize::MAX {
            return;
        }
    }
}

fn change(value: &mut Value, changes: &[(Index, Index, Change)]) {
    for (container, at, change) in changes {
        let mut left = container.index(containers(value).max(1));
        with_container(value, &mut left, &mut |container| match container {
            Value::Array(items) if !items.is_empty() => {
                let at = at.index(items.len());
                match change {
                    Change::Remove => drop(items.remove(at)),
                    Change::Replace(new) => items[at] = new.clone(),
                    Change::Insert(_, new) => items.insert(at, new.clone()),
                    Change::Double | Change::Rename(_) => items.insert(at, items[at].clone()),
                }
            }
            Value::Object(map) if !map.is_empty() => {
                let key = at.get(&map.keys().cloned().collect::<Vec<_>>()).clone();
                match change {
                    Change::Remove => drop(map.remove(&key)),
                    Change::Replace(new) => drop(map.insert(key, new.clone())),
                    Change::Insert(name, new) => drop(map.insert(name.clone(), new.clone())),
                    Change::Rename(name) => {
                        let old = map.remove(&key).unwrap_or_default();
                        map.insert(name.clone(), old);
                    }
                    Change::Double => {
                        let copy = map[&key].clone();
                        let next = map.keys().skip_while(|other| **other != key).nth(1).cloned();
                        map.insert(next.unwrap_or_else(|| "min".to_owned()), copy);
                    }
                }
            }
            _ => {}
        });
    }
}

/// TOML has no null.
fn without_nulls(value: Value) -> Option<Value> {
    match value {
        Value::Null => None,
        Value::Array(items) => Some(items.into_iter().filter_map(without_nulls).collect()),
        Value::Object(map) => Some(Value::Object(
            map.into_iter().filter_map(|(key, value)| Some((key, without_nulls(value)?))).collect(),
        )),
        other => Some(other),
    }
}

/// Manifests with small changes of the shipped ones.
fn manifests() -> impl Strategy<Value = (&'static str, String)> {
    (select(GAMES.to_vec()), changes()).prop_filter_map("TOML can say it", |(code, changes)| {
        let table: toml::Table = manifest(code).parse().ok()?;
        let mut value = serde_json::to_value(table).ok()?;
        change(&mut value, &changes);
        Some((code, toml::to_string(&without_nulls(value)?).ok()?))
    })
}

/// Calls everything that a game offers.
fn use_game(game: &Game, code: &str, deck: &Deck) {
    serde_json::to_string(game).unwrap();
    let pool = shipped(code);
    for card in pool.iter().take(8) {
        assert!(check_card(game, &card.definition).iter().all(|fault| !fault.message().is_empty()));
    }
    let pool = Catalogue::builder(game).extend(pool.iter().cloned()).build();
    let variants = |format: &Format| -> Vec<Format> {
        format.variants.iter().filter_map(|variant| format.with_variant(&variant.code)).collect()
    };
    for format in game.formats() {
        for format in variants(format).iter().chain([format]) {
            let mut report = validate(deck, &pool, format);
            report.suggest(&pool);
            serde_json::to_string(&report).unwrap();
        }
        let old = Arc::new(format.clone()).on(Date::new(1, 1, 1).unwrap());
        validate(deck, &pool, &old);
    }
}

fn attributes() -> impl Strategy<Value = Map<String, Value>> {
    let known = [
        "rank",
        "attack",
        "defense",
        "type",
        "subtypes",
        "boost_attack",
        "stage",
        "number",
        "face",
        "emotion",
    ];
    let names = prop_oneof![4 => select(known.to_vec()).prop_map(str::to_owned), 1 => words()];
    proptest::collection::vec((names, values()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

fn wild_cards() -> impl Strategy<Value = CardDefinition> {
    let kinds = ["unit", "spell", "lore", "emoji", "number", "wild", "belt", "sensei", "emotion"];
    let kinds = prop_oneof![4 => select(kinds.to_vec()).prop_map(str::to_owned), 1 => words()];
    let rarities = prop_oneof![select(vec!["common", "rare"]).prop_map(str::to_owned), words()];
    let printings = (rarities, attributes()).prop_map(|(rarity, attributes)| PrintingDefinition {
        rarity,
        attributes: attributes.into(),
    });
    let effects = (proptest::option::of(words()), proptest::option::of(words()), words())
        .prop_map(|(style, slot, text)| cardscape_engine::Effect { style, slot, text });
    (
        (words(), words(), kinds, attributes()),
        proptest::collection::vec(effects, 0..4),
        proptest::collection::vec(printings, 0..4),
        proptest::option::of(words()),
    )
        .prop_map(|((number, name, kind, attributes), effects, printings, lore)| {
            let attributes = attributes.into();
            CardDefinition { number, name, kind, attributes, effects, lore, printings }
        })
}

/// The text with an insertion somewhere, and perhaps without its end.
fn spoiled(text: &str, cut: Index, put: &str, keep: bool) -> String {
    let mut at = cut.index(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    format!("{}{put}{}", &text[..at], if keep { &text[at..] } else { "" })
}

proptest! {
    #[test]
    fn no_deck_panics_and_every_violation_has_a_message((game, format, deck) in judged()) {
        let pool = shipped(game);
        let mut report = validate(&deck, &pool, &format);
        report.suggest(&pool);
        prop_assert!(report.violations.iter().all(|violation| !violation.message().is_empty()));
        prop_assert!(serde_json::to_string(&report).is_ok());
    }

    #[test]
    fn no_card_panics(card in wild_cards()) {
        for code in GAMES {
            for fault in card_faults(&game(code), &card) {
                prop_assert!(!fault.violation.message().is_empty());
                prop_assert_eq!(fault.violation.severity, Severity::Error);
                prop_assert!(fault.pointer.starts_with('/'));
            }
        }
        // The pool accepts any cards.
        let pool = shipped("ttcg");
        let wild = Catalogue::with_extra(Arc::clone(&pool), [pool_card("wild", card.clone())]);
        let deck = Deck { entries: vec![DeckEntry::main(1, card.name.clone())] };
        let report = validate(&deck, &wild, wild.game().format("standard").unwrap());
        let known = !report.violations.iter().any(|violation| violation.code.as_str() == "CARD_UNKNOWN");
        prop_assert!(known || name_key(&card.name).is_empty());
    }

    #[test]
    fn no_set_near_the_shipped_ones_panics(legal in legal(), changes in changes()) {
        let code = legal.game;
        let (_, text) = files(code, "sets").swap_remove(0);
        let mut value: Value = serde_json::from_str(&text).unwrap();
        change(&mut value, &changes);
        if let Ok(set) = SetDefinition::from_json(&value.to_string()) {
            for fault in check_set(&game(code), &set) {
                prop_assert!(!fault.violation.message().is_empty());
                // The place exists, or, for missing keys, its container exists.
                prop_assert!(value.pointer(&fault.pointer).is_some()
                    || value.pointer(fault.pointer.rsplit_once('/').unwrap().0).is_some(), "{}", fault.pointer);
            }
            let pool = Catalogue::builder(&game(code)).extend(set.cards.into_iter().map(|card| pool_card("test", card))).build();
            validate(&legal.deck(), &pool, &legal.format);
        }
    }

    #[test]
    fn no_set_file_panics(cut in any::<Index>(), put in words(), keep in any::<bool>()) {
        for code in GAMES {
            let (_, text) = files(code, "sets").swap_remove(0);
            if let Ok(set) = SetDefinition::from_json(&spoiled(&text, cut, &put, keep)) {
                check_set(&game(code), &set);
            }
        }
        let _ = SetDefinition::from_json(&put);
    }

    #[test]
    fn no_manifest_near_the_shipped_ones_panics((code, text) in manifests(), legal in legal()) {
        match Game::from_toml(&text) {
            Ok(game) => use_game(&game, code, &legal.deck()),
            Err(error) => {
                prop_assert!(!error.faults.is_empty());
                prop_assert!(error.faults.iter().all(|fault| !fault.problem.is_empty()));
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }

    #[test]
    fn no_manifest_text_panics(code in select(GAMES.to_vec()), cut in any::<Index>(), put in words(), keep in any::<bool>()) {
        let _ = Game::from_toml(&put);
        if let Ok(game) = Game::from_toml(&spoiled(&manifest(code), cut, &put, keep)) {
            use_game(&game, code, &Deck::default());
        }
    }

    #[test]
    fn no_text_panics_and_every_line_is_accounted_for(text in words(), more in proptest::collection::vec(words(), 0..6)) {
        let text = format!("{text}\n{}", more.join("\n"));
        let parsed = parse_deck_text(&text);
        prop_assert!(parsed.deck.entries.len() + parsed.faults.len() <= text.split('\n').count());
        prop_assert_eq!(&parse_deck_text(&render_deck_text(&parsed.deck)).deck, &parsed.deck);
    }

    #[test]
    fn no_spoiled_sample_deck_panics(cut in any::<Index>(), put in words(), keep in any::<bool>()) {
        for (code, format) in FORMATS.iter() {
            for (_, text) in files(code, "decks") {
                let parsed = parse_deck_text(&spoiled(&text, cut, &put, keep));
                validate(&parsed.deck, &shipped(code), format);
                for fault in &parsed.faults {
                    prop_assert!(fault.line >= 1 && !fault.fault.to_string().is_empty());
                }
            }
        }
    }

    /// Meaningless, but without panic, and the same each time.
    #[test]
    fn formats_and_pools_may_belong_to_different_games((game, _, deck) in judged(), at in any::<Index>()) {
        let (other, format) = at.get(&FORMATS);
        for pool in [shipped(game), shipped(other)] {
            let report = validate(&deck, &pool, format);
            prop_assert!(report.violations.iter().all(|violation| !violation.message().is_empty()));
            prop_assert_eq!(report, validate(&deck, &pool, format));
        }
    }

    #[test]
    fn no_day_panics(text in prop_oneof![words(), "[0-9]{1,5}-[0-9]{1,3}-[0-9]{1,3}"], day in any::<(u16, u8, u8)>()) {
        if let Ok(date) = text.parse::<Date>() {
            prop_assert_eq!(date.to_string(), text);
        }
        if let Some(date) = Date::new(day.0, day.1, day.2) {
            prop_assert_eq!(date.to_string().parse::<Date>(), Ok(date));
        }
    }

    #[test]
    fn no_name_panics(name in any::<String>()) {
        let key = name_key(&name);
        prop_assert_eq!(name_key(&key), key.clone());
        prop_assert_eq!(search_key(&name), search_key(&key));
    }
}

/// Changes give valid manifests as well as broken ones: otherwise half of the property above would test nothing.
#[test]
fn some_changed_manifests_are_still_games() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let read = (0..300).filter(|_| {
        let (_, text) = manifests().new_tree(&mut runner).unwrap().current();
        Game::from_toml(&text).is_ok()
    });
    let read = read.count();
    assert!((15..285).contains(&read), "{read} of 300");
}

#[test]
fn the_deepest_json_is_refused() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(SetDefinition::from_json(&deep).is_err());
    assert!(SetDefinition::from_json(&format!("{{\"cards\":{deep}}}")).is_err());
}

/// Manifests may nest their selectors to any depth, by brackets or by dots.
#[test]
fn the_deepest_manifest_is_refused_or_read() {
    let whole = manifest("ttcg");
    for depth in [10, 70, 200, 1_000, 100_000] {
        let nested = format!(
            "select = {}kinds = ['lore']{}",
            "{ not = { ".repeat(depth),
            "} }".repeat(depth)
        );
        let dotted = format!("select{} = {{ kinds = ['lore'] }}", ".not".repeat(depth));
        let lists = format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
        for select in [nested, dotted] {
            let rule = format!(
                "{whole}\n[[formats.rules]]\nrule = 'T-2.2.1d'\ntext = 'x'\n[formats.rules.forbidden]\n{select}\n"
            );
            if let Ok(game) = Game::from_toml(&rule) {
                use_game(&game, "ttcg", &Deck::default());
            }
        }
        assert!(Game::from_toml(&lists).is_err());
    }
}
