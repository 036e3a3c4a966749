//! The previous and the next card in a set.

use crate::store::catalogue::cards;
use crate::store::{Connection, StoreResult};

/// The numbers of the previous and the next card in a set, in list order. Hidden cards count: their numbers are public.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// Number of the previous card; `None`: this is the first.
    pub previous: Option<String>,
    /// Number of the next card; `None`: this is the last.
    pub next: Option<String>,
}

/// Finds the neighbours of a position in a set, whether or not a card has that number.
pub(super) async fn find(conn: &Connection, place: (&str, &str, &str)) -> StoreResult<Neighbours> {
    let (previous, next) = cards::find_numbers_beside(conn, place).await?;
    Ok(Neighbours { previous, next })
}
