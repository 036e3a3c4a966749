//! The history of a card: what changed, and when.

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use super::card_migrations::{Located, follow_id};
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::Viewer;
use crate::domain::ids::CardId;
use crate::store::catalogue::cards;
use crate::store::catalogue::history::{self, Change, HistoryEntry};
use crate::store::{Connection, StoreResult};

/// A change of one member of a card.
#[derive(Serialize, ToSchema)]
pub struct ChangeOfCard {
    /// JSON Pointer (RFC 6901) into the card, in which printings are identified by their rarity and rulings by their id.
    #[schema(example = "/printings/rare/attributes/attack")]
    pub member: String,
    /// Value before the change; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 310)]
    pub before: Option<Value>,
    /// Value after the change; absent if the member was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Value>, example = 315)]
    pub after: Option<Value>,
}

impl From<Change> for ChangeOfCard {
    fn from(Change { member, before, after }: Change) -> Self {
        Self { member, before, after }
    }
}

/// An entry in the history of a card.
#[derive(Serialize, ToSchema)]
pub struct HistoryEntryResponse {
    /// When it happened.
    pub at: DateTime<Utc>,
    /// What happened: `added`, `changed`, `unlocked`, `moved`, `merged` (another card was merged into it), `ruling_added`, `ruling_changed` or
    /// `ruling_removed`.
    #[schema(example = "changed")]
    pub change: String,
    /// The members that changed; empty for `added` and `unlocked`.
    pub changes: Vec<ChangeOfCard>,
}

impl From<HistoryEntry> for HistoryEntryResponse {
    fn from(entry: HistoryEntry) -> Self {
        let changes = entry.changes.into_iter().map(Into::into).collect();
        Self { at: entry.at, change: entry.change, changes }
    }
}

/// The history of a card.
#[derive(Serialize, ToSchema)]
pub struct HistoryResponse {
    /// The entries, the newest first; empty while the card is hidden from the caller.
    #[serde(flatten)]
    pub page: Page<HistoryEntryResponse>,
    /// Whether the card is hidden from the public: only holders of a registered copy, moderators and admins see its contents.
    pub hidden: bool,
}

/// Lists the history of a card, the newest entry first, after the last entry of the previous page. The list is empty
/// while the card is hidden from the viewer.
pub async fn list(
    app: &AppState,
    viewer: Viewer,
    card: CardId,
    after: Option<(CursorTime, Uuid)>,
    limit: PageLimit,
) -> Result<Located<HistoryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let Some(found) = cards::find(&conn, viewer, card).await? else {
        return follow_id(&mut conn, card).await;
    };
    let page = load(&mut conn, viewer, card, after, limit).await?;
    Ok(Located::Here(HistoryResponse { page, hidden: found.is_hidden() }))
}

/// The history of a card, the newest entry first, after the last entry of the previous page; empty while the card is
/// hidden from the viewer.
pub(super) async fn load(
    conn: &mut Connection,
    viewer: Viewer,
    card: CardId,
    after: Option<(CursorTime, Uuid)>,
    limit: PageLimit,
) -> StoreResult<Page<HistoryEntryResponse>> {
    let before = after.map(|(CursorTime(at), id)| (at, id));
    let rows = history::list(conn, viewer, card, before, limit.rows()).await?;
    let key = |entry: &HistoryEntry| (CursorTime(entry.at), entry.id);
    Ok(paged(rows, limit, key, HistoryEntryResponse::from))
}
