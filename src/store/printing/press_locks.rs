//! The advisory locks of a mint: that of the press, and that of the set that is minted.

use diesel::prelude::*;
use diesel::sql_types::{Bool, Oid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// The lock of the press: only one mint runs at a time, and a running mint is not mistaken for an abandoned one.
pub(super) const PRESS_LOCK: i64 = 7_233_172_003;

/// First number of the locks of sets. A mint holds the lock of its set beside that of the press, from its plan to its end.
const SET_LOCKS: u32 = 7_233_172;

/// Both numbers of the lock of a set.
pub(super) fn lock_of_set(set: Uuid) -> (u32, u32) {
    // The last bytes of an id are random.
    let [.., a, b, c, d] = *set.as_bytes();
    (SET_LOCKS, u32::from_be_bytes([a, b, c, d]))
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    locked: bool,
}

/// Takes an advisory lock until the end of the transaction; `false`: it is held elsewhere.
pub(super) async fn try_lock(conn: &mut Connection, lock: i64) -> StoreResult<bool> {
    let Locked { locked } = sql("SELECT pg_try_advisory_xact_lock($lock) AS locked")
        .bind("lock", lock)
        .get_result(conn)
        .await?;
    Ok(locked)
}

#[derive(QueryableByName)]
struct MintedSet {
    #[diesel(sql_type = Oid)]
    key: u32,
}

/// Whether one of these sets is being minted. `None`: the press is in use, and it is not known for which set: a mint has only begun, or is
/// that of an older program, which does not lock its set; or a run is being discarded.
///
/// The caller holds the locks of the rows of the sets. If no mint runs, none begins before the end of the transaction.
pub(in crate::store) async fn is_minted(
    conn: &mut Connection,
    sets: &[Uuid],
) -> StoreResult<Option<bool>> {
    if try_lock(conn, PRESS_LOCK).await? {
        return Ok(Some(false));
    }
    let minted: Vec<MintedSet> = sql(
        "SELECT objid AS key FROM pg_locks WHERE locktype = 'advisory' AND granted AND (classid, objsubid) = ($class, 2) \
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    .bind("class", SET_LOCKS)
    .get_results(conn)
    .await?;
    let is_named =
        |set: &Uuid| minted.iter().any(|minted| (SET_LOCKS, minted.key) == lock_of_set(*set));
    Ok(if minted.is_empty() { None } else { Some(sets.iter().any(is_named)) })
}
