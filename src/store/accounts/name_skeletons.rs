//! Fills in the name skeletons of accounts that an older version stored without them.

use std::time::Duration as Period;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::account_records as rows;
use crate::domain::ids::AccountId;
use crate::domain::text::name_skeleton;
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreError, StoreResult};

/// Fills in the missing skeletons, for one turn; returns how many. Of accounts whose names look alike, the oldest keeps the
/// skeleton; the others keep their names, and their skeletons get the id as a suffix that makes them unique.
pub async fn fill_in(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&MissingSkeletons, store, turn).await
}

struct MissingSkeletons;

impl Backlog for MissingSkeletons {
    type Row = (AccountId, String);

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<Self::Row>> {
        Ok(accounts::table
            .filter(accounts::name_skeleton.is_null())
            .select((accounts::id, accounts::name))
            .order(accounts::id)
            .limit(limit)
            .for_no_key_update()
            .skip_locked()
            .load(conn)
            .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[Self::Row]) -> StoreResult<()> {
        let (ids, skeletons): (Vec<AccountId>, Vec<String>) =
            rows.iter().map(|(id, name)| (*id, name_skeleton(name))).unzip();
        sql(
            "UPDATE accounts a SET name_skeleton = CASE \
                 WHEN ranked.place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_skeleton = ranked.skeleton) \
                 THEN ranked.skeleton ELSE ranked.skeleton || E'\\n' || ranked.id END \
             FROM (SELECT id, skeleton, row_number() OVER (PARTITION BY skeleton ORDER BY id) AS place \
                   FROM unnest((SELECT $ids), (SELECT $skeletons)) AS given (id, skeleton)) ranked WHERE a.id = ranked.id",
        )
        .bind("ids", ids)
        .bind("skeletons", skeletons)
        .execute(conn)
        .await?;
        Ok(())
    }

    /// A name that looks like one of the batch was registered between the read and the update.
    fn may_be_repeated(&self, error: &StoreError) -> bool {
        rows::is_name_taken(error)
    }
}
