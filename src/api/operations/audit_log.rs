//! The audit log, for admins.

use std::collections::BTreeMap;

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::api::accounts::people::Person;
use crate::app::accounts::people::{Names, PersonFilter};
use crate::app::page::{Cursor, CursorTime, Page, PageLimit, paged};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadAuditLog;
use crate::domain::operations::audit::{AuditAction, AuditTarget};
use crate::http::extract::{Caller, May, Moment, Params};
use crate::memory::rendered::Freshness;
use crate::store::operations::audit::{self, AuditEntryRow, AuditFilter};

/// Something an admin, or the operator at the machine, did.
#[derive(Serialize, ToSchema)]
pub struct AuditEntryResponse {
    /// Its id.
    pub id: Uuid,
    /// Who; absent: the operator at the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<Uuid>,
    /// The name of who did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "the admin")]
    pub actor_name: Option<String>,
    /// What, as `noun.verb`.
    #[schema(example = "account.changed")]
    pub action: String,
    /// To what, as `noun:id`.
    #[schema(example = "account:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub target: String,
    /// The name of the account that it was done to; absent when it was done to something else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada")]
    pub target_name: Option<String>,
    /// Anything worth knowing.
    #[schema(value_type = Object, example = json!({ "role": "moderator" }))]
    pub details: Value,
    /// The names of accounts whose ids stand in `details`, by id.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, String>, required = false, example = json!({ "01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11": "ada" }))]
    pub names: BTreeMap<Uuid, String>,
    /// When.
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

/// Every id that an entry tells and that may be an account's.
fn ids_of(row: &AuditEntryRow) -> Vec<Uuid> {
    let mut ids: Vec<Uuid> =
        row.actor_id.map(Uuid::from).into_iter().chain(target_account(&row.target)).collect();
    ids_in(&row.details, &mut ids);
    ids
}

/// The account that something was done to.
fn target_account(target: &str) -> Option<Uuid> {
    Uuid::try_parse(target.strip_prefix("account:")?).ok()
}

/// Adds every id that stands in a document. Which of them are accounts, the database knows.
fn ids_in(document: &Value, ids: &mut Vec<Uuid>) {
    match document {
        Value::String(text) => ids.extend(Uuid::try_parse(text)),
        Value::Array(items) => items.iter().for_each(|item| ids_in(item, ids)),
        Value::Object(members) => members.values().for_each(|member| ids_in(member, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Which entries, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditLogQuery {
    /// Only what this account did, and what was done to it: its id or its whole name.
    #[param(value_type = Option<String>, example = "ada")]
    account: Option<Person>,
    /// Only what this account did: its id or its whole name.
    #[param(value_type = Option<String>, example = "the admin")]
    actor: Option<Person>,
    /// Only this, as `noun.verb`, or whatever was done to a noun.
    #[param(value_type = Option<String>, example = "account.changed")]
    action: Option<AuditAction>,
    /// Only what was done to this, as `noun:id`.
    #[param(value_type = Option<String>, example = "game:ttcg")]
    target: Option<AuditTarget>,
    /// Only what was done then or later: a time, or a day (its beginning, UTC).
    #[param(value_type = Option<String>, example = "2026-11-16")]
    from: Option<Moment>,
    /// Only what was done before that: a time, or a day (its beginning, UTC).
    #[param(value_type = Option<String>, example = "2026-11-23")]
    until: Option<Moment>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the audit log, the newest first.
#[utoipa::path(
    get, path = "/v1/audit-log", tag = "operations", security(("bearer" = [])), params(AuditLogQuery),
    responses((status = 200, body = Page<AuditEntryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_audit_log(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ReadAuditLog>,
    query: Params<AuditLogQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key::<(CursorTime, Uuid)>).transpose()?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = state.store.connection().await?;
    let filter = AuditFilter {
        account: PersonFilter::id(
            Person::filter(query.account.as_ref(), &caller)?.as_ref(),
            &mut conn,
        )
        .await?,
        actor: PersonFilter::id(Person::filter(query.actor.as_ref(), &caller)?.as_ref(), &mut conn)
            .await?,
        action: query.action.as_ref(),
        target: query.target.as_ref(),
        from: query.from.map(|Moment(from)| from),
        until: query.until.map(|Moment(until)| until),
    };
    let rows = audit::list(&mut conn, &by, &filter, before, query.limit.rows()).await?;
    let names = Names::read(&mut conn, caller.may().as_ref(), rows.iter().flat_map(ids_of)).await?;
    let page = paged(
        rows,
        query.limit,
        |row| (CursorTime(row.created_at), row.id),
        |row| AuditEntryResponse::new(row, &names),
    );
    page.answer(&req, Freshness::Private)
}
