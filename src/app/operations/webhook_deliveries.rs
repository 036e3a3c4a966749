//! Deliveries of webhooks and their results.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::page::{Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ManageWebhooks, ReadWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::store::operations::delivery_requests::{self, PostRequested};
use crate::store::operations::idempotency::IdempotencyClaim;
use crate::store::operations::webhook_deliveries as deliveries;
use crate::store::operations::webhook_deliveries::DeliveryRow;
pub use crate::store::operations::webhook_deliveries::DeliveryState;

/// A delivery: an event for a webhook, or a ping.
#[derive(Serialize, ToSchema)]
pub struct DeliveryResponse {
    /// Its id. Receivers get it as `webhook-id`, the same in every attempt.
    pub id: Uuid,
    /// Number of the event in `/v1/changes`; absent if the delivery is a ping.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 174, minimum = 1)]
    pub seq: Option<i64>,
    /// Kind of the event, or `ping`.
    #[schema(example = "card.unlocked")]
    pub kind: String,
    /// `waiting`, `delivered` (the receiver answered with 2xx) or `failed` (given up).
    #[schema(example = "waiting")]
    pub state: String,
    /// Number of attempts since the delivery was created or sent again.
    #[schema(example = 1, minimum = 0)]
    pub attempts: i32,
    /// Earliest time of the next attempt; only while the delivery is `waiting`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// Time of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// HTTP status of the last answer. Nothing else of the answers is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 500, minimum = 100, maximum = 999)]
    pub last_status: Option<i32>,
    /// Why the last attempt failed: `status` (an answer other than 2xx), `redirect` (redirects are not followed), `gone` (410), `timeout`,
    /// `connection`, `tls`, `protocol` (the answer is not HTTP), `name` (the host is unknown), `address` (the host is not on the public internet),
    /// `url` (the address is not allowed). Or why there was no attempt: `disabled` (the webhook is), `expired` (the event is no longer kept),
    /// `unreadable` (a fault of the service).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "status")]
    pub last_failure: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was delivered or given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub finished_at: Option<DateTime<Utc>>,
}

impl From<DeliveryRow> for DeliveryResponse {
    fn from(row: DeliveryRow) -> Self {
        Self {
            id: row.id.0,
            seq: row.seq,
            kind: row.kind,
            state: row.state.as_str().to_owned(),
            attempts: row.attempts,
            next_attempt_at: row.next_attempt_at,
            last_attempt_at: row.last_attempt_at,
            last_status: row.last_status,
            last_failure: row.last_failure.map(|failure| failure.as_str().to_owned()),
            created_at: row.created_at,
            finished_at: row.finished_at,
        }
    }
}

/// Lists the deliveries of a webhook, in one state or all, the newest first: those before the delivery `before`.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadWebhooks>,
    webhook: WebhookId,
    state: Option<DeliveryState>,
    before: Option<Uuid>,
    limit: PageLimit,
) -> Result<Page<DeliveryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let rows = deliveries::list(&mut conn, by, webhook, state, before, limit.rows()).await?;
    let rows = rows.ok_or_else(Problem::not_found)?;
    Ok(paged(rows, limit, |row| row.id, DeliveryResponse::from))
}

/// Finds a delivery of a webhook.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadWebhooks>,
    webhook: WebhookId,
    delivery: DeliveryId,
) -> Result<DeliveryResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = deliveries::find(&mut conn, by, webhook, delivery).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Requests that a delivery is sent again, whatever its state; once for each key.
pub async fn resend(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    webhook: WebhookId,
    delivery: DeliveryId,
    key: Option<&IdempotencyClaim>,
) -> Result<DeliveryResponse, Problem> {
    let now = app.clock.now();
    let requested = app
        .write(by, async |conn, by| {
            delivery_requests::resend(conn, by, webhook, delivery, key, now).await
        })
        .await?;
    if let PostRequested::Waiting(_) = &requested {
        tracing::info!(account = %by.account(), %webhook, %delivery, "webhook delivery queued again");
    }
    accepted(requested)
}

/// Requests one message of the kind `ping`.
pub async fn ping(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    webhook: WebhookId,
    key: Option<&IdempotencyClaim>,
) -> Result<DeliveryResponse, Problem> {
    let (id, now) = (DeliveryId::generate(), app.clock.now());
    let requested = app
        .write(by, async |conn, by| delivery_requests::ping(conn, by, webhook, id, key, now).await)
        .await?;
    if let PostRequested::Waiting(_) = &requested {
        tracing::info!(account = %by.account(), %webhook, delivery = %id, "webhook ping queued");
    }
    accepted(requested)
}

fn accepted(requested: PostRequested) -> Result<DeliveryResponse, Problem> {
    match requested {
        PostRequested::Waiting(row) | PostRequested::Repeat(Some(row)) => Ok(row.into()),
        PostRequested::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        PostRequested::Missing => Err(Problem::not_found()),
        PostRequested::Disabled => Err(Problem::new(ProblemCode::WebhookDisabled)),
    }
}
