//! The results of a search: as pictures, as a list, or as the text of each card.

use std::collections::BTreeMap;

use cardscape_engine::Game;

use super::answers::Card;
use super::card_text::CardText;
use super::tiles::Tile;
use super::values::kind_name;
use crate::web::words;

/// The forms of the results: value in the address, and label of the link. The first is the default.
pub(super) const FORMS: [(&str, &str); 3] =
    [("", words::AS_GRID), (LIST, words::AS_LIST), (TEXT, words::AS_TEXT)];

const LIST: &str = "list";
const TEXT: &str = "text";

/// Whether this is the name of a form.
pub(super) fn is_form(form: &str) -> bool {
    FORMS.iter().any(|(known, _)| *known == form)
}

/// The results of a search in one of the forms.
pub(super) enum Results {
    Nothing,
    Tiles(Vec<Tile>),
    Rows(Vec<Row>),
    Texts(Vec<Entry>),
}

/// A card in a list.
pub(super) struct Row {
    pub(super) tile: Tile,
    pub(super) game: String,
    pub(super) kind: String,
}

/// A card with its text.
pub(super) struct Entry {
    pub(super) tile: Tile,
    /// `None`: the card is hidden.
    pub(super) text: Option<CardText>,
}

impl Results {
    /// Builds the results in a form.
    pub(super) fn of(form: &str, games: &[&Game], cards: &[Card]) -> Self {
        if cards.is_empty() {
            return Self::Nothing;
        }
        let games: BTreeMap<&str, &Game> = games.iter().map(|game| (game.code(), *game)).collect();
        let with_game = cards.iter().map(|card| (card, games.get(card.game.as_str()).copied()));
        match form {
            LIST => Self::Rows(with_game.map(|(card, game)| Row::new(card, game)).collect()),
            TEXT => Self::Texts(with_game.map(|(card, game)| Entry::new(card, game)).collect()),
            _ => Self::Tiles(with_game.map(|(card, game)| Tile::in_game(card, game)).collect()),
        }
    }
}

impl Row {
    fn new(card: &Card, game: Option<&Game>) -> Self {
        let kind = card.kind.as_deref().map(|code| match game {
            Some(game) => kind_name(game, code),
            None => words::titled(code),
        });
        Self {
            tile: Tile::in_game(card, game),
            game: game.map_or_else(|| card.game.clone(), |game| game.name().to_owned()),
            kind: kind.unwrap_or_else(|| words::NOTHING.to_owned()),
        }
    }
}

impl Entry {
    fn new(card: &Card, game: Option<&Game>) -> Self {
        let tile = Tile::in_game(card, game);
        let text = card.name.is_some().then(|| {
            let own = card.printing.as_ref().map(|printing| &printing.attributes);
            CardText::new(game, card, tile.place.clone(), own)
        });
        Self { tile, text }
    }
}
