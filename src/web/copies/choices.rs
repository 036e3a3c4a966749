//! Fields that several forms share: games to choose from, and the words that name a card.

use std::collections::BTreeMap;

use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::web::forms::{Choice, Fields};
use crate::web::words;

/// The names of games and of their rarities, by code.
pub(in crate::web) struct Games(BTreeMap<String, NamedGame>);

struct NamedGame {
    name: String,
    rarities: BTreeMap<String, String>,
}

impl Games {
    pub(in crate::web) async fn read(app: &AppState) -> Result<Self, Problem> {
        let games = app.all_games().await?;
        let named = games.iter().map(|loaded| {
            let game = &loaded.game;
            let rarities = game.rarities().iter();
            let rarities = rarities.map(|rarity| (rarity.code.clone(), rarity.name.clone()));
            let named = NamedGame { name: game.name().to_owned(), rarities: rarities.collect() };
            (game.code().to_owned(), named)
        });
        Ok(Self(named.collect()))
    }

    /// The name of a game.
    pub(in crate::web) fn name(&self, code: &str) -> String {
        self.0.get(code).map_or_else(|| words::titled(code), |game| game.name.clone())
    }

    /// The name that a game has for a rarity.
    pub(in crate::web) fn rarity(&self, game: &str, code: &str) -> String {
        let named = self.0.get(game).and_then(|game| game.rarities.get(code));
        named.cloned().unwrap_or_else(|| words::titled(code))
    }

    /// All games to choose from.
    pub(in crate::web) fn choices(&self, chosen: &str) -> Vec<Choice> {
        self.0.iter().map(|(code, game)| Choice::new(code, &game.name, chosen)).collect()
    }

    /// The code of the first game.
    pub(in crate::web) fn first(&self) -> Option<&str> {
        self.0.keys().next().map(String::as_str)
    }
}

/// The words that name a card, and perhaps one of its printings, in a form.
#[derive(Debug, Default)]
pub(in crate::web) struct TypedCard {
    pub(in crate::web) game: String,
    pub(in crate::web) name: String,
    pub(in crate::web) set: String,
    pub(in crate::web) number: String,
    pub(in crate::web) rarity: String,
}

impl TypedCard {
    pub(in crate::web) fn read(fields: &Fields) -> Self {
        let field = |name| fields.one(name).trim().to_owned();
        Self {
            game: field("card_game"),
            name: field("card_name"),
            set: field("card_set"),
            number: field("card_number"),
            rarity: field("card_rarity"),
        }
    }

    /// The text of a field; `None`: the field is empty.
    pub(in crate::web) fn non_empty(text: &str) -> Option<String> {
        Some(text.to_owned()).filter(|text| !text.is_empty())
    }
}
