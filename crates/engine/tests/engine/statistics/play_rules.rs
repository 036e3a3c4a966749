//! What manifests say about hands and draws.

use cardscape_engine::{Game, Mulligan, PlayRules};
use serde_json::json;

use super::pond;
use crate::support::{all_games, game};

fn play(code: &str) -> Option<PlayRules> {
    game(code).play().cloned()
}

fn faults(play: &str) -> Vec<String> {
    let text = "code = \"pond\"\nname = \"Pond\"\nrules_version = \"1\"\n[[kinds]]\ncode = \"fish\"\nname = \"Fish\"\n";
    let read = Game::from_toml(&format!("{text}{play}"));
    let faults = read.map_or_else(|error| error.faults, |_| Vec::new());
    faults.into_iter().map(|fault| format!("{}: {}", fault.place, fault.problem)).collect()
}

/// T-2.2.2b, T-2.2.2c, T-2.2.2d, T-2.2.3a.
#[test]
fn ttcg_draws_seven_and_once_six() {
    let play = play("ttcg").unwrap();
    assert_eq!(
        (play.hand_size, play.draws_per_turn, play.first_player_draws),
        (Some(7), Some(1), false)
    );
    assert_eq!(
        json!(play.mulligan),
        json!({ "type": "redraw", "times": 1, "fewer": 1, "put_back": 0 })
    );
}

/// E-7.4, E-7.5, E-8.1.
#[test]
fn emoji_tcg_draws_seven_three_times_at_most() {
    let play = play("emoji-tcg").unwrap();
    assert_eq!(
        (play.hand_size, play.draws_per_turn, play.first_player_draws),
        (Some(7), Some(1), true)
    );
    assert_eq!(
        json!(play.mulligan),
        json!({ "type": "redraw", "times": 2, "fewer": 0, "put_back": 0 })
    );
}

/// U-3.3; U-4.3 draws only when nothing can be played.
#[test]
fn uno_emoji_deals_seven_and_says_no_more() {
    let play = play("uno-emoji").unwrap();
    assert_eq!((play.hand_size, play.draws_per_turn, play.mulligan), (Some(7), None, None));
}

/// D-3.1 deals all cards, and in M-4.3 the actor draws and nobody has a hand.
#[test]
fn games_without_hands_say_nothing() {
    let silent: Vec<String> = all_games().into_iter().filter(|code| play(code).is_none()).collect();
    assert_eq!(silent, ["emojito", "emojo-dojo", "pokemon", "yu-gi-oh"]);
    assert_eq!(json!(game("emojito")).get("play"), None);
}

#[test]
fn magic_puts_cards_back() {
    let mulligan = play("magic").unwrap().mulligan.unwrap();
    assert_eq!(mulligan.times(), 7);
    assert_eq!(json!(mulligan), json!({ "type": "redraw", "times": 7, "fewer": 0, "put_back": 1 }));
}

#[test]
fn a_game_can_say_that_there_is_no_mulligan() {
    let game = pond("[play]\nmulligan = { type = \"none\" }");
    assert_eq!(game.play().unwrap().mulligan, Some(Mulligan::None));
    assert_eq!(Mulligan::None.times(), 0);
    let expected = json!({ "first_player_draws": true, "mulligan": { "type": "none" } });
    assert_eq!(json!(game)["play"], expected);
}

#[test]
fn what_is_wrong_is_reported_with_its_place() {
    for (play, reported) in [
        ("hand_size = 0", "play.hand_size: must be from 1 to 100, not 0"),
        ("hand_size = 101", "play.hand_size: must be from 1 to 100, not 101"),
        ("hand_size = \"7\"", "play.hand_size: must be a whole number, not \"7\""),
        ("draws_per_turn = -1", "play.draws_per_turn: must be from 1 to 100, not -1"),
        ("first_player_draws = 1", "play.first_player_draws: must be true or false, not 1"),
        ("hands = 1", "play.hands: is not known here"),
        ("mulligan = {}", "play.mulligan.type: is missing"),
        ("mulligan = { type = \"some\" }", "play.mulligan.type: must be \"none\" or \"redraw\""),
        (
            "mulligan = { type = \"redraw\" }",
            "play.mulligan.times: is missing: type = \"redraw\" needs it",
        ),
        (
            "mulligan = { type = \"redraw\", times = 21 }",
            "play.mulligan.times: must be from 1 to 20, not 21",
        ),
        (
            "mulligan = { type = \"redraw\", times = 1, fewer = -1 }",
            "play.mulligan.fewer: must be from 0 to 100, not -1",
        ),
        ("mulligan = { type = \"none\", times = 1 }", "play.mulligan.times: is not known here"),
    ] {
        let faults = faults(&format!("[play]\n{play}\n"));
        assert_eq!(faults.len(), 1, "{play}: {faults:?}");
        assert!(faults[0].starts_with(reported), "{play}: {faults:?}");
    }
}
