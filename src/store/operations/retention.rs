//! Deletes what is no longer needed: old attempt windows, idempotency records, ended sessions, files that nobody committed, where
//! submissions came from, offers that came to nothing, deliveries of webhooks, events, secrets of second factors that were never
//! confirmed, artwork that nobody holds.
//!
//! Everything goes in batches, each a statement and so a transaction of its own, which finds its rows by an index and leaves out those that
//! another instance is deleting. However much there is, each statement ends within its time limit, what is done stays done, and the next
//! sweep goes on from there.

mod steps;

use chrono::{DateTime, Duration, Utc};
use diesel::sql_types::{BigInt, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use uuid::Uuid;

pub use super::sweep_turn::BATCH;
use super::sweep_turn::Turn;
use crate::store::accounts::account_events;
use crate::store::db::statement::{number_parameters, sql};
use crate::store::{Store, StoreError, StoreResult};
use steps::{STEPS, Step};

/// Idempotency records are kept this long: a client that re-sends later gets a second resource.
pub const IDEMPOTENCY_RETENTION: Duration = Duration::days(2);
/// Attempt windows are at most a day long.
const ATTEMPT_RETENTION: Duration = Duration::days(2);
/// What was counted by day is of no use when the day is over everywhere.
const DAILY_COUNT_RETENTION: Duration = Duration::days(2);
/// A download of a file that nobody holds any more may have begun before.
const ARTWORK_RETENTION: Duration = Duration::hours(1);
/// Ended sessions are kept for the owner to look at.
const SESSION_RETENTION: Duration = Duration::days(30);
/// A mirror that was away for longer begins again.
const CHANGE_RETENTION: Duration = Duration::days(90);

/// Every statement of a sweep as Postgres gets it, with the rows that it deletes, for tests of their plans.
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

/// Deletes everything after its retention; returns the number of rows, or the first error after all other steps were done.
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
    let mut turn = Turn::new(step.rows, step.batch);
    loop {
        let cleared = clear_batch(store, step.statement, now - step.keep, turn.limit).await;
        if !turn.goes_on(cleared.map(|rows| (rows, rows)))? {
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

/// Where submissions came from matters while their card is hidden. Looks at the next `$limit` rows after `$after`, deletes those whose card was unlocked
/// before `$now`, and tells how many those were, how many it looked at, and which was the last.
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

/// Goes through all that are kept, page by page, since no index knows which of their cards are unlocked: as many as there are
/// submissions of hidden cards.
async fn forget_networks(store: &Store, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut turn = Turn::new("submission_networks", BATCH);
    let mut after = Uuid::nil();
    loop {
        let page = networks_page(store, now, after, turn.limit).await;
        let page = page.map(|page| {
            after = page.last;
            (page.deleted, page.seen)
        });
        if !turn.goes_on(page)? {
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

/// What the steps of a sweep have done: one that fails keeps no other from being done.
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
