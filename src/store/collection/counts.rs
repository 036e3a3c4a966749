//! Counted collections. Counts change under the lock of their account's row: parallel changes of one collection wait
//! for each other, and none is lost.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Int4, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::collection_imports;
use crate::auth::permission::{Acting, Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::collection::resolve::{Assumptions, Meaning};
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, EntryKey, MAX_ENTRIES, add_to_count};
use crate::domain::ids::{AccountId, PrintingId};
use crate::store::card_content::{collection as card_collection, completion};
use crate::store::db::pool::AsStoreError;
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

pub use crate::store::card_content::collection::{
    CardLine, DuplicatePosition, DuplicateView, EntryFilter, EntryPosition, EntryView,
    TradeItemView,
};
pub use crate::store::card_content::completion::{OwnedRow, TotalRow};

/// Why a collection was not changed.
#[derive(Debug)]
pub enum CollectionError {
    /// There is no such printing that the account may see or has counted.
    Unknown,
    /// These changes of the request would make counts negative, or larger than the maximum.
    OutOfRange(Vec<usize>),
    /// These changes of the request name no printing, or several.
    Unclear(Vec<(usize, Meaning)>),
    /// The collection would have more than [`MAX_ENTRIES`].
    Full,
    /// An error of the idempotency key, or of the store.
    Idempotent(IdempotentError),
}

impl From<IdempotentError> for CollectionError {
    fn from(error: IdempotentError) -> Self {
        Self::Idempotent(error)
    }
}

impl From<StoreError> for CollectionError {
    fn from(error: StoreError) -> Self {
        Self::Idempotent(error.into())
    }
}

impl From<diesel::result::Error> for CollectionError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Idempotent(error.into())
    }
}

impl AsStoreError for CollectionError {
    fn as_store_error(&self) -> Option<&StoreError> {
        if let Self::Idempotent(error) = self { error.as_store_error() } else { None }
    }
}

/// Entries of the caller's collection, after a position.
pub async fn list(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    filter: &EntryFilter<'_>,
    after: Option<&EntryPosition>,
    limit: i64,
) -> StoreResult<Vec<EntryView>> {
    card_collection::page_entries(conn, viewer, by.account(), filter, after, limit).await
}

/// Number of entries in the caller's collection.
pub async fn count(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    filter: &EntryFilter<'_>,
) -> StoreResult<i64> {
    card_collection::count_entries(conn, viewer, by.account(), filter).await
}

/// The whole collection, or its entries of one game; one statement, and so one snapshot.
pub async fn all(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    game: Option<&str>,
) -> StoreResult<Vec<EntryView>> {
    let filter = EntryFilter { game, ..EntryFilter::default() };
    card_collection::list_entries(conn, viewer, by.account(), &filter).await
}

/// What the account owns of a game or one of its sets: see [`completion::count_owned`].
pub async fn owned(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    game: &str,
    set: Option<&str>,
) -> StoreResult<Vec<OwnedRow>> {
    completion::count_owned(conn, viewer, by.account(), game, set).await
}

/// The totals of a set: see [`completion::count_totals`].
pub async fn totals(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    set: &str,
) -> StoreResult<Vec<TotalRow>> {
    completion::count_totals(conn, viewer, game, set).await
}

/// Which printings to list as duplicates.
pub struct DuplicateFilter<'a> {
    pub game: Option<&'a str>,
    /// Printings with more cards than this are duplicates.
    pub over: i64,
}

/// Printings of which the account has more than it needs, counted and registered together.
pub async fn duplicates(
    conn: &mut Connection,
    by: &Granted<ReadOwnCollection>,
    viewer: Viewer,
    filter: &DuplicateFilter<'_>,
    after: Option<&DuplicatePosition>,
    limit: i64,
) -> StoreResult<Vec<DuplicateView>> {
    let DuplicateFilter { game, over } = filter;
    card_collection::list_duplicates(conn, viewer, by.account(), *game, *over, after, limit).await
}

/// Sets the count of a printing in a condition; 0 removes it. Returns the entry, `None` when it was removed.
pub async fn set(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    (printing, condition): EntryKey,
    quantity: i32,
    at: DateTime<Utc>,
) -> Result<Option<EntryView>, CollectionError> {
    lock(conn, by.account()).await?;
    let known = counts(conn, by.account(), CountSelection::Printings(vec![printing])).await?;
    let seen = card_collection::find_visible_printings(conn, viewer, &[printing], &[]).await?;
    if known.is_empty() && seen.is_empty() {
        return Err(CollectionError::Unknown);
    }
    let counts = BTreeMap::from([((printing, condition), quantity)]);
    let more = !known.contains_key(&(printing, condition));
    write(conn, by.account(), &counts, more, at).await?;
    let entries = entries_of(conn, by, viewer, &[(printing, condition)]).await?;
    Ok(entries.into_iter().next().flatten())
}

/// A requested change.
#[derive(Clone, Debug)]
pub struct Change {
    pub wanted: WantedPrinting,
    pub condition: Condition,
    /// How many cards are added; negative to remove.
    pub add: i32,
}

/// An applied change: the printing, and its entry in the new state; `None`: the entry was removed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The printing and its condition.
    pub key: EntryKey,
    pub entry: Option<EntryView>,
}

/// The result of a request for changes.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Whether an earlier request with the same key has applied them.
    pub is_repeat: bool,
    /// One for each change, in their order.
    pub changed: Vec<Changed>,
}

/// Applies all of the changes or none. A repeated request gets the current entries.
pub async fn change(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    changes: &[Change],
    key: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<Changes, CollectionError> {
    let is_repeat = idempotency::begin(conn, key, Uuid::now_v7()).await?.is_some();
    lock(conn, by.account()).await?;
    let wanted: Vec<&WantedPrinting> = changes.iter().map(|change| &change.wanted).collect();
    let assumed = Assumptions::default();
    let resolver =
        collection_imports::load_resolver(conn, by.account(), viewer, &wanted, &assumed).await?;
    let (mut keys, mut unclear) = (Vec::new(), Vec::new());
    for (place, change) in changes.iter().enumerate() {
        match resolver.resolve(&change.wanted, &assumed) {
            Meaning::Printing(_, id) => keys.push((id, change.condition)),
            other => unclear.push((place, other)),
        }
    }
    if !unclear.is_empty() {
        return Err(CollectionError::Unclear(unclear));
    }
    if !is_repeat {
        let printings = keys.iter().map(|(printing, _)| *printing).collect();
        let mut counts = counts(conn, by.account(), CountSelection::Printings(printings)).await?;
        let more = keys.iter().any(|key| !counts.contains_key(key));
        let mut out_of_range = Vec::new();
        for (place, (key, change)) in keys.iter().zip(changes).enumerate() {
            let count = counts.entry(*key).or_insert(0);
            match add_to_count(*count, change.add) {
                Some(changed) => *count = changed,
                None => out_of_range.push(place),
            }
        }
        if !out_of_range.is_empty() {
            return Err(CollectionError::OutOfRange(out_of_range));
        }
        let touched: BTreeSet<EntryKey> = keys.iter().copied().collect();
        counts.retain(|key, _| touched.contains(key));
        write(conn, by.account(), &counts, more, at).await?;
    }
    let entries = entries_of(conn, by, viewer, &keys).await?;
    let changed = keys.into_iter().zip(entries).map(|(key, entry)| Changed { key, entry });
    Ok(Changes { is_repeat, changed: changed.collect() })
}

/// The current entries of keys, in the order of the keys.
async fn entries_of(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    keys: &[EntryKey],
) -> StoreResult<Vec<Option<EntryView>>> {
    let printings = Some(keys.iter().map(|(printing, _)| *printing).collect());
    let filter = EntryFilter { printings, ..EntryFilter::default() };
    let entries = card_collection::list_entries(conn, viewer, by.account(), &filter).await?;
    let entry = |(printing, condition): &EntryKey| {
        let is_it =
            |entry: &&EntryView| entry.printing_id == *printing && entry.condition == *condition;
        entries.iter().find(is_it).cloned()
    };
    Ok(keys.iter().map(entry).collect())
}

/// Locks the account's row: every transaction that changes the collection holds this lock until its end. Not `FOR
/// UPDATE`, because a transaction that has claimed an idempotency key holds a key-share lock on this row.
pub(in crate::store) async fn lock(conn: &mut Connection, account: AccountId) -> StoreResult<()> {
    accounts::table
        .find(account)
        .select(accounts::id)
        .for_no_key_update()
        .first::<Uuid>(conn)
        .await?;
    Ok(())
}

/// Which counts to read.
pub(in crate::store) enum CountSelection<'a> {
    /// Those of these printings.
    Printings(Vec<PrintingId>),
    /// Those of a game, or all.
    Game(Option<&'a str>),
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = SqlUuid)]
    printing_id: PrintingId,
    #[diesel(sql_type = Text)]
    condition: Condition,
    #[diesel(sql_type = Int4)]
    quantity: i32,
}

/// Counts of an account.
pub(in crate::store) async fn counts(
    conn: &mut Connection,
    account: AccountId,
    only: CountSelection<'_>,
) -> StoreResult<BTreeMap<EntryKey, i32>> {
    const SELECT: &str = "SELECT e.printing_id, e.condition, e.quantity FROM collection_entries e";
    let rows: Vec<CountRow> = match only {
        CountSelection::Printings(ids) => {
            let text = format!(
                "{SELECT} WHERE e.account_id = $account AND e.printing_id = ANY ((SELECT $ids)::uuid[])"
            );
            sql(text).bind("account", account).bind("ids", ids).load(conn).await?
        }
        CountSelection::Game(game) => {
            let text = format!(
                "{SELECT} JOIN printings p ON p.id = e.printing_id JOIN cards c ON c.id = p.card_id \
                 WHERE e.account_id = $account AND ($game IS NULL OR c.game_code = $game)"
            );
            sql(text).bind("account", account).bind("game", game).load(conn).await?
        }
    };
    let count = |row: CountRow| ((row.printing_id, row.condition), row.quantity);
    Ok(rows.into_iter().map(count).collect())
}

#[derive(QueryableByName)]
struct Total {
    #[diesel(sql_type = BigInt)]
    total: i64,
}

/// Writes counts; 0 removes an entry. Requires [`lock`]. `more`: whether entries may be added, so that the limit has to
/// be checked.
pub(in crate::store) async fn write(
    conn: &mut Connection,
    account: AccountId,
    counts: &BTreeMap<EntryKey, i32>,
    more: bool,
    at: DateTime<Utc>,
) -> Result<(), CollectionError> {
    let part = |kept: bool| {
        let rows = counts.iter().filter(move |(_, quantity)| (**quantity > 0) == kept);
        let ids: Vec<PrintingId> = rows.clone().map(|((printing, _), _)| *printing).collect();
        let conditions: Vec<Condition> =
            rows.clone().map(|((_, condition), _)| *condition).collect();
        let quantities: Vec<i32> = rows.map(|(_, quantity)| *quantity).collect();
        (ids, conditions, quantities)
    };
    let (ids, conditions, _) = part(false);
    if !ids.is_empty() {
        sql(
            "DELETE FROM collection_entries e USING unnest((SELECT $ids), (SELECT $conditions)) AS gone (printing_id, condition) \
             WHERE e.account_id = $account AND e.printing_id = gone.printing_id AND e.condition = gone.condition",
        )
        .bind("account", account)
        .bind("ids", ids)
        .bind("conditions", conditions)
        .execute(conn)
        .await?;
    }
    let (ids, conditions, quantities) = part(true);
    if ids.is_empty() {
        return Ok(());
    }
    sql(
        "INSERT INTO collection_entries AS mine (account_id, printing_id, condition, quantity, updated_at) \
         SELECT $account, new.*, $at FROM unnest((SELECT $ids), (SELECT $conditions), (SELECT $quantities)) AS new ON CONFLICT (account_id, printing_id, condition) \
         DO UPDATE SET quantity = excluded.quantity, updated_at = excluded.updated_at \
         WHERE mine.quantity <> excluded.quantity",
    )
    .bind("account", account)
    .bind("ids", ids)
    .bind("conditions", conditions)
    .bind("quantities", quantities)
    .bind("at", at)
    .execute(conn)
    .await?;
    if !more {
        return Ok(());
    }
    let Total { total } =
        sql("SELECT count(*) AS total FROM collection_entries WHERE account_id = $account")
            .bind("account", account)
            .get_result(conn)
            .await?;
    if usize::try_from(total).is_ok_and(|total| total > MAX_ENTRIES) {
        Err(CollectionError::Full)
    } else {
        Ok(())
    }
}
