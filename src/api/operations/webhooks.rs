//! Webhooks of admins: addresses that events are posted to. Single deliveries are in [`super::webhook_deliveries`].

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::Duration;
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::operations::webhook_requests::WebhookRequest;
use crate::app::operations::webhooks::{
    self, WebhookResponse, WebhookSecretResponse, WebhooksResponse,
};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::{MAX_OVERLAP_HOURS, OVERLAP_HOURS};
use crate::http::extract::{
    IdempotencyKey, Judge, JudgedBody, May, OptionalBody, cacheable, edited,
};
use crate::memory::rendered::Freshness;

/// Lists all webhooks.
#[utoipa::path(
    get, path = "/v1/webhooks", tag = "operations", security(("bearer" = [])),
    responses((status = 200, body = WebhooksResponse), (status = 304, description = "Not changed."))
)]
pub async fn list_webhooks(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadWebhooks>,
) -> Result<HttpResponse, Problem> {
    cacheable(&req, Freshness::Private, None, &webhooks::list(&state, &by).await?)
}

/// Creates a webhook: later events of the catalogue are posted to a URL.
///
/// The body of a delivery is an item of `/v1/changes`, which contains only public data. Deliveries are signed as Standard Webhooks specifies. They
/// are sent at least once, mostly in order, and failed ones are tried again for three days; see the API guide. The secret is shown only in this
/// answer.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "operations", security(("bearer" = [])), request_body = WebhookRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = WebhookSecretResponse, headers(
            ("Location" = String, description = "The webhook"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_webhooks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and its webhook was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    key: IdempotencyKey,
    body: Result<JudgedBody<WebhookRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let JudgedBody(body) = body?;
    let key = key.claim(&state, by.account(), "create_webhook", &body);
    let answer = webhooks::create(&state, &by, body.value, key.as_ref()).await?;
    with_secret(StatusCode::CREATED, answer)
}

/// A webhook with its secret, which must not be cached.
fn with_secret(status: StatusCode, answer: WebhookSecretResponse) -> Result<HttpResponse, Problem> {
    // The version is that of the webhook without its secret, as in the response to GET.
    let etag = edited(status, &answer.webhook)?.headers().get(header::ETAG).cloned();
    let mut response = HttpResponse::build(status)
        .insert_header((header::LOCATION, format!("/v1/webhooks/{}", answer.webhook.id)))
        .insert_header((header::CACHE_CONTROL, HeaderValue::from_static("no-store")))
        .json(answer);
    if let Some(etag) = etag {
        response.headers_mut().insert(header::ETAG, etag);
    }
    Ok(response)
}

/// Shows a webhook, without its secret.
#[utoipa::path(
    get, path = "/v1/webhooks/{webhook}", tag = "operations", security(("bearer" = [])),
    params(("webhook" = Uuid, Path, description = "Id of the webhook")),
    responses((status = 200, body = WebhookResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_webhook(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadWebhooks>,
    webhook: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = webhooks::find(&state, &by, WebhookId(*webhook)).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Replaces a webhook, or disables or enables it.
///
/// A disabled webhook gets no deliveries, and its waiting deliveries are given up. When it is enabled again, it gets the events from then on; read
/// the events in between from `/v1/changes`.
#[utoipa::path(
    put, path = "/v1/webhooks/{webhook}", tag = "operations", security(("bearer" = [])), request_body = WebhookRequest,
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("If-Match" = String, Header, description = "ETag of the webhook that was read"),
    ),
    responses(
        (status = 200, body = WebhookResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn replace_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
    body: Result<JudgedBody<WebhookRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match, request) = (WebhookId(*webhook), if_match?, body?.0.value);
    let answer = webhooks::replace(&state, &by, id, &if_match, request).await?;
    edited(StatusCode::OK, &answer)
}

/// Deletes a webhook with its deliveries.
///
/// A delivery that is being sent at this moment may still arrive.
#[utoipa::path(
    delete, path = "/v1/webhooks/{webhook}", tag = "operations", security(("bearer" = [])),
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("If-Match" = String, Header, description = "ETag of the webhook that was read"),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    webhooks::delete(&state, &by, WebhookId(*webhook), &if_match?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// How to replace the secret of a webhook.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateSecretRequest {
    /// For how many hours deliveries are also signed with the old secret: 0 to 168. Send 0 if the old secret was leaked.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 168, default = 24, example = 24)]
    overlap_hours: Option<u16>,
}

/// Gives a webhook a new secret.
///
/// For some hours, deliveries are signed with the new secret and with the old one. The new secret is shown only in this answer.
#[utoipa::path(
    post, path = "/v1/webhooks/{webhook}/secret", tag = "operations", security(("bearer" = [])), request_body = Option<RotateSecretRequest>,
    params(
        ("webhook" = Uuid, Path, description = "Id of the webhook"),
        ("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe"),
    ),
    responses(
        (status = 200, body = WebhookSecretResponse, headers(
            ("Location" = String, description = "The webhook"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request was sent before, and its webhook was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn rotate_webhook_secret(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    webhook: web::Path<Uuid>,
    key: IdempotencyKey,
    body: Result<OptionalBody<RotateSecretRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, OptionalBody(body)) = (WebhookId(*webhook), body?);
    let hours = body.value.overlap_hours.unwrap_or(OVERLAP_HOURS);
    if hours > MAX_OVERLAP_HOURS {
        let detail = format!("must be 0 to {MAX_OVERLAP_HOURS}");
        return Err(Problem::invalid(vec![InputFault::at("/overlap_hours", detail)]));
    }
    let overlap = Duration::hours(hours.into());
    let key = key.claim_at(&state, by.account(), "rotate_webhook_secret", id.0, &body);
    let answer = webhooks::rotate_secret(&state, &by, id, overlap, key.as_ref()).await?;
    with_secret(StatusCode::OK, answer)
}

/// Checks URLs and games only in the use case.
impl Judge for WebhookRequest {
    fn judge(&self) -> Result<(), Problem> {
        let fault = |error| Problem::invalid(vec![InputFault::at("/description", error)]);
        self.description().map(drop).map_err(fault)
    }
}
