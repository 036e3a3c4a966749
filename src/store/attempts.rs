//! The shared counts behind attempt limits.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Binary, Int4, Text, Timestamptz};
use diesel_async::RunQueryDsl;

use super::schema::attempts;
use super::{Connection, StoreResult};
use crate::domain::attempts::{AttemptLimit, AttemptScope};

/// One thing to count by: a scope and a keyed hash of whom it is about.
#[derive(Clone, Copy, Debug)]
pub struct AttemptSubject {
    /// What is limited.
    pub scope: AttemptScope,
    /// Keyed hash of account, network or both.
    pub mac: [u8; 16],
}

/// Takes `units` of `subject`, all or none, committed at once; `false` when there are not so many left in this window.
///
/// Must not run inside a transaction that could be rolled back later: a guess would then be free.
pub async fn reserve(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    units: u32,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let taken = diesel::sql_query(
        "INSERT INTO attempts AS a (scope, subject_mac, window_start, used) SELECT $1, $2, $3, $5 WHERE $5 <= $4 \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET used = a.used + $5 WHERE a.used + $5 <= $4",
    )
    .bind::<Text, _>(subject.scope.as_str())
    .bind::<Binary, _>(subject.mac.to_vec())
    .bind::<Timestamptz, _>(limit.window_start(now))
    .bind::<Int4, _>(number(limit.limit))
    .bind::<Int4, _>(number(units))
    .execute(conn)
    .await?;
    Ok(taken == 1)
}

/// Takes as many of `wanted` units as are left; how many. Like [`reserve`], never inside a transaction.
pub async fn reserve_up_to(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    wanted: u32,
    now: DateTime<Utc>,
) -> StoreResult<u32> {
    let mut units = wanted;
    while units > 0 && !reserve(conn, subject, limit, units, now).await? {
        // Others may take some between the two statements: then there is less to ask for, until nothing is left.
        units = (units - 1).min(limit.limit.saturating_sub(used(conn, subject, limit, now).await?));
    }
    Ok(units)
}

async fn used(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    now: DateTime<Utc>,
) -> StoreResult<u32> {
    let window = (subject.scope.as_str(), subject.mac.to_vec(), limit.window_start(now));
    let used: Option<i32> =
        attempts::table.find(window).select(attempts::used).first(conn).await.optional()?;
    Ok(used.map_or(0, |used| u32::try_from(used).unwrap_or_default()))
}

/// Gives `units` back: the attempts were right. `reserved_at` is the time given to [`reserve`].
pub async fn release(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    units: u32,
    reserved_at: DateTime<Utc>,
) -> StoreResult<()> {
    if units == 0 {
        return Ok(());
    }
    diesel::sql_query(
        "UPDATE attempts SET used = greatest(used - $4, 0) WHERE scope = $1 AND subject_mac = $2 AND window_start = $3",
    )
    .bind::<Text, _>(subject.scope.as_str())
    .bind::<Binary, _>(subject.mac.to_vec())
    .bind::<Timestamptz, _>(limit.window_start(reserved_at))
    .bind::<Int4, _>(number(units))
    .execute(conn)
    .await?;
    Ok(())
}

/// Counts what happened without limit; how often it happened in this window, over all instances.
pub async fn count(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    units: u32,
    now: DateTime<Utc>,
) -> StoreResult<u32> {
    let Used { used } = diesel::sql_query(
        "INSERT INTO attempts AS a (scope, subject_mac, window_start, used) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET used = a.used + $4 RETURNING used",
    )
    .bind::<Text, _>(subject.scope.as_str())
    .bind::<Binary, _>(subject.mac.to_vec())
    .bind::<Timestamptz, _>(limit.window_start(now))
    .bind::<Int4, _>(number(units))
    .get_result(conn)
    .await?;
    Ok(u32::try_from(used).unwrap_or_default())
}

#[derive(QueryableByName)]
struct Used {
    #[diesel(sql_type = Int4)]
    used: i32,
}

fn number(units: u32) -> i32 {
    i32::try_from(units).unwrap_or(i32::MAX)
}
