//! Bulk files: the public catalogue and public decks as compressed files, for mirrors.
//!
//! A file is stored in the database, so that any instance can build it and all instances serve it. It is split into
//! chunks: a download has one chunk in memory, and a connection only while it reads the next. A download gets one
//! version from its first byte to its last; a replaced version is kept for a while, for downloads in progress.

mod build;
mod card_rows;
mod packing;

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::{AnsiTransactionManager, RunQueryDsl, TransactionManager as _};
use uuid::Uuid;

use crate::domain::catalogue::bulk::BulkKind;
use crate::store::db::deadlines;
use crate::store::db::schema::{bulk_chunks, bulk_files};
use crate::store::db::statement::run_commands;
use crate::store::{Connection, Store, StoreResult};

pub use crate::store::card_content::bulk::BulkCard;
pub use build::{FailedBuilds, Layout, Page, Pages, RowSource, refresh};
pub use card_rows::CardRows;
pub use packing::CHUNK;

/// How long a replaced version is kept for downloads in progress.
pub const REPLACED_RETENTION: Duration = Duration::hours(1);

/// The current version of a bulk file.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = bulk_files)]
pub struct BulkFile {
    /// Id of this version.
    pub id: Uuid,
    /// Its name, the same for all versions.
    pub name: String,
    pub game_code: String,
    /// Its content.
    pub kind: BulkKind,
    /// Number of rows, without a heading.
    pub row_count: i64,
    /// Size in bytes, compressed.
    pub size: i64,
    /// Size in bytes, uncompressed.
    pub unpacked_size: i64,
    /// SHA-256 of the compressed bytes.
    pub sha256: Vec<u8>,
    /// The file contains all changes of its game up to this number of the change feed.
    pub change_seq: i64,
    /// When its bytes last changed.
    pub created_at: DateTime<Utc>,
}

/// All files, by name. Files of a kind that a newer release has added are not listed, because both releases may run during an upgrade.
pub async fn list(conn: &mut Connection) -> StoreResult<Vec<BulkFile>> {
    let query = bulk_files::table
        .filter(bulk_files::is_current)
        .filter(bulk_files::kind.eq_any(BulkKind::ALL))
        .order(bulk_files::name)
        .select(BulkFile::as_select());
    Ok(query.load(conn).await?)
}

/// The current version of the file of that name.
pub async fn find(conn: &mut Connection, name: &str) -> StoreResult<Option<BulkFile>> {
    let query = bulk_files::table
        .filter(bulk_files::name.eq(name))
        .filter(bulk_files::is_current)
        .filter(bulk_files::kind.eq_any(BulkKind::ALL))
        .select(BulkFile::as_select());
    Ok(query.first(conn).await.optional()?)
}

/// A chunk of a version, numbered from 0: [`CHUNK`] bytes, or fewer in the last one. `None`: the version was deleted.
pub async fn chunk(
    conn: &mut Connection,
    version: Uuid,
    position: i32,
) -> StoreResult<Option<Vec<u8>>> {
    let query = bulk_chunks::table.find((version, position)).select(bulk_chunks::data);
    Ok(query.first(conn).await.optional()?)
}

/// Deletes the versions that were replaced more than [`REPLACED_RETENTION`] ago, one at a time; returns how many.
pub async fn discard_replaced(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut discarded = 0;
    loop {
        let mut conn = store.with_deadline(deadlines::BATCH).connection().await?;
        AnsiTransactionManager::begin_transaction(&mut *conn).await?;
        let deleted = discard_one(&mut conn, now).await;
        match end(&mut conn, deleted).await? {
            0 => return Ok(discarded),
            versions => discarded += versions,
        }
    }
}

/// Skips versions that another instance is deleting.
async fn discard_one(conn: &mut Connection, now: DateTime<Utc>) -> StoreResult<usize> {
    let version: Option<Uuid> = bulk_files::table
        .filter(bulk_files::replaced_at.lt(now - REPLACED_RETENTION).assume_not_null())
        .select(bulk_files::id)
        .order(bulk_files::replaced_at)
        .for_update()
        .skip_locked()
        .first(conn)
        .await
        .optional()?;
    let Some(version) = version else { return Ok(0) };
    // A large file has many chunks.
    run_commands(conn, "SET LOCAL statement_timeout = '60s'").await?;
    Ok(diesel::delete(bulk_files::table.find(version)).execute(conn).await?)
}

/// Commits after success, else rolls back. Without a closure, because a spawned task cannot hold a closure over a
/// borrowed connection.
async fn end<T>(conn: &mut Connection, result: StoreResult<T>) -> StoreResult<T> {
    match result {
        Ok(value) => {
            AnsiTransactionManager::commit_transaction(conn).await?;
            Ok(value)
        }
        Err(error) => {
            // If this fails, the connection is broken and Postgres has already rolled back.
            let _ = AnsiTransactionManager::rollback_transaction(conn).await;
            Err(error)
        }
    }
}
