//! Names of formats, and choices of formats.

use cardscape_engine::{DeckDialect, Game};

use super::words as deck_words;
use crate::app::decks::deck_formats::{self, GameFormats, NamedFormat};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::web::forms::Choice;

/// The formats of a game, to choose from.
pub(super) struct FormatGroup {
    pub(super) game: String,
    pub(super) formats: Vec<Choice>,
}

/// All formats that exist today; `chosen` is selected. A chosen format that no longer exists is added to the formats of its game, because a form must not
/// change it by itself.
pub(super) async fn choices(app: &AppState, chosen: &str) -> Result<Vec<FormatGroup>, Problem> {
    let groups = deck_formats::list(app).await?.into_iter();
    Ok(groups.map(|game| group(game, chosen)).collect())
}

/// The choices for a stored deck: its format stays selected, even if its game has no format today.
pub(super) async fn choices_of_deck(
    app: &AppState,
    chosen: &str,
) -> Result<Vec<FormatGroup>, Problem> {
    let mut groups = choices(app, chosen).await?;
    let is_there = groups.iter().flat_map(|group| &group.formats).any(|format| format.is_chosen);
    if !is_there && let Some((game, _)) = chosen.split_once('/') {
        let (value, name) = (chosen.to_owned(), chosen.to_owned());
        let formats = vec![Choice { value, name, is_chosen: true }];
        groups.insert(0, FormatGroup { game: game.to_owned(), formats });
    }
    Ok(groups)
}

/// All dialects of deck lists; `chosen` is selected.
pub(super) fn dialects(chosen: &str) -> Vec<Choice> {
    let choice = |code: &str| Choice {
        value: code.to_owned(),
        name: deck_words::dialect(code),
        is_chosen: code == chosen,
    };
    DeckDialect::ALL.map(DeckDialect::code).into_iter().map(choice).collect()
}

fn group(GameFormats { game, name, formats }: GameFormats, chosen: &str) -> FormatGroup {
    let is_of_game = chosen.split_once('/').is_some_and(|(of, _)| of == game);
    let choice = |format: NamedFormat| Choice {
        is_chosen: format.format == chosen,
        name: deck_words::format_name(&format.name, format.variant.as_deref()),
        value: format.format,
    };
    let mut formats: Vec<Choice> = formats.into_iter().map(choice).collect();
    if is_of_game && !formats.iter().any(|format| format.is_chosen) {
        let (value, name) = (chosen.to_owned(), chosen.to_owned());
        formats.push(Choice { value, name, is_chosen: true });
    }
    FormatGroup { game: name, formats }
}

/// The name of a format: `game/format`, or `game/format:variant`. A format that no longer exists is shown by its code.
pub(super) fn format_name(game: &Game, format: &str) -> String {
    let local = format.split_once('/').map_or(format, |(_, local)| local);
    let (code, variant) =
        local.split_once(':').map_or((local, None), |(code, variant)| (code, Some(variant)));
    let Some(found) = game.format(code) else { return format.to_owned() };
    let variant = variant.map(|code| {
        let named = found.variants.iter().find(|variant| *variant.code == *code);
        named.map_or(code, |variant| &variant.name)
    });
    deck_words::format_name(&found.name, variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deleted_format_stays_chosen() {
        let formats = || GameFormats {
            game: "pond".to_owned(),
            name: "Pond".to_owned(),
            formats: vec![NamedFormat {
                format: "pond/open".to_owned(),
                name: "Open".to_owned(),
                variant: Some("Deep".to_owned()),
            }],
        };
        let listed = |chosen: &str| -> Vec<(String, bool)> {
            let formats = group(formats(), chosen).formats.into_iter();
            formats.map(|format| (format.name, format.is_chosen)).collect()
        };
        let open = |is_chosen| ("Open: Deep".to_owned(), is_chosen);
        assert_eq!(listed(""), [open(false)]);
        assert_eq!(listed("pond/open"), [open(true)]);
        assert_eq!(listed("pond/gone"), [open(false), ("pond/gone".to_owned(), true)]);
        assert_eq!(listed("lake/gone"), [open(false)]);
    }
}
