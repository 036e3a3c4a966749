//! Cards on these pages: with their picture if the reader may see it, otherwise with the card back.

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
    /// The name; a hidden card has a placeholder.
    pub(in crate::web) name: String,
    /// The place in its set, and the rarity.
    pub(in crate::web) place: String,
    /// Whether the card is hidden for the reader.
    pub(in crate::web) is_hidden: bool,
    /// Whether the reader may see the card although it is hidden for others.
    pub(in crate::web) is_secret: bool,
}

/// The values from which a cell is built.
struct CellCard<'a> {
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
        Self::new(games, &CellCard { id: *id, game, set, number, name, hidden: *hidden }, rarity)
    }

    /// A card of a list.
    pub(in crate::web) fn of_line(
        games: &Games,
        card: &CardLineResponse,
        rarity: Option<&str>,
    ) -> Self {
        let CardLineResponse { id, game, set, number, name, hidden, .. } = card;
        let name = name.as_deref();
        Self::new(games, &CellCard { id: *id, game, set, number, name, hidden: *hidden }, rarity)
    }

    fn new(games: &Games, card: &CellCard<'_>, rarity: Option<&str>) -> Self {
        let place = words::place(card.set, card.number);
        let (name, picture) = match card.name {
            Some(name) => (name.to_owned(), picture_path(card.id, rarity.unwrap_or_default())),
            None => (words::HIDDEN_CARD.to_owned(), Assets::of_this_version().back.clone()),
        };
        Self {
            path: card_path(card.game, card.set, card.number),
            picture,
            name,
            place: match rarity {
                Some(code) => words::printing_at(&place, &games.rarity(card.game, code)),
                None => place,
            },
            is_hidden: card.name.is_none(),
            is_secret: card.hidden && card.name.is_some(),
        }
    }

    /// Name and place, for labels that must differ between cards.
    pub(in crate::web) fn name_and_place(&self) -> String {
        words::printing_at(&self.name, &self.place)
    }
}
