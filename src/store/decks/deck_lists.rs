//! Deck lists as their owners wrote them. Reports on them are computed for each request: see `deck_pool`.

use cardscape_engine::{CardReference, Deck, DeckEntry};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Timestamptz};
use diesel_async::RunQueryDsl;
use serde::Serialize;
use uuid::Uuid;

use crate::auth::permission::{Acting, Granted, ReadOwnDecks, WriteOwnDecks};
use crate::domain::decks::deck::{DeckName, FormatName, FormatNameError, MAX_DECKS, Visibility};
use crate::domain::ids::{AccountId, DeckId};
use crate::store::db::schema::{accounts, deck_entries, decks};
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreResult};

/// A deck without its entries.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = decks)]
pub struct DeckRow {
    pub id: DeckId,
    /// The owner.
    pub account_id: AccountId,
    game_code: String,
    format_code: String,
    /// What its owner calls it.
    pub name: String,
    /// Who may read it.
    pub visibility: Visibility,
    /// Rises with every change.
    pub revision: i64,
    /// When it was stored.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
}

impl DeckRow {
    /// Which format it is meant for. The error is for rows that something else wrote.
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
}

/// A deck with its entries.
#[derive(Clone, Debug)]
pub struct StoredDeck {
    /// The deck itself.
    pub row: DeckRow,
    /// Its entries in the order of their owner.
    pub deck: Deck,
}

/// What a deck shall be from now on.
pub struct DeckContent<'a> {
    /// What its owner calls it.
    pub name: &'a DeckName,
    /// Which format it is meant for. The game exists.
    pub format: &'a FormatName,
    /// Who may read it.
    pub visibility: Visibility,
    /// Its entries: at most `MAX_ENTRIES`, each one checked.
    pub deck: &'a Deck,
    /// Now.
    pub at: DateTime<Utc>,
}

/// What became of a deck to store.
#[derive(Debug)]
pub enum DeckCreated {
    /// Stored.
    New(StoredDeck),
    /// This request was answered before, with this deck as it is now; `None`: it was deleted meanwhile.
    Repeat(Option<StoredDeck>),
    /// The account has [`MAX_DECKS`] decks.
    TooMany,
}

/// What became of a change under `If-Match`.
#[derive(Debug)]
pub enum Edited<T> {
    Done(T),
    /// It was changed since the client read it.
    Stale,
    /// The asker has no such deck.
    Missing,
}

/// Stores a deck. The account's row is locked, so that parallel requests cannot pass the limit.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    content: &DeckContent<'_>,
    key: Option<&IdempotencyClaim>,
) -> Result<DeckCreated, IdempotentError> {
    if let Some(earlier) = idempotency::begin(conn, key, id).await? {
        return Ok(DeckCreated::Repeat(
            load_with_entries(conn, earlier, Some(by.account()), false).await?,
        ));
    }
    // Not FOR UPDATE: requests that have claimed an idempotency key hold a key share of this row, and two of them would deadlock.
    accounts::table
        .find(by.account())
        .select(accounts::id)
        .for_no_key_update()
        .first::<Uuid>(conn)
        .await?;
    // Another statement: one with the lock would count what there was before it waited.
    let stored: Option<VersionRow> = sql(INSERT)
        .bind("id", id)
        .bind("entries", entries(content.deck)?)
        .bind("game", content.format.game())
        .bind("format", content.format.local())
        .bind("name", content.name.as_str())
        .bind("visibility", content.visibility)
        .bind("at", content.at)
        .bind("account", by.account())
        .bind("limit", MAX_DECKS)
        .get_result(conn)
        .await
        .optional()?;
    let Some(version) = stored else {
        idempotency::forget(conn, key).await?;
        return Ok(DeckCreated::TooMany);
    };
    Ok(DeckCreated::New(version.deck(by.account(), id, content)))
}

/// Stores a deck with its entries, unless the account has as many as it may.
const INSERT: &str = "WITH deck AS (\
     INSERT INTO decks (id, account_id, game_code, format_code, name, visibility, revision, created_at, updated_at) \
     SELECT $id, $account, $game, $format, $name, $visibility, 1, $at, $at WHERE (SELECT count(*) FROM decks WHERE account_id = $account) < $limit \
     RETURNING id, revision, created_at, updated_at), \
    written AS (\
     INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
     SELECT deck.id, entry.* FROM deck, json_to_recordset($entries::json) AS entry (position integer, zone text, quantity integer, name text, \
      set_code text, number text, rarity text, copies text[])) \
    SELECT revision, created_at, updated_at FROM deck";

/// Replaces a deck with its entries. Those that it has already become others in their places: one statement cannot delete a row and write
/// another with the same key.
const REPLACE: &str = "WITH deck AS (\
     UPDATE decks SET game_code = $game, format_code = $format, name = $name, visibility = $visibility, revision = revision + 1, updated_at = $at WHERE id = $id \
     RETURNING revision, created_at, updated_at), \
    shortened AS (DELETE FROM deck_entries WHERE deck_id = $id AND position >= $count), \
    written AS (\
     INSERT INTO deck_entries (deck_id, position, zone, quantity, name, set_code, number, rarity, copies) \
     SELECT $id, entry.* FROM json_to_recordset($entries::json) AS entry (position integer, zone text, quantity integer, name text, \
      set_code text, number text, rarity text, copies text[]) \
     ON CONFLICT (deck_id, position) DO UPDATE SET zone = EXCLUDED.zone, quantity = EXCLUDED.quantity, name = EXCLUDED.name, \
      set_code = EXCLUDED.set_code, number = EXCLUDED.number, rarity = EXCLUDED.rarity, copies = EXCLUDED.copies) \
    SELECT revision, created_at, updated_at FROM deck";

/// Replaces one of the own decks, if `is_current` accepts its revision. Whoever comes second waits, and is told that the
/// deck was changed.
pub async fn replace(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(i64) -> bool,
    content: &DeckContent<'_>,
) -> StoreResult<Edited<StoredDeck>> {
    match lock(conn, by, id).await? {
        None => return Ok(Edited::Missing),
        Some(revision) if !is_current(revision) => return Ok(Edited::Stale),
        Some(_) => {}
    }
    let version: VersionRow = sql(REPLACE)
        .bind("id", id)
        .bind("entries", entries(content.deck)?)
        .bind("game", content.format.game())
        .bind("format", content.format.local())
        .bind("name", content.name.as_str())
        .bind("visibility", content.visibility)
        .bind("at", content.at)
        .bind("count", i32::try_from(content.deck.entries.len()).unwrap_or(i32::MAX))
        .get_result(conn)
        .await?;
    Ok(Edited::Done(version.deck(by.account(), id, content)))
}

/// Deletes one of the own decks, if `is_current` accepts its revision.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
    is_current: impl Fn(i64) -> bool,
) -> StoreResult<Edited<()>> {
    match lock(conn, by, id).await? {
        None => return Ok(Edited::Missing),
        Some(revision) if !is_current(revision) => return Ok(Edited::Stale),
        Some(_) => {}
    }
    diesel::delete(decks::table.find(id)).execute(conn).await?;
    Ok(Edited::Done(()))
}

/// Locks one of the own decks and tells its revision.
async fn lock(
    conn: &mut Connection,
    by: &Acting<WriteOwnDecks>,
    id: DeckId,
) -> StoreResult<Option<i64>> {
    let revision = decks::table
        .find(id)
        .filter(decks::account_id.eq(by.account()))
        .select(decks::revision)
        .for_update()
        .first(conn)
        .await
        .optional()?;
    Ok(revision)
}

/// A deck that the reader may see: a public one, or one of their own. Nobody, whatever their role, reads private decks of
/// others here.
pub async fn find(
    conn: &mut Connection,
    reader: Option<&Granted<ReadOwnDecks>>,
    id: DeckId,
) -> StoreResult<Option<StoredDeck>> {
    load_with_entries(conn, id, reader.map(Granted::account), true).await
}

/// Decks of one account, and of one game where that is asked for.
pub struct DeckFilter<'a> {
    pub game: Option<&'a str>,
    /// The last deck of the page before.
    pub before: Option<Uuid>,
}

#[derive(QueryableByName)]
struct CountedDeck {
    #[diesel(embed)]
    deck: DeckRow,
    #[diesel(sql_type = BigInt)]
    cards: i64,
}

/// The own decks, the newest first, each with the number of its cards.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnDecks>,
    filter: &DeckFilter<'_>,
    limit: i64,
) -> StoreResult<Vec<(DeckRow, i64)>> {
    let mut statement = sql("SELECT d.id, d.account_id, d.game_code, d.format_code, d.name, d.visibility, d.revision, d.created_at, d.updated_at, \
             (SELECT coalesce(sum(e.quantity), 0)::bigint FROM deck_entries e WHERE e.deck_id = d.id) AS cards \
         FROM decks d WHERE d.account_id = $account")
    .bind("account", by.account());
    if let Some(game) = filter.game {
        statement = statement.push(" AND d.game_code = $game").bind("game", game);
    }
    if let Some(before) = filter.before {
        statement = statement.push(" AND d.id < $before").bind("before", before);
    }
    let statement = statement.push(" ORDER BY d.id DESC LIMIT $limit").bind("limit", limit);
    let rows: Vec<CountedDeck> = statement.load(conn).await?;
    Ok(rows.into_iter().map(|row| (row.deck, row.cards)).collect())
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

/// A deck with its entries, if it belongs to `owner` or, where `or_public` says so, if it is public. One statement, so that
/// deck and entries are of the same revision.
async fn load_with_entries(
    conn: &mut Connection,
    id: DeckId,
    owner: Option<AccountId>,
    or_public: bool,
) -> StoreResult<Option<StoredDeck>> {
    let public = decks::visibility.eq(Visibility::Public);
    let owned = decks::account_id.nullable().eq(owner).assume_not_null();
    let rows: Vec<(DeckRow, Option<EntryRow>)> = decks::table
        .left_join(deck_entries::table.on(deck_entries::deck_id.eq(decks::id)))
        .filter(decks::id.eq(id))
        .filter(owned.or(public.and(or_public.into_sql::<Bool>())))
        .order(deck_entries::position)
        .select((DeckRow::as_select(), Option::<EntryRow>::as_select()))
        .load(conn)
        .await?;
    let mut deck = Deck::default();
    let mut row = None;
    for (found, entry) in rows {
        row = Some(found);
        deck.entries.extend(entry.map(DeckEntry::from));
    }
    Ok(row.map(|row| StoredDeck { row, deck }))
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

/// What Postgres says of a deck that was written.
#[derive(QueryableByName)]
struct VersionRow {
    #[diesel(sql_type = BigInt)]
    revision: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: DateTime<Utc>,
    #[diesel(sql_type = Timestamptz)]
    updated_at: DateTime<Utc>,
}

impl VersionRow {
    /// The deck of that content.
    fn deck(self, account: AccountId, id: DeckId, content: &DeckContent<'_>) -> StoredDeck {
        let Self { revision, created_at, updated_at } = self;
        let row = DeckRow {
            id,
            account_id: account,
            game_code: content.format.game().to_owned(),
            format_code: content.format.local(),
            name: content.name.as_str().to_owned(),
            visibility: content.visibility,
            revision,
            created_at,
            updated_at,
        };
        StoredDeck { row, deck: content.deck.clone() }
    }
}

/// An entry as [`INSERT`] and [`REPLACE`] read it.
#[derive(Serialize)]
struct WrittenEntry<'a> {
    position: usize,
    zone: &'a str,
    quantity: u32,
    name: &'a str,
    set_code: Option<&'a str>,
    number: Option<&'a str>,
    rarity: Option<&'a str>,
    copies: &'a [String],
}

/// All entries as one JSON text: a deck of any length is written by the same statement.
fn entries(deck: &Deck) -> StoreResult<String> {
    let rows: Vec<WrittenEntry<'_>> = deck
        .entries
        .iter()
        .enumerate()
        .map(|(position, entry)| WrittenEntry {
            position,
            zone: &entry.zone,
            quantity: entry.quantity,
            name: &entry.card.name,
            set_code: entry.card.set.as_deref(),
            number: entry.card.number.as_deref(),
            rarity: entry.card.rarity.as_deref(),
            copies: &entry.copies,
        })
        .collect();
    let unwritable = |error| diesel::result::Error::SerializationError(Box::new(error));
    Ok(serde_json::to_string(&rows).map_err(unwritable)?)
}
