//! Writing decks: creating and replacing them with their entries and revisions.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cardscape_engine::{DeckEntry, name_key};
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;

use super::deck_lists::{Readable, load};
use super::deck_locks::{LockedDeck, lock_account, lock_with_content};
use super::deck_records::{DeckChanges, DeckRow, StoredDeck, VersionRow};
use super::entry_columns::{EntryColumns, INSERT_ENTRIES};
use super::stored_content::StoredContent;
use super::{deck_pool, deck_takedowns};
use crate::auth::permission::{Acting, Granted, WriteOwnDecks};
use crate::domain::decks::content::DeckContent;
use crate::domain::decks::deck::MAX_DECKS;
use crate::domain::decks::details::{DeckFolder, DeckTag, DeckVisibility};
use crate::domain::ids::{CardId, DeckId};
use crate::store::db::statement::{Statement, sql};
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, Store, StoreResult};

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
    /// A moderator has taken the deck down, or the one that it is an unchanged clone of, so it cannot be published.
    TakenDown,
}

/// Stores a deck. The account's row is locked, so that parallel requests cannot exceed the limit.
pub async fn create(
    store: &Store,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    changes: &DeckChanges<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<DeckCreated, IdempotentError> {
    let first = async |conn: &Connection, by: &Acting<WriteOwnDecks>| {
        let earlier = idempotency::begin(conn, key, id).await?;
        if earlier.is_none() {
            lock_account(conn, by).await?;
        }
        Ok(earlier)
    };
    let last = async |conn: &Connection, by: &Acting<WriteOwnDecks>, earlier: Option<DeckId>| {
        if let Some(earlier) = earlier {
            let own = Readable { owner: Some(by.account()), or_shared: false };
            return Ok(DeckCreated::Repeat(load(conn, earlier, own).await?));
        }
        let Some(stored) = insert(conn, by, id, changes).await? else {
            idempotency::forget(conn, key).await?;
            return Ok(DeckCreated::TooMany);
        };
        Ok(DeckCreated::New(stored))
    };
    store.transaction_by_steps(by, changes.at, first, last).await
}

/// Stores a deck with its entries and its first revision, unless the account has reached the limit of decks. The account's
/// row must have been locked by an earlier statement: the statement that takes the lock would count the decks as they were
/// before it waited.
async fn insert(
    mut conn: &Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    changes: &DeckChanges<'_>,
) -> StoreResult<Option<StoredDeck>> {
    let cloned_from = changes.cloned_from;
    let statement = sql("WITH ")
        .push(INSERT_DECK)
        .push(INSERT_ENTRIES)
        .push("), ")
        .push(INSERT_REVISION)
        .push(RESULT)
        .bind("id", id)
        .bind("account", by.account())
        .bind("cloned_deck", cloned_from.map(|source| source.deck))
        .bind("cloned_revision", cloned_from.map(|source| source.revision))
        .bind("cloned_account", cloned_from.and_then(|source| source.account))
        .bind("limit", MAX_DECKS);
    let statement = bind_state(statement, changes, StoredContent::text_of(changes.content)?)?;
    let entries = changes.content.deck.entries.iter().enumerate();
    let statement = EntryColumns::of(entries).bind_to(statement);
    let stored: Option<VersionRow> = statement.get_result(&mut conn).await.optional()?;
    Ok(stored.map(|version| version.deck(by.account(), id, changes, None)))
}

/// Sets the parameters of a deck's new state besides its entries. `text`: its content for the revision.
fn bind_state<'a>(
    statement: Statement<'a>,
    changes: &DeckChanges<'a>,
    text: String,
) -> StoreResult<Statement<'a>> {
    let DeckChanges { content, hidden: _, visibility, folder, cloned_from: _, at } = *changes;
    let tags: Vec<&str> = content.tags.iter().map(DeckTag::as_str).collect();
    let card_ids: Vec<Option<CardId>> = content.bound_entries().map(|(_, card)| card).collect();
    Ok(statement
        .bind("game", content.format.game())
        .bind("format", content.format.local())
        .bind("name", content.name.as_str())
        .bind("description", content.description.as_str())
        .bind("tags", tags)
        .bind("unread_lines", StoredContent::unread_lines_text_of(content)?)
        .bind("card_ids", card_ids)
        .bind("visibility", visibility.unwrap_or_default().as_str())
        .bind("folder", folder.map(DeckFolder::as_str))
        .bind("at", at)
        .bind("content", text))
}

/// Stores the row of a deck, unless the account has reached the limit of decks. Deleted decks do not count, but an index
/// alone counts all decks of the account, which are usually few enough.
const INSERT_DECK: &str = "deck AS (\
     INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, unlisted, revision, created_at, updated_at, description, tags, folder, \
      unread_lines, card_ids, bound_revision, cloned_deck_id, cloned_revision, cloned_account_id) \
     SELECT $id, $account, $game, $format, $name, CASE $visibility WHEN 'public' THEN 'public' ELSE 'private' END, $visibility = 'unlisted', 1, $at, $at, \
      $description, $tags, $folder, $unread_lines::jsonb, $card_ids, 1, $cloned_deck, $cloned_revision, $cloned_account \
     WHERE CASE WHEN (SELECT count(*) FROM decks WHERE account_id = $account) < $limit THEN true \
      ELSE (SELECT count(*) FROM decks WHERE account_id = $account AND deleted_at IS NULL) < $limit END \
     RETURNING revision, like_count, comment_count, created_at, updated_at, published_at), ";

/// Stores the revision of the written deck.
const INSERT_REVISION: &str = "stored AS (\
     INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) SELECT $id, revision, $visibility, $content::jsonb, $at FROM deck) ";

/// What the answer needs of the written deck.
const RESULT: &str = "SELECT revision, like_count, comment_count, created_at, updated_at, published_at, \
     (SELECT a.name FROM accounts a WHERE a.id = $account) AS author FROM deck";

/// Changes the row of a deck.
const UPDATE_DECK: &str = "deck AS (\
     UPDATE decks SET game_code = $game, format_code = $format, name = $name, \
      visibility = CASE $visibility WHEN 'public' THEN 'public' ELSE 'private' END, unlisted = $visibility = 'unlisted', revision = revision + 1, \
      updated_at = $at, description = $description, tags = $tags, folder = $folder, unread_lines = $unread_lines::jsonb, card_ids = $card_ids, \
      bound_revision = revision + 1 \
     WHERE id = $id RETURNING revision, like_count, comment_count, created_at, updated_at, published_at), ";

/// Changed entries are updated in place: one statement cannot delete a row and insert another with the same key.
const UPDATE_ENTRIES: &str = " ON CONFLICT (deck_id, position) DO UPDATE SET zone = EXCLUDED.zone, quantity = EXCLUDED.quantity, name = EXCLUDED.name, \
      set_code = EXCLUDED.set_code, number = EXCLUDED.number, rarity = EXCLUDED.rarity, copies = EXCLUDED.copies), ";

/// If the current state has no revision, because an older program wrote it, that state is stored first, as a private
/// revision. Entries and revisions that are too many are deleted.
const REPAIR: &str = "earlier AS (\
     INSERT INTO deck_revisions (deck_id, revision, visibility, content, created_at) \
     SELECT d.id, d.revision, 'private', jsonb_build_object('name', d.name, 'game', d.game_code, 'format', d.format_code, 'description', d.description, \
      'tags', to_jsonb(d.tags), 'unread_lines', d.unread_lines, 'entries', (SELECT coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(\
       'position', e.position, 'zone', e.zone, 'quantity', e.quantity, 'name', e.name, 'set_code', e.set_code, 'number', e.number, 'rarity', e.rarity, \
       'copies', to_jsonb(e.copies))) ORDER BY e.position), '[]') FROM deck_entries e WHERE e.deck_id = d.id)), d.updated_at \
     FROM decks d WHERE d.id = $id AND NOT EXISTS (SELECT FROM deck_revisions r WHERE r.deck_id = d.id AND r.revision = d.revision)), \
    shortened AS (DELETE FROM deck_entries WHERE deck_id = $id AND position >= $count), \
    forgotten AS (DELETE FROM deck_revisions WHERE deck_id = $id AND revision <= $last_deleted), ";

/// A locked deck that its owner may change as requested.
struct Changeable<'a> {
    locked: LockedDeck,
    content: Cow<'a, DeckContent>,
    /// Whether it gets a new revision even if nothing changes: its owner asks for a private deck, and it is private only
    /// until the takedown ends. A deck with a new revision stays private then.
    has_to_stay_private: bool,
}

/// Replaces one of the caller's decks, if `is_current` accepts its version. Of two concurrent requests, the second
/// waits, and then finds that the deck was changed. A deck that is already as requested, perhaps in another folder, stays at its revision. Entries that are
/// written as before stay bound to their cards. If its owner asks for a private deck while it is taken down, it stays private after the takedown.
pub async fn replace(
    store: &Store,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(&DeckRow) -> bool,
    changes: &DeckChanges<'_>,
) -> StoreResult<Edited<StoredDeck>> {
    let first = async |conn: &Connection, by: &Acting<WriteOwnDecks>| {
        let Some(locked) = lock_with_content(conn, by, id).await? else {
            return Ok(Edited::Missing);
        };
        if !is_current(&locked.deck.row) {
            return Ok(Edited::Stale);
        }
        let row = &locked.deck.row;
        let publishes = changes.visibility.is_some_and(|asked| asked != DeckVisibility::Private);
        if publishes && row.is_taken_down() {
            return Ok(Edited::TakenDown);
        }
        let has_to_stay_private = changes.visibility.is_some()
            && row.is_taken_down()
            && deck_takedowns::would_be_shown(conn, id).await?;
        let content = as_bound_before(changes.content, &locked.deck.content);
        let hidden = hidden_in(conn, &content, changes).await?;
        let content = inherited(conn, &locked.deck, content, &hidden).await?;
        let was_private = row.visibility() == DeckVisibility::Private;
        if publishes
            && was_private
            && deck_takedowns::is_clone_of_hidden(conn, row, &content).await?
        {
            return Ok(Edited::TakenDown);
        }
        Ok(Edited::Done(Changeable { locked, content, has_to_stay_private }))
    };
    let last =
        async |conn: &Connection, _: &Acting<WriteOwnDecks>, found: Edited<Changeable<'_>>| {
            Ok(match found {
                Edited::Done(Changeable { locked, content, has_to_stay_private }) => {
                    let changes = DeckChanges { content: &content, ..*changes };
                    let is_change = has_to_stay_private || !is_as_stored(&locked.deck, &changes);
                    Edited::Done(if is_change {
                        write(conn, locked, &changes).await?
                    } else {
                        move_to_folder(conn, locked.deck, changes.folder).await?
                    })
                }
                Edited::Stale => Edited::Stale,
                Edited::Missing => Edited::Missing,
                Edited::TakenDown => Edited::TakenDown,
            })
        };
    store.transaction_by_steps(by, changes.at, first, last).await
}

/// The new content of a deck, whose entries that are written as before are bound as before.
fn as_bound_before<'a>(content: &'a DeckContent, before: &DeckContent) -> Cow<'a, DeckContent> {
    let cards = content.bindings_after(before);
    if content.bound_entries().map(|(_, card)| card).eq(cards.iter().copied()) {
        return Cow::Borrowed(content);
    }
    Cow::Owned(DeckContent { cards, ..content.clone() })
}

/// The cards that the entries of the new content are bound to and that are hidden from the public. Those of the requested content were looked up before the deck was
/// locked; entries that are bound as before may be bound to others.
async fn hidden_in<'a>(
    conn: &Connection,
    content: &DeckContent,
    changes: &DeckChanges<'a>,
) -> StoreResult<Cow<'a, BTreeSet<CardId>>> {
    if content.cards == changes.content.cards {
        return Ok(Cow::Borrowed(changes.hidden));
    }
    let requested: BTreeSet<CardId> = changes.content.cards.iter().flatten().copied().collect();
    let cards = content.cards.iter().flatten().copied();
    let others: BTreeSet<CardId> = cards.filter(|card| !requested.contains(card)).collect();
    if others.is_empty() {
        return Ok(Cow::Borrowed(changes.hidden));
    }
    let hidden = deck_pool::find_hidden(conn, &others).await?;
    Ok(Cow::Owned(changes.hidden | &hidden))
}

/// The new content of a locked deck, with the bindings that it takes over from the previous content. `hidden`: the cards that its entries are bound to and that
/// are hidden from the public.
async fn inherited<'a>(
    conn: &Connection,
    before: &StoredDeck,
    content: Cow<'a, DeckContent>,
    hidden: &BTreeSet<CardId>,
) -> StoreResult<Cow<'a, DeckContent>> {
    if hidden.is_empty() && !content.has_unbound() {
        return Ok(content);
    }
    let StoredDeck { row, content: before, .. } = before;
    let mut guessed = BTreeSet::new();
    if !hidden.is_empty() {
        guessed = guessed_names(conn, row.id).await?;
        let others_read =
            row.visibility() != DeckVisibility::Private || row.cloned_deck_id.is_some();
        let unbound = before.bound_entries().filter(|(_, card)| others_read && card.is_none());
        guessed.extend(unbound.map(|(entry, _)| name_key(&entry.card.name)));
    }
    let mut content = content.into_owned();
    content.inherit(before, hidden, &guessed);
    Ok(Cow::Owned(content))
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The keys of names in entries that were bound to no card, in revisions that others could read.
async fn guessed_names(mut conn: &Connection, deck: DeckId) -> StoreResult<BTreeSet<String>> {
    let rows: Vec<NameRow> = sql("SELECT DISTINCT entry ->> 'name' AS name FROM deck_revisions r, jsonb_array_elements(r.content -> 'entries') entry \
         WHERE r.deck_id = $deck AND r.visibility <> 'private' AND entry ->> 'card_id' IS NULL AND entry ->> 'name' <> ''")
        .bind("deck", deck)
        .load(&mut conn)
        .await?;
    Ok(rows.iter().map(|row| name_key(&row.name)).collect())
}

/// Gives a locked deck its new state, unless it has this state already.
pub(super) async fn overwrite(
    conn: &Connection,
    locked: LockedDeck,
    changes: &DeckChanges<'_>,
) -> StoreResult<StoredDeck> {
    let content = Cow::Borrowed(changes.content);
    let content = inherited(conn, &locked.deck, content, changes.hidden).await?;
    let changes = DeckChanges { content: &content, ..*changes };
    if is_as_stored(&locked.deck, &changes) {
        return move_to_folder(conn, locked.deck, changes.folder).await;
    }
    write(conn, locked, &changes).await
}

/// Moves a locked deck to its new folder, or out of its folder. Only its owner sees the folder: the deck stays at its
/// revision, and nobody else sees a change.
async fn move_to_folder(
    mut conn: &Connection,
    mut deck: StoredDeck,
    folder: Option<&DeckFolder>,
) -> StoreResult<StoredDeck> {
    let folder = folder.map(DeckFolder::as_str);
    if deck.row.folder.as_deref() != folder {
        sql("UPDATE decks SET folder = $folder WHERE id = $id")
            .bind("folder", folder)
            .bind("id", deck.row.id)
            .execute(&mut conn)
            .await?;
        deck.row.folder = folder.map(str::to_owned);
    }
    Ok(deck)
}

/// Whether a deck already has its new state besides its folder, with the bindings of its entries. What an older program
/// stored is always written again, because it has no bindings.
fn is_as_stored(before: &StoredDeck, changes: &DeckChanges<'_>) -> bool {
    let row = &before.row;
    row.is_bound()
        && changes.visibility.is_none_or(|visibility| visibility == row.visibility())
        && before.content.is_stored_as(changes.content)
}

/// Writes the new state of a locked deck. Entries that stay as they are are not written.
async fn write(
    mut conn: &Connection,
    locked: LockedDeck,
    changes: &DeckChanges<'_>,
) -> StoreResult<StoredDeck> {
    let LockedDeck { deck: before, is_in_order } = locked;
    let row = &before.row;
    let visibility = changes.visibility.unwrap_or_else(|| row.visibility());
    let changes = &DeckChanges { visibility: Some(visibility), ..*changes };
    let text = StoredContent::text_of(changes.content)?;
    let (entries, stored) = (&changes.content.deck.entries, &before.content.deck.entries);
    let last_deleted = row.revision + 1 - max_revisions(text.len());
    // Usually there is nothing to repair, so the statement is shorter.
    let mut statement = sql("WITH ");
    if !row.is_bound() || !is_in_order || stored.len() > entries.len() || last_deleted > 0 {
        statement = statement
            .push(REPAIR)
            .bind("count", i32::try_from(entries.len()).unwrap_or(i32::MAX))
            .bind("last_deleted", last_deleted);
    }
    let statement = statement
        .push(UPDATE_DECK)
        .push(INSERT_ENTRIES)
        .push(UPDATE_ENTRIES)
        .push(INSERT_REVISION)
        .push(RESULT)
        .bind("id", row.id)
        .bind("account", row.account_id);
    let statement = bind_state(statement, changes, text)?;
    let stored: &[DeckEntry] = if is_in_order { stored } else { &[] };
    let changed = entries.iter().enumerate().filter(|(at, entry)| stored.get(*at) != Some(*entry));
    let statement = EntryColumns::of(changed).bind_to(statement);
    let version: VersionRow = statement.get_result(&mut conn).await?;
    let changes = DeckChanges { cloned_from: row.cloned_from(), ..*changes };
    let takedown = row.taken_down_at.zip(row.takedown_note.clone());
    Ok(version.deck(row.account_id, row.id, &changes, takedown))
}
