//! What holds for every input.
#![allow(missing_docs, clippy::unwrap_used)]

mod support;

use std::sync::{Arc, LazyLock};

use cardscape_engine::{
    CardDefinition, CardReference, Catalogue, Deck, DeckEntry, Fix, Game, PrintingDefinition,
    Severity, check_card, name_key, parse_deck_text, render_deck_text, validate,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{GAMES, game, shipped};

static POOLS: LazyLock<Vec<Arc<Catalogue>>> =
    LazyLock::new(|| GAMES.iter().map(|code| shipped(code)).collect());
static TTCG: LazyLock<Arc<Catalogue>> = LazyLock::new(|| shipped("ttcg"));

fn words() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~]{0,24}", "[0-9x({*\\[\"\\\\ \n\r#:/a-c]{0,16}"]
}

/// References to real cards, near misses and noise.
fn references() -> impl Strategy<Value = CardReference> {
    let real = (0..TTCG.len()).prop_map(|at| TTCG.iter().nth(at).unwrap().definition.name.clone());
    let optional = || {
        proptest::option::weighted(
            0.2,
            prop_oneof![words(), Just("hearth".to_owned()), Just("rare".to_owned())],
        )
    };
    (prop_oneof![4 => real, 1 => words()], optional(), optional(), optional())
        .prop_map(|(name, set, number, rarity)| CardReference { name, set, number, rarity })
}

fn decks() -> impl Strategy<Value = Deck> {
    let zones = prop_oneof![6 => Just("main".to_owned()), 1 => words()];
    let quantities = prop_oneof![8 => 0_u32..5, 1 => any::<u32>()];
    let entry = (zones, quantities, references()).prop_map(|(zone, quantity, card)| DeckEntry {
        zone,
        quantity,
        card,
    });
    proptest::collection::vec(entry, 0..40).prop_map(|entries| Deck { entries })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        words().prop_map(Value::from),
        Just(json!("fire")),
        Just(json!(1)),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        proptest::collection::vec(inner, 0..4).prop_map(Value::from)
    })
}

fn attributes() -> impl Strategy<Value = serde_json::Map<String, Value>> {
    let names = prop_oneof![
        Just("rank".to_owned()),
        Just("attack".to_owned()),
        Just("defense".to_owned()),
        Just("type".to_owned()),
        Just("subtypes".to_owned()),
        Just("boost_attack".to_owned()),
        Just("stage".to_owned()),
        words(),
    ];
    proptest::collection::vec((names, values()), 0..8).prop_map(|pairs| pairs.into_iter().collect())
}

fn cards() -> impl Strategy<Value = CardDefinition> {
    let kinds = prop_oneof![
        Just("unit".to_owned()),
        Just("spell".to_owned()),
        Just("emoji".to_owned()),
        words()
    ];
    let rarities = prop_oneof![Just("common".to_owned()), Just("rare".to_owned()), words()];
    let printings = (rarities, attributes())
        .prop_map(|(rarity, attributes)| PrintingDefinition { rarity, attributes });
    (
        words(),
        words(),
        kinds,
        attributes(),
        proptest::collection::vec(printings, 0..4),
        proptest::option::of(words()),
    )
        .prop_map(|(number, name, kind, attributes, printings, lore)| CardDefinition {
            number,
            name,
            kind,
            attributes,
            effects: Vec::new(),
            lore,
            printings,
        })
}

proptest! {
    #[test]
    fn no_deck_panics_and_every_violation_has_a_message(deck in decks()) {
        for pool in POOLS.iter() {
            for format in pool.game().formats() {
                let mut report = validate(&deck, pool, format);
                report.suggest(pool);
                prop_assert!(report.violations.iter().all(|violation| !violation.message().is_empty()));
                prop_assert!(serde_json::to_string(&report).is_ok());
            }
        }
    }

    #[test]
    fn the_order_of_lines_and_their_splitting_do_not_matter(
        (deck, mixed) in decks().prop_flat_map(|deck| (Just(deck.clone()), Just(deck.entries).prop_shuffle())),
        cut in any::<prop::sample::Index>(),
    ) {
        let format = TTCG.game().format("standard").unwrap();
        let report = validate(&deck, &TTCG, format);
        let mut mixed = Deck { entries: mixed };
        prop_assert_eq!(&validate(&mixed, &TTCG, format), &report);
        if !mixed.entries.is_empty() {
            let at = cut.index(mixed.entries.len());
            // An empty half would be a violation of its own.
            if mixed.entries[at].quantity > 1 {
                let mut half = mixed.entries[at].clone();
                half.quantity = 1;
                mixed.entries[at].quantity -= 1;
                mixed.entries.push(half);
                prop_assert_eq!(&validate(&mixed, &TTCG, format), &report);
            }
        }
    }

    #[test]
    fn the_rarity_mix_does_not_matter(picks in proptest::collection::vec((0_usize..73, 0_usize..6, 1_u32..4), 1..40)) {
        let plain = Deck {
            entries: picks.iter().map(|(at, _, quantity)| {
                DeckEntry::main(*quantity, &TTCG.iter().nth(*at).unwrap().definition.name)
            }).collect(),
        };
        let mut mixed = plain.clone();
        for (entry, (_, rarity, _)) in mixed.entries.iter_mut().zip(&picks) {
            entry.card.rarity = Some(support::RARITIES[*rarity].to_owned());
        }
        let format = TTCG.game().format("standard").unwrap();
        prop_assert_eq!(validate(&mixed, &TTCG, format), validate(&plain, &TTCG, format));
    }

    #[test]
    fn a_legal_deck_and_one_wrong_edit_give_that_violation(at in any::<prop::sample::Index>(), edit in 0..5) {
        let text = support::files("ttcg", "decks").into_iter().find(|(file, _)| file.starts_with("legal-")).unwrap().1;
        let mut deck = parse_deck_text(&text).deck;
        let at = at.index(deck.entries.len());
        let expected = match edit {
            0 => { deck.entries[at].quantity = 3; "COPY_LIMIT_EXCEEDED" }
            1 => { deck.entries.remove(at); "DECK_SIZE_BELOW_MIN" }
            2 => { deck.entries[at].card.name.push_str(" the Unheard-of"); "CARD_UNKNOWN" }
            3 => { deck.entries[at].quantity = 0; "ENTRY_COUNT_INVALID" }
            _ => { deck.entries[at].card.rarity = Some("tin".to_owned()); "PRINTING_UNKNOWN" }
        };
        let report = validate(&deck, &TTCG, TTCG.game().format("standard").unwrap());
        prop_assert!(support::codes(&report.violations).contains(&expected));
        prop_assert!(!report.is_legal());
    }

    #[test]
    fn the_fixes_of_a_box_make_it_legal(changes in proptest::collection::vec((0_usize..56, 0_u32..9), 0..12)) {
        let pool = shipped("uno-emoji");
        let text = support::files("uno-emoji", "decks").into_iter().find(|(file, _)| file.starts_with("legal-")).unwrap().1;
        let mut deck = parse_deck_text(&text).deck;
        for (at, quantity) in changes {
            let entries = deck.entries.len();
            deck.entries[at % entries].quantity = quantity;
        }
        deck.entries.retain(|entry| entry.quantity > 0);
        let format = pool.game().format("box").unwrap();
        for violation in validate(&deck, &pool, format).violations {
            match violation.fix {
                Some(Fix::AddCopies { name, quantity }) => {
                    deck.entries.push(DeckEntry::main(u32::try_from(quantity).unwrap(), name));
                }
                Some(Fix::RemoveCopies { name, quantity }) => {
                    let entry = deck.entries.iter_mut().find(|entry| entry.card.name == name).unwrap();
                    entry.quantity -= u32::try_from(quantity).unwrap();
                }
                _ => {}
            }
        }
        deck.entries.retain(|entry| entry.quantity > 0);
        prop_assert_eq!(validate(&deck, &pool, format).violations, vec![]);
    }

    #[test]
    fn no_text_panics_and_every_line_is_accounted_for(text in words(), more in proptest::collection::vec(words(), 0..6)) {
        let text = format!("{text}\n{}", more.join("\n"));
        let parsed = parse_deck_text(&text);
        prop_assert!(parsed.deck.entries.len() + parsed.faults.len() <= text.split('\n').count());
        prop_assert_eq!(&parse_deck_text(&render_deck_text(&parsed.deck)).deck, &parsed.deck);
    }

    #[test]
    fn every_deck_survives_its_text(deck in decks()) {
        let parsed = parse_deck_text(&render_deck_text(&deck));
        prop_assert_eq!(parsed.faults, vec![]);
        prop_assert_eq!(parsed.deck, deck);
    }

    #[test]
    fn no_card_panics(card in cards()) {
        for pool in POOLS.iter() {
            for violation in check_card(pool.game(), &card) {
                prop_assert!(!violation.message().is_empty());
                prop_assert_eq!(violation.severity, Severity::Error);
            }
        }
        // The pool takes whatever it is given.
        let wild = Catalogue::with_extra(Arc::clone(&TTCG), [support::pool_card("wild", card.clone())]);
        let deck = Deck { entries: vec![DeckEntry::main(1, card.name.clone())] };
        let report = validate(&deck, &wild, wild.game().format("standard").unwrap());
        let known = !report.violations.iter().any(|violation| violation.code.as_str() == "CARD_UNKNOWN");
        prop_assert!(known || name_key(&card.name).is_empty());
    }

    #[test]
    fn no_manifest_panics(text in any::<String>(), cut in any::<prop::sample::Index>(), put in words()) {
        let _ = Game::from_toml(&text);
        let whole = std::fs::read_to_string(support::games_dir().join("emoji-tcg/game.toml")).unwrap();
        let mut at = cut.index(whole.len());
        while !whole.is_char_boundary(at) { at -= 1; }
        let _ = Game::from_toml(&format!("{}{put}{}", &whole[..at], &whole[at..]));
    }
}

#[test]
fn reading_a_manifest_twice_gives_the_same() {
    for code in GAMES {
        let (one, two) = (
            serde_json::to_string(&game(code)).unwrap(),
            serde_json::to_string(&game(code)).unwrap(),
        );
        assert_eq!(one, two);
    }
}
