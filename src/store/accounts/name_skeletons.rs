//! Fills in what the names of accounts look like that an older version stored without it.

use std::time::Duration as Period;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::account_records as rows;
use crate::domain::ids::AccountId;
use crate::domain::text::{capital_look, name_skeleton, small_look};
use crate::store::db::backlog::{Backlog, work_off};
use crate::store::db::schema::accounts;
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreError, StoreResult};

/// Fills in the missing looks, for one turn; returns of how many accounts. Of accounts whose names look alike, the oldest
/// keeps the look; the others keep their names, and their looks get the id as a suffix that makes them unique.
pub async fn fill_in(store: &Store, turn: Period) -> StoreResult<usize> {
    work_off(&MissingLooks, store, turn).await
}

struct MissingLooks;

impl Backlog for MissingLooks {
    type Row = (AccountId, String);

    async fn read(&self, conn: &mut Connection, limit: i64) -> StoreResult<Vec<Self::Row>> {
        Ok(accounts::table
            // A program that stores this look stores the others, too.
            .filter(accounts::name_small_look.is_null())
            .select((accounts::id, accounts::name))
            .order(accounts::id)
            .limit(limit)
            .for_no_key_update()
            .skip_locked()
            .load(conn)
            .await?)
    }

    async fn complete(&self, conn: &mut Connection, rows: &[Self::Row]) -> StoreResult<()> {
        let ids: Vec<AccountId> = rows.iter().map(|(id, _)| *id).collect();
        let of_names = |look: fn(&str) -> String| -> Vec<String> {
            rows.iter().map(|(_, name)| look(name)).collect()
        };
        sql(
            "UPDATE accounts a SET \
                 name_skeleton = coalesce(a.name_skeleton, CASE \
                     WHEN ranked.place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_skeleton = ranked.skeleton) \
                     THEN ranked.skeleton ELSE ranked.skeleton || E'\\n' || ranked.id END), \
                 name_small_look = CASE \
                     WHEN ranked.small_place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_small_look = ranked.small) \
                     THEN ranked.small ELSE ranked.small || E'\\n' || ranked.id END, \
                 name_capital_look = CASE \
                     WHEN ranked.capital_place = 1 AND NOT EXISTS (SELECT 1 FROM accounts o WHERE o.name_capital_look = ranked.capital) \
                     THEN ranked.capital ELSE ranked.capital || E'\\n' || ranked.id END \
             FROM (SELECT id, skeleton, small, capital, row_number() OVER (PARTITION BY skeleton ORDER BY id) AS place, \
                          row_number() OVER (PARTITION BY small ORDER BY id) AS small_place, \
                          row_number() OVER (PARTITION BY capital ORDER BY id) AS capital_place \
                   FROM unnest((SELECT $ids), (SELECT $skeletons), (SELECT $small_looks), (SELECT $capital_looks)) \
                        AS given (id, skeleton, small, capital)) ranked WHERE a.id = ranked.id",
        )
        .bind("ids", ids)
        .bind("skeletons", of_names(name_skeleton))
        .bind("small_looks", of_names(small_look))
        .bind("capital_looks", of_names(capital_look))
        .execute(conn)
        .await?;
        Ok(())
    }

    /// A name that looks like one of the batch was registered between the read and the update.
    fn may_be_repeated(&self, error: &StoreError) -> bool {
        rows::is_name_taken(error)
    }
}
