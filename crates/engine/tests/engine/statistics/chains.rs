//! Chains of cards that lack their beginning.

use cardscape_engine::{
    Catalogue, Deck, UnreachableCards, UnreachableReason, parse_deck_text, unreachable_cards,
    validate,
};
use proptest::prelude::*;
use serde_json::json;

use super::pond;
use crate::support::{GAMES, card, deck, emoji, files, game, pool, shipped, spell, unit, with};

fn found(deck: &Deck, catalogue: &Catalogue, format: &str) -> Vec<UnreachableCards> {
    unreachable_cards(deck, catalogue, catalogue.game().format(format).unwrap())
}

fn outline(found: &[UnreachableCards]) -> Vec<String> {
    let names = |one: &UnreachableCards| -> Vec<String> {
        one.cards.iter().map(|card| format!("{} {}", card.quantity.unwrap(), card.name)).collect()
    };
    found
        .iter()
        .map(|one| {
            let (reason, missing) = (json!(one.reason), &one.missing_step);
            format!(
                "{} {} {}: {} {}",
                one.code,
                one.reference.rule,
                names(one).join(", "),
                reason.as_str().unwrap(),
                missing
            )
        })
        .collect()
}

/// T-2.2.6a: rank by rank, within one type.
#[test]
fn ttcg_ranks_need_every_rank_below() {
    let pool = pool(
        &game("ttcg"),
        [
            unit("Spark", "fire", 1),
            unit("Blaze", "fire", 3),
            unit("Inferno", "fire", 4),
            unit("Pyre", "fire", 4),
            unit("Drop", "water", 1),
            unit("Wave", "water", 2),
            unit("Gust", "air", 2),
            spell("Chime", 1, 0, 0),
            spell("Bell", 2, 0, 0),
        ],
    );
    let all = deck([
        (2, "Spark"),
        (1, "Blaze"),
        (2, "Inferno"),
        (1, "Pyre"),
        (1, "Drop"),
        (1, "Wave"),
        (2, "Gust"),
        (1, "Chime"),
        (1, "Bell"),
    ]);
    let reported = found(&all, &pool, "standard");
    assert_eq!(
        outline(&reported),
        [
            "UNREACHABLE_RANK T-2.2.6a 2 Gust: no_lower_card 1",
            "UNREACHABLE_RANK T-2.2.6a 1 Blaze: no_lower_card 2",
            "UNREACHABLE_RANK T-2.2.6a 2 Inferno, 1 Pyre: lower_unreachable 2",
        ]
    );
    assert_eq!(reported[1].shared["type"], "fire");
    assert_eq!((reported[1].attribute.as_str(), &reported[1].step), ("rank", &json!(3)));
    assert_eq!(reported[1].reference.section, "2.2.6");
    assert_eq!(found(&deck([(1, "Drop"), (1, "Wave"), (1, "Spark")]), &pool, "standard"), []);
}

/// E-9.1: stage by stage, regardless of the type; steps are words.
#[test]
fn emoji_tcg_stages_need_every_stage_below() {
    let pool = pool(
        &game("emoji-tcg"),
        [
            emoji("Wink", "basicmoji"),
            with(emoji("Grin", "supermoji"), "type", json!("tech")),
            emoji("Laugh", "ultramoji"),
            emoji("Roar", "megamoji"),
        ],
    );
    assert_eq!(
        found(&deck([(1, "Wink"), (1, "Grin"), (1, "Laugh"), (1, "Roar")]), &pool, "playtest"),
        []
    );
    let reported = found(&deck([(1, "Wink"), (1, "Laugh"), (1, "Roar")]), &pool, "playtest");
    assert_eq!(
        outline(&reported),
        [
            "UNREACHABLE_STAGE E-9.1 1 Laugh: no_lower_card \"supermoji\"",
            "UNREACHABLE_STAGE E-9.1 1 Roar: lower_unreachable \"supermoji\"",
        ]
    );
    assert!(reported[0].shared.is_empty());
    let reported = json!(reported[1]);
    assert_eq!(
        (&reported["rule"], &reported["step"], &reported["reason"]),
        (&json!("E-9.1"), &json!("megamoji"), &json!("lower_unreachable"))
    );
}

/// A value that two cards have in different attributes is not shared.
#[test]
fn missing_attributes_keep_their_places() {
    let game = pond(
        r#"
[[kinds]]
code = "bird"
name = "Bird"
attributes.size = { type = "integer", optional = true }
attributes.nest = { type = "text", optional = true }

[[formats]]
code = "open"
name = "Open"
version = "1"
[[formats.rules]]
rule = "P-1"
code = "NO_WAY_UP"
text = "A larger animal follows a smaller one of the same place."
advise_ladder = { attribute = "size", same = ["note", "nest"], select = { kinds = ["fish", "bird"] } }
"#,
    );
    let animal = |name: &str, kind: &str, place: &str, size: i64| {
        let attributes = json!({ "size": size, place: "reed" });
        card(json!({ "number": "1", "name": name, "kind": kind, "attributes": attributes }))
    };
    let pool = pool(
        &game,
        [
            animal("Roach", "fish", "note", 1),
            animal("Duckling", "bird", "nest", 1),
            animal("Heron", "bird", "nest", 2),
        ],
    );
    let reported = found(&deck([(1, "Roach"), (1, "Heron")]), &pool, "open");
    assert_eq!(outline(&reported), ["NO_WAY_UP P-1 1 Heron: no_lower_card 1"]);
    assert_eq!(found(&deck([(1, "Duckling"), (1, "Heron")]), &pool, "open"), []);
}

#[test]
fn games_without_chains_and_sound_decks_are_reported_nothing() {
    for code in GAMES {
        let pool = shipped(code);
        for (file, text) in
            files(code, "decks").into_iter().filter(|(file, _)| file.starts_with("legal"))
        {
            let list = parse_deck_text(&text).deck;
            for format in pool.game().formats() {
                assert_eq!(unreachable_cards(&list, &pool, format), [], "{code}/{file}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// All cards in the advice of reports are found here, too, and all above them. A format from another parse of the manifest gives the same.
    #[test]
    fn the_advice_is_the_bottom_of_it(ranks in proptest::collection::vec((0_usize..3, 1_i64..=5), 0..12)) {
        const TYPES: [&str; 3] = ["fire", "water", "air"];
        let cards = TYPES.iter().flat_map(|kind| (1..=5).map(move |rank| unit(&format!("{kind} {rank}"), kind, rank)));
        let pool = pool(&game("ttcg"), cards);
        let names: Vec<String> = ranks.iter().map(|(kind, rank)| format!("{} {rank}", TYPES[*kind])).collect();
        let list = deck(names.iter().map(|name| (1, name.as_str())));
        let format = pool.game().format("standard").unwrap();
        let reported = unreachable_cards(&list, &pool, format);
        let report = validate(&list, &pool, format);
        let advice: std::collections::BTreeSet<String> = report
            .violations
            .iter()
            .filter(|violation| violation.code.as_str() == "UNREACHABLE_RANK")
            .flat_map(|violation| violation.cards.iter().map(|card| card.name.clone()))
            .collect();
        let of = |reason: UnreachableReason| -> std::collections::BTreeSet<String> {
            let reported = reported.iter().filter(|one| one.reason == reason);
            reported.flat_map(|one| one.cards.iter().map(|card| card.name.clone())).collect()
        };
        prop_assert_eq!(of(UnreachableReason::NoLowerCard), advice);
        // A simple count: a card is reachable when the deck has every rank from 1 up to its own.
        let has = |kind: usize, rank: i64| ranks.contains(&(kind, rank));
        let unreachable: std::collections::BTreeSet<String> = ranks
            .iter()
            .filter(|(kind, rank)| !(1..=*rank).all(|lower| has(*kind, lower)))
            .map(|(kind, rank)| format!("{} {rank}", TYPES[*kind]))
            .collect();
        let all: std::collections::BTreeSet<String> =
            reported.iter().flat_map(|one| one.cards.iter().map(|card| card.name.clone())).collect();
        prop_assert_eq!(all, unreachable);
        let twin = cardscape_engine::Game::from_toml(&format!("{}\n# twin\n", crate::support::manifest("ttcg"))).unwrap();
        prop_assert_eq!(unreachable_cards(&list, &pool, twin.format("standard").unwrap()), reported);
    }
}
