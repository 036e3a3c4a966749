//! Requests of admins to post something to a webhook at once: pings, and deliveries that are sent again.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use serde_json::json;

use super::idempotency::{self, IdempotencyClaim, IdempotentError};
use super::webhook_deliveries::{DeliveryRow, DeliveryState, load};
use crate::auth::permission::{Acting, ManageWebhooks};
use crate::domain::ids::{DeliveryId, WebhookId};
use crate::domain::operations::webhook::PING;
use crate::store::db::schema::{webhook_deliveries as deliveries, webhooks};
use crate::store::db::statement::CachePrepared as _;
use crate::store::{Connection, StoreResult};

/// The result of a request to post something at once.
#[derive(Debug)]
pub enum PostRequested {
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
async fn wake(conn: &mut Connection, webhook: WebhookId) -> StoreResult<Result<(), PostRequested>> {
    let disabled: Option<Option<DateTime<Utc>>> = webhooks::table
        .find(webhook)
        .filter(webhooks::deleted_at.is_null())
        .select(webhooks::disabled_at)
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    match disabled {
        None => return Ok(Err(PostRequested::Missing)),
        Some(Some(_)) => return Ok(Err(PostRequested::Disabled)),
        Some(None) => {}
    }
    diesel::update(webhooks::table.find(webhook))
        .set(webhooks::resume_at.eq(None::<DateTime<Utc>>))
        .cached()
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
) -> Result<PostRequested, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(PostRequested::Repeat(load(conn, webhook, before).await?));
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
    super::webhooks::write_audit(conn, Some(by.account()), "webhook.pinged", webhook, details, at)
        .await?;
    Ok(PostRequested::Waiting(row))
}

/// Posts a delivery again, whatever its state: at once, and with as many attempts as a new one.
pub async fn resend(
    conn: &mut Connection,
    by: &Acting<ManageWebhooks>,
    webhook: WebhookId,
    id: DeliveryId,
    claim: Option<&IdempotencyClaim>,
    at: DateTime<Utc>,
) -> Result<PostRequested, IdempotentError> {
    if let Some(before) = idempotency::begin(conn, claim, id).await? {
        return Ok(PostRequested::Repeat(load(conn, webhook, before).await?));
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
            .cached()
            .get_result(conn)
            .await
            .optional()?;
    let Some(row) = row else {
        idempotency::forget(conn, claim).await?;
        return Ok(PostRequested::Missing);
    };
    let details = json!({ "delivery": id });
    super::webhooks::write_audit(
        conn,
        Some(by.account()),
        "webhook.delivery_resent",
        webhook,
        details,
        at,
    )
    .await?;
    Ok(PostRequested::Waiting(row))
}
