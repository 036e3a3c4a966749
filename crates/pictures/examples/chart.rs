//! Draws a chart of a deck as SVG or PNG, by the extension of the last path. `WHAT` is an attribute of the game, or
//! `kind`, `set` or `rarity`:
//!
//! ```text
//! cargo run -p cardscape-pictures --example chart -- GAME_FOLDER DECK.txt curve|shares WHAT light|dark WIDTH FILE.svg|FILE.png
//! ```
#![allow(missing_docs, reason = "an example")]

use std::error::Error;
use std::fs::{read_dir, read_to_string, write};
use std::path::Path;

use cardscape_engine::{
    Catalogue, Distribution, Game, PoolCard, SetDefinition, ZoneStatistics, deck_statistics,
    parse_deck_text,
};
use cardscape_pictures::{
    Chart, ChartOptions, ChartTheme, ChartWidth, CurveChart, Fonts, SharesChart,
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, deck, form, what, theme, width, to] = &arguments[..] else {
        return Err(
            "usage: chart GAME_FOLDER DECK.txt curve|shares WHAT light|dark WIDTH FILE.svg|FILE.png"
                .into(),
        );
    };
    let theme = if theme == "dark" { ChartTheme::Dark } else { ChartTheme::Light };
    let width = ChartWidth::new(width.parse()?).ok_or("a width from 320 to 1200")?;
    let options = ChartOptions { width, theme };

    let folder = Path::new(folder);
    let game = Game::from_toml(&read_to_string(folder.join("game.toml"))?)?;
    let catalogue = catalogue(&game, &folder.join("sets"))?;
    let statistics = deck_statistics(&parse_deck_text(&read_to_string(deck)?).deck, &catalogue);
    let zone = statistics.zones.first().ok_or("a game without zones")?;
    let distribution = distribution(zone, what).ok_or("no such attribute")?;

    let chart = if form == "curve" {
        Chart::curve(&CurveChart::from_distribution("Curve", &**what, distribution), options)
    } else {
        let name = |code: &str| Some(game.kind(code)?.name.clone());
        Chart::shares(&SharesChart::from_distribution(&**what, distribution, name), options)
    };
    let is_svg = Path::new(to).extension().is_some_and(|extension| extension == "svg");
    write(to, if is_svg { chart.svg().into_bytes() } else { chart.png(&Fonts::bundled())? })?;
    Ok(())
}

/// All cards of a folder of sets.
fn catalogue(game: &Game, folder: &Path) -> Result<Catalogue, Box<dyn Error>> {
    let mut cards = Catalogue::builder(game);
    for file in read_dir(folder)? {
        let set: SetDefinition = serde_json::from_str(&read_to_string(file?.path())?)?;
        cards = cards.extend(set.cards.into_iter().map(|definition| {
            let key = format!("{}/{}", set.code, definition.number);
            PoolCard { key, set: set.code.clone(), released_on: None, definition }
        }));
    }
    Ok(cards.build())
}

fn distribution<'a>(zone: &'a ZoneStatistics, what: &str) -> Option<&'a Distribution> {
    match what {
        "kind" => Some(&zone.kinds),
        "set" => Some(&zone.sets),
        "rarity" => Some(&zone.rarities),
        _ => zone.attributes.get(what),
    }
}
