//! Fills in the name skeletons of accounts that an older version stored without them.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::account_records as rows;
use crate::domain::ids::AccountId;
use crate::domain::text::name_skeleton;
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// Accounts per transaction.
const BATCH: i64 = 500;

/// Fills in the missing skeletons; returns how many. Of accounts whose names look alike, the oldest keeps the skeleton;
/// the others keep their names, and their skeletons get the id as a suffix that makes them unique.
pub async fn fill_in(store: &Store) -> StoreResult<usize> {
    let (mut filled, mut lost) = (0, 0);
    loop {
        match store.transaction(async |conn| fill_in_some(conn).await).await {
            Ok(0) => return Ok(filled),
            Ok(some) => filled += some,
            // A name that looks like one of these was registered between the read and the update: read again.
            Err(error) if rows::is_name_taken(&error) && lost < 10 => lost += 1,
            Err(error) => return Err(error),
        }
    }
}

async fn fill_in_some(conn: &mut Connection) -> StoreResult<usize> {
    // Another instance may do the same: each locks different rows.
    let missing: Vec<(AccountId, String)> = accounts::table
        .filter(accounts::name_skeleton.is_null())
        .select((accounts::id, accounts::name))
        .order(accounts::id)
        .limit(BATCH)
        .for_no_key_update()
        .skip_locked()
        .load(conn)
        .await?;
    let (ids, skeletons): (Vec<AccountId>, Vec<String>) =
        missing.iter().map(|(id, name)| (*id, name_skeleton(name))).unzip();
    Ok(sql(
        "UPDATE accounts a SET name_skeleton = CASE \
             WHEN ranked.place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_skeleton = ranked.skeleton) \
             THEN ranked.skeleton ELSE ranked.skeleton || E'\\n' || ranked.id END \
         FROM (SELECT id, skeleton, row_number() OVER (PARTITION BY skeleton ORDER BY id) AS place \
               FROM unnest((SELECT $ids), (SELECT $skeletons)) AS given (id, skeleton)) ranked WHERE a.id = ranked.id",
    )
    .bind("ids", ids)
    .bind("skeletons", skeletons)
    .execute(conn)
    .await?)
}
