//! Decks that were deleted: for 30 days they can come back.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::deck_lists::{
    Edited, MAX_DELETED, Readable, StoredDeck, has_room, load, lock, lock_account,
};
use crate::auth::permission::{Acting, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::store::db::schema::decks;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// How long a deleted deck can come back.
pub const KEPT_DELETED: TimeDelta = TimeDelta::days(30);

/// Deletes one of the own decks, if `is_current` accepts its revision. If too many are kept, those that were deleted first go for good.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(i64) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<Edited<()>> {
    match lock(conn, by, id).await? {
        None => return Ok(Edited::Missing),
        Some(row) if !is_current(row.revision) => return Ok(Edited::Stale),
        Some(_) => {}
    }
    // Private, so that a program that does not know of deletion shows it to nobody else.
    sql("UPDATE decks SET deleted_at = $at, visibility_before = CASE WHEN visibility = 'private' AND unlisted AND bound_revision = revision THEN 'unlisted' ELSE visibility END, \
         visibility = 'private', unlisted = false WHERE id = $id")
        .bind("id", id)
        .bind("at", at)
        .execute(conn)
        .await?;
    sql("DELETE FROM decks WHERE id IN (SELECT id FROM decks WHERE account_id = $account AND deleted_at IS NOT NULL \
         ORDER BY deleted_at DESC, id DESC OFFSET $most)")
        .bind("account", by.account())
        .bind("most", MAX_DELETED)
        .execute(conn)
        .await?;
    Ok(Edited::Done(()))
}

/// What became of a deletion to undo.
#[derive(Debug)]
pub enum Undeleted {
    /// The deck is back, or it was never deleted.
    Done(Box<StoredDeck>),
    /// The account has as many decks as it may.
    TooMany,
    /// The asker has no such deck, or it is gone for good.
    Missing,
}

/// Undoes the deletion of one of the own decks. Done again, it changes nothing.
pub async fn undelete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<Undeleted> {
    // Before the deck: in this order feedback, bans and blocks hold them.
    lock_account(conn, by).await?;
    let own = decks::table.find(id).filter(decks::account_id.eq(by.account()));
    let deleted: Option<Option<DateTime<Utc>>> =
        own.select(decks::deleted_at).for_no_key_update().first(conn).await.optional()?;
    match deleted {
        None => return Ok(Undeleted::Missing),
        Some(Some(deleted_at)) if deleted_at <= at - KEPT_DELETED => return Ok(Undeleted::Missing),
        Some(Some(_)) if !has_room(conn, by).await? => return Ok(Undeleted::TooMany),
        Some(Some(_)) => {
            sql("UPDATE decks SET deleted_at = NULL, unlisted = visibility_before = 'unlisted', \
                 visibility = CASE visibility_before WHEN 'public' THEN 'public' ELSE 'private' END, visibility_before = NULL WHERE id = $id")
                .bind("id", id)
                .execute(conn)
                .await?;
        }
        Some(None) => {}
    }
    let readable = Readable { owner: Some(by.account()), or_shared: false };
    let back = load(conn, id, readable).await?.map(Box::new);
    Ok(back.map_or(Undeleted::Missing, Undeleted::Done))
}
