//! Questions about draws from a deck.

use cardscape_engine::{
    Condition, DeckEntry, DrawOdds, DrawPopulation, DrawQuestion, DrawTarget, Fraction, HandOdds,
    MatchCount, OddsError, Selector, draw_odds, parse_deck_text,
};
use serde_json::json;

use super::{fish, pond};
use crate::support::{card, deck, game, pool, pool_card, shipped, spell, unit};

fn counted(population: DrawPopulation) -> (u64, u64, u64) {
    (population.cards, population.matching, population.uncertain)
}

fn fraction(odds: &HandOdds) -> (u128, u128) {
    let Fraction { numerator, denominator, .. } = odds.wanted.fraction.unwrap();
    (numerator, denominator)
}

#[test]
fn cards_match_by_name_attribute_kind_and_selector() {
    let pool = pool(
        &game("ttcg"),
        [unit("Ember", "fire", 1), unit("Reef", "water", 3), spell("Bell", 2, 10, 0)],
    );
    let list = deck([(2, "Ember"), (1, "Reef"), (2, "Bell"), (3, "Nobody"), (1, "EMBER!")]);
    let of = |target: DrawTarget| counted(target.count(&list, &pool, "main").unwrap());
    assert_eq!(of(DrawTarget::named("ember")), (9, 3, 0));
    // Unknown cards have names, but nothing else is known of them.
    assert_eq!(of(DrawTarget::named("nobody")), (9, 3, 0));
    assert_eq!(of(DrawTarget::attribute("type", json!("fire"))), (9, 3, 3));
    assert_eq!(of(DrawTarget::attribute("subtypes", json!("warrior"))), (9, 4, 3));
    assert_eq!(of(DrawTarget::kind("spell")), (9, 2, 3));
    let high = Condition::Between { min: Some(2), max: None };
    let mut selector = Selector::default();
    selector.attributes.insert("rank".to_owned(), high);
    assert_eq!(of(DrawTarget::Selector(selector.clone())), (9, 3, 3));
    // Names of a selector work, too, although it does not come from a manifest.
    selector.names = vec!["bell".to_owned()];
    assert_eq!(of(DrawTarget::Selector(selector.clone())), (9, 2, 3));
    let mut other = Selector::default();
    other.not = Some(Box::new(selector));
    assert_eq!(of(DrawTarget::Selector(other)), (9, 4, 3));
}

#[test]
fn what_is_ambiguous_is_uncertain() {
    let game = pond("");
    let carp = |set: &str, size: i64| {
        let definition = json!({ "number": "1", "name": "Carp", "kind": "fish", "attributes": { "size": size } });
        pool_card(set, card(definition))
    };
    let pool = cardscape_engine::Catalogue::builder(&game)
        .extend([carp("shore", 2), carp("reef", 3)])
        .build();
    let list = parse_deck_text("4 Carp\n2 Carp (reef)\n1 Carp (shore)\n").deck;
    let of = |target: DrawTarget| counted(target.count(&list, &pool, "main").unwrap());
    assert_eq!(of(DrawTarget::attribute("size", json!(3))), (7, 2, 4));
    assert_eq!(of(DrawTarget::attribute("size", json!(7))), (7, 0, 0));
    assert_eq!(of(DrawTarget::named("carp")), (7, 7, 0));
}

/// T-2.2.2b: 7 cards. T-2.2.2d, T-2.2.3a: the first player draws from the second turn on.
#[test]
fn ttcg_by_its_own_figures() {
    let pool = shipped("ttcg");
    let list = deck([(12, "A card that nobody knows"), (48, "Another")]);
    let target = DrawTarget::named("A card that nobody knows");
    let question = DrawQuestion {
        wanted: MatchCount::at_least(2),
        further_draws: 1,
        goes_first: true,
        ..DrawQuestion::new(target)
    };
    let odds = draw_odds(&list, &pool, &question).unwrap();
    // Computed by a program in Python: `fractions` and `math.comb`.
    assert_eq!((odds.opening_hand.cards, fraction(&odds.opening_hand)), (7, (69_579, 162_545)));
    assert_eq!(
        (odds.after_draws.cards, fraction(&odds.after_draws)),
        (8, (13_108_313, 25_844_655))
    );
    assert_eq!(odds.mulligans.len(), 2);
    let by_now = odds.mulligans[1].by_now.fraction.unwrap();
    assert_eq!((by_now.numerator, by_now.denominator), (23_120_745_887, 36_989_227_835));
    assert_eq!((odds.mulligans[1].drawn, odds.mulligans[1].kept), (6, 6));
    let turns = odds.turns.unwrap();
    let cards: Vec<u64> = turns.turns.iter().take(4).map(|turn| turn.cards).collect();
    assert_eq!(cards, [7, 7, 8, 9]);
    assert_eq!(turns.turns[2].by, odds.after_draws.wanted);
    let second = DrawQuestion { goes_first: false, ..question };
    let turns = draw_odds(&list, &pool, &second).unwrap().turns.unwrap();
    assert_eq!(turns.turns[1].by, odds.after_draws.wanted);
}

/// E-7.4, E-7.5, E-8.1.
#[test]
fn emoji_tcg_by_its_own_figures() {
    let pool = shipped("emoji-tcg");
    let list = deck([(4, "A"), (36, "B")]);
    let mut question =
        DrawQuestion { goes_first: true, ..DrawQuestion::new(DrawTarget::named("A")) };
    let odds = draw_odds(&list, &pool, &question).unwrap();
    assert_eq!(fraction(&odds.opening_hand), (5_047, 9_139));
    let by_now = odds.mulligans[2].by_now.fraction.unwrap();
    assert_eq!((by_now.numerator, by_now.denominator), (694_783_005_931, 763_301_352_619));
    assert!((by_now.value() - 0.910_234_212_931_886_8).abs() < 1e-15);
    // Both players draw in the first round.
    assert_eq!(odds.turns.unwrap().turns[1].cards, 8);
    // Fewer mulligans than allowed, and more than allowed.
    question.mulligans = Some(1);
    assert_eq!(draw_odds(&list, &pool, &question).unwrap().mulligans.len(), 2);
    question.mulligans = Some(9);
    assert_eq!(draw_odds(&list, &pool, &question).unwrap().mulligans.len(), 3);
}

#[test]
fn what_the_rules_do_not_say_is_not_answered() {
    let list = deck([(4, "A"), (36, "B")]);
    let question = DrawQuestion::new(DrawTarget::named("A"));
    let error = draw_odds(&list, &shipped("emojito"), &question).unwrap_err();
    assert_eq!(error, OddsError::NotSaid { key: "hand_size" });
    let asked = DrawQuestion { hand_size: Some(5), ..question.clone() };
    let odds = draw_odds(&list, &shipped("emojito"), &asked).unwrap();
    assert_eq!((odds.opening_hand.cards, odds.mulligans.len(), odds.turns), (5, 0, None));
    // U-3.3: seven cards, and no draw by turn.
    let odds = draw_odds(&list, &shipped("uno-emoji"), &question).unwrap();
    assert_eq!((odds.opening_hand.cards, odds.mulligans.len(), odds.turns), (7, 0, None));
    let attic = DrawQuestion { zone: "attic".to_owned(), ..question };
    let error = draw_odds(&list, &shipped("ttcg"), &attic).unwrap_err();
    assert_eq!(error, OddsError::UnknownZone { zone: "attic".to_owned() });
}

#[test]
fn hands_are_no_larger_than_the_zone() {
    let pool = fish(
        &pond(
            "[play]\nhand_size = 7\ndraws_per_turn = 1\nmulligan = { type = \"redraw\", times = 1, put_back = 2 }",
        ),
        [],
    );
    let question = DrawQuestion { further_draws: 9, ..DrawQuestion::new(DrawTarget::named("A")) };
    let odds = draw_odds(&deck([(1, "A"), (4, "B")]), &pool, &question).unwrap();
    assert_eq!((odds.opening_hand.cards, odds.after_draws.cards), (5, 5));
    assert_eq!((odds.mulligans[1].drawn, odds.mulligans[1].kept), (5, 3));
    assert_eq!(odds.turns.unwrap().turns.len(), 1);
    let empty = draw_odds(&deck([]), &pool, &question).unwrap();
    assert_eq!((fraction(&empty.opening_hand), empty.turns.unwrap().expected_turn), ((0, 1), None));
}

#[test]
fn the_largest_deck_is_answered_at_once() {
    let pool = shipped("ttcg");
    let entries = (0..500).map(|at| DeckEntry::main(10_000, format!("Card {at}")));
    let list = cardscape_engine::Deck { entries: entries.collect() };
    let question = DrawQuestion {
        wanted: MatchCount::at_least(20),
        further_draws: 9_000,
        ..DrawQuestion::new(DrawTarget::named("Card 7"))
    };
    let odds = draw_odds(&list, &pool, &question).unwrap();
    assert_eq!(counted(odds.population), (5_000_000, 10_000, 0));
    assert!((odds.after_draws.mean - 18.014).abs() < 1e-12);
    let counts = &odds.after_draws.counts;
    assert_eq!((counts.len(), counts[0].count, counts[60].count), (61, 0, 60));
    let listed: f64 = counts.iter().map(|one| one.chance.value).sum();
    assert!((listed - 1.0).abs() < 1e-9, "{listed}");
    let expected = odds.turns.unwrap().expected_turn.unwrap();
    // The place of the 20th match, minus 7: no hand has so many matches.
    assert!((expected - (20.0 * 5_000_001.0 / 10_001.0 - 7.0)).abs() < 1e-6, "{expected}");
    let hostile = DrawQuestion { hand_size: Some(u32::MAX), ..question };
    let error = draw_odds(&list, &pool, &hostile).unwrap_err();
    assert_eq!(error, OddsError::TooLarge { what: "draws", max: 10_000, actual: 5_000_000 });
}

#[test]
fn the_answer_as_json() {
    let pool = fish(
        &pond(
            "[play]\nhand_size = 1\ndraws_per_turn = 1\nmulligan = { type = \"redraw\", times = 1 }",
        ),
        [],
    );
    let question = DrawQuestion::new(DrawTarget::named("A"));
    let odds: DrawOdds = draw_odds(&deck([(1, "A"), (1, "B")]), &pool, &question).unwrap();
    let chance = |value: f64, numerator: &str, denominator: &str| json!({ "value": value, "fraction": { "numerator": numerator, "denominator": denominator } });
    let half = chance(0.5, "1", "2");
    let hand = json!({
        "cards": 1, "wanted": half, "mean": 0.5,
        "counts": [{ "count": 0, "chance": half }, { "count": 1, "chance": half }],
    });
    assert_eq!(
        json!(odds),
        json!({
            "population": { "cards": 2, "matching": 1, "uncertain": 0 },
            "wanted": { "min": 1 },
            "opening_hand": hand,
            "after_draws": hand,
            "mulligans": [
                { "mulligans": 0, "drawn": 1, "kept": 1, "this_hand": half, "by_now": half },
                { "mulligans": 1, "drawn": 1, "kept": 1, "this_hand": half, "by_now": chance(0.75, "3", "4") },
            ],
            "turns": {
                "matches": 1, "draws_per_turn": 1, "draws_on_first_turn": true, "expected_turn": 0.5,
                "turns": [
                    { "turn": 0, "cards": 1, "on": 0.5, "by": half },
                    { "turn": 1, "cards": 2, "on": 0.5, "by": chance(1.0, "1", "1") },
                ],
            },
        })
    );
}
