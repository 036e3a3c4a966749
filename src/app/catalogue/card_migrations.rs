//! Cards that were moved or merged: where they went.

use crate::app::problem::Problem;
use crate::domain::code::Code;
use crate::domain::ids::CardId;
use crate::store::Connection;
use crate::store::catalogue::card_migrations;
use crate::store::catalogue::cards::CardPlace;

/// What is found where a card is looked for.
pub enum Located<T> {
    /// What is asked about the card.
    Here(T),
    /// The card was moved or merged.
    Moved(NewPlace),
}

/// Where a card is that is no longer where it was.
pub enum NewPlace {
    /// It was merged into the card with this id.
    Id(CardId),
    /// The card that had the number has another one now, or was merged into a card that has it.
    Number(CardPlace),
}

/// Where a card is whose id is no longer one; 404 if it never was.
pub(crate) async fn follow_id<T>(
    conn: &mut Connection,
    old: CardId,
) -> Result<Located<T>, Problem> {
    let new = card_migrations::successor(conn, old).await?.ok_or_else(Problem::not_found)?;
    Ok(Located::Moved(NewPlace::Id(new)))
}

/// Where the card is that had this number; 404 if none ever had.
pub(crate) async fn follow_number<T>(
    conn: &mut Connection,
    (game, set, number): (&Code, &Code, &Code),
) -> Result<Located<T>, Problem> {
    let (game, set, number) = (game.as_str(), set.as_str(), number.as_str());
    let new = card_migrations::successor_of_number(conn, game, set, number).await?;
    Ok(Located::Moved(NewPlace::Number(new.ok_or_else(Problem::not_found)?)))
}
