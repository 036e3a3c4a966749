//! The formats that an author can choose for a deck.

use crate::app::problem::Problem;
use crate::app::state::AppState;

/// A game with its formats of today.
#[derive(Debug)]
pub struct GameFormats {
    /// The code of the game.
    pub game: String,
    /// The name of the game.
    pub name: String,
    /// The formats of the game; a format with variants is followed by each of its variants.
    pub formats: Vec<NamedFormat>,
}

/// A format, or a variant of one.
#[derive(Debug)]
pub struct NamedFormat {
    /// `game/format`, or `game/format:variant`.
    pub format: String,
    /// The name of the format.
    pub name: String,
    /// The name of the variant; `None`: the format itself, which means its default variant if it has variants.
    pub variant: Option<String>,
}

/// All formats of all games today. Games without a format are left out.
pub async fn list(app: &AppState) -> Result<Vec<GameFormats>, Problem> {
    let (games, today) = (app.all_games().await?, app.today()?);
    let games = games.iter().map(|loaded| {
        let game = &loaded.game;
        let today = game.formats().iter().filter_map(|format| game.format_on(&format.code, today));
        let formats = today.flat_map(|format| {
            let code = format!("{}/{}", game.code(), format.code);
            let variants = format.variants.iter().map(|variant| NamedFormat {
                format: format!("{code}:{}", variant.code),
                name: format.name.clone(),
                variant: Some(variant.name.clone()),
            });
            let variants: Vec<NamedFormat> = variants.collect();
            let own = NamedFormat { format: code, name: format.name.clone(), variant: None };
            std::iter::once(own).chain(variants)
        });
        let (code, name) = (game.code().to_owned(), game.name().to_owned());
        GameFormats { game: code, name, formats: formats.collect() }
    });
    Ok(games.filter(|game| !game.formats.is_empty()).collect())
}
