//! Deliveries of events to webhooks, and their states. Deliveries are written in `delivery_queue` and
//! `delivery_requests`, webhooks are leased in `webhook_leases`, and deliveries are sent in `delivery_attempts`.
//!
//! Who changes a webhook's deliveries locks the row of the webhook first, with two exceptions: giving up changes only
//! deliveries that still wait, and the result of an attempt is stored only if the delivery still waits and its number of
//! attempts is the same. Retention deletes only old deliveries and those of deleted webhooks. A task leases a webhook
//! before it posts, so that one delivery is sent at a time. When a task is killed, its lease expires; then another task
//! repeats deliveries without a recorded result.

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::auth::permission::{Granted, ReadWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::operations::webhook::Failure;
use crate::store::db::pages::push_page;
use crate::store::db::schema::{webhook_deliveries as deliveries, webhooks};
use crate::store::db::statement::sql;
use crate::store::{Connection, Store, StoreResult};

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
    Ok(Some(push_page(statement, "id DESC", limit).load(conn).await?))
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

pub(super) async fn load(
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

/// Number of waiting deliveries.
pub async fn waiting(store: &Store) -> StoreResult<i64> {
    let mut conn = store.connection().await?;
    let waiting = deliveries::table.filter(deliveries::state.eq(DeliveryState::Waiting));
    Ok(waiting.count().get_result(&mut *conn).await?)
}
