//! Draws a card from a game folder as SVG or PNG, by the extension of the last path:
//!
//! ```text
//! cargo run --release -p cardscape-pictures --example draw -- seed-data/games/ttcg hearth 001 primal_rare tortoise.png [EMOJI_FONT]
//! ```
#![allow(missing_docs, reason = "an example")]

use std::error::Error;
use std::path::Path;

use cardscape_engine::{Game, SetDefinition};
use cardscape_pictures::{CardFace, Fonts, Picture};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, set, number, rarity, to, emoji @ ..] = &arguments[..] else {
        return Err(
            "usage: draw GAME_FOLDER SET NUMBER RARITY FILE.svg|FILE.png [EMOJI_FONT]".into()
        );
    };
    let folder = Path::new(folder);
    let game = Game::from_toml(&std::fs::read_to_string(folder.join("game.toml"))?)?;
    let cards = std::fs::read_to_string(folder.join("sets").join(format!("{set}.json")))?;
    let cards: SetDefinition = serde_json::from_str(&cards)?;
    let card = cards.cards.iter().find(|card| card.number == *number).ok_or("no such card")?;

    let face = CardFace::from_definition(&game, card, &cards.code, Some(rarity));
    let picture = Picture::card(&face);
    let is_svg = Path::new(to).extension().is_some_and(|extension| extension == "svg");
    let drawn = if is_svg {
        picture.svg().into_bytes()
    } else {
        let mut fonts = Fonts::bundled();
        if let [emoji, ..] = emoji {
            fonts = fonts.with_emoji(std::fs::read(emoji)?)?;
        }
        picture.png(&fonts)?
    };
    std::fs::write(to, drawn)?;
    Ok(())
}
