//! `docs/DECK_STATISTICS.md`: the example is equal to the library's answer.

use std::fs;
use std::path::PathBuf;

use cardscape_engine::{DrawQuestion, DrawTarget, MatchCount, Probability, draw_odds};
use serde_json::json;

use crate::support::{deck, game, pool, unit};

#[test]
fn the_example_is_what_the_library_says() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/DECK_STATISTICS.md");
    let page = fs::read_to_string(path).unwrap();
    let pool = pool(&game("ttcg"), [unit("Low", "fire", 1), unit("High", "fire", 2)]);
    let list = deck([(12, "Low"), (48, "High")]);
    let mut question = DrawQuestion {
        wanted: MatchCount::at_least(2),
        further_draws: 1,
        ..DrawQuestion::new(DrawTarget::attribute("rank", json!(1)))
    };
    let second = draw_odds(&list, &pool, &question).unwrap();
    question.goes_first = true;
    let first = draw_odds(&list, &pool, &question).unwrap();
    let row = |question: &str, chance: Probability| {
        let fraction = chance.fraction.unwrap();
        format!(
            "| {question} | {}/{} | {:.4} |\n",
            fraction.numerator, fraction.denominator, chance.value
        )
    };
    let turn =
        |odds: &cardscape_engine::DrawOdds| odds.turns.as_ref().unwrap().expected_turn.unwrap();
    for wanted in [
        row("at least 2 in the opening hand", second.opening_hand.wanted),
        row("at least 2 in a hand of 6, after the mulligan", second.mulligans[1].this_hand),
        row("at least 2 in the one or the other", second.mulligans[1].by_now),
        row("at least 2 in the opening hand and one draw", second.after_draws.wanted),
        format!(
            "on turn {:.4} on average for the player who goes second, and on turn {:.4} for the one who goes first",
            turn(&second),
            turn(&first)
        ),
    ] {
        assert!(page.contains(&wanted), "the page lacks {wanted}");
    }
}
