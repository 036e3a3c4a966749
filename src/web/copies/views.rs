//! Cards as these pages show them: with their picture where the reader may see it, else their back.

use uuid::Uuid;

use super::choices::Games;
use crate::app::collection::counts::CardLineResponse;
use crate::app::copies::own_copies::CopyCard;
use crate::web::assets::Assets;
use crate::web::catalogue::card_path;
use crate::web::serials::picture_path;
use crate::web::words;

/// A card, perhaps in one rarity.
pub(in crate::web) struct CardCell {
    pub(in crate::web) path: String,
    pub(in crate::web) picture: String,
    /// The name, or what a hidden card is called.
    pub(in crate::web) name: String,
    /// Where it is in its set, and in which rarity.
    pub(in crate::web) place: String,
    /// Whether the reader may not see what the card is.
    pub(in crate::web) is_hidden: bool,
    /// Whether the reader sees it, and others do not.
    pub(in crate::web) is_secret: bool,
}

/// What is said of a card.
struct Told<'a> {
    id: Uuid,
    game: &'a str,
    set: &'a str,
    number: &'a str,
    name: Option<&'a str>,
    hidden: bool,
}

impl CardCell {
    /// The card of a copy.
    pub(in crate::web) fn of_copy(games: &Games, card: &CopyCard, rarity: Option<&str>) -> Self {
        let CopyCard { id, game, set, number, name, hidden, .. } = card;
        let name = name.as_deref();
        Self::new(games, &Told { id: *id, game, set, number, name, hidden: *hidden }, rarity)
    }

    /// A card of a list.
    pub(in crate::web) fn of_line(
        games: &Games,
        card: &CardLineResponse,
        rarity: Option<&str>,
    ) -> Self {
        let CardLineResponse { id, game, set, number, name, hidden, .. } = card;
        let name = name.as_deref();
        Self::new(games, &Told { id: *id, game, set, number, name, hidden: *hidden }, rarity)
    }

    fn new(games: &Games, told: &Told<'_>, rarity: Option<&str>) -> Self {
        let place = words::place(told.set, told.number);
        let (name, picture) = match told.name {
            Some(name) => (name.to_owned(), picture_path(told.id, rarity.unwrap_or_default())),
            None => (words::HIDDEN_CARD.to_owned(), Assets::of_this_version().back.clone()),
        };
        Self {
            path: card_path(told.game, told.set, told.number),
            picture,
            name,
            place: match rarity {
                Some(code) => words::printing_at(&place, &games.rarity(told.game, code)),
                None => place,
            },
            is_hidden: told.name.is_none(),
            is_secret: told.hidden && told.name.is_some(),
        }
    }

    /// Name and place, where one card is told from another.
    pub(in crate::web) fn whole(&self) -> String {
        words::printing_at(&self.name, &self.place)
    }
}
