//! The audit log, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::extract::{CursorTime, Freshness, May, Page, PageQuery, Params, paged};
use super::problem::Problem;
use super::state::AppState;
use crate::auth::permission::ReadAuditLog;
use crate::store::audit;

/// Something an admin, or the operator at the machine, did.
#[derive(Serialize, ToSchema)]
pub struct AuditEntryResponse {
    /// Its id.
    pub id: Uuid,
    /// Who; absent: the operator at the machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor_id: Option<Uuid>,
    /// What, as `noun.verb`.
    #[schema(example = "account.changed")]
    pub action: String,
    /// To what, as `noun:id`.
    #[schema(example = "account:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    pub target: String,
    /// Anything worth knowing.
    #[schema(value_type = Object, example = json!({ "role": "moderator" }))]
    pub details: serde_json::Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Lists the audit log, the newest first.
#[utoipa::path(
    get, path = "/v1/audit-log", tag = "operations", security(("bearer" = [])), params(PageQuery),
    responses((status = 200, body = Page<AuditEntryResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_audit_log(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadAuditLog>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.after::<(CursorTime, Uuid)>()?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let mut conn = state.store.connection().await?;
    let rows = audit::list(&mut conn, &by, before, query.limit.rows()).await?;
    let page = paged(
        rows,
        query.limit,
        |row| (CursorTime(row.created_at), row.id),
        |row| AuditEntryResponse {
            id: row.id,
            actor_id: row.actor_id,
            action: row.action,
            target: row.target,
            details: row.details,
            created_at: row.created_at,
        },
    );
    page.answer(&req, Freshness::Private)
}
