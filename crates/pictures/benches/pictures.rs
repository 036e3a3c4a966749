//! Measures the drawing of pictures. Goals on one core: 1 ms for an SVG, 60 ms for a PNG.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

use cardscape_engine::{CardDefinition, Game, SetDefinition};
use cardscape_pictures::{CardFace, Finish, Fonts, Picture};
use divan::Bencher;

const GAME: &str = include_str!("../../../seed-data/games/ttcg/game.toml");
const CARDS: &str = include_str!("../../../seed-data/games/ttcg/sets/hearth.json");

fn main() {
    divan::main();
}

fn card() -> (Game, CardDefinition) {
    let set: SetDefinition = serde_json::from_str(CARDS).unwrap();
    (Game::from_toml(GAME).unwrap(), set.cards[0].clone())
}

/// All steps from the card's definition to the SVG text.
#[divan::bench(args = ["common", "primal_rare"])]
fn svg(bencher: Bencher, rarity: &str) {
    let (game, card) = card();
    bencher.bench(|| {
        let face = CardFace::from_definition(&game, &card, "hearth", Some(rarity));
        Picture::card(&face).svg()
    });
}

/// Texts that do not fit in any font size and are cut.
#[divan::bench]
fn svg_of_long_texts(bencher: Bencher) {
    let (game, mut card) = card();
    for effect in &mut card.effects {
        effect.text = "Draw two cards, then discard one card for each of them. ".repeat(35);
    }
    card.lore = Some("It set out in spring. ".repeat(90));
    let face = CardFace::from_definition(&game, &card, "hearth", None);
    bencher.bench(|| Picture::card(&face).svg());
}

#[divan::bench(args = ["common", "primal_rare"], sample_count = 20)]
fn png(bencher: Bencher, rarity: &str) {
    let (game, card) = card();
    let face = CardFace::from_definition(&game, &card, "hearth", Some(rarity));
    let (picture, fonts) = (Picture::card(&face), Fonts::bundled());
    bencher.bench(|| picture.png(&fonts).unwrap());
}

/// Little text leaves room for the largest artwork, which takes most of the time.
#[divan::bench(args = [1, 6], sample_count = 20)]
fn png_of_a_large_artwork(bencher: Bencher, tier: u32) {
    let emoji = include_bytes!("../tests/fixtures/emoji.ttf").to_vec();
    let fonts = Fonts::bundled().with_emoji(emoji).unwrap();
    let face = CardFace {
        title: "Falling Piano 🎹".into(),
        type_line: "Emoji — Objects".into(),
        glyph: Some("🎹".into()),
        tiers: 6,
        finish: Finish::of_tier(tier),
        ..CardFace::default()
    };
    let picture = Picture::card(&face);
    bencher.bench(|| picture.png(&fonts).unwrap());
}

#[divan::bench(sample_count = 20)]
fn png_of_a_hidden_card(bencher: Bencher) {
    let (picture, fonts) = (Picture::back(), Fonts::bundled());
    bencher.bench(|| picture.png(&fonts).unwrap());
}

#[divan::bench(sample_count = 20)]
fn fonts() -> Fonts {
    Fonts::bundled()
}
