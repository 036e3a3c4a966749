//! Records which seed data the service loaded at its start.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::RunQueryDsl;

use crate::domain::catalogue::import::{GameSource, SourceFile};
use crate::store::db::schema::{seed_loads, sets};
use crate::store::{Connection, StoreResult};

/// The files of a game that the last start loaded. Differences from them in the database are intended changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadedFiles {
    files_hash: Vec<u8>,
    /// Hashes of the single files; empty if an older program loaded them.
    part_hashes: Vec<u8>,
}

impl LoadedFiles {
    /// Whether they are exactly these files.
    pub fn are(&self, source: &GameSource) -> bool {
        self.files_hash == source.hash()
    }

    /// Whether the file is one of them; `false` also if an older program loaded them.
    pub fn contain(&self, file: &SourceFile) -> bool {
        let (hashes, _) = self.part_hashes.as_chunks::<32>();
        hashes.contains(&file.hash_among(&self.files_hash))
    }
}

/// The files that the last start loaded of the game with this manifest.
pub async fn find(conn: &mut Connection, source: &GameSource) -> StoreResult<Option<LoadedFiles>> {
    let found: Option<(Vec<u8>, Option<Vec<u8>>)> = seed_loads::table
        .find(&source.manifest.name)
        .select((seed_loads::files_hash, seed_loads::part_hashes))
        .first(conn)
        .await
        .optional()?;
    Ok(found.map(|(files_hash, part_hashes)| LoadedFiles {
        files_hash,
        part_hashes: part_hashes.unwrap_or_default(),
    }))
}

/// Codes of the sets of a game that were edited since they were imported.
pub async fn edited_sets(conn: &mut Connection, game: &str) -> StoreResult<Vec<String>> {
    Ok(sets::table
        .filter(sets::game_code.eq(game).and(sets::edited_at.is_not_null()))
        .select(sets::code)
        .load(conn)
        .await?)
}

/// Records that a start has loaded these files.
pub async fn record_load(
    conn: &mut Connection,
    source: &GameSource,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let files_hash = source.hash();
    let part_hashes: Vec<u8> =
        source.files().flat_map(|file| file.hash_among(&files_hash)).collect();
    diesel::insert_into(seed_loads::table)
        .values((
            seed_loads::manifest_file.eq(&source.manifest.name),
            seed_loads::files_hash.eq(files_hash.to_vec()),
            seed_loads::loaded_at.eq(at),
            seed_loads::part_hashes.eq(part_hashes),
        ))
        .on_conflict(seed_loads::manifest_file)
        .do_update()
        .set((
            seed_loads::files_hash.eq(excluded(seed_loads::files_hash)),
            seed_loads::loaded_at.eq(excluded(seed_loads::loaded_at)),
            seed_loads::part_hashes.eq(excluded(seed_loads::part_hashes)),
        ))
        .execute(conn)
        .await?;
    Ok(())
}
