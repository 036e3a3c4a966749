use std::path::Path;
use std::sync::LazyLock;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::domain::catalogue::import::SourceFile;
use crate::domain::effects::effect_texts::EffectFiles;

/// Every game of `seed-data`, with its effect texts if it has any.
fn games() -> Vec<(Game, Option<EffectLibrary>)> {
    let all = concat!(env!("CARGO_MANIFEST_DIR"), "/seed-data/games");
    let folders = std::fs::read_dir(all).unwrap().map(|entry| entry.unwrap().path());
    let games: Vec<_> = folders.map(|folder| (read_game(&folder), read_texts(&folder))).collect();
    assert!(games.len() >= 8 && games.iter().any(|(_, library)| library.is_some()));
    games
}

fn read_game(folder: &Path) -> Game {
    Game::from_toml(&std::fs::read_to_string(folder.join("game.toml")).unwrap()).unwrap()
}

fn read_texts(folder: &Path) -> Option<EffectLibrary> {
    let read = |path: &Path| SourceFile::new("a file", &std::fs::read_to_string(path).unwrap());
    let templates = folder.join("effects/all_effect_templates.txt");
    if !templates.exists() {
        return None;
    }
    let values = std::fs::read_dir(folder.join("placeholders")).unwrap();
    let values = values.map(|entry| entry.unwrap().path());
    let named = |path: std::path::PathBuf| {
        (path.file_stem().unwrap().to_str().unwrap().to_owned(), read(&path))
    };
    let files =
        EffectFiles { templates: read(&templates), placeholders: values.map(named).collect() };
    Some(files.check().unwrap())
}

/// TTCG with its effect texts, read once.
fn ttcg() -> (Game, &'static EffectLibrary) {
    static READ: LazyLock<(Game, EffectLibrary)> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/ttcg");
        (read_game(&folder), read_texts(&folder).unwrap())
    });
    (READ.0.clone(), &READ.1)
}

/// A design without a name, with these members.
fn design(mut members: Value) -> DesignContent {
    members["name"] = "".into();
    serde_json::from_value(members).unwrap()
}

fn reasons(suggestion: &Suggestion) -> Vec<String> {
    let faults = suggestion.faults.iter();
    faults.map(|fault| format!("{}: {}", fault.pointer, fault.violation.message())).collect()
}

/// Values for the text attributes that only an author can write.
fn own_texts(kind: &Kind) -> Map {
    let texts = kind.attributes.iter().filter(|(_, attribute)| {
        !attribute.optional
            && matches!(attribute.value, cardscape_engine::AttributeValue::Text { .. })
    });
    texts.map(|(code, _)| (code.clone(), Value::from("x"))).collect()
}

type Map = serde_json::Map<String, Value>;

#[test]
fn a_card_of_any_kind_of_any_game_is_suggested_from_its_kind_only() {
    for (game, library) in &games() {
        for kind in game.kinds() {
            for seed in 0..40 {
                let texts = own_texts(kind);
                let start = design(json!({ "kind": kind.code, "attributes": texts }));
                let suggestion = suggest(game, library.as_ref(), start.clone(), seed).unwrap();
                let name = format!("{} {} {seed}", game.code(), kind.code);
                assert_eq!(
                    (reasons(&suggestion), &suggestion.unfilled),
                    (vec![], &vec![]),
                    "{name}: {:?}",
                    suggestion.card
                );
                let again = suggest(game, library.as_ref(), start, seed).unwrap();
                assert_eq!(
                    (suggestion.card, suggestion.filled),
                    (again.card, again.filled),
                    "{name}"
                );

                // Without these texts, only the texts are missing in the result.
                let suggestion =
                    suggest(game, library.as_ref(), design(json!({ "kind": kind.code })), seed);
                let suggestion = suggestion.unwrap();
                let lacking: Vec<&String> =
                    suggestion.unfilled.iter().map(|part| &part.pointer).collect();
                let wanted: Vec<String> =
                    texts.keys().map(|code| format!("/attributes/{code}")).collect();
                assert!(lacking.into_iter().eq(&wanted), "{name}: {:?}", suggestion.unfilled);
                assert_eq!(
                    suggestion.faults.len(),
                    wanted.len(),
                    "{name}: {:?}",
                    reasons(&suggestion)
                );
            }
        }
    }
}

/// Any parts are removed from a valid card; the suggestion completes it to a valid card again.
#[test]
fn any_remainder_of_a_valid_card_can_be_completed() {
    for (game, library) in &games() {
        for kind in game.kinds() {
            let library = library.as_ref();
            for seed in 0..40 {
                let start = design(json!({ "kind": kind.code, "attributes": own_texts(kind) }));
                let sound = suggest(game, library, start, seed).unwrap().card;
                let mut random = SplitMix64::new(seed);
                let mut keep = || cardscape_engine::rng::RandomNumbers::below(&mut random, 2) == 0;
                let mut left = design(json!({ "kind": kind.code }));
                let own = own_texts(kind);
                for (code, value) in &sound.attributes {
                    if own.contains_key(code) || keep() {
                        left.attributes.insert(code.to_owned(), value.clone());
                    }
                }
                for effect in &sound.effects {
                    let mut effect = effect.clone();
                    match (keep(), keep()) {
                        (true, true) => {}
                        (true, false) => effect.text.clear(),
                        (false, true) => (effect.style, effect.slot) = (None, None),
                        (false, false) => continue,
                    }
                    left.effects.push(effect);
                }
                left.printings = sound.printings.iter().filter(|_| keep()).cloned().collect();
                for printing in &mut left.printings {
                    printing.attributes.retain(|_, _| keep() || keep());
                }
                let name = format!("{} {} {seed}: {left:?}", game.code(), kind.code);
                let suggestion = suggest(game, library, left.clone(), seed + 1).unwrap();
                assert_eq!(
                    (reasons(&suggestion), &suggestion.unfilled),
                    (vec![], &vec![]),
                    "{name}"
                );
                // The remaining parts were not changed.
                for (code, value) in &left.attributes {
                    assert_eq!(&suggestion.card.attributes[code], value, "{name}");
                }
                for (at, effect) in left.effects.iter().enumerate() {
                    let now = &suggestion.card.effects[at];
                    assert!(effect.text.is_empty() || effect.text == now.text, "{name}");
                    assert!(effect.style.is_none() || effect.style == now.style, "{name}");
                }
                for printing in &left.printings {
                    let now =
                        suggestion.card.printings.iter().find(|now| now.rarity == printing.rarity);
                    let now = &now.unwrap().attributes;
                    let stays = |(code, value)| now.get(code) == Some(value);
                    assert!(printing.attributes.iter().all(stays), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_unit_is_split_by_its_tendency_and_its_effects_fit() {
    let (game, library) = ttcg();
    let guide = game.design_guide();
    let split = |kind: &str, rank: i64, seed| {
        let start = design(json!({ "kind": "unit", "attributes": { "type": kind, "rank": rank } }));
        let suggestion = suggest(&game, Some(library), start, seed).unwrap();
        for effect in &suggestion.card.effects {
            assert!(guide.fits_style(effect.style.as_ref().unwrap(), &effect.text), "{effect:?}");
            assert!(guide.suits(&suggestion.card, &effect.text), "{effect:?}");
            assert!(!library.find(&effect.text).matches.is_empty(), "{effect:?}");
        }
        assert_ne!(suggestion.card.effects[0].text, suggestion.card.effects[1].text);
        let number = |code: &str| suggestion.card.attributes[code].as_i64().unwrap();
        (number("attack"), number("defense"))
    };
    assert_eq!(split("fire", 1, 1), (325, 175));
    assert_eq!(split("earth", 1, 2), (200, 300));
    assert_eq!(split("water", 3, 3), (750, 750));
}

#[test]
fn filled_parts_are_reported_with_their_pointers() {
    let (game, library) = ttcg();
    let start = design(json!({
        "kind": "unit", "attributes": { "type": "fire", "subtypes": ["dragon"], "attack": 300 },
        "effects": [{ "style": "equip", "text": "" }],
        "printings": [{ "rarity": "rare", "attributes": { "attack": 310 } }],
    }));
    let suggestion = suggest(&game, Some(library), start, 7).unwrap();
    assert_eq!(
        suggestion.filled,
        [
            "/attributes/rank",
            "/attributes/defense",
            "/effects/0/text",
            "/effects/1",
            "/printings/0",
            "/printings/1",
            "/printings/2/attributes/defense",
            "/printings/3",
            "/printings/4",
            "/printings/5",
        ]
    );
    assert_eq!(suggestion.card.printings[2].attributes["attack"], 310);
    assert!(suggestion.card.effects[0].text.starts_with("Equip this card to "));
}

/// The drawn rank fits the existing numbers, and the drawn stage fits the existing effects.
#[test]
fn existing_parts_restrict_drawn_parts() {
    let (game, library) = ttcg();
    let games = games();
    let (emoji, _) = games.iter().find(|(game, _)| game.code() == "emoji-tcg").unwrap();
    for seed in 0..30 {
        let start =
            design(json!({ "kind": "unit", "attributes": { "attack": 1100, "defense": 400 } }));
        let suggestion = suggest(&game, Some(library), start, seed).unwrap();
        assert_eq!(
            (&suggestion.card.attributes["rank"], reasons(&suggestion)),
            (&json!(3), vec![])
        );

        let of_base = design(json!({
            "kind": "unit", "attributes": { "rank": 2 },
            "printings": [{ "rarity": "common", "attributes": { "attack": 10 } }],
        }));
        let suggestion = suggest(&game, Some(library), of_base, seed).unwrap();
        assert_eq!(
            (&suggestion.card.attributes["defense"], reasons(&suggestion)),
            (&json!(990), vec![])
        );

        let effects =
            json!([{ "slot": "upgrade", "text": "Up." }, { "slot": "glitch", "text": "Down." }]);
        let attributes = json!({ "emoji": "x" });
        let start =
            design(json!({ "kind": "emoji", "attributes": attributes, "effects": effects }));
        let suggestion = suggest(emoji, None, start, seed).unwrap();
        assert_ne!(suggestion.card.attributes["stage"], "basicmoji");
        assert_eq!(reasons(&suggestion), Vec::<String>::new());
    }
}

#[test]
fn parts_that_cannot_be_filled_are_reported_with_the_reason() {
    let (game, library) = ttcg();
    let too_much = design(json!({ "kind": "unit", "attributes": { "rank": 1, "attack": 600 } }));
    let suggestion = suggest(&game, Some(library), too_much, 1).unwrap();
    let [part] = &suggestion.unfilled[..] else { panic!("{:?}", suggestion.unfilled) };
    assert_eq!(part.pointer, "/attributes/defense");
    let reason = part.reason.to_string();
    assert!(reason.contains("attack + defense must be 500, which leaves -100"), "{reason}");
    assert!(!suggestion.faults.is_empty());

    // First without effect texts, then with a style for which there is no sentence.
    let suggestion = suggest(&game, None, design(json!({ "kind": "unit" })), 1).unwrap();
    assert_eq!(suggestion.unfilled.len(), 1, "{:?}", suggestion.unfilled);
    assert_eq!(suggestion.unfilled[0].pointer, "/effects");
    // Two slots that lack their effects are one missing part.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seed-data/games/emoji-tcg");
    let high = design(json!({ "kind": "emoji", "attributes": { "stage": "supermoji" } }));
    let suggestion = suggest(&read_game(&folder), None, high, 1).unwrap();
    let of_effects = suggestion.unfilled.iter().filter(|part| part.pointer == "/effects");
    assert_eq!(of_effects.count(), 1, "{:?}", suggestion.unfilled);
    let only = r#"
        code = "pond"
        name = "Pond"
        rules_version = "1"
        [[kinds]]
        code = "fish"
        name = "Fish"
        effects = [{ exactly = 1, styles = ["wet"] }]
        [[design.styles]]
        style = "wet"
        text = "Wet."
        begins = ["Nobody says this"]
    "#;
    let pond = Game::from_toml(only).unwrap();
    let wet = design(json!({ "kind": "fish", "effects": [{ "style": "wet", "text": "" }] }));
    let suggestion = suggest(&pond, Some(library), wet, 1).unwrap();
    assert_eq!(suggestion.unfilled[0].pointer, "/effects/0/text");
    assert_eq!(
        suggestion.unfilled[0].reason,
        UnfilledReason::NoSentence,
        "{:?}",
        suggestion.unfilled
    );

    assert!(suggest(&game, None, design(json!({ "kind": "unix" })), 1).is_none());
}

#[test]
fn wrong_values_are_kept_and_reported() {
    let (game, library) = ttcg();
    let wrong = json!({
        "kind": "unit", "attributes": { "type": "fier", "rank": "two", "attack": 1.5, "wings": true },
        "effects": [{ "style": "norml", "text": "Draw one card." }],
    });
    let suggestion = suggest(&game, Some(library), design(wrong), 1).unwrap();
    let pointers: Vec<&str> =
        suggestion.faults.iter().map(|fault| fault.pointer.as_str()).collect();
    for wanted in ["type", "rank", "attack", "wings"] {
        assert!(pointers.contains(&format!("/attributes/{wanted}").as_str()), "{pointers:?}");
    }
    assert!(pointers.contains(&"/effects/0/style"), "{pointers:?}");
    assert_eq!(suggestion.card.attributes["type"], "fier");
    let kind = suggestion.faults.iter().find(|fault| fault.pointer == "/attributes/type").unwrap();
    assert!(kind.violation.suggestions.contains(&"fire".to_owned()));
}

/// A designer keeps some parts of a suggestion and requests another one.
#[test]
fn kept_parts_do_not_change_the_other_parts() {
    let (game, library) = ttcg();
    let first = suggest(&game, Some(library), design(json!({ "kind": "spell" })), 11).unwrap().card;
    let kept = design(json!({ "kind": "spell", "effects": [first.effects[0]] }));
    assert_eq!(suggest(&game, Some(library), kept, 11).unwrap().card, first);
    let other = suggest(&game, Some(library), design(json!({ "kind": "spell" })), 12).unwrap().card;
    assert_ne!(other, first);
}

/// The suggestion for a seed must not change in later versions, because players share seeds.
#[test]
fn a_suggestion_of_today_is_that_of_tomorrow() {
    let (game, library) = ttcg();
    let suggestion = suggest(&game, Some(library), design(json!({ "kind": "unit" })), 7).unwrap();
    insta::assert_json_snapshot!(suggestion.card);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    /// With any input, there is no panic, and all pointers in the result lead to parts of the design.
    #[test]
    fn any_values_will_do(
        numbers in prop::collection::vec(prop::sample::select(vec![i64::MIN, -1, 0, 1, 3, 500, i64::MAX]), 5),
        present in prop::collection::vec(any::<bool>(), 6),
        seed: u64,
    ) {
        let text = r#"
            code = "pond"
            name = "Pond"
            rules_version = "1"
            rarities = [{ code = "plain", name = "Plain" }, { code = "golden", name = "Golden" }]
            [[kinds]]
            code = "fish"
            name = "Fish"
            attributes.depth = { type = "integer" }
            attributes.bite = { type = "integer", per_printing = true, min = 3 }
            attributes.speed = { type = "integer", per_printing = true, max = 7 }
            attributes.size = { type = "integer", min = -9223372036854775808, max = 9223372036854775807 }
            attributes.fins = { type = "choices", values = ["a", "b"], min_items = 3 }
            attributes.wet = { type = "boolean" }
            effects = [{ min = 0, max = 4294967295, slots = [{ slot = "fin", min = 4294967295, max = 4294967295 }] }]
            [[kinds.checks]]
            total = { of = ["bite", "speed", "bite"], by = "depth", base = { 3 = 500, -1 = -9223372036854775808, 0 = 9223372036854775807 }, rarity_bonus = { plain = 9223372036854775807 } }
            [[kinds.checks]]
            gain = { of = ["size"], rarity_bonus = { golden = 9223372036854775807, plain = 1 } }
        "#;
        let game = Game::from_toml(text).unwrap();
        let (_, library) = ttcg();
        let names = ["depth", "bite", "speed", "size", "fins"];
        let given = names.iter().zip(&numbers).zip(&present).filter(|(_, present)| **present);
        let attributes: Map = given.map(|((name, number), _)| ((*name).to_owned(), Value::from(*number))).collect();
        let start = design(json!({ "kind": "fish", "attributes": attributes }));
        let suggestion = suggest(&game, present[5].then_some(library), start, seed).unwrap();
        let document = serde_json::to_value(&suggestion.card).unwrap();
        for pointer in &suggestion.filled {
            prop_assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    }
}
