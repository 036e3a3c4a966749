//! How many decks a second one core judges: `cargo bench -p cardscape-engine`.
#![allow(missing_docs, clippy::unwrap_used)]

use cardscape_engine::{
    CardDefinition, Catalogue, Deck, DeckEntry, Game, PoolCard, Report, parse_deck_text, validate,
};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use serde_json::json;

fn main() {
    divan::main();
}

fn game() -> Game {
    Game::from_toml(include_str!("../../../seed-data/games/ttcg/game.toml")).unwrap()
}

/// A pool of `size` units of all types and ranks.
fn pool(game: &Game, size: usize) -> Catalogue {
    const TYPES: [&str; 8] =
        ["earth", "water", "fire", "air", "electric", "light", "nature", "dark"];
    let cards = (0..size).map(|at| PoolCard {
        key: at.to_string(),
        set: "bench".to_owned(),
        definition: CardDefinition {
            number: format!("{at:06}"),
            name: format!("Watcher of the Gate {at}"),
            kind: "unit".to_owned(),
            attributes: json!({
                "type": TYPES[at % 8], "subtypes": ["warrior"], "rank": (at / 8) % 5 + 1, "attack": 250, "defense": 250,
            })
            .as_object()
            .unwrap()
            .clone(),
            effects: Vec::new(),
            lore: None,
            printings: Vec::new(),
        },
    });
    Catalogue::builder(game).extend(cards).build()
}

/// 70 cards in 35 entries, spread over the pool.
fn deck(size: usize) -> Deck {
    let entries = (0..35)
        .map(|at| DeckEntry::main(2, format!("Watcher of the Gate {}", at * 7919 % size)))
        .collect();
    Deck { entries }
}

#[divan::bench(args = [200, 2_000, 20_000])]
fn validate_70_cards(bencher: Bencher, size: usize) {
    let game = game();
    let (catalogue, deck) = (pool(&game, size), deck(size));
    let format = game.format("standard").unwrap();
    assert!(validate(&deck, &catalogue, format).is_legal());
    bencher.counter(ItemsCount::new(1_usize)).bench(|| -> Report {
        validate(black_box(&deck), black_box(&catalogue), black_box(format))
    });
}

#[divan::bench]
fn suggest_one_name_of_20_000(bencher: Bencher) {
    let game = game();
    let catalogue = pool(&game, 20_000);
    let deck = Deck { entries: vec![DeckEntry::main(2, "Wacher of teh Gate 777")] };
    let report = validate(&deck, &catalogue, game.format("standard").unwrap());
    bencher.bench(|| {
        let mut report = report.clone();
        report.suggest(&catalogue);
        report
    });
}

#[divan::bench]
fn parse_70_lines(bencher: Bencher) {
    use std::fmt::Write as _;
    let mut text = String::new();
    for at in 0..70 {
        let _ = writeln!(text, "1 Watcher of the Gate {at} (bench) {at:06} {{common}}");
    }
    bencher.bench(|| parse_deck_text(black_box(&text)));
}
