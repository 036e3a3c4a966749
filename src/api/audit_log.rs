//! The audit log, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use super::extract::{Cursor, CursorTime, May, Page, PageLimit, Params, paged};
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
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// Which part of the log.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditLogQuery {
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the page before.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists what was done, the newest first.
#[utoipa::path(
    get, path = "/v1/audit-log", tag = "operations", security(("bearer" = [])), params(AuditLogQuery),
    responses((status = 200, body = Page<AuditEntryResponse>))
)]
pub async fn list_audit_log(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadAuditLog>,
    query: Params<AuditLogQuery>,
) -> Result<HttpResponse, Problem> {
    let before = query.cursor.as_ref().map(Cursor::key::<(CursorTime, Uuid)>).transpose()?;
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
    let mut response = HttpResponse::Ok();
    page.link(&req, &mut response);
    Ok(response.insert_header(("cache-control", "private, no-cache")).json(page))
}
