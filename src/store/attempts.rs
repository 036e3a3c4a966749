//! The shared counts behind attempt limits.

use chrono::{DateTime, Utc};
use diesel::sql_types::{Binary, Int4, Text, Timestamptz};
use diesel_async::RunQueryDsl;

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

/// Takes one unit of `subject`, committed at once; `false` when none is left in this window.
///
/// Must not run inside a transaction that could be rolled back later: a guess would then be free.
pub async fn reserve(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    now: DateTime<Utc>,
) -> StoreResult<bool> {
    let limit_units = i32::try_from(limit.limit).unwrap_or(i32::MAX);
    let taken = diesel::sql_query(
        "INSERT INTO attempts AS a (scope, subject_mac, window_start, used) VALUES ($1, $2, $3, 1) \
         ON CONFLICT (scope, subject_mac, window_start) DO UPDATE SET used = a.used + 1 WHERE a.used < $4",
    )
    .bind::<Text, _>(subject.scope.as_str())
    .bind::<Binary, _>(subject.mac.to_vec())
    .bind::<Timestamptz, _>(limit.window_start(now))
    .bind::<Int4, _>(limit_units)
    .execute(conn)
    .await?;
    Ok(taken == 1)
}

/// Gives one unit back: the attempt was right. `reserved_at` is the time given to [`reserve`].
pub async fn release(
    conn: &mut Connection,
    subject: AttemptSubject,
    limit: AttemptLimit,
    reserved_at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::sql_query(
        "UPDATE attempts SET used = used - 1 WHERE scope = $1 AND subject_mac = $2 AND window_start = $3 AND used > 0",
    )
    .bind::<Text, _>(subject.scope.as_str())
    .bind::<Binary, _>(subject.mac.to_vec())
    .bind::<Timestamptz, _>(limit.window_start(reserved_at))
    .execute(conn)
    .await?;
    Ok(())
}
