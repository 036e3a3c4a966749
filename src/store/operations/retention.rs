//! Deletes rows that are no longer needed: old attempt windows, idempotency records, ended sessions, uncommitted
//! collection files, networks of submissions, lapsed offers, webhook deliveries, events, unconfirmed secrets of second
//! factors, artwork without holders.
//!
//! Rows are deleted in batches. Each batch is one statement and transaction, finds its rows by an index, and skips rows
//! that another instance is deleting. So each statement ends within its time limit, regardless of the number of rows;
//! finished batches stay done, and the next sweep continues.

mod steps;

use chrono::{DateTime, Duration, Utc};
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

pub use super::sweep_turn::BATCH;
use super::sweep_turn::SweepTurn;
use crate::store::accounts::account_events;
use crate::store::db::statement::{number_parameters, sql};
use crate::store::{Store, StoreError, StoreResult};
use steps::{STEPS, Step};

/// How long idempotency records are kept: a client that repeats a request later creates a second resource.
pub const IDEMPOTENCY_RETENTION: Duration = Duration::days(2);
/// Attempt windows are at most a day long.
const ATTEMPT_RETENTION: Duration = Duration::days(2);
/// Counts by day are not needed after the day has ended everywhere.
const DAILY_COUNT_RETENTION: Duration = Duration::days(2);
/// A download of a file may have begun before its last holder gave it up.
const ARTWORK_RETENTION: Duration = Duration::hours(1);
/// Ended sessions are kept so that their owners can look at them.
const SESSION_RETENTION: Duration = Duration::days(30);
/// A mirror that was offline for longer has to start again.
const CHANGE_RETENTION: Duration = Duration::days(90);

/// Every statement of a sweep with the kind of rows it deletes, for tests of query plans.
pub fn statements() -> impl Iterator<Item = (&'static str, StoreResult<String>)> {
    let walks = [
        ("submission_networks", SWEEP_NETWORKS, &["now", "after", "limit"][..]),
        ("account_events", account_events::SWEEP, &["before", "last_at", "last_id", "limit"]),
    ];
    let steps = STEPS.iter().map(|step| (step.rows, step.statement, &["before", "limit"][..]));
    let numbered = |(rows, text, names): (_, &str, &[&str])| {
        (rows, number_parameters(text, names).map_err(StoreError::from))
    };
    steps.chain(walks).map(numbered)
}

/// Deletes all expired rows; returns their number, or the first error after all other steps were done.
pub async fn sweep(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut swept = Swept::default();
    for step in &STEPS {
        swept.add(clear(store, step, now).await);
    }
    swept.add(forget_networks(store, now).await);
    swept.add(account_events::sweep(store, now).await);
    swept.end()
}

async fn clear(store: &Store, step: &Step, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut turn = SweepTurn::new(step.rows, step.batch);
    loop {
        let cleared = clear_batch(store, step.statement, now - step.keep, turn.limit).await;
        if !turn.record_batch(cleared.map(|rows| (rows, rows)))? {
            return Ok(turn.end());
        }
    }
}

async fn clear_batch(
    store: &Store,
    statement: &'static str,
    before: DateTime<Utc>,
    limit: i64,
) -> StoreResult<i64> {
    let mut conn = store.connection().await?;
    let rows =
        sql(statement).bind("before", before).bind("limit", limit).execute(&mut *conn).await?;
    Ok(i64::try_from(rows).unwrap_or(i64::MAX))
}

/// The networks of submissions are needed only while their card is hidden. Reads the next `$limit` rows after `$after`,
/// deletes those whose card was unlocked before `$now`, and returns how many were deleted, how many were read, and the
/// last one.
const SWEEP_NETWORKS: &str = "WITH page AS MATERIALIZED ( \
         SELECT submission_id FROM submission_networks WHERE submission_id > $after ORDER BY submission_id LIMIT $limit \
     ), gone AS ( \
         DELETE FROM submission_networks WHERE submission_id = ANY (ARRAY( \
             SELECT submission_id FROM submission_networks WHERE submission_id = ANY (ARRAY( \
                 SELECT submission_id FROM page WHERE (SELECT (SELECT unlocked_at FROM unlocks WHERE card_id = s.card_id) \
                                                       FROM submissions s WHERE s.id = page.submission_id) < $now)) \
             FOR UPDATE SKIP LOCKED)) RETURNING 1 \
     ) SELECT (SELECT count(*) FROM gone) AS deleted, count(*) AS seen, \
              coalesce((array_agg(submission_id ORDER BY submission_id DESC))[1], $after) AS last FROM page";

#[derive(diesel::QueryableByName)]
struct Page {
    #[diesel(sql_type = BigInt)]
    deleted: i64,
    #[diesel(sql_type = BigInt)]
    seen: i64,
    #[diesel(sql_type = SqlUuid)]
    last: Uuid,
}

/// Reads all rows page by page, because no index knows which of their cards are unlocked. There are as many rows as
/// submissions of hidden cards.
async fn forget_networks(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut turn = SweepTurn::new("submission_networks", BATCH);
    let mut after = Uuid::nil();
    loop {
        let page = networks_page(store, now, after, turn.limit).await;
        let page = page.map(|page| {
            after = page.last;
            (page.deleted, page.seen)
        });
        if !turn.record_batch(page)? {
            return Ok(turn.end());
        }
    }
}

async fn networks_page(
    store: &Store,
    now: DateTime<Utc>,
    after: Uuid,
    limit: i64,
) -> StoreResult<Page> {
    let mut conn = store.connection().await?;
    Ok(sql(SWEEP_NETWORKS)
        .bind("now", now)
        .bind("after", after)
        .bind("limit", limit)
        .get_result(&mut *conn)
        .await?)
}

/// The results of a sweep's steps. A failed step does not prevent the others.
#[derive(Default)]
struct Swept {
    rows: usize,
    failed: Option<StoreError>,
}

impl Swept {
    fn add(&mut self, step: StoreResult<usize>) {
        match step {
            Ok(rows) => self.rows += rows,
            Err(error) => self.failed = self.failed.take().or(Some(error)),
        }
    }

    fn end(self) -> StoreResult<usize> {
        self.failed.map_or(Ok(self.rows), Err)
    }
}
