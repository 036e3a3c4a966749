//! The turn by which a card is drawn, compared with all possible orders.

use cardscape_engine::{DrawQuestion, DrawTarget, Hypergeometric, MatchCount, TurnOdds, draw_odds};
use proptest::prelude::*;

use super::{close, fish, pond};
use crate::support::deck;

#[derive(Debug, Clone, Copy)]
struct Draws {
    hand: u32,
    per_turn: u32,
    /// Whether the player who goes first draws in the first turn.
    first_drawn: bool,
    goes_first: bool,
}

fn turns(draws: Draws, matches: u64, matching: u32, others: u32) -> TurnOdds {
    let Draws { hand, per_turn, first_drawn, goes_first } = draws;
    let game = pond(&format!(
        "[play]\nhand_size = {hand}\ndraws_per_turn = {per_turn}\nfirst_player_draws = {first_drawn}"
    ));
    let wanted = MatchCount::at_least(matches);
    let question = DrawQuestion { wanted, goes_first, ..DrawQuestion::new(DrawTarget::named("A")) };
    let list = deck([(matching, "A"), (others, "B")]);
    draw_odds(&list, &fish(&game, []), &question).unwrap().turns.unwrap()
}

/// The turn on which the card at this place (from 1) is drawn.
fn turn_of(place: u32, draws: Draws) -> u32 {
    let waits = u32::from(draws.goes_first && !draws.first_drawn);
    match place.checked_sub(draws.hand) {
        None | Some(0) => 0,
        Some(beyond) => beyond.div_ceil(draws.per_turn) + waits,
    }
}

/// The turn of the `matches`-th matching card in every order; empty when there are too few.
fn all_turns(draws: Draws, matches: u32, matching: u32, others: u32) -> Vec<u32> {
    let cards = matching + others;
    let orders = (0_u32..1 << cards).filter(|order| order.count_ones() == matching);
    let place = |order: u32| {
        (1..=cards).find(|place| (order & ((1_u32 << place) - 1)).count_ones() == matches)
    };
    orders.filter_map(|order| Some(turn_of(place(order)?, draws))).collect()
}

#[expect(clippy::cast_precision_loss, reason = "small")]
fn share(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}

const SECOND: Draws = Draws { hand: 7, per_turn: 1, first_drawn: true, goes_first: false };

/// (36 over 7) / (40 over 7) · 34 / 5, computed by a program in Python.
#[test]
fn one_of_four_in_forty() {
    let reported = turns(SECOND, 1, 4, 36);
    assert!(close(reported.expected_turn.unwrap(), 3.044_709_486_814_75, 1e-14), "{reported:?}");
    let first = turns(Draws { first_drawn: false, goes_first: true, ..SECOND }, 1, 4, 36);
    let missed = 1.0 - 5_047.0 / 9_139.0;
    assert!(close(first.expected_turn.unwrap(), 3.044_709_486_814_75 + missed, 1e-14), "{first:?}");
    assert_eq!((reported.turns.len(), first.turns.len()), (21, 21));
    assert_eq!((reported.draws_on_first_turn, first.draws_on_first_turn), (true, false));
}

#[test]
fn what_is_not_there_never_comes() {
    let reported = turns(SECOND, 3, 2, 38);
    assert_eq!(reported.expected_turn, None);
    assert!(reported.turns.iter().all(|turn| turn.on == 0.0 && turn.by.value == 0.0));
}

/// Several draws in each turn of the largest deck, with few matching cards: the longest sum. On average half a turn of draws is lost.
#[test]
fn several_draws_a_turn_from_the_largest_deck() {
    let reported = turns(Draws { per_turn: 2, ..SECOND }, 1, 1, 4_999_999);
    // All places are equally likely: of the 4,999,993 places after the hand, two each are one turn.
    let beyond = 4_999_993.0_f64;
    let turns_needed = f64::midpoint(beyond, 1.0);
    let expected = beyond / 5e6 * ((beyond + 1.0) / 4.0 + (turns_needed / beyond) / 2.0);
    assert!(
        close(reported.expected_turn.unwrap(), expected, 1e-7),
        "{:?} {expected}",
        reported.expected_turn
    );
}

/// A hand may have as many cards as are computed: then the first draw has more.
#[test]
fn turns_with_more_cards_than_are_computed_are_left_out() {
    let game = pond("[play]\nhand_size = 7\ndraws_per_turn = 1");
    let list = deck([(1, "A"), (19_999, "B")]);
    for (hand, expected) in [(10_000, vec![10_000]), (9_999, vec![9_999, 10_000])] {
        let question =
            DrawQuestion { hand_size: Some(hand), ..DrawQuestion::new(DrawTarget::named("A")) };
        let reported = draw_odds(&list, &fish(&game, []), &question).unwrap().turns.unwrap();
        let cards: Vec<u64> = reported.turns.iter().map(|turn| turn.cards).collect();
        assert_eq!(cards, expected);
        // The place of the card in half of all orders is after the hand, 5,000 draws on average.
        assert!(close(reported.expected_turn.unwrap(), 2_500.0, 1e-2), "{reported:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn turns_are_as_likely_as_orders_are_many(
        (matching, others, matches) in (1_u32..=6, 0_u32..=7, 1_u32..=4),
        (hand, per_turn) in (1_u32..=4, 1_u32..=3),
        (first_drawn, goes_first) in any::<(bool, bool)>(),
    ) {
        let draws = Draws { hand, per_turn, first_drawn, goes_first };
        let reported = turns(draws, matches.into(), matching, others);
        let orders = all_turns(draws, matches, matching, others);
        if orders.is_empty() {
            prop_assert_eq!(reported.expected_turn, None);
            return Ok(());
        }
        let sum: u32 = orders.iter().sum();
        let mean = share(sum as usize, orders.len());
        prop_assert!((reported.expected_turn.unwrap() - mean).abs() < 1e-12, "{:?}: {}", reported, mean);
        for turn in &reported.turns {
            let on = orders.iter().filter(|one| **one == turn.turn).count();
            let by = orders.iter().filter(|one| **one <= turn.turn).count();
            prop_assert!((turn.on - share(on, orders.len())).abs() < 1e-13, "{:?}", turn);
            prop_assert!((turn.by.value - share(by, orders.len())).abs() < 1e-13, "{:?}", turn);
        }
        // The last turn listed is the one on which all cards are drawn, or the twentieth.
        let last = reported.turns.last().unwrap();
        prop_assert!(last.cards == u64::from(matching + others) || last.turn == TurnOdds::TURNS);
    }

    /// The closed formula for one draw in each turn, compared with the sum over all turns.
    #[test]
    fn the_expected_turn_is_the_sum_of_what_is_open(
        (matching, others, matches) in (1_u32..=40, 100_u32..=400, 1_u64..=5),
        hand in 1_u32..=10,
        per_turn in 1_u32..=4,
    ) {
        prop_assume!(matches <= u64::from(matching));
        let draws = Draws { hand, per_turn, ..SECOND };
        let reported = turns(draws, matches, matching, others).expected_turn.unwrap();
        let cards = u64::from(matching + others);
        let seen = |turn: u32| (u64::from(hand) + u64::from(turn * per_turn)).min(cards);
        let open = |turn: u32| {
            let drawn = Hypergeometric::new(cards, matching.into(), seen(turn)).unwrap();
            drawn.probability(MatchCount::at_most(matches - 1)).value
        };
        let sum: f64 = (0..=matching + others).map(open).sum();
        prop_assert!(close(reported, sum, 1e-11), "{} {}", reported, sum);
    }
}
