//! Fills in the name skeletons of accounts that an older version stored without.

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::account_records as rows;
use crate::domain::ids::AccountId;
use crate::domain::text::name_skeleton;
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

/// Accounts in one transaction.
const BATCH: i64 = 500;

/// Fills in the skeletons that are missing; how many. Of accounts that look alike the oldest keeps the skeleton for itself; the others keep
/// their names, and their skeletons are made different from every other by the id.
pub async fn fill_in(store: &Store) -> StoreResult<usize> {
    let (mut filled, mut lost) = (0, 0);
    loop {
        match store.transaction(async |conn| fill_in_some(conn).await).await {
            Ok(0) => return Ok(filled),
            Ok(some) => filled += some,
            // Somebody registered a name that looks like one of these between the look and the update: look again.
            Err(error) if rows::is_name_taken(&error) && lost < 10 => lost += 1,
            Err(error) => return Err(error),
        }
    }
}

async fn fill_in_some(conn: &mut Connection) -> StoreResult<usize> {
    // Another instance may be at it, too: each takes rows of its own.
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
             WHEN made.place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_skeleton = made.skeleton) \
             THEN made.skeleton ELSE made.skeleton || E'\\n' || made.id END \
         FROM (SELECT id, skeleton, row_number() OVER (PARTITION BY skeleton ORDER BY id) AS place \
               FROM unnest((SELECT $ids), (SELECT $skeletons)) AS given (id, skeleton)) made WHERE a.id = made.id",
    )
    .bind("ids", ids)
    .bind("skeletons", skeletons)
    .execute(conn)
    .await?)
}
