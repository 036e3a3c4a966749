//! The queue of deliveries: events of the change feed become deliveries, and those of disabled webhooks are given up.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use uuid::Uuid;

use super::webhook_deliveries::DeliveryState;
use crate::domain::clock::Clock;
use crate::domain::ids::WebhookId;
use crate::domain::operations::webhook::Failure;
use crate::store::catalogue::changes;
use crate::store::db::deadlines;
use crate::store::db::schema::{events, webhook_deliveries as deliveries, webhooks};
use crate::store::db::statement::{CachePrepared as _, sql};
use crate::store::{Connection, Store, StoreResult};

/// Most events that one transaction reads.
const EVENTS_READ: i64 = 500;
/// Most of these transactions in one call: the same task must also post deliveries.
const MAX_TRANSACTIONS: usize = 20;
/// Deliveries that one statement gives up. It updates two indexes, and a statement that times out once would always
/// time out.
const GIVEN_UP: i64 = 1_000;

/// Writes the missing deliveries of events to webhooks, and gives up those of disabled webhooks; a limited number per
/// call. Any number of instances may call this at once.
pub async fn enqueue(store: &Store, clock: &Clock) -> StoreResult<()> {
    let mut conn = store.connection().await?;
    give_up_disabled(&mut conn, None, clock.now()).await?;
    let listening = webhooks::table
        .filter(webhooks::disabled_at.is_null())
        .filter(webhooks::deleted_at.is_null());
    if !diesel::select(diesel::dsl::exists(listening)).get_result(&mut *conn).await? {
        return Ok(());
    }
    drop(conn);
    let newest = changes::extent(store).await?.newest;
    for _ in 0..MAX_TRANSACTIONS {
        let mut transaction = store.begin().await?;
        let result = advance(transaction.conn(), newest, clock.now()).await;
        if !transaction.end(result).await? {
            break;
        }
    }
    Ok(())
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhooks)]
struct Listener {
    id: WebhookId,
    kinds: Vec<String>,
    game_code: Option<String>,
    cursor_seq: i64,
}

/// Writes the deliveries of one webhook for the next events of the feed. `false`: no webhook is behind, or other
/// instances are writing theirs.
async fn advance(conn: &mut Connection, newest: i64, at: DateTime<Utc>) -> StoreResult<bool> {
    let behind: Option<Listener> = webhooks::table
        .filter(webhooks::disabled_at.is_null())
        .filter(webhooks::deleted_at.is_null())
        .filter(webhooks::cursor_seq.lt(newest))
        .select(Listener::as_select())
        .order(webhooks::cursor_seq)
        .limit(1)
        .for_no_key_update()
        .skip_locked()
        .first(conn)
        .await
        .optional()?;
    let Some(listener) = behind else { return Ok(false) };
    let up_to = newest.min(listener.cursor_seq + EVENTS_READ);
    let event: Vec<(Option<i64>, String, serde_json::Value)> = events::table
        .filter(events::seq.gt(listener.cursor_seq).and(events::seq.le(up_to)).assume_not_null())
        .filter(events::kind.eq_any(&listener.kinds))
        .select((events::seq, events::kind, events::payload))
        .order(events::seq)
        .load(conn)
        .await?;
    let rows: Vec<_> = event
        .into_iter()
        .filter(|(_, _, payload)| {
            listener.game_code.as_ref().is_none_or(|game| payload["game"] == game.as_str())
        })
        .map(|(seq, kind, _)| {
            (
                deliveries::id.eq(Uuid::now_v7()),
                deliveries::webhook_id.eq(listener.id),
                deliveries::seq.eq(seq),
                deliveries::kind.eq(kind),
                deliveries::state.eq(DeliveryState::Waiting),
                deliveries::next_attempt_at.eq(at),
                deliveries::created_at.eq(at),
            )
        })
        .collect();
    // A webhook that was disabled and enabled again may already have some of them.
    diesel::insert_into(deliveries::table)
        .values(rows)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    diesel::update(webhooks::table.find(listener.id))
        .set(webhooks::cursor_seq.eq(up_to))
        .cached()
        .execute(conn)
        .await?;
    Ok(true)
}

/// Gives up the waiting deliveries of a webhook if it is disabled, so that few are left for the transaction that enables
/// it again. Each batch is committed: if the time of a request is not enough, the next one continues.
pub async fn give_up_before_enabling(
    store: &Store,
    webhook: WebhookId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let mut conn = store.with_deadline(deadlines::LARGE).connection().await?;
    loop {
        let given_up = give_up_disabled(&mut conn, Some(webhook), at).await?;
        if i64::try_from(given_up).unwrap_or(i64::MAX) < GIVEN_UP {
            return Ok(());
        }
    }
}

/// Gives up a batch of waiting deliveries of disabled or deleted webhooks, or only of `webhook`. Returns how many.
async fn give_up_disabled(
    conn: &mut Connection,
    webhook: Option<WebhookId>,
    at: DateTime<Utc>,
) -> StoreResult<usize> {
    // By an array of keys: IN (SELECT …) would read the whole table once more.
    let mut statement = sql(
        "UPDATE webhook_deliveries SET state = 'failed', next_attempt_at = NULL, finished_at = $at, last_failure = $failure \
         WHERE id = ANY (ARRAY( \
             SELECT d.id FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id \
             WHERE d.state = 'waiting' AND (w.disabled_at IS NOT NULL OR w.deleted_at IS NOT NULL)",
    )
    .bind("at", at)
    .bind("failure", Failure::Disabled);
    if let Some(webhook) = webhook {
        statement = statement.push(" AND w.id = $webhook").bind("webhook", webhook);
    }
    let statement = statement.push(" LIMIT $limit FOR UPDATE OF d SKIP LOCKED))");
    Ok(statement.bind("limit", GIVEN_UP).execute(conn).await?)
}

/// Gives up the waiting deliveries that a webhook still has when it is enabled again: few, because
/// [`give_up_before_enabling`] comes first.
pub(super) async fn drop_waiting_of(
    conn: &mut Connection,
    webhook: WebhookId,
    at: DateTime<Utc>,
) -> StoreResult<()> {
    let waiting = deliveries::table
        .filter(deliveries::webhook_id.eq(webhook))
        .filter(deliveries::state.eq(DeliveryState::Waiting));
    diesel::update(waiting)
        .set((
            deliveries::state.eq(DeliveryState::Failed),
            deliveries::next_attempt_at.eq(None::<DateTime<Utc>>),
            deliveries::finished_at.eq(at),
            deliveries::last_failure.eq(Failure::Disabled),
        ))
        .cached()
        .execute(conn)
        .await?;
    Ok(())
}
