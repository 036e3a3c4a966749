//! Webhooks: the addresses that events are posted to. Deliveries are in [`super::webhook_deliveries`].

use chrono::{DateTime, Duration, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use uuid::Uuid;

use super::audit;
use super::idempotency::{self, IdempotencyClaim, IdempotentError};
use crate::auth::permission::{Acting, Granted, ManageWebhooks, ReadWebhooks};
use crate::domain::ids::{AccountId, WebhookId};
use crate::domain::operations::webhook::{DisabledReason, MAX_WEBHOOKS};
use crate::store::db::schema::{games, webhooks};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, StoreResult};

/// A webhook as admins see it.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = webhooks)]
pub struct WebhookRow {
    pub id: WebhookId,
    /// The URL. Its path and query may contain secrets of the receiver.
    pub url: String,
    pub description: String,
    /// The kinds of events.
    pub kinds: Vec<String>,
    /// Only events of this game.
    pub game_code: Option<String>,
    /// Since when it is disabled.
    pub disabled_at: Option<DateTime<Utc>>,
    pub disabled_reason: Option<DisabledReason>,
    /// Rises with each new secret, from 1.
    pub secret_generation: i32,
    /// Until when deliveries are also signed with the previous secret.
    pub previous_secret_until: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// The fields of a webhook that admins set.
#[derive(Clone, Debug)]
pub struct WebhookContent<'a> {
    /// The URL, normalised.
    pub url: &'a str,
    /// Scheme, host and port of the URL, for the audit log.
    pub origin: &'a str,
    pub description: &'a str,
    /// At least one kind of event.
    pub kinds: &'a [&'static str],
    /// Only events of this game.
    pub game: Option<&'a str>,
    /// Whether events are posted.
    pub enabled: bool,
}

impl WebhookContent<'_> {
    fn details(&self) -> Value {
        json!({
            "origin": self.origin, "kinds": self.kinds, "game": self.game, "enabled": self.enabled,
        })
    }

    fn is_that_of(&self, row: &WebhookRow) -> bool {
        self.url == row.url
            && self.description == row.description
            && self.kinds == row.kinds
            && self.game == row.game_code.as_deref()
            && self.enabled == row.disabled_at.is_none()
    }
}

/// The result of creating a webhook.
#[derive(Debug)]
pub enum WebhookCreated {
    /// It is stored.
    New(WebhookRow),
    /// A repeated request; `None`: the webhook was deleted since.
    Repeat(Option<WebhookRow>),
    /// The limit is reached.
    TooMany,
    /// There is no such game.
    NoGame,
}

/// The result of a change of a webhook.
#[derive(Debug)]
pub enum WebhookEdited {
    /// The new state; if it was deleted, the last state.
    Done(WebhookRow),
    /// It differs from the version that the editor has read.
    Stale,
    /// There is no such webhook.
    Missing,
    /// There is no such game.
    NoGame,
}

/// The result of rotating a secret.
#[derive(Debug)]
pub enum SecretRotated {
    /// The webhook has a new secret.
    New(WebhookRow),
    /// A repeated request: the secret is not shown again. `None`: the webhook was deleted since.
    Repeat(Option<WebhookRow>),
    /// There is no such webhook any more.
    Missing,
}

/// The advisory lock of creating and changing webhooks, so that parallel requests cannot exceed the limit.
const LOCK: i64 = 7_233_172_024;

fn alive() -> webhooks::BoxedQuery<'static, diesel::pg::Pg> {
    webhooks::table.filter(webhooks::deleted_at.is_null()).into_boxed()
}

/// All webhooks, the oldest first.
pub async fn list(
    conn: &mut Connection,
    _by: &Granted<ReadWebhooks>,
) -> StoreResult<Vec<WebhookRow>> {
    Ok(alive().select(WebhookRow::as_select()).order(webhooks::id).load(conn).await?)
}

/// The webhook of that id.
pub async fn find(
    conn: &mut Connection,
    _by: &Granted<ReadWebhooks>,
    id: WebhookId,
) -> StoreResult<Option<WebhookRow>> {
    load(conn, id).await
}

/// Finds a webhook for those who may create webhooks.
pub async fn find_created(
    conn: &mut Connection,
    _by: &Granted<ManageWebhooks>,
    id: WebhookId,
) -> StoreResult<Option<WebhookRow>> {
    load(conn, id).await
}

async fn load(conn: &mut Connection, id: WebhookId) -> StoreResult<Option<WebhookRow>> {
    let query = alive().filter(webhooks::id.eq(id)).select(WebhookRow::as_select());
    Ok(query.first(conn).await.optional()?)
}

/// Stores a webhook. It gets the events after the number `cursor` of the change feed.
pub async fn create(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    id: WebhookId,
    content: &WebhookContent<'_>,
    cursor: i64,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<WebhookCreated, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(WebhookCreated::Repeat(load(conn, before).await?));
    }
    sql("SELECT pg_advisory_xact_lock($lock)").bind("lock", LOCK).execute(conn).await?;
    let there: i64 = alive().count().get_result(conn).await?;
    if there >= MAX_WEBHOOKS {
        idempotency::forget(conn, claim).await?;
        return Ok(WebhookCreated::TooMany);
    }
    if !has_game(conn, content.game).await? {
        idempotency::forget(conn, claim).await?;
        return Ok(WebhookCreated::NoGame);
    }
    let row = diesel::insert_into(webhooks::table)
        .values((
            webhooks::id.eq(id),
            webhooks::url.eq(content.url),
            webhooks::description.eq(content.description),
            webhooks::kinds.eq(content.kinds),
            webhooks::game_code.eq(content.game),
            webhooks::disabled_at.eq((!content.enabled).then_some(at)),
            webhooks::disabled_reason.eq((!content.enabled).then_some(DisabledReason::Admin)),
            webhooks::secret_generation.eq(1),
            webhooks::cursor_seq.eq(cursor),
            webhooks::created_by.eq(by.account()),
            webhooks::created_at.eq(at),
            webhooks::updated_at.eq(at),
        ))
        .returning(WebhookRow::as_returning())
        .get_result(conn)
        .await?;
    write_audit(conn, Some(by.account()), "webhook.created", id, content.details(), at).await?;
    Ok(WebhookCreated::New(row))
}

async fn has_game(conn: &mut Connection, game: Option<&str>) -> StoreResult<bool> {
    let Some(game) = game else { return Ok(true) };
    let found: Option<String> =
        games::table.find(game).select(games::code).first(conn).await.optional()?;
    Ok(found.is_some())
}

/// Locks a webhook until the end of the transaction.
async fn lock(conn: &mut Connection, id: WebhookId) -> StoreResult<Option<WebhookRow>> {
    Ok(webhooks::table
        .find(id)
        .filter(webhooks::deleted_at.is_null())
        .select(WebhookRow::as_select())
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?)
}

/// Changes a webhook, if it is still the version that the editor has read. A webhook that is enabled again gets the
/// events after the number `cursor`, and its earlier failures do not count any more.
pub async fn edit(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    id: WebhookId,
    is_current: impl Fn(&WebhookRow) -> bool,
    content: &WebhookContent<'_>,
    cursor: i64,
    at: DateTime<Utc>,
) -> StoreResult<WebhookEdited> {
    let Some(before) = lock(conn, id).await? else { return Ok(WebhookEdited::Missing) };
    if !is_current(&before) {
        return Ok(WebhookEdited::Stale);
    }
    if content.is_that_of(&before) {
        return Ok(WebhookEdited::Done(before));
    }
    if !has_game(conn, content.game).await? {
        return Ok(WebhookEdited::NoGame);
    }
    if content.url != before.url || content.enabled == before.disabled_at.is_some() {
        // A post to the old address, or from before the change, does not count against the webhook. The time of the
        // lease stays, so that no delivery overtakes it.
        diesel::update(webhooks::table.find(id))
            .set(webhooks::lease_id.eq(None::<Uuid>))
            .cached()
            .execute(conn)
            .await?;
    }
    let none = None::<DateTime<Utc>>;
    if content.enabled {
        let forgotten = (
            webhooks::failures.eq(0),
            webhooks::failing_since.eq(none),
            webhooks::failed_at.eq(none),
            webhooks::resume_at.eq(none),
            webhooks::disabled_at.eq(none),
            webhooks::disabled_reason.eq(None::<String>),
        );
        diesel::update(webhooks::table.find(id)).set(forgotten).cached().execute(conn).await?;
        if before.disabled_at.is_some() {
            super::delivery_queue::drop_waiting_of(conn, id, at).await?;
            diesel::update(webhooks::table.find(id))
                .set(webhooks::cursor_seq.eq(cursor))
                .cached()
                .execute(conn)
                .await?;
        }
    } else if before.disabled_at.is_none() {
        diesel::update(webhooks::table.find(id))
            .set((
                webhooks::disabled_at.eq(at),
                webhooks::disabled_reason.eq(DisabledReason::Admin),
            ))
            .cached()
            .execute(conn)
            .await?;
    }
    let row = diesel::update(webhooks::table.find(id))
        .set((
            webhooks::url.eq(content.url),
            webhooks::description.eq(content.description),
            webhooks::kinds.eq(content.kinds),
            webhooks::game_code.eq(content.game),
            webhooks::updated_at.eq(at),
        ))
        .returning(WebhookRow::as_returning())
        .cached()
        .get_result(conn)
        .await?;
    write_audit(conn, Some(by.account()), "webhook.changed", id, content.details(), at).await?;
    Ok(WebhookEdited::Done(row))
}

/// Deletes a webhook, if it is still the version that the editor has read. After that, only a running post can still
/// arrive.
pub async fn delete(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    id: WebhookId,
    is_current: impl Fn(&WebhookRow) -> bool,
    at: DateTime<Utc>,
) -> StoreResult<WebhookEdited> {
    let Some(before) = lock(conn, id).await? else { return Ok(WebhookEdited::Missing) };
    if !is_current(&before) {
        return Ok(WebhookEdited::Stale);
    }
    diesel::update(webhooks::table.find(id))
        .set(webhooks::deleted_at.eq(at))
        .cached()
        .execute(conn)
        .await?;
    write_audit(conn, Some(by.account()), "webhook.deleted", id, json!({}), at).await?;
    Ok(WebhookEdited::Done(before))
}

/// Gives a webhook a new secret; the previous one stays valid for `overlap`.
pub async fn rotate(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    id: WebhookId,
    overlap: Duration,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<SecretRotated, IdempotentError> {
    if idempotency::begin(conn, claim, id).await?.is_some() {
        return Ok(SecretRotated::Repeat(load(conn, id).await?));
    }
    let Some(before) = lock(conn, id).await? else {
        idempotency::forget(conn, claim).await?;
        return Ok(SecretRotated::Missing);
    };
    let until = (!overlap.is_zero()).then(|| at + overlap);
    let row: WebhookRow = diesel::update(webhooks::table.find(id))
        .set((
            webhooks::secret_generation.eq(before.secret_generation + 1),
            webhooks::previous_secret_until.eq(until),
            webhooks::updated_at.eq(at),
        ))
        .returning(WebhookRow::as_returning())
        .cached()
        .get_result(conn)
        .await?;
    let details = json!({ "generation": row.secret_generation, "previous_until": until });
    write_audit(conn, Some(by.account()), "webhook.secret_rotated", id, details, at).await?;
    Ok(SecretRotated::New(row))
}

/// Writes an audit log entry about a webhook.
pub(in crate::store) async fn write_audit(
    conn: &mut Connection,
    actor: Option<AccountId>,
    action: &str,
    id: WebhookId,
    details: Value,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let target = format!("webhook:{id}");
    audit::write(conn, audit::NewAuditEntry { actor, action, target, details, at }).await
}
