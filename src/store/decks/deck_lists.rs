//! Deck lists as their owners wrote them. Reports on them are computed for each request: see `deck_pool`.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cardscape_engine::{CardReference, Deck, DeckEntry, name_key};
use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text, Timestamptz};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::deck_revisions;
use super::stored_content::{StoredContent, StoredLine, read_tags, unreadable};
use crate::auth::permission::{Acting, Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::content::{DeckContent, UnreadLine};
use crate::domain::decks::deck::{DeckName, FormatName, FormatNameError, MAX_DECKS, Visibility};
use crate::domain::decks::details::{DeckDescription, DeckFolder, DeckVisibility};
use crate::domain::ids::{AccountId, CardId, DeckId};
use crate::store::db::codecs::json::Json;
use crate::store::db::schema::{accounts, deck_entries, decks};
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// Most deleted decks that an account can restore; when another deck is deleted, the one that was deleted first is
/// deleted permanently.
pub const MAX_DELETED: i64 = 100;

/// A deck without its content.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = decks)]
pub struct DeckRow {
    pub id: DeckId,
    /// The owner.
    pub account_id: AccountId,
    game_code: String,
    format_code: String,
    /// The name that its owner chose.
    pub name: String,
    visibility: Visibility,
    unlisted: bool,
    /// Its tags.
    pub tags: Vec<String>,
    /// The folder of its owner; shown to nobody else.
    pub folder: Option<String>,
    /// Rises with every change.
    pub revision: i64,
    cloned_deck_id: Option<DeckId>,
    cloned_revision: Option<i64>,
    cloned_account_id: Option<AccountId>,
    /// When it was deleted.
    pub deleted_at: Option<DateTime<Utc>>,
    bound_revision: i64,
    /// Likes that count.
    pub like_count: i64,
    /// Comments and replies that are shown.
    pub comment_count: i64,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// The deck and the revision that a deck was cloned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloneSource {
    /// The deck; it may have been deleted.
    pub deck: DeckId,
    /// The cloned revision.
    pub revision: i64,
    /// The owner of that deck; `None`: the account was deleted.
    pub account: Option<AccountId>,
}

/// The columns of a [`DeckRow`].
pub(super) const COLUMNS: &str = "d.id, d.account_id, d.game_code, d.format_code, d.name, d.visibility, d.unlisted, d.tags, d.folder, d.revision, \
    d.cloned_deck_id, d.cloned_revision, d.cloned_account_id, d.deleted_at, d.bound_revision, d.like_count, d.comment_count, d.created_at, d.updated_at";

impl DeckRow {
    /// The format of the deck. Fails for a row that another program wrote.
    pub fn format(&self) -> Result<FormatName, FormatNameError> {
        FormatName::of_game(&self.game_code, &self.format_code)
    }

    pub fn game(&self) -> &str {
        &self.game_code
    }

    /// The name of the format within its game.
    pub fn local_format(&self) -> &str {
        &self.format_code
    }

    /// Who may read it.
    pub fn visibility(&self) -> DeckVisibility {
        match self.visibility {
            Visibility::Public => DeckVisibility::Public,
            // A program that does not know unlisted decks may have made it private since; it is then not bound.
            Visibility::Private if self.unlisted && self.is_bound() => DeckVisibility::Unlisted,
            Visibility::Private => DeckVisibility::Private,
        }
    }

    /// Whether the program that last changed the deck bound its entries to cards.
    fn is_bound(&self) -> bool {
        self.bound_revision == self.revision
    }

    /// The deck that this one was cloned from.
    pub fn cloned_from(&self) -> Option<CloneSource> {
        let account = self.cloned_account_id;
        Some(CloneSource { deck: self.cloned_deck_id?, revision: self.cloned_revision?, account })
    }
}

/// A deck with its content.
#[derive(Clone, Debug)]
pub struct StoredDeck {
    /// The deck itself.
    pub row: DeckRow,
    /// The content, as its owner wrote it. The cards of its entries are known if they were bound when this revision was
    /// saved.
    pub content: DeckContent,
}

/// The new state of a deck.
#[derive(Clone, Copy)]
pub struct DeckChanges<'a> {
    /// The content. The game of its format exists.
    pub content: &'a DeckContent,
    /// The cards that its entries are bound to and that are hidden from the public.
    pub hidden: &'a BTreeSet<CardId>,
    /// Who may read it.
    pub visibility: DeckVisibility,
    /// The folder of its owner.
    pub folder: Option<&'a DeckFolder>,
    /// The deck that a new deck is cloned from.
    pub cloned_from: Option<CloneSource>,
    /// The current time.
    pub at: DateTime<Utc>,
}

/// The result of creating a deck.
#[derive(Debug)]
pub enum DeckCreated {
    /// Stored.
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
    SELECT revision, like_count, comment_count, created_at, updated_at FROM deck";

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
    SELECT revision, like_count, comment_count, created_at, updated_at FROM deck";

/// Replaces one of the caller's decks, if `is_current` accepts its revision. Of two concurrent requests, the second
/// waits, and then finds that the deck was changed.
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
    let content = inherited(conn, &row, changes).await?;
    let changes = DeckChanges { content: &content, ..*changes };
    Ok(Edited::Done(overwrite(conn, &row, &changes).await?))
}

/// The new content of a locked deck, with the bindings that it takes over from the previous content.
async fn inherited<'a>(
    conn: &mut Connection,
    row: &DeckRow,
    changes: &DeckChanges<'a>,
) -> StoreResult<Cow<'a, DeckContent>> {
    let DeckChanges { content, hidden, .. } = *changes;
    if hidden.is_empty() && !content.has_unbound() {
        return Ok(Cow::Borrowed(content));
    }
    let own = Readable { owner: Some(row.account_id), or_shared: false };
    let Some(before) = load(conn, row.id, own).await? else { return Ok(Cow::Borrowed(content)) };
    let before = before.content;
    let mut guessed = BTreeSet::new();
    if !hidden.is_empty() {
        guessed = deck_revisions::guessed_names(conn, row.id).await?;
        let others_read =
            row.visibility() != DeckVisibility::Private || row.cloned_deck_id.is_some();
        let unbound = before.bound_entries().filter(|(_, card)| others_read && card.is_none());
        guessed.extend(unbound.map(|(entry, _)| name_key(&entry.card.name)));
    }
    let mut content = content.clone();
    content.inherit(&before, hidden, &guessed);
    Ok(Cow::Owned(content))
}

/// Writes the new state of a locked deck.
pub(super) async fn overwrite(
    conn: &mut Connection,
    row: &DeckRow,
    changes: &DeckChanges<'_>,
) -> StoreResult<StoredDeck> {
    let DeckChanges { content, hidden: _, visibility, folder, cloned_from: _, at } = changes;
    let text = StoredContent::text_of(content)?;
    let version: VersionRow = sql(REPLACE)
        .bind("id", row.id)
        .bind("kept", deck_revisions::kept(text.len()))
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

/// A deck that the reader may see: a public or unlisted deck of an account that is not banned, or one of the reader's
/// own. No role gives access to private decks of others here.
pub async fn find(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    let readable = Readable { owner: reader.map(Granted::account), or_shared: true };
    load(conn, id, readable).await
}

/// A deck for a background job, regardless of who may read it now and of a ban of its owner. What the job stores of it is
/// shown only to accounts that may read the deck.
pub(crate) async fn find_for_job(
    conn: &mut Connection,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    let owner = decks::table.find(id).select(decks::account_id).first(conn).await.optional()?;
    load(conn, id, Readable { owner, or_shared: true }).await
}

/// One of the caller's decks, for callers that may change it.
pub async fn find_own(
    conn: &mut Connection,
    by: &Granted<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    load(conn, id, Readable { owner: Some(by.account()), or_shared: false }).await
}

/// Whether everybody may read a deck: see [`TELLS_SOURCE`](super::TELLS_SOURCE).
pub async fn is_public(mut conn: &Connection, id: DeckId) -> StoreResult<bool> {
    let public = decks::visibility.eq(Visibility::Public).and(decks::deleted_at.is_null());
    let found = decks::table.find(id).filter(public.and(not(is_owner_banned())));
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(&mut conn).await?)
}

/// Whether the owner of a row of `decks` is banned.
#[diesel::dsl::auto_type]
fn is_owner_banned() -> _ {
    let banned = accounts::id.eq(decks::account_id).and(accounts::banned_at.is_not_null());
    exists(accounts::table.filter(banned))
}

/// Filter of the decks of one account.
pub struct DeckFilter<'a> {
    /// Code of a game.
    pub game: Option<&'a str>,
    /// A folder.
    pub folder: Option<&'a DeckFolder>,
    /// A tag.
    pub tag: Option<&'a str>,
    /// Only decks that were deleted after this time; `None`: only decks that are not deleted.
    pub deleted_since: Option<DateTime<Utc>>,
    /// The last deck on the previous page.
    pub before: Option<Uuid>,
}

#[derive(QueryableByName)]
struct CountedDeck {
    #[diesel(embed)]
    deck: DeckRow,
    #[diesel(sql_type = BigInt)]
    cards: i64,
}

/// The caller's decks, the newest first, each with the number of its cards.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    filter: &DeckFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<(DeckRow, i64)>> {
    let mut statement = sql("SELECT ").push(COLUMNS).push(
        ", (SELECT coalesce(sum(e.quantity), 0)::bigint FROM deck_entries e WHERE e.deck_id = d.id) AS cards \
         FROM decks d WHERE d.account_id = $account",
    )
    .bind("account", by.account())
    ;
    statement = match filter.deleted_since {
        None => statement.push(" AND d.deleted_at IS NULL"),
        Some(since) => statement.push(" AND d.deleted_at > $since").bind("since", since),
    };
    if let Some(game) = filter.game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    if let Some(folder) = filter.folder {
        statement = statement.push(" AND d.folder = $folder").bind("folder", folder.as_str());
    }
    if let Some(tag) = filter.tag {
        statement = statement.push(" AND d.tags @> ARRAY[$tag]").bind("tag", tag);
    }
    if let Some(before) = filter.before {
        statement = statement.push(" AND d.id < $before").bind("before", before);
    }
    let statement = statement.push(" ORDER BY d.id DESC LIMIT $limit").bind("limit", limit);
    let rows: Vec<CountedDeck> = statement.varies_with_filters().load(conn).await?;
    Ok(rows.into_iter().map(|row| (row.deck, row.cards)).collect())
}

/// A folder of an account.
#[derive(Clone, Debug, QueryableByName)]
pub struct FolderRow {
    /// Its name; `None`: decks that are in no folder.
    #[diesel(sql_type = Nullable<Text>)]
    pub name: Option<String>,
    /// How many decks are in it.
    #[diesel(sql_type = BigInt)]
    pub decks: i64,
}

/// The folders of the caller's decks, by name; the decks without a folder are last.
pub async fn list_folders(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
) -> StoreResult<Vec<FolderRow>> {
    let folders = sql("SELECT folder AS name, count(*) AS decks FROM decks \
         WHERE account_id = $account AND deleted_at IS NULL GROUP BY folder ORDER BY folder NULLS LAST");
    Ok(folders.bind("account", by.account()).load(conn).await?)
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = deck_entries)]
struct EntryRow {
    zone: String,
    quantity: i32,
    name: String,
    set_code: Option<String>,
    number: Option<String>,
    rarity: Option<String>,
    copies: Vec<String>,
}

/// The content of a deck besides its entries.
#[derive(Queryable, Selectable)]
#[diesel(table_name = decks)]
struct DetailRow {
    description: String,
    unread_lines: Json<Vec<StoredLine>>,
    card_ids: Vec<Option<CardId>>,
}

/// Which decks a read may return.
#[derive(Clone, Copy)]
pub(super) struct Readable {
    /// The account whose decks may be returned.
    pub(super) owner: Option<AccountId>,
    /// Whether public and unlisted decks of accounts that are not banned may be returned, too.
    pub(super) or_shared: bool,
}

/// A deck that is not deleted, with its content. One statement, so that deck and entries have the same revision.
pub(super) async fn load(
    conn: &mut Connection,
    id: DeckId,
    readable: Readable,
) -> StoreResult<Option<StoredDeck>> {
    let unlisted = decks::unlisted.and(decks::bound_revision.eq(decks::revision));
    let shared = decks::visibility.eq(Visibility::Public).or(unlisted);
    let owned = decks::account_id.nullable().eq(readable.owner).assume_not_null();
    let shared = shared.and(not(is_owner_banned()));
    let rows: Vec<(DeckRow, DetailRow, Option<EntryRow>)> = decks::table
        .left_join(deck_entries::table.on(deck_entries::deck_id.eq(decks::id)))
        .filter(decks::id.eq(id).and(decks::deleted_at.is_null()))
        .filter(owned.or(shared.and(readable.or_shared.into_sql::<Bool>())))
        .order(deck_entries::position)
        .select((DeckRow::as_select(), DetailRow::as_select(), Option::<EntryRow>::as_select()))
        .load(conn)
        .await?;
    let mut deck = Deck::default();
    let mut found = None;
    for (row, details, entry) in rows {
        found.get_or_insert((row, details));
        deck.entries.extend(entry.map(DeckEntry::from));
    }
    let Some((row, details)) = found else { return Ok(None) };
    let is_bound = row.is_bound();
    let content = DeckContent {
        name: DeckName::parse(&row.name).map_err(unreadable)?,
        format: row.format().map_err(unreadable)?,
        description: DeckDescription::parse(&details.description).map_err(unreadable)?,
        tags: read_tags(&row.tags)?,
        deck,
        cards: if is_bound { details.card_ids } else { Vec::new() },
        unread_lines: details.unread_lines.0.into_iter().map(UnreadLine::from).collect(),
    };
    Ok(Some(StoredDeck { row, content }))
}

impl From<EntryRow> for DeckEntry {
    fn from(row: EntryRow) -> Self {
        let EntryRow { zone, quantity, name, set_code: set, number, rarity, copies } = row;
        Self {
            zone,
            quantity: quantity.unsigned_abs(),
            card: CardReference { name, set, number, rarity },
            copies,
        }
    }
}

/// The values that Postgres returns for a written deck.
#[derive(QueryableByName)]
struct VersionRow {
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = BigInt)]
    like_count: i64,
    #[diesel(sql_type = BigInt)]
    comment_count: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
}

impl VersionRow {
    /// The deck after these changes.
    fn deck(self, account: AccountId, id: DeckId, changes: &DeckChanges<'_>) -> StoredDeck {
        let Self { revision, like_count, comment_count, created_at, updated_at } = self;
        let DeckChanges { content, hidden: _, visibility, folder, cloned_from, at: _ } = changes;
        let row = DeckRow {
            id,
            account_id: account,
            game_code: content.format.game().to_owned(),
            format_code: content.format.local(),
            name: content.name.as_str().to_owned(),
            visibility: match visibility {
                DeckVisibility::Public => Visibility::Public,
                DeckVisibility::Private | DeckVisibility::Unlisted => Visibility::Private,
            },
            unlisted: *visibility == DeckVisibility::Unlisted,
            tags: content.tags.iter().map(|tag| tag.as_str().to_owned()).collect(),
            folder: folder.map(|folder| folder.as_str().to_owned()),
            revision,
            cloned_deck_id: cloned_from.map(|source| source.deck),
            cloned_revision: cloned_from.map(|source| source.revision),
            cloned_account_id: cloned_from.and_then(|source| source.account),
            deleted_at: None,
            bound_revision: revision,
            like_count,
            comment_count,
            created_at,
            updated_at,
        };
        StoredDeck { row, content: (*content).clone() }
    }
}
