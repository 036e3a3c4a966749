//! Deleted decks: their owners can restore them for 30 days.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::deck_lists::{Readable, load};
use super::deck_locks::{has_room, lock, lock_account};
use super::deck_records::{DeckRow, StoredDeck};
use super::deck_writes::Edited;
use crate::auth::permission::{Acting, WriteOwnDecks};
use crate::domain::ids::DeckId;
use crate::store::db::schema::decks;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// Most deleted decks that an account can restore; when another deck is deleted, the one that was deleted first is
/// deleted permanently.
pub const MAX_DELETED: i64 = 100;
/// How long a deleted deck can be restored.
pub const DELETED_RETENTION: TimeDelta = TimeDelta::days(30);

/// Whether no report about the deck `d` or a comment on it waits for a decision. Reports are deleted together with the deck,
/// and its owner must not delete those that no moderator has decided. With the limit, Postgres looks for the reports of each deck; otherwise it may read all reports
/// that wait.
const NOT_REPORTED: &str = "(SELECT true FROM abuse_reports r WHERE r.deck_id = d.id AND r.decided_at IS NULL LIMIT 1) IS NULL";

/// Deletes one of the caller's decks, if `is_current` accepts its version. If the account then has more than
/// [`MAX_DELETED`] deleted decks, those that were deleted first are deleted permanently, unless reports about them wait.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(&DeckRow) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<Edited<()>> {
    match lock(conn, by, id).await? {
        None => return Ok(Edited::Missing),
        Some(row) if !is_current(&row) => return Ok(Edited::Stale),
        Some(_) => {}
    }
    // The deck becomes private, so that a program that does not know deleted decks shows it to nobody but its owner.
    sql("UPDATE decks SET deleted_at = $at, visibility_before = CASE WHEN visibility = 'private' AND unlisted AND bound_revision = revision THEN 'unlisted' ELSE visibility END, \
         visibility = 'private', unlisted = false WHERE id = $id")
        .bind("id", id)
        .bind("at", at)
        .execute(conn)
        .await?;
    // A deck that is restored meanwhile is locked: only the conditions on `d` itself are checked again when its lock ends.
    sql(format!(
        "DELETE FROM decks d WHERE d.deleted_at IS NOT NULL AND d.id IN (SELECT id FROM decks WHERE account_id = $account AND deleted_at IS NOT NULL \
         ORDER BY deleted_at DESC, id DESC OFFSET $most) AND {NOT_REPORTED}"
    ))
        .bind("account", by.account())
        .bind("most", MAX_DELETED)
        .execute(conn)
        .await?;
    Ok(Edited::Done(()))
}

/// The result of restoring a deleted deck.
#[derive(Debug)]
pub enum Undeleted {
    /// The deck was restored, or was not deleted.
    Done(Box<StoredDeck>),
    /// The account has reached the limit of decks.
    TooMany,
    /// The caller has no such deck, or it can no longer be restored.
    Missing,
}

/// Restores one of the caller's deleted decks. A repetition changes nothing.
pub async fn undelete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    at: DateTime<Utc>,
) -> StoreResult<Undeleted> {
    // The account is locked before the deck, in the same order as by feedback, bans and blocks.
    lock_account(conn, by).await?;
    let own = decks::table.find(id).filter(decks::account_id.eq(by.account()));
    let deleted: Option<Option<DateTime<Utc>>> =
        own.select(decks::deleted_at).for_no_key_update().first(conn).await.optional()?;
    match deleted {
        None => return Ok(Undeleted::Missing),
        Some(Some(deleted_at)) if deleted_at <= at - DELETED_RETENTION => {
            return Ok(Undeleted::Missing);
        }
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
