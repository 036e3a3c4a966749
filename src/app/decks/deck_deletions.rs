//! Deletion of decks. A deleted deck can be restored within 30 days.

use super::deck_lists::see;
use super::deck_responses::VersionedDeck;
use super::deck_search;
use super::deck_writes::check_edit;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::step_connection::StepConnection;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, Viewer, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::store::decks::deck_deletions::{self, Undeleted};
use crate::store::decks::deck_records::DeckRow;

/// Deletes one of the caller's decks, if the client's version is current.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    if_match: &IfMatch,
) -> Result<(), Problem> {
    let is_current = |row: &DeckRow| if_match.check(row).is_ok();
    let at = app.clock.now();
    let deleted = app
        .write(by, async |conn, by| deck_deletions::delete(conn, by, id, is_current, at).await)
        .await?;
    check_edit(deleted)?;
    tracing::info!(account = %by.account(), deck = %id, "deck deleted");
    Ok(())
}

/// Restores one of the caller's deleted decks.
pub async fn undelete(
    app: &AppState,
    by: &Granted<WriteOwnDecks>,
    viewer: Viewer,
    id: DeckId,
) -> Result<VersionedDeck, Problem> {
    let at = app.clock.now();
    let undone =
        app.write(by, async |conn, by| deck_deletions::undelete(conn, by, id, at).await).await?;
    let stored = match undone {
        Undeleted::Done(stored) => stored,
        Undeleted::TooMany => return Err(Problem::new(ProblemCode::TooManyDecks)),
        Undeleted::Missing => return Err(Problem::not_found()),
    };
    tracing::info!(account = %by.account(), deck = %id, "deletion of a deck undone");
    let mut conn = StepConnection::new(&app.store);
    deck_search::publish(app, &mut conn, &stored).await;
    Ok(see(app, &mut conn, (viewer, Some(by.account())), *stored).await?.into())
}
