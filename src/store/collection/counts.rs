//! Counted collections. Counts change under the lock of their account's row: parallel changes of one collection wait
//! for each other, and none is lost. Only triggers change counts without this lock, when cards are merged or rarities
//! are taken back. So [`write`] writes over the counts that were read, and over no others.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Int4, Text, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;

use super::collection_imports;
use crate::auth::permission::{Acting, Granted, ReadOwnCollection, Viewer, WriteOwnCollection};
use crate::domain::collection::resolve::{Assumptions, Meaning};
use crate::domain::collection::table::WantedPrinting;
use crate::domain::collection::{Condition, EntryKey, MAX_ENTRIES, add_to_count};
use crate::domain::ids::{AccountId, PrintingId};
use crate::store::accounts::credentials;
use crate::store::card_content::{collection as card_collection, completion};
use crate::store::db::pool::AsStoreError;
use crate::store::db::statement::sql;
use crate::store::operations::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::store::{Connection, StoreError, StoreResult};

pub use crate::store::card_content::collection::{
    CardLine, DuplicatePosition, DuplicateView, EntryFilter, EntryPosition, EntryView,
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
    /// An earlier request with the same key has applied the changes, and their descriptions mean other printings now, or none.
    Gone,
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

/// The totals of sets: see [`completion::count_totals`].
pub async fn totals(
    conn: &mut Connection,
    viewer: Viewer,
    game: &str,
    sets: &[&str],
) -> StoreResult<BTreeMap<String, Vec<TotalRow>>> {
    completion::count_totals(conn, viewer, game, sets).await
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

/// A count that was set.
#[derive(Clone, Debug)]
pub struct SetCount {
    /// The count before.
    pub before: i32,
    /// Its entry in the new state; `None`: it was removed.
    pub entry: Option<EntryView>,
}

/// Sets the count of a printing in a condition; 0 removes it.
pub async fn set(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    (printing, condition): EntryKey,
    quantity: i32,
    at: DateTime<Utc>,
) -> Result<SetCount, CollectionError> {
    credentials::lock_account(conn, by.account()).await?;
    let known = counts(conn, by.account(), CountSelection::Printings(vec![printing])).await?;
    let seen = card_collection::find_visible_printings(conn, viewer, &[printing], &[]).await?;
    if known.is_empty() && seen.is_empty() {
        return Err(CollectionError::Unknown);
    }
    let key = (printing, condition);
    let counts = BTreeMap::from([(key, quantity)]);
    write(conn, by.account(), &known, &counts, at).await?;
    let entries = entries_of(conn, by, viewer, &[key]).await?;
    Ok(SetCount { before: count_of(&known, &key), entry: entries.into_iter().next().flatten() })
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

/// Applies all of the changes or none. A repeated request gets the current entries of the printings that the first one
/// changed.
pub async fn change(
    conn: &mut Connection,
    by: &Acting<WriteOwnCollection>,
    viewer: Viewer,
    changes: &[Change],
    key: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<Changes, CollectionError> {
    credentials::lock_account(conn, by.account()).await?;
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
    // The key is stored with the printings that are changed: later, the same words may mean others.
    let meant = idempotency::resource_of(keys.iter().map(|(printing, _)| printing.0));
    let earlier = idempotency::begin(conn, key, meant).await?;
    let is_repeat = earlier.is_some();
    if earlier.is_some_and(|first| !unclear.is_empty() || idempotency::are_others(first, meant)) {
        return Err(CollectionError::Gone);
    }
    if !unclear.is_empty() {
        return Err(CollectionError::Unclear(unclear));
    }
    if !is_repeat {
        let printings = keys.iter().map(|(printing, _)| *printing).collect();
        let before = counts(conn, by.account(), CountSelection::Printings(printings)).await?;
        let (mut after, mut out_of_range) = (BTreeMap::new(), Vec::new());
        for (place, (key, change)) in keys.iter().zip(changes).enumerate() {
            let count = after.entry(*key).or_insert_with(|| count_of(&before, key));
            match add_to_count(*count, change.add) {
                Some(changed) => *count = changed,
                None => out_of_range.push(place),
            }
        }
        if !out_of_range.is_empty() {
            return Err(CollectionError::OutOfRange(out_of_range));
        }
        write(conn, by.account(), &before, &after, at).await?;
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

/// The count of an entry; 0: there is no such entry.
pub(super) fn count_of(counts: &BTreeMap<EntryKey, i32>, key: &EntryKey) -> i32 {
    counts.get(key).copied().unwrap_or(0)
}

/// Counts to write, column by column.
#[derive(Default)]
struct CountColumns {
    printings: Vec<PrintingId>,
    conditions: Vec<Condition>,
    before: Vec<i32>,
    after: Vec<i32>,
}

impl CountColumns {
    fn push(&mut self, (printing, condition): EntryKey, before: i32, after: i32) {
        self.printings.push(printing);
        self.conditions.push(condition);
        self.before.push(before);
        self.after.push(after);
    }

    /// If a statement has not written all of these counts, some are not those that were read any more.
    fn require_all(&self, written: usize) -> StoreResult<()> {
        if written == self.printings.len() {
            return Ok(());
        }
        Err(StoreError::Contended("counts have changed since they were read".to_owned()))
    }
}

/// Writes counts in place of those that were read (`before`; an absent one is 0); 0 removes an entry. Requires the lock
/// of the account ([`credentials::lock_account`]), which every transaction that changes the collection holds until its end.
///
/// A merge of cards may have moved counts since they were read, or may be moving them now: then the transaction begins again.
pub(in crate::store) async fn write(
    conn: &mut Connection,
    account: AccountId,
    before: &BTreeMap<EntryKey, i32>,
    after: &BTreeMap<EntryKey, i32>,
    at: DateTime<Utc>,
) -> Result<(), CollectionError> {
    let mut removed = CountColumns::default();
    let mut changed = CountColumns::default();
    let mut added = CountColumns::default();
    let mut printings = Vec::new();
    for (key, after) in after {
        let before = count_of(before, key);
        if before == *after {
            continue;
        }
        let columns = match (before, *after) {
            (_, 0) => &mut removed,
            (0, _) => &mut added,
            _ => &mut changed,
        };
        columns.push(*key, before, *after);
        printings.push(key.0);
    }
    // Before the first of several entries: a merge that has locked one of these printings needs entries, too. For a
    // single entry, the foreign key is enough.
    if printings.len() > 1 {
        let locked = sql("SELECT FROM printings WHERE id = ").any(printings);
        locked.push(" ORDER BY id FOR KEY SHARE").execute(conn).await?;
    }
    if !removed.printings.is_empty() {
        let written = sql(
            "DELETE FROM collection_entries e USING unnest((SELECT $ids), (SELECT $conditions), (SELECT $before)) AS gone (printing_id, condition, quantity) \
             WHERE e.account_id = $account AND e.printing_id = gone.printing_id AND e.condition = gone.condition AND e.quantity = gone.quantity",
        )
        .bind("account", account)
        .bind("ids", &removed.printings)
        .bind("conditions", &removed.conditions)
        .bind("before", &removed.before)
        .execute(conn)
        .await?;
        removed.require_all(written)?;
    }
    if !changed.printings.is_empty() {
        let written = update(conn, account, &changed, at).await?;
        changed.require_all(written)?;
    }
    if added.printings.is_empty() {
        return Ok(());
    }
    let written = sql(
        "INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at) \
         SELECT $account, new.*, $at FROM unnest((SELECT $ids), (SELECT $conditions), (SELECT $after)) AS new \
         ON CONFLICT (account_id, printing_id, condition) DO NOTHING",
    )
    .bind("account", account)
    .bind("ids", &added.printings)
    .bind("conditions", &added.conditions)
    .bind("after", &added.after)
    .bind("at", at)
    .execute(conn)
    .await
    .map_err(StoreError::of_references)?;
    added.require_all(written)?;
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

/// Changes entries that have the counts of before. Returns how many.
async fn update(
    conn: &mut Connection,
    account: AccountId,
    changed: &CountColumns,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    let CountColumns { printings, conditions, before, after } = changed;
    // Most requests change a single entry.
    if let ([printing], [condition], [before], [after]) =
        (&printings[..], &conditions[..], &before[..], &after[..])
    {
        let written = sql(
            "UPDATE collection_entries SET quantity = $after, updated_at = $at \
             WHERE account_id = $account AND printing_id = $printing AND condition = $condition AND quantity = $before",
        )
        .bind("account", account)
        .bind("printing", *printing)
        .bind("condition", *condition)
        .bind("before", *before)
        .bind("after", *after)
        .bind("at", at)
        .execute(conn)
        .await?;
        return Ok(written);
    }
    // Not an UPDATE: where Postgres expects few entries of the account, it would compare each of them with each change.
    let written = sql(
        "INSERT INTO collection_entries (account_id, printing_id, condition, quantity, updated_at) \
         SELECT $account, counted.printing_id, counted.condition, counted.quantity, $at \
         FROM unnest((SELECT $ids), (SELECT $conditions), (SELECT $before), (SELECT $after)) AS counted (printing_id, condition, known, quantity) \
         CROSS JOIN LATERAL (SELECT FROM collection_entries e WHERE e.account_id = $account AND e.printing_id = counted.printing_id \
         AND e.condition = counted.condition AND e.quantity = counted.known FOR NO KEY UPDATE) AS unchanged \
         ON CONFLICT (account_id, printing_id, condition) DO UPDATE SET quantity = excluded.quantity, updated_at = excluded.updated_at",
    )
    .bind("account", account)
    .bind("ids", printings)
    .bind("conditions", conditions)
    .bind("before", before)
    .bind("after", after)
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(written)
}
