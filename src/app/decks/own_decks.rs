//! The order of a list of the caller's decks, and its cursors.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::app::page::{Cursor, CursorTime};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::words::words;
use crate::domain::decks::own::{OwnDeckKey, OwnDeckPosition, OwnDeckSort};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_records::DeckRow;

words! {
    OwnDeckSort: "The order of a list of your decks: `created` (the last created first), `updated` (the last changed first), `name` (by name; case does not matter) or `likes` (the most liked first).";
}

/// The content of a cursor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum OwnDeckCursor {
    /// The last deck of a page in the order of creation.
    Created(Uuid),
    /// The order, the value by which the list is sorted, and the last deck.
    Sorted(String, CursorValue, Uuid),
}

/// A value by which a list is sorted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CursorValue {
    /// A time as a [`CursorTime`], or a number of likes.
    Number(i64),
    /// A name.
    Name(String),
}

impl OwnDeckCursor {
    /// Reads a cursor of any order; 400 for a text that is none.
    pub fn read(cursor: Option<&Cursor>) -> Result<Option<Self>, Problem> {
        Cursor::key_of(cursor)
    }

    /// The position in a list of this order; 400 if the cursor comes from a list of another order.
    pub fn position(self, sort: OwnDeckSort) -> Result<OwnDeckPosition, Problem> {
        let of_other = || Problem::new(ProblemCode::InvalidCursor);
        let (value, deck) = match self {
            Self::Created(deck) => (None, deck),
            Self::Sorted(of, value, deck) if of == sort.as_str() => (Some(value), deck),
            Self::Sorted(..) => return Err(of_other()),
        };
        let key = match (sort, value) {
            (OwnDeckSort::Created, None) => OwnDeckKey::Created,
            (OwnDeckSort::Updated, Some(CursorValue::Number(at))) => {
                OwnDeckKey::Updated(CursorTime::try_from(at).map_err(|_| of_other())?.0)
            }
            (OwnDeckSort::Name, Some(CursorValue::Name(name))) => OwnDeckKey::Name(name),
            (OwnDeckSort::Likes, Some(CursorValue::Number(likes))) => OwnDeckKey::Likes(likes),
            _ => return Err(of_other()),
        };
        Ok(OwnDeckPosition { key, deck: DeckId(deck) })
    }

    /// The cursor after a deck in a list of this order.
    pub(super) fn after(row: &DeckRow, sort: OwnDeckSort) -> Self {
        let value = match sort {
            // Cursors of this order have had this form before there were others.
            OwnDeckSort::Created => return Self::Created(row.id.0),
            OwnDeckSort::Updated => CursorValue::Number(CursorTime(row.updated_at).into()),
            OwnDeckSort::Name => CursorValue::Name(row.name.clone()),
            OwnDeckSort::Likes => CursorValue::Number(row.like_count),
        };
        Self::Sorted(sort.as_str().to_owned(), value, row.id.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_fits_only_the_order_that_it_comes_from() {
        let deck = Uuid::from_u128(7);
        let sorted = |of: &str, value| OwnDeckCursor::Sorted(of.to_owned(), value, deck);
        let cursors = [
            OwnDeckCursor::Created(deck),
            sorted("updated", CursorValue::Number(1)),
            sorted("name", CursorValue::Name("Embers".to_owned())),
            sorted("likes", CursorValue::Number(1)),
        ];
        for (at, cursor) in cursors.iter().enumerate() {
            let sent = Cursor::sent(&Cursor::at(cursor));
            assert_eq!(OwnDeckCursor::read(sent.as_ref()).unwrap().as_ref(), Some(cursor));
            for (of, sort) in OwnDeckSort::ALL.into_iter().enumerate() {
                assert_eq!(cursor.clone().position(sort).is_ok(), at == of, "{cursor:?} {sort:?}");
            }
        }
        let wrong = sorted("name", CursorValue::Number(1)).position(OwnDeckSort::Name);
        assert_eq!(wrong.unwrap_err().code(), ProblemCode::InvalidCursor);
        let late = sorted("updated", CursorValue::Number(i64::MAX)).position(OwnDeckSort::Updated);
        assert_eq!(late.unwrap_err().code(), ProblemCode::InvalidCursor);
    }
}
