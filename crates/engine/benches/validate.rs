//! How many decks per second one core judges: `cargo bench -p cardscape-engine`.
//!
//! After the table come ratios, which depend less on other load of the machine than times do: the cost must grow with the entries of a deck, and not
//! with the cards of the catalogue.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use cardscape_engine::{
    CardDefinition, CardReference, Catalogue, Deck, DeckDialect, DeckEntry, DeckReading, DeckText,
    Game, MentionDepth, PoolCard, PreparedCard, Report, card_faults, count_entries,
    parse_deck_text, read_deck, recognise_deck_text, validate, write_deck,
};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use serde_json::json;

const SIZES: [usize; 3] = [200, 2_000, 20_000];
const ENTRIES: [usize; 5] = [10, 20, 40, 80, 160];

fn main() {
    divan::main();
    if std::env::args().any(|argument| argument == "--bench") {
        ratios();
    }
}

fn game() -> Game {
    Game::from_toml(include_str!("../../../seed-data/games/ttcg/game.toml")).unwrap()
}

/// A pool of `size` units. Any 40 consecutive units have one of each type and rank.
fn pool(game: &Game, size: usize) -> Catalogue {
    let cards = (0..size).map(|at| PoolCard {
        key: at.to_string(),
        set: "bench".to_owned(),
        released_on: None,
        definition: unit(at),
    });
    Catalogue::builder(game).extend(cards).build()
}

fn unit(at: usize) -> CardDefinition {
    const TYPES: [&str; 8] =
        ["earth", "water", "fire", "air", "electric", "light", "nature", "dark"];
    let unit = json!({
        "number": format!("{at:06}"), "name": name(at), "kind": "unit",
        "attributes": {
            "type": TYPES[at % 8], "subtypes": ["warrior"], "rank": (at / 8) % 5 + 1,
            "attack": 250, "defense": 250,
        },
    });
    serde_json::from_value(unit).unwrap()
}

fn name(at: usize) -> String {
    format!("Watcher of the Gate {at}")
}

/// Two copies of a different card for each entry, spread over the pool. For every rank there is the rank below it.
fn deck(size: usize, entries: usize) -> Deck {
    let rows = size / 40;
    let card = |at: usize| at % 40 + 40 * ((at / 40 + at % 40 * 7919) % rows);
    Deck { entries: (0..entries).map(|at| DeckEntry::main(2, name(card(at)))).collect() }
}

/// 70 cards without violations.
#[divan::bench(args = SIZES)]
fn validate_70_cards(bencher: Bencher, size: usize) {
    let game = game();
    let (catalogue, deck) = (pool(&game, size), deck(size, 35));
    let format = game.format("standard").unwrap();
    assert_eq!(validate(&deck, &catalogue, format).violations, []);
    bencher.counter(ItemsCount::new(1_usize)).bench(|| -> Report {
        validate(black_box(&deck), black_box(&catalogue), black_box(format))
    });
}

/// The same deck in unusual spelling, so that every name must be normalised.
#[divan::bench]
fn validate_70_cards_spelled_otherwise(bencher: Bencher) {
    let game = game();
    let catalogue = pool(&game, 2_000);
    let mut deck = deck(2_000, 35);
    deck.entries.iter_mut().for_each(|entry| entry.card.name.make_ascii_uppercase());
    let format = game.format("standard").unwrap();
    assert_eq!(validate(&deck, &catalogue, format).violations, []);
    bencher.bench(|| validate(black_box(&deck), black_box(&catalogue), black_box(format)));
}

/// Every card three times, and without the lowest rank.
#[divan::bench]
fn validate_70_cards_with_20_violations(bencher: Bencher) {
    let game = game();
    let catalogue = pool(&game, 2_000);
    let mut deck = deck(2_000, 35);
    deck.entries.drain(..8);
    deck.entries.iter_mut().take(16).for_each(|entry| entry.quantity = 3);
    let format = game.format("standard").unwrap();
    assert!(validate(&deck, &catalogue, format).violations.len() >= 20);
    bencher.bench(|| validate(black_box(&deck), black_box(&catalogue), black_box(format)));
}

/// As many entries as a catalogue of 2,000 cards has cards; items are entries.
#[divan::bench(args = ENTRIES)]
fn validate_entries(bencher: Bencher, entries: usize) {
    let game = game();
    let (catalogue, deck) = (pool(&game, 2_000), deck(2_000, entries));
    let format = game.format("standard").unwrap();
    bencher.counter(ItemsCount::new(entries)).bench(|| -> Report {
        validate(black_box(&deck), black_box(&catalogue), black_box(format))
    });
}

/// What the engine does in a live check of a design: it derives the printings of all rarities, and checks the card with them.
#[divan::bench]
fn check_a_design(bencher: Bencher) {
    let game = game();
    let definition = unit(1);
    let check = |definition: &CardDefinition| {
        let mut definition = definition.clone();
        definition.printings = game.derive_printings(&definition);
        card_faults(&game, &definition)
    };
    assert!(!check(&definition).is_empty(), "a unit without effects is not complete");
    bencher.counter(ItemsCount::new(1_usize)).bench(|| check(black_box(&definition)));
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
        let _ = writeln!(text, "1 {} (bench) {at:06} {{common}}", name(at));
    }
    bencher.bench(|| parse_deck_text(black_box(&text)));
}

/// The dialects that write a line for each entry by its name.
const DIALECTS: [DeckDialect; 11] = [
    DeckDialect::Own,
    DeckDialect::Json,
    DeckDialect::Plain,
    DeckDialect::Arena,
    DeckDialect::Mtgo,
    DeckDialect::Moxfield,
    DeckDialect::Archidekt,
    DeckDialect::PtcgLive,
    DeckDialect::PtcgOnline,
    DeckDialect::Forge,
    DeckDialect::Csv,
];

/// 2,000 lines in a dialect.
fn list(dialect: DeckDialect, catalogue: &Catalogue) -> String {
    let entries = (0..2_000).map(|at| {
        let card = CardReference {
            set: Some("bench".to_owned()),
            number: Some(format!("{at:06}")),
            ..CardReference::named(name(at))
        };
        DeckEntry { card, ..DeckEntry::main(2, "") }
    });
    write_deck(&Deck { entries: entries.collect() }, dialect, catalogue, None).text
}

/// Reading lines without looking up their cards.
#[divan::bench(args = DIALECTS)]
fn read_lines(bencher: Bencher, dialect: DeckDialect) {
    let catalogue = pool(&game(), 2_000);
    let text = list(dialect, &catalogue);
    assert_eq!(count_entries(&text, dialect, &catalogue), 2_000);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| count_entries(black_box(&text), dialect, &catalogue));
}

/// Recognising the dialect, reading lines, and finding their cards.
#[divan::bench(args = DIALECTS)]
fn read_and_judge_lines(bencher: Bencher, dialect: DeckDialect) {
    let catalogue = pool(&game(), 2_000);
    let text = list(dialect, &catalogue);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| read_deck(black_box(&text), &DeckReading::new(&catalogue)));
}

/// Lines as people paste them: `2 Name`.
fn plain_list(lines: usize) -> String {
    (0..lines).map(|at| format!("2 {}\n", plain_name(at))).collect()
}

/// A name of usual length, different for each card, and without a digit.
fn plain_name(at: usize) -> String {
    const FRONT: [&str; 8] =
        ["Watcher", "Keeper", "Warden", "Herald", "Reaver", "Oracle", "Sentry", "Wanderer"];
    const BACK: [&str; 10] =
        ["Gate", "Hollow", "Ember", "Tide", "Storm", "Thorn", "Vale", "Spire", "Mire", "Hearth"];
    format!("{} of the {}", FRONT[at % 8], BACK[at / 8 % 10])
}

/// Cards with plain names, as a service has them in memory.
fn prepared(game: &Game, cards: usize) -> Vec<Arc<PreparedCard>> {
    let card = |at: usize| PoolCard {
        key: at.to_string(),
        set: "bench".to_owned(),
        released_on: None,
        definition: CardDefinition { name: plain_name(at), ..unit(at) },
    };
    (0..cards).map(|at| PreparedCard::new(game, card(at)).into()).collect()
}

const PLAIN_LINES: [usize; 2] = [1, 50];

/// Recognising the dialect of a plain list; items are lines.
#[divan::bench(args = PLAIN_LINES)]
fn plain_recognise(bencher: Bencher, lines: usize) {
    let text = plain_list(lines);
    bencher.counter(ItemsCount::new(lines)).bench(|| recognise_deck_text(black_box(&text)));
}

/// Parsing the lines of a plain list, and collecting the names of its cards; items are lines.
#[divan::bench(args = PLAIN_LINES)]
fn plain_mentions(bencher: Bencher, lines: usize) {
    let (game, text) = (game(), plain_list(lines));
    let text = DeckText::new(&text, Some(DeckDialect::Plain));
    bencher
        .counter(ItemsCount::new(lines))
        .bench(|| black_box(&text).mentions(&game, MentionDepth::Literal));
}

/// A catalogue of the cards of one request; items are cards.
#[divan::bench(args = PLAIN_LINES)]
fn plain_catalogue(bencher: Bencher, lines: usize) {
    let game = game();
    let cards = prepared(&game, lines);
    bencher.counter(ItemsCount::new(lines)).bench(|| {
        Catalogue::builder(&game).extend_prepared(black_box(&cards).iter().cloned()).build()
    });
}

/// Parsing the lines of a plain list and finding their cards; items are lines.
#[divan::bench(args = PLAIN_LINES)]
fn plain_resolve(bencher: Bencher, lines: usize) {
    let (game, text) = (game(), plain_list(lines));
    let catalogue = Catalogue::builder(&game).extend_prepared(prepared(&game, lines)).build();
    let text = DeckText::new(&text, Some(DeckDialect::Plain));
    let reading = DeckReading::new(&catalogue);
    assert!(text.read(&reading).is_settled());
    bencher.counter(ItemsCount::new(lines)).bench(|| black_box(&text).read(&reading));
}

/// All that a report on a pasted list needs of the engine, but the report; items are lines.
#[divan::bench(args = PLAIN_LINES)]
fn plain_in_all(bencher: Bencher, lines: usize) {
    let (game, text) = (game(), plain_list(lines));
    let cards = prepared(&game, lines);
    bencher.counter(ItemsCount::new(lines)).bench(|| {
        let text = DeckText::new(black_box(&text), None);
        let lines = text.lines(&game);
        let mentions = lines.mentions(MentionDepth::Literal);
        let cards = black_box(&cards).iter().cloned();
        let catalogue = Catalogue::builder(&game).extend_prepared(cards).build();
        (mentions, lines.read(&DeckReading::new(&catalogue)))
    });
}

#[divan::bench]
fn share_code_of_40_cards(bencher: Bencher) {
    let catalogue = pool(&game(), 2_000);
    let deck = deck(2_000, 20);
    bencher.bench(|| write_deck(black_box(&deck), DeckDialect::ShareCode, &catalogue, None));
}

/// The shortest of many batches, because other load on the machine can only make a batch longer.
fn time_of(deck: &Deck, catalogue: &Catalogue) -> Duration {
    let format = catalogue.game().format("standard").unwrap();
    let batch = || {
        let start = Instant::now();
        for _ in 0..200 {
            black_box(validate(black_box(deck), black_box(catalogue), black_box(format)));
        }
        start.elapsed() / 200
    };
    (0..200).map(|_| batch()).min().unwrap_or_default()
}

fn ratios() {
    let game = game();
    let nanos = |time: Duration| u32::try_from(time.as_nanos()).map_or(f64::NAN, f64::from);
    let pools = SIZES.map(|size| (size, pool(&game, size)));
    let times: Vec<(usize, f64)> =
        pools.iter().map(|(size, pool)| (*size, nanos(time_of(&deck(*size, 35), pool)))).collect();
    println!("\ntime of 70 cards by size of the catalogue (1.00: independent)");
    for (size, time) in &times {
        println!("{size:>7} cards    {time:>7.0} ns    ratio {:.2}", time / times[0].1);
    }
    println!("time by entries of the deck, per entry (1.00: linear)");
    let per_entry = ENTRIES.map(|entries| {
        let time = nanos(time_of(&deck(2_000, entries), &pools[1].1));
        (entries, time, time / f64::from(u32::try_from(entries).unwrap()))
    });
    for (entries, time, each) in per_entry {
        println!(
            "{entries:>7} entries  {time:>7.0} ns    {each:>5.1} ns each    ratio {:.2}",
            each / per_entry[2].2
        );
    }
}
