//! What became of the deliveries of a webhook.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::page::{Cursor, Page, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::http::extract::{Body, IdempotencyKey, May, Params, cacheable, edited};
use crate::memory::rendered::Freshness;
use crate::store::operations::webhook_deliveries as deliveries;
use crate::store::operations::webhook_deliveries::{Asked, DeliveryRow, DeliveryState};

/// An event for a webhook, or a ping.
#[derive(Serialize, ToSchema)]
pub struct DeliveryResponse {
    /// Its id; receivers know it as `webhook-id`, the same in every attempt.
    pub id: Uuid,
    /// Number of the event in `/v1/changes`; absent: a ping.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 174, minimum = 1)]
    pub seq: Option<i64>,
    /// Kind of the event, or `ping`.
    #[schema(example = "card.unlocked")]
    pub kind: String,
    /// `waiting`, `delivered` (the receiver answered with 2xx) or `failed` (given up).
    #[schema(example = "waiting")]
    pub state: String,
    /// How often it was tried, since it was made or sent again.
    #[schema(example = 1, minimum = 0)]
    pub attempts: i32,
    /// When it is tried next, at the earliest; while it is waiting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<DateTime<Utc>>,
    /// When it was tried last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_attempt_at: Option<DateTime<Utc>>,
    /// Status of the last answer. Nothing else of answers is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 500, minimum = 100, maximum = 999)]
    pub last_status: Option<i32>,
    /// Why the last attempt failed: `status`, `redirect` (not followed), `gone`, `timeout`, `connection`, `tls`, `protocol` (no HTTP),
    /// `name` (no such host), `address` (not on the public internet), `url`; or why there was none: `disabled`, `expired`,
    /// `unreadable` (a fault of the service).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "status")]
    pub last_failure: Option<String>,
    /// When it was made.
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

/// What may have become of a delivery.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryStateParam {
    /// It is on its way, or will be tried again.
    Waiting,
    /// The receiver answered with 2xx.
    Delivered,
    /// It was given up.
    Failed,
}

impl From<DeliveryStateParam> for DeliveryState {
    fn from(state: DeliveryStateParam) -> Self {
        match state {
            DeliveryStateParam::Waiting => Self::Waiting,
            DeliveryStateParam::Delivered => Self::Delivered,
            DeliveryStateParam::Failed => Self::Failed,
        }
    }
}

/// Which deliveries.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeliveriesQuery {
    /// Only those of which this became.
    #[param(inline)]
    state: Option<DeliveryStateParam>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the deliveries of a webhook, the newest first; they are kept for 30 days.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook}/deliveries", tag = "operations", security(("bearer" = [])),
    params(("webhook" = Uuid, Path, description = "Id of the webhook"), DeliveriesQuery),
    responses((status = 200, body = Page<DeliveryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_webhook_deliveries(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadWebhooks>,
    webhook: web::Path<Uuid>,
    query: Params<DeliveriesQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key).transpose()?;
    let wanted = query.state.map(DeliveryState::from);
    let (webhook, rows) = (WebhookId(*webhook), query.limit.rows());
    let mut conn = state.store.connection().await?;
    let rows = deliveries::list(&mut conn, &by, webhook, wanted, before, rows).await?;
    let rows = rows.ok_or_else(Problem::not_found)?;
    let page = paged(rows, query.limit, |row| row.id, DeliveryResponse::from);
    page.answer(&req, Freshness::Private)
}

/// Shows a delivery of a webhook.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook}/deliveries/{delivery}", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("delivery" = Uuid, Path, description = "Id of the delivery"),
    ),
    responses((status = 200, body = DeliveryResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_webhook_delivery(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadWebhooks>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (webhook, delivery) = path.into_inner();
    let mut conn = state.store.connection().await?;
    let row = deliveries::find(&mut conn, &by, WebhookId(webhook), DeliveryId(delivery)).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    cacheable(&req, Freshness::Private, None, &DeliveryResponse::from(row))
}

/// Sends a delivery again, whatever became of it.
///
/// Within a second or two, and with as many attempts as a new one. It keeps its `webhook-id`, by which receivers know what they had.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook}/deliveries/{delivery}/resend", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("delivery" = Uuid, Path, description = "Id of the delivery"),
    ),
    responses(
        (status = 202, body = DeliveryResponse),
        (status = 409, description = "`webhook_disabled`"),
    )
)]
pub async fn resend_webhook_delivery(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    path: web::Path<(Uuid, Uuid)>,
) -> Result<HttpResponse, Problem> {
    let (webhook, delivery) = path.into_inner();
    let (webhook, delivery) = (WebhookId(webhook), DeliveryId(delivery));
    let now = state.clock.now();
    let asked = state
        .write(&by, async |conn, by| deliveries::resend(conn, by, webhook, delivery, now).await)
        .await?;
    if let Asked::Waiting(_) = &asked {
        tracing::info!(account = %by.account(), %webhook, %delivery, "webhook delivery sent again");
    }
    accepted(webhook, asked)
}

/// Tests a webhook: posts a message of the kind `ping`, once.
///
/// Within a second or two; the delivery at `Location` tells what became of it.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook}/ping", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 202, body = DeliveryResponse, headers(("Location" = String, description = "The delivery"))),
        (status = 409, description = "`webhook_disabled`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its delivery was deleted since."),
        (status = 422, description = "`idempotency_key_reused`"),
    )
)]
pub async fn ping_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    key: IdempotencyKey,
) -> Result<HttpResponse, Problem> {
    let (webhook, id, now) = (WebhookId(*webhook), DeliveryId::fresh(), state.clock.now());
    let nothing = Body { value: (), raw: Bytes::new() };
    let key = key.claim_at(&state, by.account(), "ping_webhook", webhook.0, &nothing);
    let asked = state
        .write(&by, async |conn, by| {
            deliveries::ping(conn, by, webhook, id, key.as_ref(), now).await
        })
        .await?;
    if let Asked::Waiting(_) = &asked {
        tracing::info!(account = %by.account(), %webhook, delivery = %id, "webhook tried");
    }
    accepted(webhook, asked)
}

fn accepted(webhook: WebhookId, asked: Asked) -> Result<HttpResponse, Problem> {
    let row = match asked {
        Asked::Waiting(row) | Asked::Repeat(Some(row)) => row,
        Asked::Repeat(None) => return Err(Problem::new(ProblemCode::Gone)),
        Asked::Missing => return Err(Problem::not_found()),
        Asked::Disabled => return Err(Problem::new(ProblemCode::WebhookDisabled)),
    };
    let place = format!("/v1/webhooks/{webhook}/deliveries/{}", row.id);
    let mut response = edited(StatusCode::ACCEPTED, &DeliveryResponse::from(row))?;
    let place = HeaderValue::try_from(place).map_err(Problem::internal)?;
    response.headers_mut().insert(header::LOCATION, place);
    Ok(response)
}
