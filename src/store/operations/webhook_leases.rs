//! Leases of webhooks: the right of one task to post to a webhook.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::LEASE;
use crate::store::db::schema::webhooks;
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Store, StoreResult};

/// The right of one task to post to a webhook, for a limited time.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    pub webhook: WebhookId,
    pub(super) id: Uuid,
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
        .cached()
        .execute(&mut *conn)
        .await?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn leased(lease: Lease) -> _ {
    let (id, lease): (WebhookId, Uuid) = (lease.webhook, lease.id);
    webhooks::table.filter(webhooks::id.eq(id)).filter(webhooks::lease_id.eq(lease))
}
