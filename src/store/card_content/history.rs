//! The history of a card, for viewers who may see the card.
//!
//! Triggers record changes of a card itself and its printings; changes of its rulings and its place are recorded here.
//! The creation and the unlock of a card have no rows: they follow from `cards` and `unlocks`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::RunQueryDsl;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::store::db::codecs::json::Json;
use crate::store::db::pages::push_page;
use crate::store::db::statement::sql;
use crate::store::{Connection, StoreResult};

/// One member of a card that changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// JSON pointer; printings are identified by their rarity.
    pub member: String,
    /// The old value; `None`: there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The new value; `None`: it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
}

/// An entry in the history of a card.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Distinguishes entries with the same time.
    pub id: Uuid,
    /// The kind of change.
    pub change: String,
    /// The changed members.
    pub changes: Vec<Change>,
    pub at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    change: String,
    #[diesel(sql_type = Jsonb)]
    changes: Json<Vec<Change>>,
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

/// The history of a card, the newest entry first, after the position `before`; empty if the viewer may not see the
/// card.
///
/// Changes made while the card was hidden are shown only to viewers who may see everything, even after the unlock: they
/// never were public.
pub async fn list(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: i64,
) -> StoreResult<Vec<HistoryEntry>> {
    let sql = sql(
        "SELECT h.* FROM (SELECT id, card_id, change, changes, at FROM card_history WHERE (NOT early OR ",
    )
    .push(if viewer.sees_all() { "true" } else { "false" })
    .push(
        ") UNION ALL SELECT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid, card_id, 'unlocked', '[]', unlocked_at \
             FROM unlocks WHERE unlocked_at IS NOT NULL \
         UNION ALL SELECT '00000000-0000-0000-0000-000000000000'::uuid, id, 'added', '[]', created_at FROM cards) h \
         JOIN card_content content ON content.card_id = h.card_id AND ",
    )
    .push_is_visible(viewer)
    .push(" WHERE h.card_id = ")
    .value(card);
    let sql = match before {
        Some((at, id)) => {
            sql.push(" AND (h.at, h.id) < (").value(at).push(", ").value(id).push(")")
        }
        None => sql,
    };
    let rows: Vec<Row> = push_page(sql, "at DESC, id DESC", limit).load(conn).await?;
    let entry = |row: Row| HistoryEntry {
        id: row.id,
        change: row.change,
        changes: row.changes.0,
        at: row.at,
    };
    Ok(rows.into_iter().map(entry).collect())
}

/// Writes an entry about something that triggers do not record.
pub(in crate::store) async fn record(
    conn: &mut Connection,
    card: CardId,
    change: &str,
    changes: &[Change],
    at: DateTime<Utc>,
) -> StoreResult<()> {
    sql("INSERT INTO card_history (id, card_id, change, changes, early, at) \
         SELECT $id, card_id, $change, $changes, NOT open, $at FROM card_content WHERE card_id = $card")
    .bind("id", Uuid::now_v7())
    .bind("card", card)
    .bind("change", change)
    .bind("changes", json!(changes))
    .bind("at", at)
    .execute(conn)
    .await?;
    Ok(())
}
