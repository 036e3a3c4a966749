//! Sample hands by a seed.

use std::collections::BTreeMap;

use cardscape_engine::{Deck, DeckEntry, OddsError, SampleHand, sample_hand};
use proptest::prelude::*;
use serde_json::json;

use super::{fish, pond};
use crate::support::{deck, shipped};

fn entries(hand: &SampleHand) -> Vec<usize> {
    hand.opening_hand.iter().chain(&hand.draws).map(|card| card.entry).collect()
}

/// Computed by a program in Python from the description: `hashlib.sha256`, and a list from which cards are popped.
#[test]
fn what_a_seed_draws_does_not_change() {
    let pool = fish(&pond(""), []);
    let list = deck([(4, "a"), (4, "b"), (3, "c"), (2, "d"), (20, "e"), (7, "f")]);
    for (seed, drawn) in [
        (0, [0, 4, 5, 4, 4, 1, 2, 4, 5, 0, 1, 1]),
        (1, [5, 5, 5, 1, 4, 4, 0, 4, 4, 3, 5, 4]),
        (42, [4, 5, 4, 4, 4, 4, 3, 0, 4, 1, 5, 4]),
        (u64::MAX, [2, 5, 0, 1, 0, 4, 4, 2, 4, 0, 4, 5]),
    ] {
        let hand = sample_hand(&list, &pool, "main", seed, Some(7), 5).unwrap();
        assert_eq!(entries(&hand), drawn, "{seed}");
        assert_eq!((hand.opening_hand.len(), hand.draws.len(), hand.cards), (7, 5, 40));
    }
    let entries_of_500 = (0..500).map(|at| DeckEntry::main(10_000, format!("Card {at}")));
    let list = Deck { entries: entries_of_500.collect() };
    let hand = sample_hand(&list, &pool, "main", 2026, Some(7), 3).unwrap();
    assert_eq!(entries(&hand), [193, 371, 394, 383, 28, 253, 364, 98, 478, 20]);
}

#[test]
fn small_zones_give_all_their_cards() {
    let pool = fish(&pond(""), []);
    let hand = sample_hand(&deck([(5, "a"), (2, "b")]), &pool, "main", 3, Some(6), 14).unwrap();
    assert_eq!(entries(&hand), [0, 0, 0, 1, 0, 0, 1]);
    assert_eq!((hand.opening_hand.len(), hand.draws.len()), (6, 1));
    let none = sample_hand(&Deck::default(), &pool, "main", 3, Some(6), 14).unwrap();
    assert_eq!((none.cards, entries(&none)), (0, vec![]));
}

#[test]
fn the_hand_is_the_game_s_and_the_zone_the_asked_one() {
    let pool = shipped("ttcg");
    let list = deck([(2, "Nobody knows it"), (58, "Nor this")]);
    let hand = sample_hand(&list, &pool, "Deck", 1, None, 2).unwrap();
    assert_eq!((hand.opening_hand.len(), hand.draws.len()), (7, 2));
    let reported = json!(hand.opening_hand[0]);
    assert_eq!(reported, json!({ "entry": 1, "written": { "name": "Nor this" } }));
    let error = sample_hand(&list, &pool, "attic", 1, None, 2).unwrap_err();
    assert_eq!(error, OddsError::UnknownZone { zone: "attic".to_owned() });
    let silent = fish(&pond(""), []);
    let error = sample_hand(&list, &silent, "main", 1, None, 2).unwrap_err();
    assert_eq!(error, OddsError::NotSaid { key: "hand_size" });
    let error = sample_hand(&list, &silent, "main", 1, Some(7), 994).unwrap_err();
    assert_eq!(error, OddsError::TooManyCards { max: 1_000, actual: 1_001 });
    let message = "the opening hand and the draws together must be at most 1000 cards, not 1001";
    assert_eq!(error.to_string(), message);
    assert!(sample_hand(&list, &silent, "main", 1, Some(7), 993).is_ok());
}

/// 2 of 8 cards, 20,000 hands of 3: how often 0, 1 or 2 came. Chi-square test: a value above 13.8 has the probability 1/1000. The seeds are fixed.
#[test]
fn hands_come_as_often_as_the_odds_say() {
    let pool = fish(&pond(""), []);
    let list = deck([(3, "a"), (2, "b"), (3, "c")]);
    let mut seen = [0.0; 3];
    for seed in 0..20_000 {
        let hand = sample_hand(&list, &pool, "main", seed, Some(3), 0).unwrap();
        seen[hand.opening_hand.iter().filter(|card| card.entry == 1).count()] += 1.0;
    }
    // 20, 30 and 6 of 56 ways.
    let chi_square: f64 = [20.0, 30.0, 6.0]
        .map(|ways| ways / 56.0 * 20_000.0)
        .iter()
        .zip(seen)
        .map(|(expected, seen): (&f64, f64)| (seen - expected).powi(2) / expected)
        .sum();
    assert!(chi_square < 13.8, "{chi_square}: {seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// No card more often than the deck has it, all of them in the end; further draws do not change the hand, nor do split entries.
    #[test]
    fn hands_are_of_the_deck(copies in proptest::collection::vec(0_u32..6, 0..8), seed in any::<u64>(), hand in 0_u32..12) {
        let pool = fish(&pond(""), [1]);
        let entry = |(at, copies): (usize, &u32)| DeckEntry::main(*copies, format!("Card {at}"));
        let list = Deck { entries: copies.iter().enumerate().map(entry).collect() };
        let short = sample_hand(&list, &pool, "main", seed, Some(hand), 0).unwrap();
        let long = sample_hand(&list, &pool, "main", seed, Some(hand), 100).unwrap();
        prop_assert_eq!(&short.opening_hand, &long.opening_hand);
        let mut drawn: BTreeMap<usize, u32> = BTreeMap::new();
        for entry in entries(&long) {
            *drawn.entry(entry).or_default() += 1;
        }
        let all: BTreeMap<usize, u32> = copies.iter().copied().enumerate().filter(|(_, copies)| *copies > 0).collect();
        prop_assert_eq!(drawn, all);
        let singly = list.entries.iter().flat_map(|entry| {
            (0..entry.quantity).map(|_| DeckEntry { quantity: 1, ..entry.clone() })
        });
        let split = sample_hand(&Deck { entries: singly.collect() }, &pool, "main", seed, Some(hand), 0).unwrap();
        let names = |hand: &SampleHand| -> Vec<String> { hand.opening_hand.iter().map(|card| card.written.name.clone()).collect() };
        prop_assert_eq!(names(&split), names(&short));
    }
}
