//! Takedowns of decks by moderators, after reports.

use chrono::{DateTime, Utc};
use diesel_async::RunQueryDsl;

use super::deck_lists::VISIBILITY;
use crate::auth::permission::{Acting, ModerateDesigns};
use crate::domain::ids::DeckId;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Takes a locked deck down: it becomes private, and its owner cannot publish it. A deck that was taken down before gets
/// the new note and its time, and stays what it was before the first decision.
pub(in crate::store) async fn take_down(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    deck: DeckId,
    note: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    // A deleted deck is private already: its owner restores it as a private one.
    let taken = sql(format!(
        "UPDATE decks d SET taken_down_at = $at, takedown_note = $note, taken_down_revision = d.revision, \
          taken_down_from = coalesce(d.visibility_before, {VISIBILITY}), visibility = 'private', unlisted = false, \
          visibility_before = CASE WHEN d.deleted_at IS NOT NULL THEN 'private' END WHERE d.id = $id AND d.taken_down_at IS NULL"
    ))
    .bind("id", deck)
    .bind("note", note)
    .bind("at", at)
    .execute(conn)
    .await?;
    if taken > 0 {
        return notify_owner(conn, deck, "deck.taken_down", at).await;
    }
    sql("UPDATE decks SET taken_down_at = $at, takedown_note = $note WHERE id = $id")
        .bind("id", deck)
        .bind("note", note)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(())
}

/// The visibility that a deck gets back: that from before the takedown. If its owner has changed it since, it is private:
/// the owner wrote the new content in a private deck, and no moderator has decided about it.
const VISIBILITY_AFTER: &str =
    "CASE WHEN revision = taken_down_revision THEN taken_down_from ELSE 'private' END";

/// Ends the takedown of a locked deck, if it is taken down.
pub(in crate::store) async fn reinstate(
    conn: &mut Connection,
    _by: &Acting<ModerateDesigns>,
    deck: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let shown = sql(format!(
        "UPDATE decks SET visibility = CASE WHEN deleted_at IS NULL AND {VISIBILITY_AFTER} = 'public' THEN 'public' ELSE 'private' END, \
          unlisted = deleted_at IS NULL AND {VISIBILITY_AFTER} = 'unlisted', \
          visibility_before = CASE WHEN deleted_at IS NOT NULL THEN {VISIBILITY_AFTER} END, \
          taken_down_at = NULL, taken_down_from = NULL, taken_down_revision = NULL, takedown_note = NULL \
         WHERE id = $id AND taken_down_at IS NOT NULL"
    ))
    .bind("id", deck)
    .execute(conn)
    .await?;
    if shown > 0 {
        notify_owner(conn, deck, "deck.reinstated", at).await?;
    }
    Ok(())
}

/// Writes an event of the owner. Older programs take no deck down, so no trigger is needed.
async fn notify_owner(
    conn: &mut Connection,
    deck: DeckId,
    kind: &str,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("SELECT tell_of_deck(account_id, NULL, $kind, id, NULL, $at) FROM decks WHERE id = $id")
        .bind("kind", kind)
        .bind("id", deck)
        .bind("at", at)
        .execute(conn)
        .await?;
    Ok(())
}
