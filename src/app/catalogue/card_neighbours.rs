//! The cards beside a card in its set.

use crate::store::catalogue::cards;
use crate::store::{Connection, StoreResult};

/// The numbers of the cards beside a card, in the order in which lists show the cards of a set. Hidden cards have numbers as all others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Neighbours {
    /// That of the card before; `None`: it is the first.
    pub previous: Option<String>,
    /// That of the card after; `None`: it is the last.
    pub next: Option<String>,
}

/// Finds the cards beside a place of a set, whether there is a card or not.
pub(super) async fn find(conn: &Connection, place: (&str, &str, &str)) -> StoreResult<Neighbours> {
    let (previous, next) = cards::find_numbers_beside(conn, place).await?;
    Ok(Neighbours { previous, next })
}
