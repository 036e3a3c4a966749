//! The audit log, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;

use crate::app::accounts::people::Person;
use crate::app::operations::audit_log::{self, AuditEntryResponse, EntryFilter};
use crate::app::page::{Cursor, CursorTime, Page, PageLimit};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadAuditLog;
use crate::domain::operations::audit::{AuditAction, AuditTarget};
use crate::http::extract::{Caller, May, Moment, Params};
use crate::memory::rendered::Freshness;

/// Which entries, and which part of the list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditLogQuery {
    /// Only what this account did, and what was done to it: the id of the account, or its whole name.
    #[param(value_type = Option<String>, example = "ada")]
    account: Option<Person>,
    /// Only what this account did: the id of the account, or its whole name.
    #[param(value_type = Option<String>, example = "the admin")]
    actor: Option<Person>,
    /// Only this action, as `noun.verb`; or all actions on a noun: `account`.
    #[param(value_type = Option<String>, example = "account.changed")]
    action: Option<AuditAction>,
    /// Only what was done to this target, as `noun:id`.
    #[param(value_type = Option<String>, example = "game:ttcg")]
    target: Option<AuditTarget>,
    /// Only entries of this time or later: a time, or a day, which means its beginning (UTC).
    #[param(value_type = Option<String>, example = "2026-11-16")]
    from: Option<Moment>,
    /// Only entries earlier than this: a time, or a day, which means its beginning (UTC).
    #[param(value_type = Option<String>, example = "2026-11-23")]
    until: Option<Moment>,
    /// Items on a page: 1 to 200.
    #[serde(default)]
    #[param(value_type = Option<u16>, minimum = 1, maximum = 200, default = 50)]
    limit: PageLimit,
    /// `next_cursor` of the previous page.
    #[param(value_type = Option<String>)]
    cursor: Option<Cursor>,
}

/// Lists the entries of the audit log, the newest first.
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
    let filter = EntryFilter {
        account: Person::filter(query.account.as_ref(), || caller.must())?,
        actor: Person::filter(query.actor.as_ref(), || caller.must())?,
        action: query.action.as_ref(),
        target: query.target.as_ref(),
        from: query.from.map(|Moment(from)| from),
        until: query.until.map(|Moment(until)| until),
    };
    let names_for = caller.may();
    let page =
        audit_log::list(&state, &by, names_for.as_ref(), &filter, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}
