//! The audit log, for admins.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::page::{CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadAccounts, ReadAuditLog};
use crate::domain::operations::audit::{AuditAction, AuditTarget};
use crate::store::operations::audit::{self, AuditEntryRow, AuditFilter};

/// An entry of the audit log: something that an account, or the operator at the machine, did.
#[derive(Serialize, ToSchema)]
pub struct AuditEntryResponse {
    /// Its id.
    pub id: Uuid,
    /// Id of the account that did it; absent if it was the operator at the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<Uuid>,
    /// Name of the account that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the admin")]
    pub actor_name: Option<String>,
    /// What was done, as `noun.verb`.
    #[schema(example = "account.changed")]
    pub action: String,
    /// What it was done to, as `noun:id`.
    #[schema(example = "account:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub target: String,
    /// Name of the account that it was done to; absent if the target is not an account.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub target_name: Option<String>,
    /// Details of the action. Their members depend on `action`.
    #[schema(value_type = Object, example = json!({ "role": { "from": "player", "to": "moderator" }, "banned": { "from": false, "to": false } }))]
    pub details: Value,
    /// Names of the accounts whose ids are in `details`, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, String>, required = false, example = json!({ "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11": "ada" }))]
    pub names: BTreeMap<Uuid, String>,
    /// When it was done.
    pub created_at: DateTime<Utc>,
}

impl AuditEntryResponse {
    fn new(row: AuditEntryRow, names: &Names) -> Self {
        let mut mentioned = Vec::new();
        ids_in(&row.details, &mut mentioned);
        Self {
            actor_name: row.actor_id.and_then(|actor| names.of(actor.0)),
            target_name: target_account(&row.target).and_then(|account| names.of(account)),
            names: mentioned.into_iter().filter_map(|id| Some((id, names.of(id)?))).collect(),
            id: row.id,
            actor_id: row.actor_id.map(Uuid::from),
            action: row.action,
            target: row.target,
            details: row.details,
            created_at: row.created_at,
        }
    }
}

/// Every id in an entry that may be the id of an account.
fn ids_of(row: &AuditEntryRow) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> =
        row.actor_id.map(Uuid::from).into_iter().chain(target_account(&row.target)).collect();
    ids_in(&row.details, &mut ids);
    ids
}

/// The account that the action was done to.
fn target_account(target: &str) -> Option<Uuid> {
    Uuid::try_parse(target.strip_prefix("account:")?).ok()
}

/// Collects every UUID in a document. The database decides later which of them are accounts.
fn ids_in(document: &Value, ids: &mut Vec<Uuid>) {
    match document {
        Value::String(text) => ids.extend(Uuid::try_parse(text)),
        Value::Array(items) => items.iter().for_each(|item| ids_in(item, ids)),
        Value::Object(members) => members.values().for_each(|member| ids_in(member, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Filter of entries; all given conditions must hold.
#[derive(Default)]
pub struct EntryFilter<'a> {
    /// The account that acted, or the account that it was done to.
    pub account: Option<PersonFilter>,
    /// The account that acted.
    pub actor: Option<PersonFilter>,
    pub action: Option<&'a AuditAction>,
    pub target: Option<&'a AuditTarget>,
    /// Start of the period, inclusive.
    pub from: Option<DateTime<Utc>>,
    /// End of the period, exclusive.
    pub until: Option<DateTime<Utc>>,
}

/// Lists entries, the newest first, after the position `before`; with names of accounts for callers who may read
/// accounts.
pub async fn list(
    app: &AppState,
    by: &Granted<ReadAuditLog>,
    names_for: Option<&Granted<ReadAccounts>>,
    filter: &EntryFilter<'_>,
    before: Option<(DateTime<Utc>, Uuid)>,
    limit: PageLimit,
) -> Result<Page<AuditEntryResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    let filter = AuditFilter {
        account: PersonFilter::id(filter.account.as_ref(), &mut conn).await?,
        actor: PersonFilter::id(filter.actor.as_ref(), &mut conn).await?,
        action: filter.action,
        target: filter.target,
        from: filter.from,
        until: filter.until,
    };
    let rows = audit::list(&mut conn, by, &filter, before, limit.rows()).await?;
    let names = Names::read(&mut conn, names_for, rows.iter().flat_map(ids_of)).await?;
    Ok(paged(
        rows,
        limit,
        |row| (CursorTime(row.created_at), row.id),
        |row| AuditEntryResponse::new(row, &names),
    ))
}
