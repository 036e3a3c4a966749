//! Deliveries of webhooks and their results.

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::app::operations::webhook_deliveries::{
    self as deliveries, DeliveryResponse, DeliveryState,
};
use crate::app::page::{Cursor, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::http::extract::{Body, IdempotencyKey, May, Params, cacheable, edited};
use crate::memory::rendered::Freshness;

/// State of a delivery.
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
    /// Only deliveries in this state.
    #[param(inline)]
    state: Option<DeliveryStateParam>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the deliveries of a webhook, the newest first. Deliveries are kept for 30 days.
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
    let (webhook, wanted) = (WebhookId(*webhook), query.state.map(DeliveryState::from));
    let page = deliveries::list(&state, &by, webhook, wanted, before, query.limit).await?;
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
    let found = deliveries::find(&state, &by, WebhookId(webhook), DeliveryId(delivery)).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Sends a delivery again, whatever its state.
///
/// It is sent within a second or two, and tried as often as a new delivery. It keeps its `webhook-id`, by which receivers recognise deliveries that
/// they have already handled.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook}/deliveries/{delivery}/resend", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("delivery" = Uuid, Path, description = "Id of the delivery"),
    ),
    responses(
        (status = 202, body = DeliveryResponse, headers(
            ("Location" = String, description = "The delivery"),
            ("ETag" = String, description = "Its version, as `GET` shows it"),
        )),
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
    accepted(webhook, &deliveries::resend(&state, &by, webhook, delivery, None).await?)
}

/// Tests a webhook: posts a message of the kind `ping`, once.
///
/// It is posted within a second or two; the delivery at `Location` shows the result.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook}/ping", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 202, body = DeliveryResponse, headers(
            ("Location" = String, description = "The delivery"),
            ("ETag" = String, description = "Its version, as `GET` shows it"),
        )),
        (status = 409, description = "`webhook_disabled`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and its delivery was deleted since."),
        (status = 422, description = "`idempotency_key_reused`"),
    )
)]
pub async fn ping_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    key: IdempotencyKey,
) -> Result<HttpResponse, Problem> {
    let webhook = WebhookId(*webhook);
    let nothing = Body { value: (), raw: Bytes::new() };
    let key = key.claim_at(&state, by.account(), "ping_webhook", webhook.0, &nothing);
    accepted(webhook, &deliveries::ping(&state, &by, webhook, key.as_ref()).await?)
}

fn accepted(webhook: WebhookId, delivery: &DeliveryResponse) -> Result<HttpResponse, Problem> {
    let place = format!("/v1/webhooks/{webhook}/deliveries/{}", delivery.id);
    let mut response = edited(StatusCode::ACCEPTED, delivery)?;
    let place = HeaderValue::try_from(place).map_err(Problem::internal)?;
    response.headers_mut().insert(header::LOCATION, place);
    Ok(response)
}
