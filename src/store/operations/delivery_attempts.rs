//! Attempts to deliver: taking the next due delivery of a leased webhook, and recording the result.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::webhook_deliveries::DeliveryState;
use super::webhook_leases::{Lease, leased};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::operations::webhook::{
    DisabledReason, Failure, FailureStreak, LEASE, Outcome, PING,
};
use crate::store::catalogue::changes::{self, Change};
use crate::store::db::schema::{webhook_deliveries as deliveries, webhooks};
use crate::store::db::statement::CachePrepared as _;
use crate::store::{Connection, Store, StoreResult};

/// The content of a delivery.
#[derive(Clone, Debug)]
pub enum WebhookEvent {
    /// A change of the catalogue.
    Change(Box<Change>),
    /// A ping: an admin tests the webhook.
    Ping { webhook: WebhookId, at: DateTime<Utc> },
}

impl WebhookEvent {
    pub fn kind(&self) -> &str {
        match self {
            Self::Change(change) => &change.kind,
            Self::Ping { .. } => PING,
        }
    }
}

/// A delivery that is to be posted now.
#[derive(Clone, Debug)]
pub struct DueDelivery {
    pub delivery: DeliveryId,
    /// The URL to post to.
    pub url: String,
    pub event: WebhookEvent,
    /// Number of the attempt, from 1.
    pub attempts: i32,
    secret_generation: i32,
    previous_secret_until: Option<DateTime<Utc>>,
}

impl DueDelivery {
    /// The generations of the secrets that sign it now, the newest first.
    pub fn generations(&self, now: DateTime<Utc>) -> impl Iterator<Item = i32> + use<> {
        let is_both = self.previous_secret_until.is_some_and(|until| now < until);
        let newest = self.secret_generation;
        std::iter::once(newest).chain(is_both.then_some(newest - 1))
    }
}

/// The next delivery of a task.
#[derive(Debug)]
pub enum NextDelivery {
    Due(Box<DueDelivery>),
    /// One was due, but its event was deleted or cannot be read: the delivery was given up.
    GivenUp(Failure),
    /// None is due, or the lease has ended.
    Nothing,
}

/// Takes the first due delivery of a webhook, in the order of the feed, and counts the attempt. Extends the lease.
pub async fn take(store: &Store, lease: Lease, now: DateTime<Utc>) -> StoreResult<NextDelivery> {
    let mut transaction = store.begin().await?;
    let result = take_in(transaction.conn(), lease, now).await;
    transaction.end(result).await
}

async fn take_in(
    conn: &mut Connection,
    lease: Lease,
    now: DateTime<Utc>,
) -> StoreResult<NextDelivery> {
    type Address = (String, i32, Option<DateTime<Utc>>);
    type Next = (DeliveryId, Option<i64>, i32, DateTime<Utc>);
    let address: Option<Address> = diesel::update(
        leased(lease)
            .filter(webhooks::disabled_at.is_null())
            .filter(webhooks::deleted_at.is_null())
            .filter(
                webhooks::resume_at.is_null().or(webhooks::resume_at.le(now).assume_not_null()),
            ),
    )
    .set(webhooks::lease_until.eq(now + LEASE))
    .returning((webhooks::url, webhooks::secret_generation, webhooks::previous_secret_until))
    .cached()
    .get_result(conn)
    .await
    .optional()?;
    let Some((url, secret_generation, previous_secret_until)) = address else {
        return Ok(NextDelivery::Nothing);
    };
    let next: Option<Next> = deliveries::table
        .filter(deliveries::webhook_id.eq(lease.webhook))
        .filter(deliveries::state.eq(DeliveryState::Waiting))
        .filter(deliveries::next_attempt_at.le(now))
        .order((deliveries::seq.asc().nulls_first(), deliveries::id))
        .select((deliveries::id, deliveries::seq, deliveries::attempts, deliveries::created_at))
        .first(conn)
        .await
        .optional()?;
    let Some((id, seq, attempts, created_at)) = next else { return Ok(NextDelivery::Nothing) };
    let event = match seq {
        None => WebhookEvent::Ping { webhook: lease.webhook, at: created_at },
        Some(seq) => {
            let found = match changes::find(conn, seq).await {
                Ok(Some(change)) => Ok(change),
                Ok(None) => Err(Failure::Expired),
                Err(error) if error.is_unreadable() => {
                    tracing::error!(%error, delivery = %id, seq, "cannot read the event of a delivery");
                    Err(Failure::Unreadable)
                }
                Err(error) => return Err(error),
            };
            match found {
                Ok(change) => WebhookEvent::Change(Box::new(change)),
                Err(failure) => {
                    let attempt = (id, attempts);
                    finish(conn, attempt, DeliveryState::Failed, None, Some(failure), now).await?;
                    return Ok(NextDelivery::GivenUp(failure));
                }
            }
        }
    };
    let attempts = attempts + 1;
    diesel::update(deliveries::table.find(id))
        .set((deliveries::attempts.eq(attempts), deliveries::last_attempt_at.eq(now)))
        .cached()
        .execute(conn)
        .await?;
    let delivery = id;
    let due =
        DueDelivery { delivery, url, event, attempts, secret_generation, previous_secret_until };
    Ok(NextDelivery::Due(Box::new(due)))
}

async fn finish(
    conn: &mut Connection,
    (id, attempts): (DeliveryId, i32),
    state: DeliveryState,
    status: Option<i32>,
    failure: Option<Failure>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let of_attempt = deliveries::table.find(id).filter(deliveries::attempts.ge(attempts));
    diesel::update(of_attempt)
        .set((
            deliveries::state.eq(state),
            deliveries::next_attempt_at.eq(None::<DateTime<Utc>>),
            deliveries::last_status.eq(status),
            deliveries::last_failure.eq(failure.map(Failure::as_str)),
            deliveries::finished_at.eq(at),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives up a taken delivery, identified by its attempt, without recording a failure of the receiver, because nothing
/// was posted.
pub async fn give_up(
    store: &Store,
    (delivery, attempts): (DeliveryId, i32),
    failure: Failure,
    now: DateTime<Utc>,
) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    diesel::update(
        deliveries::table
            .find(delivery)
            .filter(deliveries::state.eq(DeliveryState::Waiting))
            .filter(deliveries::attempts.eq(attempts)),
    )
    .set((
        deliveries::state.eq(DeliveryState::Failed),
        deliveries::next_attempt_at.eq(None::<DateTime<Utc>>),
        deliveries::last_status.eq(None::<i32>),
        deliveries::last_failure.eq(failure),
        deliveries::finished_at.eq(now),
    ))
    .cached()
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// The effect of an attempt on its webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEffect {
    /// The webhook stays enabled.
    Enabled,
    /// The webhook was disabled after this failure.
    Disabled(DisabledReason),
}

/// Records the result of the taken attempt. After a failure, the delivery waits, or is given up (`None`).
pub async fn settle(
    store: &Store,
    lease: Lease,
    attempt: &DueDelivery,
    outcome: Outcome,
    wait: Option<Duration>,
    now: DateTime<Utc>,
) -> StoreResult<AttemptEffect> {
    let mut transaction = store.begin().await?;
    let result = settle_in(transaction.conn(), lease, attempt, outcome, wait, now).await;
    transaction.end(result).await
}

async fn settle_in(
    conn: &mut Connection,
    lease: Lease,
    &DueDelivery { delivery, attempts, url: ref posted_to, .. }: &DueDelivery,
    outcome: Outcome,
    wait: Option<Duration>,
    now: DateTime<Utc>,
) -> StoreResult<AttemptEffect> {
    type Health = (String, Option<Uuid>, i32, Option<DateTime<Utc>>, Option<DateTime<Utc>>);
    let health: Option<Health> = webhooks::table
        .find(lease.webhook)
        .filter(webhooks::deleted_at.is_null())
        .select((
            webhooks::url,
            webhooks::lease_id,
            webhooks::failures,
            webhooks::failing_since,
            webhooks::failed_at,
        ))
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    let Some((url, current, failures, since, failed_at)) = health else {
        return Ok(AttemptEffect::Enabled);
    };
    if url != *posted_to {
        // The receiver at the new address did not get it: the delivery stays due.
        return Ok(AttemptEffect::Enabled);
    }
    let webhook = webhooks::table.find(lease.webhook);
    let status = outcome.status.map(i32::from);
    let Some(failure) = outcome.failure else {
        // A success is recorded even if the lease has expired, unless an admin has resent the delivery in the meantime.
        let attempt = (delivery, attempts);
        finish(conn, attempt, DeliveryState::Delivered, status, None, now).await?;
        let none = None::<DateTime<Utc>>;
        diesel::update(webhook)
            .set((
                webhooks::failures.eq(0),
                webhooks::failing_since.eq(none),
                webhooks::failed_at.eq(none),
                webhooks::resume_at.eq(none),
            ))
            .cached()
            .execute(conn)
            .await?;
        return Ok(AttemptEffect::Enabled);
    };
    if current != Some(lease.id) {
        return Ok(AttemptEffect::Enabled);
    }
    let before = since.zip(failed_at).map(|(since, last)| FailureStreak { failures, since, last });
    let streak = FailureStreak::after(before, now);
    // If an admin has resent the delivery in the meantime, its attempts start again, and this result is ignored.
    let attempted = deliveries::table
        .find(delivery)
        .filter(deliveries::state.eq(DeliveryState::Waiting))
        .filter(deliveries::attempts.eq(attempts));
    let next = wait.filter(|_| failure != Failure::Gone).map(|wait| now + wait);
    let state = if next.is_some() { DeliveryState::Waiting } else { DeliveryState::Failed };
    diesel::update(attempted)
        .set((
            deliveries::state.eq(state),
            deliveries::next_attempt_at.eq(next),
            deliveries::last_status.eq(status),
            deliveries::last_failure.eq(failure),
            deliveries::finished_at.eq(next.is_none().then_some(now)),
        ))
        .cached()
        .execute(conn)
        .await?;
    diesel::update(webhook)
        .set((
            webhooks::failures.eq(streak.failures),
            webhooks::failing_since.eq(streak.since),
            webhooks::failed_at.eq(streak.last),
            webhooks::resume_at.eq(now + streak.pause(outcome.retry_after)),
        ))
        .cached()
        .execute(conn)
        .await?;
    let reason = match failure {
        Failure::Gone => DisabledReason::Gone,
        _ if streak.is_too_long() => DisabledReason::Failing,
        _ => return Ok(AttemptEffect::Enabled),
    };
    let disabled = diesel::update(webhook.filter(webhooks::disabled_at.is_null()))
        .set((
            webhooks::disabled_at.eq(now),
            webhooks::disabled_reason.eq(reason),
            webhooks::updated_at.eq(now),
        ))
        .cached()
        .execute(conn)
        .await?;
    if disabled == 0 {
        return Ok(AttemptEffect::Enabled);
    }
    let details = json!({ "reason": reason.as_str(), "failing_since": streak.since });
    super::webhooks::write_audit(conn, None, "webhook.disabled", lease.webhook, details, now)
        .await?;
    Ok(AttemptEffect::Disabled(reason))
}
