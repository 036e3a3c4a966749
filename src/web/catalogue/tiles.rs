//! Cards in grids: a picture with a name, or the card back with the progress of a hidden card.

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
    /// The name; a hidden card has a placeholder.
    pub(in crate::web) name: String,
    /// The place of the card in its set.
    pub(in crate::web) place: String,
    /// The progress of a hidden card; `None`: the card is not hidden.
    pub(in crate::web) progress: Option<Progress>,
}

/// The progress of a hidden card.
#[derive(Debug)]
pub(in crate::web) struct Progress {
    pub(in crate::web) value: i32,
    pub(in crate::web) most: i32,
    pub(in crate::web) text: String,
}

impl Progress {
    /// The progress of a card, if it is hidden.
    pub(super) fn of(card: &Card) -> Option<Self> {
        let unlock = card.unlock.filter(|_| card.hidden)?;
        Some(Self::new(unlock.submissions, unlock.threshold))
    }

    /// The progress of a hidden card with this number of submissions, of which it needs `threshold`.
    pub(in crate::web) fn new(submissions: i32, threshold: i32) -> Self {
        let text = words::submissions(submissions, threshold);
        if submissions < threshold {
            return Self { value: submissions, most: threshold, text };
        }
        // The policy asks for more, such as copies in further rarities: at least one further copy, so the bar is not full.
        Self {
            value: submissions,
            most: submissions.saturating_add(1),
            text: words::more_than_number(&text),
        }
    }
}

impl Tile {
    /// The tile of a card. All hidden cards have the same picture, so browsers load it once.
    pub(super) fn of(card: &Card) -> Self {
        Self::in_game(card, None)
    }

    /// The tile of a card, with the name that the game gives to the rarity of the printing.
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
