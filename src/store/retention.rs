//! Deletes what is no longer needed: old attempt windows, idempotency records, ended sessions, files that nobody committed, where
//! submissions came from, offers that came to nothing, deliveries of webhooks, events, secrets of
//! second factors that were never confirmed.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;

use super::schema::{attempts, events, idempotency_keys, personal_access_tokens, sessions};
use super::{
    Connection, StoreError, StoreResult, account_events, collection_imports, second_factors,
    trades, webhook_deliveries,
};

/// Idempotency records are kept this long: a client that re-sends later gets a second resource.
pub const IDEMPOTENCY_RETENTION: Duration = Duration::days(2);
/// Attempt windows are at most a day long.
const ATTEMPT_RETENTION: Duration = Duration::days(2);
/// Ended sessions are kept for the owner to look at.
const SESSION_RETENTION: Duration = Duration::days(30);
/// A mirror that was away for longer begins again.
const CHANGE_RETENTION: Duration = Duration::days(90);

/// Deletes everything whose time is over; returns how many rows went, or the first error, when all else was done.
pub async fn sweep(conn: &mut Connection, now: DateTime<Utc>) -> StoreResult<usize> {
    let mut swept = Swept::default();
    swept.add(
        diesel::delete(attempts::table.filter(attempts::window_start.lt(now - ATTEMPT_RETENTION)))
            .execute(conn)
            .await,
    );
    swept.add(
        diesel::delete(
            idempotency_keys::table
                .filter(idempotency_keys::created_at.lt(now - IDEMPOTENCY_RETENTION)),
        )
        .execute(conn)
        .await,
    );
    swept.add(
        diesel::delete(
            sessions::table.filter(
                sessions::expires_at
                    .lt(now - SESSION_RETENTION)
                    .or(sessions::revoked_at.lt(now - SESSION_RETENTION).assume_not_null()),
            ),
        )
        .execute(conn)
        .await,
    );
    swept.add(
        diesel::delete(
            personal_access_tokens::table
                .filter(personal_access_tokens::expires_at.lt(now - SESSION_RETENTION)),
        )
        .execute(conn)
        .await,
    );
    swept.add(
        diesel::delete(
            events::table
                .filter(events::seq.is_not_null())
                .filter(events::created_at.lt(now - CHANGE_RETENTION)),
        )
        .execute(conn)
        .await,
    );
    swept.add(collection_imports::sweep(conn, now, IDEMPOTENCY_RETENTION).await);
    // Where submissions came from matters while their card is hidden.
    swept.add(
        diesel::sql_query(
        "DELETE FROM submission_networks WHERE submission_id IN ( \
             SELECT n.submission_id FROM submission_networks n JOIN submissions s ON s.id = n.submission_id \
             JOIN unlocks u ON u.card_id = s.card_id AND u.unlocked_at < $1 LIMIT 10000)",
    )
    .bind::<diesel::sql_types::Timestamptz, _>(now)
    .execute(conn)
    .await,
    );
    swept.add(trades::sweep(conn, now).await);
    swept.add(webhook_deliveries::sweep(conn, now).await);
    swept.add(account_events::sweep(conn, now).await);
    swept.add(second_factors::sweep(conn, now).await);
    swept.end()
}

/// What the steps of a sweep have done: one that fails keeps no other from being done.
#[derive(Default)]
struct Swept {
    rows: usize,
    failed: Option<StoreError>,
}

impl Swept {
    fn add<E: Into<StoreError>>(&mut self, step: Result<usize, E>) {
        match step {
            Ok(rows) => self.rows += rows,
            Err(error) => self.failed = self.failed.take().or(Some(error.into())),
        }
    }

    fn end(self) -> StoreResult<usize> {
        self.failed.map_or(Ok(self.rows), Err)
    }
}
