//! Hands after mulligans, compared with all possible hands.

use cardscape_engine::{DrawQuestion, DrawTarget, MatchCount, MulliganHand, draw_odds};
use proptest::prelude::*;

use super::{close, fish, pond};
use crate::support::deck;

#[derive(Debug, Clone, Copy)]
struct Rules {
    hand: u32,
    times: u32,
    fewer: u32,
    put_back: u32,
}

fn hands(rules: Rules, wanted: MatchCount, matching: u32, others: u32) -> Vec<MulliganHand> {
    let Rules { hand, times, fewer, put_back } = rules;
    let game = pond(&format!(
        "[play]\nhand_size = {hand}\nmulligan = {{ type = \"redraw\", times = {times}, fewer = {fewer}, put_back = {put_back} }}"
    ));
    let question = DrawQuestion { wanted, ..DrawQuestion::new(DrawTarget::named("A")) };
    let list = deck([(matching, "A"), (others, "B")]);
    draw_odds(&list, &fish(&game, []), &question).unwrap().mulligans
}

/// Whether a player who drew this number of matching cards can keep a hand of `kept` cards with the wanted number: tries every way to put cards back.
fn can_keep(matching: u32, drawn: u32, kept: u32, wanted: MatchCount) -> bool {
    (0..=kept).any(|matching_kept| {
        let others_kept = kept - matching_kept;
        matching_kept <= matching
            && others_kept <= drawn - matching
            && u64::from(matching_kept) >= wanted.min
            && wanted.max.is_none_or(|max| u64::from(matching_kept) <= max)
    })
}

/// How likely it is that a hand can be kept: every set of cards is drawn once.
fn chance(matching: u32, others: u32, drawn: u32, kept: u32, wanted: MatchCount) -> f64 {
    let cards = matching + others;
    let all = (0_u32..1 << cards).filter(|hand| hand.count_ones() == drawn);
    let (mut hands, mut good) = (0.0, 0.0);
    for hand in all {
        hands += 1.0;
        let here = (hand & ((1 << matching) - 1)).count_ones();
        if can_keep(here, drawn, kept, wanted) {
            good += 1.0;
        }
    }
    good / hands
}

#[test]
fn a_game_without_mulligans_has_one_hand() {
    let game = pond("[play]\nhand_size = 3\nmulligan = { type = \"none\" }");
    let question = DrawQuestion::new(DrawTarget::named("A"));
    let odds = draw_odds(&deck([(2, "A"), (6, "B")]), &fish(&game, []), &question).unwrap();
    assert_eq!(odds.mulligans.len(), 1);
    assert_eq!(odds.mulligans[0].by_now, odds.opening_hand.wanted);
}

/// The hand gets so small that it cannot have the wanted number.
#[test]
fn hands_can_become_too_small() {
    let rules = Rules { hand: 3, times: 4, fewer: 1, put_back: 0 };
    let reported = hands(rules, MatchCount::at_least(2), 4, 4);
    let sizes: Vec<u32> = reported.iter().map(|hand| hand.drawn).collect();
    assert_eq!(sizes, [3, 2, 1, 0, 0]);
    assert!(reported[2].this_hand.value == 0.0 && reported[2].by_now == reported[1].by_now);
    // A whole hand of which one card is kept has one matching card at most.
    let rules = Rules { hand: 3, times: 2, fewer: 0, put_back: 1 };
    let reported = hands(rules, MatchCount::at_least(2), 4, 4);
    let kept: Vec<u32> = reported.iter().map(|hand| hand.kept).collect();
    assert_eq!((kept, reported[2].this_hand.value), (vec![3, 2, 1], 0.0));
}

/// A deck whose fractions do not fit: the chances of 1 in a million at each of 21 hands add up, and are not lost.
#[test]
fn small_chances_add_up() {
    let rules = Rules { hand: 1, times: 20, fewer: 0, put_back: 0 };
    let reported = hands(rules, MatchCount::at_least(1), 1, 999_999);
    let expected = -(21.0 * (-1e-6_f64).ln_1p()).exp_m1();
    assert!(close(reported[20].by_now.value, expected, 1e-14), "{:?}", reported[20]);
    let rules = Rules { hand: 100, times: 20, fewer: 0, put_back: 0 };
    let reported = hands(rules, MatchCount::at_least(1), 1, 4_999_999);
    assert_eq!(reported[20].by_now.fraction, None);
    let expected = -(21.0 * (-2e-5_f64).ln_1p()).exp_m1();
    assert!(close(reported[20].by_now.value, expected, 1e-12), "{:?}", reported[20]);
}

fn match_counts() -> impl Strategy<Value = MatchCount> {
    (0_u64..4, proptest::option::of(0_u64..5)).prop_map(|(min, max)| MatchCount { min, max })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hands_are_as_likely_as_they_are_many(
        (matching, others) in (0_u32..=5, 0_u32..=5),
        (hand, times, fewer, put_back) in (1_u32..=6, 1_u32..=3, 0_u32..=2, 0_u32..=2),
        wanted in match_counts(),
    ) {
        let reported = hands(Rules { hand, times, fewer, put_back }, wanted, matching, others);
        prop_assert_eq!(reported.len(), times as usize + 1);
        let mut none = 1.0;
        for (mulligans, reported) in (0..).zip(&reported) {
            let drawn = hand.saturating_sub(fewer * mulligans).min(matching + others);
            let kept = drawn.saturating_sub(put_back * mulligans);
            prop_assert_eq!((reported.mulligans, reported.drawn, reported.kept), (mulligans, drawn, kept));
            let this = chance(matching, others, drawn, kept, wanted);
            none *= 1.0 - this;
            prop_assert!((reported.this_hand.value - this).abs() < 1e-12, "{:?}: {}", reported, this);
            prop_assert!((reported.by_now.value - (1.0 - none)).abs() < 1e-12, "{:?}: {}", reported, 1.0 - none);
        }
    }
}
