//! Records which seed data the service loaded at its start.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::RunQueryDsl;

use crate::domain::catalogue::import::GameSource;
use crate::store::db::schema::seed_loads;
use crate::store::{Connection, StoreResult};

/// Whether the last start loaded exactly these files. Differences from them in the database are intended changes.
pub async fn is_known(conn: &mut Connection, source: &GameSource) -> StoreResult<bool> {
    let loaded: Option<Vec<u8>> = seed_loads::table
        .find(&source.manifest.name)
        .select(seed_loads::files_hash)
        .first(conn)
        .await
        .optional()?;
    Ok(loaded.is_some_and(|hash| hash == source.hash()))
}

/// Records that a start has loaded these files.
pub async fn record_load(
    conn: &mut Connection,
    source: &GameSource,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::insert_into(seed_loads::table)
        .values((
            seed_loads::manifest_file.eq(&source.manifest.name),
            seed_loads::files_hash.eq(source.hash().to_vec()),
            seed_loads::loaded_at.eq(at),
        ))
        .on_conflict(seed_loads::manifest_file)
        .do_update()
        .set((
            seed_loads::files_hash.eq(excluded(seed_loads::files_hash)),
            seed_loads::loaded_at.eq(excluded(seed_loads::loaded_at)),
        ))
        .execute(conn)
        .await?;
    Ok(())
}
