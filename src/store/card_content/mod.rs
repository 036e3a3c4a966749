//! The only access to the content of cards, which may be hidden. Only this module names the tables that contain the
//! content: `card_content`, `printing_content`, `card_rulings` and `card_history`; `tests/house.rs` checks this.
//!
//! Every read takes a [`Viewer`], or returns only whether a card has a name that the caller gave.
//!
//! The rule has two forms. `push_visible_content` adds a *source* with only the rows that the viewer may see: anonymous
//! viewers are served from the indexes of open cards alone, and a look-up by name takes the same time whether a hidden
//! card or no card has that name. `push_is_visible` (`push_is_visible_in_bulk` for many rows) adds a *condition* on a
//! row that was found by id, game, set or number, which are public.

pub(super) mod artworks;
pub(super) mod bulk;
pub(super) mod cards;
pub(super) mod catalogue;
pub(super) mod collection;
pub(super) mod completion;
pub(super) mod content;
pub(super) mod facets;
pub(super) mod history;
pub(super) mod identifier;
pub(super) mod lookups;
pub(super) mod name_looks;
pub(super) mod pool;
pub(super) mod rulings;
pub(super) mod search;
pub(super) mod submission;
pub(super) mod suggestions;
pub(super) mod words;

use super::db::statement::Statement;
use crate::auth::permission::Viewer;

/// Selects the cards of which an account (the value that follows) holds a registered copy that is not void.
const HELD_CARDS: &str = "SELECT held_as.card_id FROM copies held JOIN printings held_as ON held_as.id = held.printing_id \
                    WHERE held.voided_at IS NULL AND held.owner_id = ";

impl Statement<'_> {
    /// Adds the source of [`Self::push_visible_content`] for a statement that finds cards by their names.
    ///
    /// Moderators and admins get all cards in two halves: each index of names has either the open cards or the hidden
    /// ones, so Postgres would read the whole table. Other statements need the table in one piece: two halves cannot be
    /// read in the order of a list.
    fn push_visible_content_by_name(self, viewer: Viewer) -> Self {
        if viewer.sees_all() {
            // No name is empty: only statements with this condition can use the indexes of hidden names (migration 121).
            return self.push(
                "(SELECT * FROM card_content WHERE open UNION ALL SELECT * FROM card_content WHERE NOT open AND name <> '') content",
            );
        }
        self.push_visible_content(viewer)
    }

    /// Adds a source of rows, named `content`, that contains exactly what the viewer may see.
    ///
    /// Visible are cards that are not hidden, cards of which the viewer holds a registered copy, and, for moderators
    /// and admins, all cards.
    ///
    /// The hidden cards that the viewer holds are all read before a condition on their names is tested (`OFFSET 0`). An
    /// index of hidden names would take longer for a name that a hidden card has, whether the viewer holds it or not. So
    /// the time grows with the number of hidden cards that the viewer holds.
    fn push_visible_content(self, viewer: Viewer) -> Self {
        if viewer.sees_all() {
            return self.push("card_content content");
        }
        let open = "(SELECT * FROM card_content WHERE open";
        match viewer.holder() {
            None => self.push(open).push(") content"),
            Some(account) => self
                .push(open)
                .push(" UNION ALL (SELECT * FROM card_content WHERE NOT open AND card_id IN (")
                .push(HELD_CARDS)
                .value(account)
                .push(") OFFSET 0)) content"),
        }
    }

    /// Adds the condition that the viewer may see the row `content`, for a statement that may test most of the
    /// catalogue: the cards that the viewer holds are read once.
    fn push_is_visible_in_bulk(self, viewer: Viewer) -> Self {
        match viewer.holder() {
            Some(account) if !viewer.sees_all() => self
                .push("(content.open OR content.card_id IN (")
                .push(HELD_CARDS)
                .value(account)
                .push("))"),
            _ => self.push_is_visible(viewer),
        }
    }

    /// Adds the condition that the viewer may see the row `content`, for a card or a page of them.
    fn push_is_visible(self, viewer: Viewer) -> Self {
        if viewer.sees_all() {
            return self.push("true");
        }
        match viewer.holder() {
            None => self.push("content.open"),
            // Tested through the card's printings: the viewer may hold very many copies, and a generic plan does not
            // know how many.
            Some(account) => self
                .push("(content.open OR EXISTS (SELECT FROM copies held WHERE held.voided_at IS NULL AND held.owner_id = ")
                .value(account)
                .push(
                    " AND held.printing_id = ANY(ARRAY(SELECT held_as.id FROM printings held_as \
                     WHERE held_as.card_id = content.card_id))))",
                ),
        }
    }
}
