//! Webhooks of admins: addresses that events are posted to. Single deliveries are in [`super::webhook_deliveries`].

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::webhook_requests::WebhookRequest;
use crate::app::catalogue::changes::ChangeResponse;
use crate::app::fault_reason::FaultReason;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{Granted, ManageWebhooks, ReadWebhooks};
use crate::auth::webhook_secret::WebhookSecret;
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::PING;
use crate::store::catalogue::changes;
use crate::store::operations::delivery_attempts::WebhookEvent;
use crate::store::operations::delivery_queue;
use crate::store::operations::idempotency::{self, IdempotencyClaim};
use crate::store::operations::webhooks::{
    self, SecretRotated, WebhookCreated, WebhookEdited, WebhookRow,
};

/// A webhook: a URL that events are posted to.
#[derive(Serialize, ToSchema)]
pub struct WebhookResponse {
    /// Its id.
    pub id: Uuid,
    /// URL that events are posted to.
    #[schema(example = "https://hooks.example/cardscape")]
    pub url: String,
    /// Description for admins.
    #[schema(example = "Mirror in the shop")]
    pub description: String,
    /// The kinds of events that are posted, as in `/v1/changes`.
    #[schema(example = json!(["card.unlocked", "set.changed"]))]
    pub kinds: Vec<String>,
    /// Only events of this game are posted; if it is absent, events of all games.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ttcg")]
    pub game: Option<String>,
    /// Whether events are posted.
    #[schema(example = true)]
    pub enabled: bool,
    /// Since when no events are posted; absent if the webhook is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub disabled_at: Option<DateTime<Utc>>,
    /// Why no events are posted: `admin` (disabled by hand), `gone` (the receiver answered 410), `failing` (no delivery succeeded for three days).
    /// Absent if the webhook is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(null))]
    pub disabled_reason: Option<String>,
    /// Number of the current secret: 1 for the first, and one more for each new secret.
    #[schema(example = 1, minimum = 1)]
    pub secret_generation: i32,
    /// Until this time, deliveries are also signed with the previous secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_secret_until: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
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
    /// The webhooks, the oldest first, at most 20.
    pub data: Vec<WebhookResponse>,
}

/// A webhook with its new secret.
#[derive(Serialize, ToSchema)]
pub struct WebhookSecretResponse {
    /// The webhook.
    #[serde(flatten)]
    pub webhook: WebhookResponse,
    /// The secret with which deliveries are signed: the Base64 text after `whsec_` is the key. Shown once: absent in the answer to a repeated
    /// request.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub secret: Option<String>,
    /// Whether the secret was shown before, in the first answer to this `Idempotency-Key`.
    pub secret_already_shown: bool,
}

/// The body that is posted when an admin tests a webhook. All other bodies are items of `/v1/changes`.
#[derive(Serialize, ToSchema)]
pub struct WebhookPing {
    /// Always `ping`.
    #[schema(example = "ping")]
    pub kind: &'static str,
    /// Id of the webhook.
    pub webhook: Uuid,
    /// When the test was requested.
    pub at: DateTime<Utc>,
}

/// Writes the body of a delivery.
pub fn render(event: WebhookEvent) -> serde_json::Result<Vec<u8>> {
    match event {
        WebhookEvent::Change(change) => serde_json::to_vec(&ChangeResponse::from(*change)),
        WebhookEvent::Ping { webhook, at } => {
            serde_json::to_vec(&WebhookPing { kind: PING, webhook: webhook.0, at })
        }
    }
}

fn no_such_game() -> Problem {
    Problem::invalid(vec![InputFault::at("/game", FaultReason::GameGone)])
}

/// Lists all webhooks, the oldest first.
pub async fn list(app: &AppState, by: &Granted<ReadWebhooks>) -> Result<WebhooksResponse, Problem> {
    let rows = webhooks::list(&mut *app.store.connection().await?, by).await?;
    Ok(WebhooksResponse { data: rows.into_iter().map(Into::into).collect() })
}

/// Finds a webhook, without its secret.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadWebhooks>,
    id: WebhookId,
) -> Result<WebhookResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = webhooks::find(&mut conn, by, id).await?;
    Ok(row.ok_or_else(Problem::not_found)?.into())
}

/// Creates a webhook, which gets all later events.
pub async fn create(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    request: WebhookRequest,
    key: Option<&IdempotencyClaim>,
) -> Result<WebhookSecretResponse, Problem> {
    let checked = match request.check(app).await {
        Ok(checked) => checked,
        // A repeated request gets the webhook of the first one, whatever happened to its game and to the allowed networks since.
        Err(problem) => return find_answered(app, by, key).await?.ok_or(problem),
    };
    let (id, now) = (WebhookId::generate(), app.clock.now());
    let cursor = changes::extent(&app.store).await?.newest;
    let content = checked.content();
    let created = app
        .write(by, async |conn, by| {
            webhooks::create(conn, by, id, &content, cursor, key, now).await
        })
        .await?;
    match created {
        WebhookCreated::New(row) => {
            tracing::info!(account = %by.account(), webhook = %id, origin = checked.origin, "webhook created");
            Ok(with_secret(app, row, true))
        }
        WebhookCreated::Repeat(Some(row)) => Ok(with_secret(app, row, false)),
        WebhookCreated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        WebhookCreated::TooMany => Err(Problem::new(ProblemCode::TooManyWebhooks)),
        WebhookCreated::NoGame => Err(no_such_game()),
    }
}

/// The webhook that an earlier request with this key created, without its secret; `None`: there was no such request. 410 if the webhook was deleted since.
async fn find_answered(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    key: Option<&IdempotencyClaim>,
) -> Result<Option<WebhookSecretResponse>, Problem> {
    let Some(key) = key else { return Ok(None) };
    let mut conn = app.store.connection().await?;
    let Some(earlier) = idempotency::answered(&conn, key).await? else { return Ok(None) };
    let row = webhooks::find_created(&mut conn, by, WebhookId(earlier)).await?;
    let row = row.ok_or_else(|| Problem::new(ProblemCode::Gone))?;
    Ok(Some(with_secret(app, row, false)))
}

/// The response about a webhook, with its secret if `is_shown`.
fn with_secret(app: &AppState, row: WebhookRow, is_shown: bool) -> WebhookSecretResponse {
    let (id, generation) = (row.id, row.secret_generation);
    let secret = is_shown.then(|| {
        let secret = WebhookSecret::derive(&app.keys, id, generation);
        secret.reveal().to_string()
    });
    WebhookSecretResponse { webhook: row.into(), secret, secret_already_shown: !is_shown }
}

/// Replaces a webhook, or enables or disables it, if the client's version is current.
pub async fn replace(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    id: WebhookId,
    if_match: &IfMatch,
    request: WebhookRequest,
) -> Result<WebhookResponse, Problem> {
    let checked = request.check(app).await?;
    let now = app.clock.now();
    if checked.enabled {
        delivery_queue::give_up_before_enabling(&app.store, id, now).await?;
    }
    let cursor = changes::extent(&app.store).await?.newest;
    let content = checked.content();
    let is_current = |row: &WebhookRow| if_match.has_seen(&WebhookResponse::from(row.clone()));
    let edited = app
        .write(by, async |conn, by| {
            webhooks::edit(conn, by, id, is_current, &content, cursor, now).await
        })
        .await?;
    let row = row_of(edited)?;
    tracing::info!(account = %by.account(), webhook = %id, origin = checked.origin, enabled = checked.enabled, "webhook changed");
    Ok(row.into())
}

/// Whether a webhook is already what [`replace`] would make of it, because the same form was sent before.
pub async fn is_replaced(
    app: &AppState,
    by: &Granted<ReadWebhooks>,
    id: WebhookId,
    request: WebhookRequest,
) -> Result<bool, Problem> {
    let checked = request.check(app).await?;
    Ok(checked.is_same_as(&find(app, by, id).await?))
}

/// Deletes a webhook with its deliveries, if the client's version is current.
pub async fn delete(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    id: WebhookId,
    if_match: &IfMatch,
) -> Result<(), Problem> {
    let now = app.clock.now();
    let is_current = |row: &WebhookRow| if_match.has_seen(&WebhookResponse::from(row.clone()));
    let deleted = app
        .write(by, async |conn, by| webhooks::delete(conn, by, id, is_current, now).await)
        .await?;
    row_of(deleted)?;
    tracing::info!(account = %by.account(), webhook = %id, "webhook deleted");
    Ok(())
}

fn row_of(edited: WebhookEdited) -> Result<WebhookRow, Problem> {
    match edited {
        WebhookEdited::Done(row) => Ok(row),
        WebhookEdited::Stale => Err(Problem::new(ProblemCode::PreconditionFailed)),
        WebhookEdited::Missing => Err(Problem::not_found()),
        WebhookEdited::NoGame => Err(no_such_game()),
    }
}

/// Replaces the secret of a webhook; for the time `overlap`, deliveries are also signed with the old secret.
pub async fn rotate_secret(
    app: &AppState,
    by: &Granted<ManageWebhooks>,
    id: WebhookId,
    overlap: Duration,
    key: Option<&IdempotencyClaim>,
) -> Result<WebhookSecretResponse, Problem> {
    let now = app.clock.now();
    let rotated = app
        .write(by, async |conn, by| webhooks::rotate(conn, by, id, overlap, key, now).await)
        .await?;
    match rotated {
        SecretRotated::New(row) => {
            tracing::info!(account = %by.account(), webhook = %id, generation = row.secret_generation, "webhook secret replaced");
            Ok(with_secret(app, row, true))
        }
        SecretRotated::Repeat(Some(row)) => Ok(with_secret(app, row, false)),
        SecretRotated::Repeat(None) => Err(Problem::new(ProblemCode::Gone)),
        SecretRotated::Missing => Err(Problem::not_found()),
    }
}
