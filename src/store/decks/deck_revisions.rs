//! Revisions of decks.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use super::deck_locks::lock_with_content;
use super::deck_records::{DeckChanges, DeckRow, StoredDeck};
use super::deck_writes::{Edited, overwrite};
use super::stored_content::StoredContent;
use crate::auth::permission::{Acting, Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::details::DeckFolder;
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::{Statement, sql};
use crate::store::{Connection, StoreResult};

/// A revision without its content.
#[derive(Clone, Debug, QueryableByName)]
pub struct RevisionRow {
    /// Its number, from 1.
    #[diesel(sql_type = BigInt)]
    pub revision: i64,
    /// The name that the deck had.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Who could read it: `private`, `unlisted` or `public`.
    #[diesel(sql_type = Text)]
    pub visibility: String,
    /// Cards in all zones together.
    #[diesel(sql_type = BigInt)]
    pub cards: i64,
    /// When it was saved.
    #[diesel(sql_type = Timestamptz)]
    pub created_at: DateTime<Utc>,
}

/// A revision with its content.
#[derive(Clone, Debug)]
pub struct StoredRevision {
    pub deck: DeckId,
    /// The owner.
    pub account: AccountId,
    /// Its number, from 1.
    pub revision: i64,
    pub content: DeckContent,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
}

impl Statement<'_> {
    /// Adds the condition that the reader may read the revision `r` of the deck `d`. Its owner may read every revision;
    /// others may read revisions that were not private when they were saved, while the deck is not private and its owner
    /// is not banned.
    fn push_is_readable(self, reader: Option<&Granted<ReadOwnDecks>>) -> Self {
        self.push(" AND d.deleted_at IS NULL AND (d.account_id = ")
            .value(reader.map(Granted::account))
            .push(" OR ((d.visibility = 'public' OR (d.unlisted AND d.bound_revision = d.revision)) AND r.visibility <> 'private' \
              AND NOT EXISTS (SELECT FROM accounts a WHERE a.id = d.account_id AND a.banned_at IS NOT NULL)))")
    }
}

/// Lists the revisions of a deck that the reader may see, the newest first, before the one with that number. Empty when
/// there is no such deck.
pub async fn list(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    deck: DeckId,
    before: Option<i64>,
    limit: i64,
) -> StoreResult<Vec<RevisionRow>> {
    let statement = sql("SELECT r.revision, r.content ->> 'name' AS name, r.visibility, r.created_at, \
         (SELECT coalesce(sum((entry ->> 'quantity')::bigint), 0)::bigint FROM jsonb_array_elements(r.content -> 'entries') entry) AS cards \
         FROM decks d JOIN deck_revisions r ON r.deck_id = d.id WHERE d.id = $deck AND r.revision < $before")
        .bind("deck", deck)
        .bind("before", before.unwrap_or(i64::MAX))
        .push_is_readable(reader);
    Ok(push_page(statement, "revision DESC", limit).load(conn).await?)
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = BigInt)]
    revision: i64,
}

/// The number of the last revision before `before` that the reader may see.
pub async fn previous(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    deck: DeckId,
    before: i64,
) -> StoreResult<Option<i64>> {
    let found: Option<NumberRow> = sql("SELECT r.revision FROM decks d JOIN deck_revisions r ON r.deck_id = d.id WHERE d.id = $deck AND r.revision < $before")
        .bind("deck", deck)
        .bind("before", before)
        .push_is_readable(reader)
        .push(" ORDER BY r.revision DESC LIMIT 1")
        .get_result(conn)
        .await
        .optional()?;
    Ok(found.map(|row| row.revision))
}

#[derive(QueryableByName)]
struct ContentRow {
    #[diesel(sql_type = diesel::sql_types::Uuid)]
    account_id: AccountId,
    #[diesel(sql_type = Jsonb)]
    content: Json<StoredContent>,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
}

/// A revision that the reader may see.
pub async fn find(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    deck: DeckId,
    revision: i64,
) -> StoreResult<Option<StoredRevision>> {
    let found: Option<ContentRow> = sql("SELECT d.account_id, r.content, r.created_at FROM decks d JOIN deck_revisions r ON r.deck_id = d.id \
         WHERE d.id = $deck AND r.revision = $revision")
        .bind("deck", deck)
        .bind("revision", revision)
        .push_is_readable(reader)
        .get_result(conn)
        .await
        .optional()?;
    let Some(ContentRow { account_id: account, content, created_at }) = found else {
        return Ok(None);
    };
    let content = content.0.read()?;
    Ok(Some(StoredRevision { deck, account, revision, content, created_at }))
}

/// The content of a revision of one of the caller's decks, for callers that may change it.
pub async fn find_own(
    conn: &mut Connection,
    by: &Granted<WriteOwnDecks>,
    deck: DeckId,
    revision: i64,
) -> StoreResult<Option<DeckContent>> {
    let found: Option<ContentRow> = sql("SELECT d.account_id, r.content, r.created_at FROM decks d JOIN deck_revisions r ON r.deck_id = d.id \
         WHERE d.id = $deck AND r.revision = $revision AND d.account_id = $account AND d.deleted_at IS NULL")
        .bind("deck", deck)
        .bind("revision", revision)
        .bind("account", by.account())
        .get_result(conn)
        .await
        .optional()?;
    found.map(|row| row.content.0.read()).transpose()
}

/// Stores the content of an earlier revision of one of the caller's decks as a new revision, if `is_current` accepts the
/// version of the deck. Its visibility and its folder stay as they are. If it already has this content, there is no new
/// revision.
pub async fn restore(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    deck: DeckId,
    (content, hidden): (&DeckContent, &BTreeSet<CardId>),
    is_current: impl Fn(&DeckRow) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<Edited<StoredDeck>> {
    let Some(locked) = lock_with_content(conn, by, deck).await? else {
        return Ok(Edited::Missing);
    };
    let row = &locked.deck.row;
    if !is_current(row) {
        return Ok(Edited::Stale);
    }
    let folder = row.folder.as_deref().map(DeckFolder::stored);
    let changes = DeckChanges {
        content,
        hidden,
        visibility: None,
        folder: folder.as_ref(),
        cloned_from: None,
        at,
    };
    Ok(Edited::Done(overwrite(conn, locked, &changes).await?))
}
