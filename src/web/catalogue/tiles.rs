//! Cards in grids: a picture with a name, or the back with how far the card is.

use cardscape_engine::Game;

use super::answers::Card;
use super::values::rarity_name;
use crate::web::assets::Assets;
use crate::web::words;

/// A card in a grid.
#[derive(Debug)]
pub(in crate::web) struct Tile {
    pub(in crate::web) path: String,
    pub(in crate::web) picture: String,
    /// The name, or what the card is called while it has none to show.
    pub(in crate::web) name: String,
    /// Where it is in its set.
    pub(in crate::web) place: String,
    /// How far it is; `None`: it is open.
    pub(in crate::web) progress: Option<Progress>,
}

/// How far a hidden card is.
#[derive(Debug)]
pub(in crate::web) struct Progress {
    pub(in crate::web) value: i32,
    pub(in crate::web) most: i32,
    pub(in crate::web) text: String,
}

impl Progress {
    /// That of a card, while it is hidden.
    pub(super) fn of(card: &Card) -> Option<Self> {
        let unlock = card.unlock.filter(|_| card.hidden)?;
        Some(Self::new(unlock.submissions, unlock.threshold))
    }

    /// So many submissions of as many as unlock the card.
    pub(in crate::web) fn new(submissions: i32, threshold: i32) -> Self {
        let text = words::submissions(submissions, threshold);
        Self { value: submissions, most: threshold, text }
    }
}

impl Tile {
    /// The tile of a card. All hidden cards have one picture, which is loaded once.
    pub(super) fn of(card: &Card) -> Self {
        Self::in_game(card, None)
    }

    /// The same with the name that the game has for the rarity of a printing.
    pub(super) fn in_game(card: &Card, game: Option<&Game>) -> Self {
        let mut place = words::place(&card.set, &card.number);
        let mut images = &card.image_uris;
        if let Some(printing) = &card.printing {
            let rarity = match game {
                Some(game) => rarity_name(game, &printing.rarity),
                None => words::titled(&printing.rarity),
            };
            place = words::printing_at(&place, &rarity);
            images = &printing.image_uris;
        }
        let (name, picture) = match &card.name {
            Some(name) => (name.clone(), images.svg.clone()),
            None => (words::HIDDEN_CARD.to_owned(), Assets::of_this_version().back.clone()),
        };
        Self { path: card.path(), picture, name, place, progress: Progress::of(card) }
    }
}
