//! Writing decks: creating and replacing them with their entries and revisions, and the locks of all writers.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cardscape_engine::name_key;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::deck_lists::{Readable, load};
use super::deck_records::{DeckChanges, DeckRow, StoredDeck, VersionRow};
use super::stored_content::StoredContent;
use crate::auth::permission::{Acting, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::deck::MAX_DECKS;
use crate::domain::decks::details::{DeckFolder, DeckVisibility};
use crate::domain::ids::DeckId;
use crate::store::db::schema::{accounts, decks};
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// Most revisions of a deck that are stored; the oldest are deleted first.
pub const MAX_REVISIONS: i64 = 100;
/// Approximate limit of the bytes of all revisions of one deck: of large decks fewer revisions are stored, but never
/// fewer than ten.
const MAX_REVISION_BYTES: usize = 2 * 1024 * 1024;

/// How many revisions of a deck are stored whose content has this many bytes.
fn max_revisions(bytes: usize) -> i64 {
    i64::try_from(MAX_REVISION_BYTES / bytes.max(1))
        .unwrap_or(MAX_REVISIONS)
        .clamp(10, MAX_REVISIONS)
}

/// The result of creating a deck.
#[derive(Debug)]
pub enum DeckCreated {
    New(StoredDeck),
    /// A repeated request, which created this deck, in its current state; `None`: it was deleted since.
    Repeat(Option<StoredDeck>),
    /// The account has [`MAX_DECKS`] decks.
    TooMany,
}

/// The result of a change with `If-Match`.
#[derive(Debug)]
pub enum Edited<T> {
    Done(T),
    /// It was changed since the client read it.
    Stale,
    /// The caller has no such deck.
    Missing,
}

/// Stores a deck. The account's row is locked, so that parallel requests cannot exceed the limit.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    changes: &DeckChanges<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<DeckCreated, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, id).await? {
        let own = Readable { owner: Some(by.account()), or_shared: false };
        return Ok(DeckCreated::Repeat(load(conn, earlier, own).await?));
    }
    lock_account(conn, by).await?;
    // A separate statement: the statement that takes the lock would count the decks as they were before it waited.
    let DeckChanges { content, hidden: _, visibility, folder, cloned_from, at } = changes;
    let stored: Option<VersionRow> = sql(INSERT)
        .bind("id", id)
        .bind("content", StoredContent::text_of(content)?)
        .bind("visibility", visibility.as_str())
        .bind("folder", folder.map(DeckFolder::as_str))
        .bind("cloned_deck", cloned_from.map(|source| source.deck))
        .bind("cloned_revision", cloned_from.map(|source| source.revision))
        .bind("cloned_account", cloned_from.and_then(|source| source.account))
        .bind("at", *at)
        .bind("account", by.account())
        .bind("limit", MAX_DECKS)
        .get_result(conn)
        .await
        .optional()?;
    let Some(version) = stored else {
        idempotency::forget(conn, key).await?;
        return Ok(DeckCreated::TooMany);
    };
    Ok(DeckCreated::New(version.deck(by.account(), id, changes)))
}

/// Locks the account's row: until the transaction ends, no other request of the account stores a deck.
pub(super) async fn lock_account(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
) -> StoreResult<()> {
    // Not `FOR UPDATE`: requests that have claimed an idempotency key hold a key-share lock on this row, and two of
    // them would deadlock.
    let row = accounts::table.find(by.account()).select(accounts::id).for_no_key_update();
    row.first::<Uuid>(conn).await?;
    Ok(())
}

/// Whether the account may have another deck. The account's row is locked, so that parallel requests cannot exceed the
/// limit.
pub(super) async fn has_room(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
) -> StoreResult<bool> {
    lock_account(conn, by).await?;
    let own = decks::account_id.eq(by.account()).and(decks::deleted_at.is_null());
    let stored: i64 = decks::table.filter(own).count().get_result(conn).await?;
    Ok(stored < MAX_DECKS)
}

/// Stores a deck with its entries and its first revision, unless the account has reached the limit of decks.
const INSERT: &str = "WITH content AS (SELECT $content::jsonb AS value), \
    deck AS (\
     INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, unlisted, revision, created_at, updated_at, description, tags, folder, \
      unread_lines, card_ids, bound_revision, cloned_deck_id, cloned_revision, cloned_account_id) \
     SELECT $id, $account, value ->> 'game', value ->> 'format', value ->> 'name', CASE $visibility WHEN 'public' THEN 'public' ELSE 'private' END, \
      $visibility = 'unlisted', 1, $at, $at, value ->> 'description', ARRAY(SELECT jsonb_array_elements_text(value -> 'tags')), $folder, \
      value -> 'unread_lines', ARRAY(SELECT (entry ->> 'card_id')::uuid FROM jsonb_array_elements(value -> 'entries') WITH ORDINALITY AS one (entry, place) \
       ORDER BY place), 1, $cloned_deck, $cloned_revision, $cloned_account FROM content \
     WHERE (SELECT count(*) FROM decks WHERE account_id = $account AND deleted_at IS NULL) < $limit \
     RETURNING id, revision, like_count, comment_count, created_at, updated_at), \
    written AS (\
     INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
     SELECT deck.id, entry.* FROM deck, content, jsonb_to_recordset(value -> 'entries') AS entry (position integer, zone text, quantity integer, name text, \
      set_code text, number text, rarity text, copies text[])), \
    kept AS (\
     INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) SELECT deck.id, 1, $visibility, value, $at FROM deck, content) \
    SELECT revision, like_count, comment_count, created_at, updated_at, (SELECT a.name FROM accounts a WHERE a.id = $account) AS author FROM deck";

/// Replaces a deck with its entries, and stores the new revision. If the current state has no revision, because an
/// older program wrote it, that state is stored first, as a private revision. Changed entries are updated in place, and
/// unchanged ones are not written: one statement cannot delete a row and insert another with the same key.
const REPLACE: &str = "WITH content AS (SELECT $content::jsonb AS value), \
    earlier AS (\
     INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) \
     SELECT d.id, d.revision, 'private', jsonb_build_object('name', d.name, 'game', d.game_code, 'format', d.format_code, 'description', d.description, \
      'tags', to_jsonb(d.tags), 'unread_lines', d.unread_lines, 'entries', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(\
       'position', e.position, 'zone', e.zone, 'quantity', e.quantity, 'name', e.name, 'set_code', e.set_code, 'number', e.number, 'rarity', e.rarity, \
       'copies', to_jsonb(e.copies))) ORDER BY e.position), '[]') FROM deck_entries e WHERE e.deck_id = d.id)), d.updated_at \
     FROM decks d WHERE d.id = $id AND NOT EXISTS (SELECT FROM deck_revisions r WHERE r.deck_id = d.id AND r.revision = d.revision)), \
    deck AS (\
     UPDATE decks SET game_code = value ->> 'game', format_code = value ->> 'format', name = value ->> 'name', \
      visibility = CASE $visibility WHEN 'public' THEN 'public' ELSE 'private' END, unlisted = $visibility = 'unlisted', revision = revision + 1, \
      updated_at = $at, description = value ->> 'description', tags = ARRAY(SELECT jsonb_array_elements_text(value -> 'tags')), folder = $folder, \
      unread_lines = value -> 'unread_lines', \
      card_ids = ARRAY(SELECT (entry ->> 'card_id')::uuid FROM jsonb_array_elements(value -> 'entries') WITH ORDINALITY AS one (entry, place) ORDER BY place), \
      bound_revision = revision + 1 \
     FROM content WHERE id = $id RETURNING revision, like_count, comment_count, created_at, updated_at), \
    shortened AS (DELETE FROM deck_entries WHERE deck_id = $id AND position >= $count), \
    written AS (\
     INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
     SELECT $id, entry.* FROM content, jsonb_to_recordset(value -> 'entries') AS entry (position integer, zone text, quantity integer, name text, \
      set_code text, number text, rarity text, copies text[]) \
     ON CONFLICT (deck_id, position) DO UPDATE SET zone = EXCLUDED.zone, quantity = EXCLUDED.quantity, name = EXCLUDED.name, \
      set_code = EXCLUDED.set_code, number = EXCLUDED.number, rarity = EXCLUDED.rarity, copies = EXCLUDED.copies \
     WHERE (deck_entries.zone, deck_entries.quantity, deck_entries.name, deck_entries.set_code, deck_entries.number, deck_entries.rarity, deck_entries.copies) \
      IS DISTINCT FROM (EXCLUDED.zone, EXCLUDED.quantity, EXCLUDED.name, EXCLUDED.set_code, EXCLUDED.number, EXCLUDED.rarity, EXCLUDED.copies)), \
    kept AS (\
     INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) SELECT $id, revision, $visibility, value, $at FROM deck, content), \
    forgotten AS (DELETE FROM deck_revisions USING deck WHERE deck_id = $id AND deck_revisions.revision <= deck.revision - $kept) \
    SELECT revision, like_count, comment_count, created_at, updated_at, \
     (SELECT a.name FROM decks d JOIN accounts a ON a.id = d.account_id WHERE d.id = $id) AS author FROM deck";

/// Replaces one of the caller's decks, if `is_current` accepts its revision. Of two concurrent requests, the second
/// waits, and then finds that the deck was changed. A deck that is already as requested stays at its revision.
pub async fn replace(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(i64) -> bool,
    changes: &DeckChanges<'_>,
) -> StoreResult<Edited<StoredDeck>> {
    let row = match lock(conn, by, id).await? {
        None => return Ok(Edited::Missing),
        Some(row) if !is_current(row.revision) => return Ok(Edited::Stale),
        Some(row) => row,
    };
    Ok(Edited::Done(overwrite(conn, &row, changes).await?))
}

/// The new content of a locked deck, with the bindings that it takes over from the previous content.
async fn inherited<'a>(
    conn: &mut Connection,
    (row, before): (&DeckRow, &DeckContent),
    changes: &DeckChanges<'a>,
) -> StoreResult<Cow<'a, DeckContent>> {
    let DeckChanges { content, hidden, .. } = *changes;
    if hidden.is_empty() && !content.has_unbound() {
        return Ok(Cow::Borrowed(content));
    }
    let mut guessed = BTreeSet::new();
    if !hidden.is_empty() {
        guessed = guessed_names(conn, row.id).await?;
        let others_read =
            row.visibility() != DeckVisibility::Private || row.cloned_deck_id.is_some();
        let unbound = before.bound_entries().filter(|(_, card)| others_read && card.is_none());
        guessed.extend(unbound.map(|(entry, _)| name_key(&entry.card.name)));
    }
    let mut content = content.clone();
    content.inherit(before, hidden, &guessed);
    Ok(Cow::Owned(content))
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The keys of names in entries that were bound to no card, in revisions that others could read.
async fn guessed_names(conn: &mut Connection, deck: DeckId) -> StoreResult<BTreeSet<String>> {
    let rows: Vec<NameRow> = sql("SELECT DISTINCT entry ->> 'name' AS name FROM deck_revisions r, jsonb_array_elements(r.content -> 'entries') entry \
         WHERE r.deck_id = $deck AND r.visibility <> 'private' AND entry ->> 'card_id' IS NULL AND entry ->> 'name' <> ''")
        .bind("deck", deck)
        .load(conn)
        .await?;
    Ok(rows.iter().map(|row| name_key(&row.name)).collect())
}

/// Gives a locked deck its new state, unless it has this state already.
pub(super) async fn overwrite(
    conn: &mut Connection,
    row: &DeckRow,
    changes: &DeckChanges<'_>,
) -> StoreResult<StoredDeck> {
    let own = Readable { owner: Some(row.account_id), or_shared: false };
    let Some(before) = load(conn, row.id, own).await? else {
        return write(conn, row, changes).await;
    };
    let content = inherited(conn, (row, &before.content), changes).await?;
    let changes = DeckChanges { content: &content, ..*changes };
    if is_as_stored(row, &before.content, &changes)? {
        return Ok(before);
    }
    write(conn, row, &changes).await
}

/// Whether a deck already has its new state, with the bindings of its entries. What an older program stored is always
/// written again, because it has no bindings.
fn is_as_stored(
    row: &DeckRow,
    before: &DeckContent,
    changes: &DeckChanges<'_>,
) -> StoreResult<bool> {
    let is_placed = row.is_bound()
        && row.visibility() == changes.visibility
        && row.folder.as_deref() == changes.folder.map(DeckFolder::as_str);
    Ok(is_placed && StoredContent::text_of(before)? == StoredContent::text_of(changes.content)?)
}

/// Writes the new state of a locked deck.
async fn write(
    conn: &mut Connection,
    row: &DeckRow,
    changes: &DeckChanges<'_>,
) -> StoreResult<StoredDeck> {
    let DeckChanges { content, hidden: _, visibility, folder, cloned_from: _, at } = changes;
    let text = StoredContent::text_of(content)?;
    let version: VersionRow = sql(REPLACE)
        .bind("id", row.id)
        .bind("kept", max_revisions(text.len()))
        .bind("content", text)
        .bind("visibility", visibility.as_str())
        .bind("folder", folder.map(DeckFolder::as_str))
        .bind("at", *at)
        .bind("count", i32::try_from(content.deck.entries.len()).unwrap_or(i32::MAX))
        .get_result(conn)
        .await?;
    let changes = DeckChanges { cloned_from: row.cloned_from(), ..*changes };
    Ok(version.deck(row.account_id, row.id, &changes))
}

/// Locks one of the caller's decks that is not deleted.
pub(super) async fn lock(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<DeckRow>> {
    let own = decks::account_id.eq(by.account()).and(decks::deleted_at.is_null());
    // Not `FOR UPDATE`: transactions that write rows which refer to the deck hold a key-share lock on its row.
    let row = decks::table.find(id).filter(own).select(DeckRow::as_select()).for_no_key_update();
    Ok(row.first(conn).await.optional()?)
}
