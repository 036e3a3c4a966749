//! Deliveries of events to webhooks: writing them, leasing webhooks, taking the next delivery and recording the result.
//!
//! Every change of a webhook's deliveries locks the row of the webhook first. A task leases a webhook before it posts,
//! so that one delivery is sent at a time. When a task is killed, its lease expires; then another task repeats
//! deliveries without a recorded result.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;
use serde_json::json;
use uuid::Uuid;

use super::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::auth::permission::{Acting, Granted, ManageWebhooks, ReadWebhooks};
use crate::domain::clock::Clock;
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::operations::webhook::{DisabledReason, Failure, LEASE, Outcome, PING, Streak};
use crate::store::catalogue::changes::{self, Change};
use crate::store::db::schema::{events, webhook_deliveries as deliveries, webhooks};
use crate::store::db::statement::{KeepPrepared as _, sql};
use crate::store::{Connection, Store, StoreResult};

/// Events that one transaction reads.
const STRETCH: i64 = 500;
/// Most of these transactions per call: the task that enqueues has deliveries to post, too.
const STRETCHES: usize = 20;
/// Deliveries that one statement gives up. It updates two indexes, and a statement that times out once would always
/// time out.
const GIVEN_UP: i64 = 1_000;
/// How long deliveries are kept: shorter than their events.
pub(in crate::store) const RETENTION: Duration = Duration::days(30);

/// A delivery as admins see it.
#[derive(Clone, Debug, Queryable, QueryableByName, Selectable)]
#[diesel(table_name = deliveries)]
pub struct DeliveryRow {
    /// Id; sent to receivers as `webhook-id`.
    pub id: DeliveryId,
    /// Number of the event in the change feed; `None`: a ping.
    pub seq: Option<i64>,
    /// Kind of the event, or `ping`.
    pub kind: String,
    pub state: DeliveryState,
    /// Number of attempts since it was created or resent.
    pub attempts: i32,
    /// Earliest time of the next attempt.
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Time of the last attempt.
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// Status of the last response.
    pub last_status: Option<i32>,
    /// Why the last attempt failed.
    pub last_failure: Option<Failure>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was delivered or given up.
    pub finished_at: Option<DateTime<Utc>>,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryState {
    /// Being sent, or waiting for the next attempt.
    Waiting,
    /// The receiver responded with 2xx.
    Delivered,
    /// Given up.
    Failed,
}

impl DeliveryState {
    /// The word in responses and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    /// The state of that word.
    pub(in crate::store) fn parse(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Delivered, Self::Failed]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// Deliveries of a webhook, the newest first, before `before`; `None`: there is no such webhook.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadWebhooks>,
    webhook: WebhookId,
    state: Option<DeliveryState>,
    before: Option<Uuid>,
    limit: i64,
) -> StoreResult<Option<Vec<DeliveryRow>>> {
    if !is_alive(conn, webhook).await? {
        return Ok(None);
    }
    let mut statement = sql("SELECT id, seq, kind, state, attempts, next_attempt_at, last_attempt_at, last_status, last_failure, created_at, finished_at \
         FROM webhook_deliveries WHERE webhook_id = $webhook")
    .bind("webhook", webhook);
    if let Some(state) = state {
        // As a literal: a plan for any state could not use the partial index of failed deliveries.
        statement = statement.push(&format!(" AND state = '{}'", state.as_str()));
    }
    if let Some(before) = before {
        statement = statement.push(" AND id < $before").bind("before", before);
    }
    let statement = statement.push(" ORDER BY id DESC LIMIT $limit").bind("limit", limit);
    Ok(Some(statement.load(conn).await?))
}

/// A delivery of a webhook.
pub async fn find(
    conn: &mut Connection,
    _by: &Granted<ReadWebhooks>,
    webhook: WebhookId,
    id: DeliveryId,
) -> StoreResult<Option<DeliveryRow>> {
    if !is_alive(conn, webhook).await? {
        return Ok(None);
    }
    load(conn, webhook, id).await
}

async fn is_alive(conn: &mut Connection, webhook: WebhookId) -> StoreResult<bool> {
    let found = webhooks::table.find(webhook).filter(webhooks::deleted_at.is_null());
    Ok(diesel::select(diesel::dsl::exists(found)).get_result(conn).await?)
}

async fn load(
    conn: &mut Connection,
    webhook: WebhookId,
    id: DeliveryId,
) -> StoreResult<Option<DeliveryRow>> {
    Ok(deliveries::table
        .find(id)
        .filter(deliveries::webhook_id.eq(webhook))
        .select(DeliveryRow::as_select())
        .first(conn)
        .await
        .optional()?)
}

/// The result of a request to post something at once.
#[derive(Debug)]
pub enum Asked {
    /// It waits to be posted at once.
    Waiting(DeliveryRow),
    /// A repeated request; `None`: the delivery was deleted since.
    Repeat(Option<DeliveryRow>),
    /// There is no such webhook or delivery.
    Missing,
    /// The webhook is disabled.
    Disabled,
}

/// Locks a webhook and ends its pause, in order to post something at once. `Err`: there is no such webhook, or it is
/// disabled.
async fn wake(conn: &mut Connection, webhook: WebhookId) -> StoreResult<Result<(), Asked>> {
    let disabled: Option<Option<DateTime<Utc>>> = webhooks::table
        .find(webhook)
        .filter(webhooks::deleted_at.is_null())
        .select(webhooks::disabled_at)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    match disabled {
        None => return Ok(Err(Asked::Missing)),
        Some(Some(_)) => return Ok(Err(Asked::Disabled)),
        Some(None) => {}
    }
    diesel::update(webhooks::table.find(webhook))
        .set(webhooks::resume_at.eq(None::<DateTime<Utc>>))
        .kept()
        .execute(conn)
        .await?;
    Ok(Ok(()))
}

/// Posts a test message to a webhook, once.
pub async fn ping(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    webhook: WebhookId,
    id: DeliveryId,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<Asked, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(Asked::Repeat(load(conn, webhook, before).await?));
    }
    if let Err(refused) = wake(conn, webhook).await? {
        idempotency::forget(conn, claim).await?;
        return Ok(refused);
    }
    let row = diesel::insert_into(deliveries::table)
        .values((
            deliveries::id.eq(id),
            deliveries::webhook_id.eq(webhook),
            deliveries::kind.eq(PING),
            deliveries::state.eq(DeliveryState::Waiting),
            deliveries::next_attempt_at.eq(at),
            deliveries::created_at.eq(at),
        ))
        .returning(DeliveryRow::as_returning())
        .get_result(conn)
        .await?;
    let details = json!({ "delivery": id });
    super::webhooks::note(conn, Some(by.account()), "webhook.pinged", webhook, details, at).await?;
    Ok(Asked::Waiting(row))
}

/// Posts a delivery again, whatever its state: at once, and with as many attempts as a new one.
pub async fn resend(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    webhook: WebhookId,
    id: DeliveryId,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<Asked, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(Asked::Repeat(load(conn, webhook, before).await?));
    }
    if let Err(refused) = wake(conn, webhook).await? {
        idempotency::forget(conn, claim).await?;
        return Ok(refused);
    }
    let row: Option<DeliveryRow> =
        diesel::update(deliveries::table.find(id).filter(deliveries::webhook_id.eq(webhook)))
            .set((
                deliveries::state.eq(DeliveryState::Waiting),
                deliveries::attempts.eq(0),
                deliveries::next_attempt_at.eq(at),
                deliveries::finished_at.eq(None::<DateTime<Utc>>),
            ))
            .returning(DeliveryRow::as_returning())
            .kept()
            .get_result(conn)
            .await
            .optional()?;
    let Some(row) = row else {
        idempotency::forget(conn, claim).await?;
        return Ok(Asked::Missing);
    };
    let details = json!({ "delivery": id });
    super::webhooks::note(
        conn,
        Some(by.account()),
        "webhook.delivery_resent",
        webhook,
        details,
        at,
    )
    .await?;
    Ok(Asked::Waiting(row))
}

/// Writes the missing deliveries of events to webhooks, and gives up those of disabled webhooks; a limited number per
/// call. Any number of instances may call this at once.
pub async fn enqueue(store: &Store, clock: &Clock) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    give_up_disabled(&mut conn, clock.now()).await?;
    let listening = webhooks::table
        .filter(webhooks::disabled_at.is_null())
        .filter(webhooks::deleted_at.is_null());
    if !diesel::select(diesel::dsl::exists(listening)).get_result(&mut *conn).await? {
        return Ok(());
    }
    drop(conn);
    let newest = changes::extent(store).await?.newest;
    for _ in 0..STRETCHES {
        let mut transaction = store.begin().await?;
        let result = advance(transaction.conn(), newest, clock.now()).await;
        if !transaction.end(result).await? {
            break;
        }
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks)]
struct Listener {
    id: WebhookId,
    kinds: Vec<String>,
    game_code: Option<String>,
    cursor_seq: i64,
}

/// Writes the deliveries of one webhook for the next events of the feed. `false`: no webhook is behind, or other
/// instances are writing theirs.
async fn advance(conn: &mut Connection, newest: i64, at: DateTime<Utc>) -> StoreResult<bool> {
    let behind: Option<Listener> = webhooks::table
        .filter(webhooks::disabled_at.is_null())
        .filter(webhooks::deleted_at.is_null())
        .filter(webhooks::cursor_seq.lt(newest))
        .select(Listener::as_select())
        .order(webhooks::cursor_seq)
        .limit(1)
        .for_no_key_update()
        .skip_locked()
        .first(conn)
        .await
        .optional()?;
    let Some(listener) = behind else { return Ok(false) };
    let up_to = newest.min(listener.cursor_seq + STRETCH);
    let event: Vec<(Option<i64>, String, serde_json::Value)> = events::table
        .filter(events::seq.gt(listener.cursor_seq).and(events::seq.le(up_to)).assume_not_null())
        .filter(events::kind.eq_any(&listener.kinds))
        .select((events::seq, events::kind, events::payload))
        .order(events::seq)
        .load(conn)
        .await?;
    let rows: Vec<_> = event
        .into_iter()
        .filter(|(_, _, payload)| {
            listener.game_code.as_ref().is_none_or(|game| payload["game"] == game.as_str())
        })
        .map(|(seq, kind, _)| {
            (
                deliveries::id.eq(Uuid::now_v7()),
                deliveries::webhook_id.eq(listener.id),
                deliveries::seq.eq(seq),
                deliveries::kind.eq(kind),
                deliveries::state.eq(DeliveryState::Waiting),
                deliveries::next_attempt_at.eq(at),
                deliveries::created_at.eq(at),
            )
        })
        .collect();
    // A webhook that was disabled and enabled again may already have some of them.
    diesel::insert_into(deliveries::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    diesel::update(webhooks::table.find(listener.id))
        .set(webhooks::cursor_seq.eq(up_to))
        .kept()
        .execute(conn)
        .await?;
    Ok(true)
}

/// Gives up waiting deliveries of disabled or deleted webhooks.
async fn give_up_disabled(conn: &mut Connection, at: DateTime<Utc>) -> StoreResult<usize> {
    Ok(sql(
        "UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, finished_at = $at, last_failure = $failure \
         WHERE id IN (SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
                      WHERE d.state = 'waiting' AND (w.disabled_at IS NOT NULL OR w.deleted_at IS NOT NULL) \
                      LIMIT $limit FOR UPDATE OF d SKIP LOCKED)",
    )
    .bind("at", at)
    .bind("failure", Failure::Disabled)
    .bind("limit", GIVEN_UP)
    .execute(conn)
    .await?)
}

/// Gives up the waiting deliveries of a webhook that was disabled.
pub(super) async fn drop_waiting_of(
    conn: &mut Connection,
    webhook: WebhookId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let waiting = deliveries::table
        .filter(deliveries::webhook_id.eq(webhook))
        .filter(deliveries::state.eq(DeliveryState::Waiting));
    diesel::update(waiting)
        .set((
            deliveries::state.eq(DeliveryState::Failed),
            deliveries::next_attempt_at.eq(None::<DateTime<Utc>>),
            deliveries::finished_at.eq(at),
            deliveries::last_failure.eq(Failure::Disabled),
        ))
        .kept()
        .execute(conn)
        .await?;
    Ok(())
}

/// The right of one task to post to a webhook, for a limited time.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    pub webhook: WebhookId,
    id: Uuid,
}

#[derive(QueryableByName)]
struct LeasedRow {
    #[diesel(sql_type = SqlUuid)]
    id: WebhookId,
}

/// Leases a webhook that has a due delivery and that no other task has leased.
pub async fn lease_next(store: &Store, now: DateTime<Utc>) -> StoreResult<Option<Lease>> {
    let mut conn = store.connection().await?;
    let lease = Uuid::new_v4();
    let leased: Option<LeasedRow> = sql(
        "UPDATE webhooks SET lease_id = $lease, lease_until = $until WHERE id = ( \
             SELECT w.id FROM webhooks w \
             WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL \
               AND (w.lease_until IS NULL OR w.lease_until <= $now) AND (w.resume_at IS NULL OR w.resume_at <= $now) \
               AND EXISTS (SELECT FROM webhook_deliveries d \
                           WHERE d.webhook_id = w.id AND d.state = 'waiting' AND d.next_attempt_at <= $now) \
             ORDER BY w.lease_until NULLS FIRST, w.id LIMIT 1 FOR UPDATE OF w SKIP LOCKED) \
         RETURNING id",
    )
    .bind("lease", lease)
    .bind("until", now + LEASE)
    .bind("now", now)
    .get_result(&mut *conn)
    .await
    .optional()?;
    Ok(leased.map(|LeasedRow { id }| Lease { webhook: id, id: lease }))
}

/// Ends a lease early.
pub async fn release(store: &Store, lease: Lease, now: DateTime<Utc>) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    // `lease_until` stays as the time of the last turn, so that the webhook served last comes last.
    diesel::update(leased(lease))
        .set((webhooks::lease_id.eq(None::<Uuid>), webhooks::lease_until.eq(now)))
        .kept()
        .execute(&mut *conn)
        .await?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn leased(lease: Lease) -> _ {
    let (id, lease): (WebhookId, Uuid) = (lease.webhook, lease.id);
    webhooks::table.filter(webhooks::id.eq(id)).filter(webhooks::lease_id.eq(lease))
}

/// The content of a delivery.
#[derive(Clone, Debug)]
pub enum WebhookEvent {
    /// A change of the catalogue.
    Change(Box<Change>),
    /// A ping: an admin tests the webhook.
    Ping {
        /// The webhook.
        webhook: WebhookId,
        /// The time.
        at: DateTime<Utc>,
    },
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
    /// Its id.
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
    /// One is due.
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
    .kept()
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
                    finish(conn, id, DeliveryState::Failed, None, Some(failure), now).await?;
                    return Ok(NextDelivery::GivenUp(failure));
                }
            }
        }
    };
    let attempts = attempts + 1;
    diesel::update(deliveries::table.find(id))
        .set((deliveries::attempts.eq(attempts), deliveries::last_attempt_at.eq(now)))
        .kept()
        .execute(conn)
        .await?;
    let delivery = id;
    let due =
        DueDelivery { delivery, url, event, attempts, secret_generation, previous_secret_until };
    Ok(NextDelivery::Due(Box::new(due)))
}

async fn finish(
    conn: &mut Connection,
    id: DeliveryId,
    state: DeliveryState,
    status: Option<i32>,
    failure: Option<Failure>,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    diesel::update(deliveries::table.find(id))
        .set((
            deliveries::state.eq(state),
            deliveries::next_attempt_at.eq(None::<DateTime<Utc>>),
            deliveries::last_status.eq(status),
            deliveries::last_failure.eq(failure.map(Failure::as_str)),
            deliveries::finished_at.eq(at),
        ))
        .kept()
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
    .kept()
    .execute(&mut *conn)
    .await?;
    Ok(())
}

/// The effect of an attempt on its webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The webhook stays enabled.
    Enabled,
    /// The webhook was disabled after this failure.
    Disabled(DisabledReason),
}

/// Records the result of the attempt with that number. After a failure, the delivery waits, or is given up (`None`).
pub async fn settle(
    store: &Store,
    lease: Lease,
    (delivery, attempts): (DeliveryId, i32),
    outcome: Outcome,
    wait: Option<Duration>,
    now: DateTime<Utc>,
) -> StoreResult<Settled> {
    let mut transaction = store.begin().await?;
    let attempt = (delivery, attempts);
    let result = settle_in(transaction.conn(), lease, attempt, outcome, wait, now).await;
    transaction.end(result).await
}

async fn settle_in(
    conn: &mut Connection,
    lease: Lease,
    (delivery, attempts): (DeliveryId, i32),
    outcome: Outcome,
    wait: Option<Duration>,
    now: DateTime<Utc>,
) -> StoreResult<Settled> {
    type Health = (Option<Uuid>, i32, Option<DateTime<Utc>>, Option<DateTime<Utc>>);
    let health: Option<Health> = webhooks::table
        .find(lease.webhook)
        .filter(webhooks::deleted_at.is_null())
        .select((
            webhooks::lease_id,
            webhooks::failures,
            webhooks::failing_since,
            webhooks::failed_at,
        ))
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    let Some((current, failures, since, failed_at)) = health else { return Ok(Settled::Enabled) };
    let webhook = webhooks::table.find(lease.webhook);
    let status = outcome.status.map(i32::from);
    let Some(failure) = outcome.failure else {
        // A success is recorded even if the lease has expired.
        finish(conn, delivery, DeliveryState::Delivered, status, None, now).await?;
        let none = None::<DateTime<Utc>>;
        diesel::update(webhook)
            .set((
                webhooks::failures.eq(0),
                webhooks::failing_since.eq(none),
                webhooks::failed_at.eq(none),
                webhooks::resume_at.eq(none),
            ))
            .kept()
            .execute(conn)
            .await?;
        return Ok(Settled::Enabled);
    };
    if current != Some(lease.id) {
        return Ok(Settled::Enabled);
    }
    let before = since.zip(failed_at).map(|(since, last)| Streak { failures, since, last });
    let streak = Streak::after(before, now);
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
        .kept()
        .execute(conn)
        .await?;
    diesel::update(webhook)
        .set((
            webhooks::failures.eq(streak.failures),
            webhooks::failing_since.eq(streak.since),
            webhooks::failed_at.eq(streak.last),
            webhooks::resume_at.eq(now + streak.pause(outcome.retry_after)),
        ))
        .kept()
        .execute(conn)
        .await?;
    let reason = match failure {
        Failure::Gone => DisabledReason::Gone,
        _ if streak.is_too_long() => DisabledReason::Failing,
        _ => return Ok(Settled::Enabled),
    };
    let disabled = diesel::update(webhook.filter(webhooks::disabled_at.is_null()))
        .set((
            webhooks::disabled_at.eq(now),
            webhooks::disabled_reason.eq(reason),
            webhooks::updated_at.eq(now),
        ))
        .kept()
        .execute(conn)
        .await?;
    if disabled == 0 {
        return Ok(Settled::Enabled);
    }
    let details = json!({ "reason": reason.as_str(), "failing_since": streak.since });
    super::webhooks::note(conn, None, "webhook.disabled", lease.webhook, details, now).await?;
    Ok(Settled::Disabled(reason))
}

/// Number of waiting deliveries.
pub async fn waiting(store: &Store) -> StoreResult<i64> {
    let mut conn = store.connection().await?;
    let waiting = deliveries::table.filter(deliveries::state.eq(DeliveryState::Waiting));
    Ok(waiting.count().get_result(&mut *conn).await?)
}
