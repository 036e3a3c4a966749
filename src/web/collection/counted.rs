//! The confirmation of a change of a count, and the form that undoes it.

use uuid::Uuid;

use super::words as collection_words;
use crate::app::collection::counts::CollectionEntryResponse;
use crate::app::problem_cause::CountedPrinting;
use crate::web::copies::{CardCell, Games};
use crate::web::forms::new_key;
use crate::web::words;

/// A count that was changed.
pub(super) struct Counted {
    pub(super) text: String,
    /// `None`: there is nothing to undo.
    pub(super) undo: Option<Undo>,
}

/// The form that undoes a change. It adds the difference, so that other changes in the meantime stay.
pub(super) struct Undo {
    pub(super) printing: Uuid,
    pub(super) card: Uuid,
    pub(super) condition: &'static str,
    pub(super) add: i32,
    pub(super) key: String,
    pub(super) label: String,
}

/// Card, place and condition of an entry, for labels that must differ between entries.
pub(super) fn entry_label(games: &Games, entry: &CollectionEntryResponse) -> String {
    let card = CardCell::of_line(games, &entry.card, entry.rarity.as_deref());
    let condition = collection_words::condition(entry.condition);
    words::printing_at(&card.name_and_place(), &condition)
}

/// Card, place and condition of a printing that is not read as an entry.
pub(super) fn printing_label(games: &Games, printing: &CountedPrinting) -> String {
    let CountedPrinting { game, set, number, name, rarity, condition } = printing;
    let place = words::place(set, number);
    let place = match rarity {
        Some(rarity) => words::printing_at(&place, &games.rarity(game, rarity)),
        None => place,
    };
    let name = words::printing_at(name.as_deref().unwrap_or(words::HIDDEN_CARD), &place);
    words::printing_at(&name, &collection_words::condition(condition.as_str()))
}

impl Counted {
    /// The same form was sent before, and this request changed nothing. `entry`: the present entry; `None`: there is no copy left.
    pub(super) fn earlier(
        games: &Games,
        entry: Option<&CollectionEntryResponse>,
        quantity: i32,
    ) -> Self {
        let name = entry.map(|entry| entry_label(games, entry));
        Self { text: collection_words::counted_before(name.as_deref(), quantity), undo: None }
    }

    /// `entry`: the entry after the change, or before it if no copy is left; `before` and `after`: the counts.
    pub(super) fn new(
        games: &Games,
        entry: &CollectionEntryResponse,
        before: i32,
        after: i32,
    ) -> Self {
        let name = entry_label(games, entry);
        if before == after {
            let text = format!("{name}: {}", collection_words::ALREADY_SO);
            return Self { text, undo: None };
        }
        Self {
            text: collection_words::changed(&name, before, after),
            undo: Some(Undo {
                printing: entry.printing,
                card: entry.card.id,
                condition: entry.condition,
                add: before - after,
                key: new_key(),
                label: collection_words::undo(&name),
            }),
        }
    }
}
