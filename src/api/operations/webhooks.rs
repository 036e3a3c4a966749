//! Webhooks of admins: where events are posted to. What became of single deliveries is in [`super::webhook_deliveries`].

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Duration, Utc};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::app::catalogue::changes::ChangeResponse;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::app::words::{must_be_one_of, word_schema};
use crate::auth::permission::{ManageWebhooks, ReadWebhooks};
use crate::auth::webhook_secret::WebhookSecret;
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::{EVENT_KINDS, MAX_OVERLAP_HOURS, OVERLAP_HOURS, PING};
use crate::domain::text;
use crate::http::extract::{Body, IdempotencyKey, May, OptionalBody, cacheable, edited};
use crate::memory::rendered::Freshness;
use crate::store::catalogue::changes;
use crate::store::operations::webhook_deliveries::WebhookEvent;
use crate::store::operations::webhooks::{
    self, SecretRotated, WebhookContent, WebhookCreated, WebhookEdited, WebhookRow,
};
use crate::webhooks::target::{Target, origin_of};

/// Longest description, in characters.
const MAX_DESCRIPTION: usize = 200;

/// Where events are posted to.
#[derive(Serialize, ToSchema)]
pub struct WebhookResponse {
    /// Its id.
    pub id: Uuid,
    /// Where events are posted to.
    #[schema(example = "https://hooks.example/cardscape")]
    pub url: String,
    /// What admins call it.
    #[schema(example = "Mirror in the shop")]
    pub description: String,
    /// The kinds of events that are posted, as in `/v1/changes`.
    #[schema(example = json!(["card.unlocked", "set.changed"]))]
    pub kinds: Vec<String>,
    /// Only events of this game are; absent: of all games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ttcg")]
    pub game: Option<String>,
    /// Whether anything is posted.
    #[schema(example = true)]
    pub enabled: bool,
    /// Since when nothing is posted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub disabled_at: Option<DateTime<Utc>>,
    /// Why nothing is posted: `admin` (by hand), `gone` (the receiver answered 410), `failing` (nothing got through for three days).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub disabled_reason: Option<String>,
    /// Which secret is used, from 1: rises with each new one.
    #[schema(example = 1, minimum = 1)]
    pub secret_generation: i32,
    /// Until this time deliveries are also signed with the secret before this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_until: Option<DateTime<Utc>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
}

impl From<WebhookRow> for WebhookResponse {
    fn from(row: WebhookRow) -> Self {
        Self {
            id: row.id.0,
            url: row.url,
            description: row.description,
            kinds: row.kinds,
            game: row.game_code,
            enabled: row.disabled_at.is_none(),
            disabled_at: row.disabled_at,
            disabled_reason: row.disabled_reason.map(|reason| reason.as_str().to_owned()),
            secret_generation: row.secret_generation,
            previous_secret_until: row.previous_secret_until,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// All webhooks.
#[derive(Serialize, ToSchema)]
pub struct WebhooksResponse {
    /// The oldest first, at most 20.
    pub data: Vec<WebhookResponse>,
}

/// A webhook with its new secret.
#[derive(Serialize, ToSchema)]
pub struct WebhookSecretResponse {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookResponse,
    /// What deliveries are signed with: the base64 after `whsec_` is the key. Shown once: absent when a repeated request is answered
    /// again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub secret: Option<String>,
    /// Whether the secret was shown before, in the first answer to this `Idempotency-Key`.
    pub secret_already_shown: bool,
}

/// What is posted when an admin tries a webhook. All other bodies are items of `/v1/changes`.
#[derive(Serialize, ToSchema)]
pub struct WebhookPing {
    /// Always `ping`.
    #[schema(example = "ping")]
    pub kind: &'static str,
    /// Id of the webhook.
    pub webhook: Uuid,
    /// When.
    pub at: DateTime<Utc>,
}

/// Writes the body of a delivery.
pub fn render(event: WebhookEvent) -> serde_json::Result<Vec<u8>> {
    match event {
        WebhookEvent::Change(change) => serde_json::to_vec(&ChangeResponse::from(change)),
        WebhookEvent::Ping { webhook, at } => {
            serde_json::to_vec(&WebhookPing { kind: PING, webhook: webhook.0, at })
        }
    }
}

/// A kind of events, for the contract.
struct EventKind;

impl PartialSchema for EventKind {
    fn schema() -> RefOr<Schema> {
        word_schema("A kind of events, as in `/v1/changes`.", EVENT_KINDS)
    }
}

impl ToSchema for EventKind {}

/// A webhook as an admin wants it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WebhookRequest {
    /// `https`, to the public internet; also `http`, to networks that the operator names (`--webhook-networks`). Without user name,
    /// password and `#`.
    #[schema(
        pattern = "^[Hh][Tt][Tt][Pp][Ss]?:",
        min_length = 1,
        max_length = 2000,
        example = "https://hooks.example/cardscape"
    )]
    url: String,
    /// The kinds of events to post, at least one.
    #[schema(value_type = Vec<EventKind>, min_items = 1, example = json!(["card.unlocked", "set.changed"]))]
    kinds: Vec<String>,
    /// Post only events of this game.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 64, example = "ttcg")]
    game: Option<String>,
    /// What you call it: at most 200 characters.
    #[serde(default)]
    #[schema(max_length = 200, example = "Mirror in the shop")]
    description: String,
    /// Whether anything is posted.
    #[serde(default = "yes")]
    #[schema(default = true, example = true)]
    enabled: bool,
}

fn yes() -> bool {
    true
}

/// A request whose values are what they should be.
struct Parsed {
    target: Target,
    kinds: Vec<&'static str>,
    game: Option<String>,
    description: String,
    origin: String,
    enabled: bool,
}

impl WebhookRequest {
    async fn parse(self, state: &AppState) -> Result<Parsed, Problem> {
        let mut faults = Vec::new();
        let target = Target::parse(&self.url, &state.settings.webhook_networks)
            .map_err(|error| faults.push(InputFault::at("/url", error)));
        let mut kinds = Vec::new();
        for (index, name) in self.kinds.iter().enumerate() {
            match EVENT_KINDS.into_iter().find(|kind| kind == name) {
                Some(kind) if kinds.contains(&kind) => {}
                Some(kind) => kinds.push(kind),
                None => faults.push(InputFault::at(
                    format!("/kinds/{index}"),
                    must_be_one_of(name, EVENT_KINDS),
                )),
            }
        }
        if self.kinds.is_empty() {
            faults.push(InputFault::at("/kinds", "must name at least one kind of event"));
        }
        let description = text::line(&self.description, 0, MAX_DESCRIPTION)
            .map_err(|error| faults.push(InputFault::at("/description", error)));
        if let Some(game) = &self.game
            && let Err(fault) = state.named_game(game).await?
        {
            faults.push(InputFault::at("/game", fault));
        }
        match (target, description) {
            (Ok(target), Ok(description)) if faults.is_empty() => Ok(Parsed {
                origin: origin_of(target.as_str()),
                target,
                kinds,
                game: self.game,
                description,
                enabled: self.enabled,
            }),
            _ => Err(Problem::invalid(faults)),
        }
    }
}

impl Parsed {
    fn content(&self) -> WebhookContent<'_> {
        WebhookContent {
            url: self.target.as_str(),
            origin: &self.origin,
            description: &self.description,
            kinds: &self.kinds,
            game: self.game.as_deref(),
            enabled: self.enabled,
        }
    }
}

fn no_such_game() -> Problem {
    Problem::invalid(vec![InputFault::at("/game", "there is no such game any more")])
}

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
    let rows = webhooks::list(&mut *state.store.connection().await?, &by).await?;
    let body = WebhooksResponse { data: rows.into_iter().map(Into::into).collect() };
    cacheable(&req, Freshness::Private, None, &body)
}

/// Creates a webhook: what happens to the catalogue from now on is posted to a URL.
///
/// The body of a delivery is an item of `/v1/changes`: only what everybody may know. Deliveries are signed as Standard Webhooks has it,
/// come at least once and mostly in order, and are tried again for three days; see the API guide. The secret is shown in this answer and
/// never again.
#[utoipa::path(
    post, path = "/v1/webhooks", tag = "operations", security(("bearer" = [])), request_body = WebhookRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = WebhookSecretResponse, headers(
            ("Location" = String, description = "The webhook"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_webhooks`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its webhook was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
    )
)]
pub async fn create_webhook(
    state: web::Data<AppState>,
    by: May<ManageWebhooks>,
    key: IdempotencyKey,
    body: Result<Body<WebhookRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let body = body?;
    let key = key.claim(&state, by.account(), "create_webhook", &body);
    let parsed = body.value.parse(&state).await?;
    let (id, now) = (WebhookId::fresh(), state.clock.now());
    let cursor = changes::extent(&state.store).await?.newest;
    let content = parsed.content();
    let created = state
        .write(&by, async |conn, by| {
            webhooks::create(conn, by, id, &content, cursor, key.as_ref(), now).await
        })
        .await?;
    match created {
        WebhookCreated::New(row) => {
            tracing::info!(account = %by.account(), webhook = %id, origin = parsed.origin, "webhook made");
            with_secret(&state, StatusCode::CREATED, row, true)
        }
        WebhookCreated::Repeat(Some(row)) => with_secret(&state, StatusCode::CREATED, row, false),
        WebhookCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        WebhookCreated::TooMany => Err(Problem::new(ProblemCode::TooManyWebhooks)),
        WebhookCreated::NoGame => Err(no_such_game()),
    }
}

/// A webhook, with its secret if it is shown now; no cache keeps it.
fn with_secret(
    state: &AppState,
    status: StatusCode,
    row: WebhookRow,
    is_shown: bool,
) -> Result<HttpResponse, Problem> {
    let (id, generation) = (row.id, row.secret_generation);
    let secret = is_shown.then(|| {
        let secret = WebhookSecret::derive(&state.keys, id, generation);
        secret.reveal().to_string()
    });
    let webhook = WebhookResponse::from(row);
    // The version is that of the webhook without its secret, as a GET tells it.
    let etag = edited(status, &webhook)?.headers().get(header::ETAG).cloned();
    let answer = WebhookSecretResponse { webhook, secret, secret_already_shown: !is_shown };
    let mut response = HttpResponse::build(status)
        .insert_header((header::LOCATION, format!("/v1/webhooks/{id}")))
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
    let mut conn = state.store.connection().await?;
    let row = webhooks::find(&mut conn, &by, WebhookId(*webhook)).await?;
    let row = row.ok_or_else(Problem::not_found)?;
    cacheable(&req, Freshness::Private, None, &WebhookResponse::from(row))
}

/// Replaces a webhook, disables or enables it.
///
/// A disabled webhook gets nothing, and its waiting deliveries are given up. When it is enabled again it gets what happens from then on;
/// `/v1/changes` has what happened in between.
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
    body: Result<Body<WebhookRequest>, Problem>,
) -> Result<HttpResponse, Problem> {
    let (id, if_match, parsed) = (WebhookId(*webhook), if_match?, body?.value.parse(&state).await?);
    let now = state.clock.now();
    let cursor = changes::extent(&state.store).await?.newest;
    let content = parsed.content();
    let is_current = |row: &WebhookRow| if_match.has_seen(&WebhookResponse::from(row.clone()));
    let done = state
        .write(&by, async |conn, by| {
            webhooks::edit(conn, by, id, is_current, &content, cursor, now).await
        })
        .await?;
    let row = ended(done)?;
    tracing::info!(account = %by.account(), webhook = %id, origin = parsed.origin, enabled = parsed.enabled, "webhook changed");
    edited(StatusCode::OK, &WebhookResponse::from(row))
}

/// Deletes a webhook with its deliveries. What is on its way at this moment may still arrive.
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
    let (id, if_match, now) = (WebhookId(*webhook), if_match?, state.clock.now());
    let is_current = |row: &WebhookRow| if_match.has_seen(&WebhookResponse::from(row.clone()));
    let done = state
        .write(&by, async |conn, by| webhooks::delete(conn, by, id, is_current, now).await)
        .await?;
    ended(done)?;
    tracing::info!(account = %by.account(), webhook = %id, "webhook deleted");
    Ok(HttpResponse::NoContent().finish())
}

fn ended(done: WebhookEdited) -> Result<WebhookRow, Problem> {
    match done {
        WebhookEdited::Done(row) => Ok(row),
        WebhookEdited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        WebhookEdited::Missing => Err(Problem::not_found()),
        WebhookEdited::NoGame => Err(no_such_game()),
    }
}

/// How a secret is to be replaced.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateSecretRequest {
    /// For how many hours deliveries are also signed with the old secret: 0 to 168. Send 0 if it fell into wrong hands.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 168, default = 24, example = 24)]
    overlap_hours: Option<u16>,
}

/// Gives a webhook a new secret.
///
/// For some hours deliveries are signed with the new secret and with the old one. The secret is shown in this answer and
/// never again.
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
    let (id, OptionalBody(body), now) = (WebhookId(*webhook), body?, state.clock.now());
    let hours = body.value.overlap_hours.unwrap_or(OVERLAP_HOURS);
    if hours > MAX_OVERLAP_HOURS {
        let detail = format!("must be 0 to {MAX_OVERLAP_HOURS}");
        return Err(Problem::invalid(vec![InputFault::at("/overlap_hours", detail)]));
    }
    let overlap = Duration::hours(hours.into());
    let key = key.claim_at(&state, by.account(), "rotate_webhook_secret", id.0, &body);
    let rotated = state
        .write(&by, async |conn, by| {
            webhooks::rotate(conn, by, id, overlap, key.as_ref(), now).await
        })
        .await?;
    match rotated {
        SecretRotated::New(row) => {
            tracing::info!(account = %by.account(), webhook = %id, generation = row.secret_generation, "webhook secret replaced");
            with_secret(&state, StatusCode::OK, row, true)
        }
        SecretRotated::Repeat(row) => with_secret(&state, StatusCode::OK, row, false),
        SecretRotated::Missing => Err(Problem::not_found()),
    }
}
