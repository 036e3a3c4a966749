//! Print runs, for admins.

use actix_web::{HttpRequest, HttpResponse, web};
use uuid::Uuid;

use crate::app::page::Page;
use crate::app::printing::print_runs::{self, PrintRunResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ReadPrintRuns;
use crate::domain::ids::PrintRunId;
use crate::http::extract::{May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Lists print runs, the newest first.
#[utoipa::path(
    get, path = "/v1/print-runs", tag = "serials", security(("bearer" = [])), params(PageQuery),
    responses((status = 200, body = Page<PrintRunResponse>), (status = 304, description = "Not changed."))
)]
pub async fn list_print_runs(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadPrintRuns>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let page = print_runs::list(&state, &by, query.after()?, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a print run.
#[utoipa::path(
    get, path = "/v1/print-runs/{run}", tag = "serials", security(("bearer" = [])),
    params(("run" = Uuid, Path, description = "Id of the print run")),
    responses((status = 200, body = PrintRunResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_print_run(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadPrintRuns>,
    run: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let found = print_runs::find(&state, &by, PrintRunId(*run)).await?;
    cacheable(&req, Freshness::Private, None, &found)
}
