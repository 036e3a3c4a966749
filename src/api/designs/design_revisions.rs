//! Revisions of the caller's designs.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::IntoParams;

use super::design_lifecycle::changed;
use super::identifier;
use crate::app::designs::design_bodies::DesignResponse;
use crate::app::designs::design_revisions::{
    self, DesignDiffResponse, DesignRevisionResponse, DesignRevisionSummary, RestoreRequest,
};
use crate::app::page::Page;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::IfMatch;
use crate::auth::permission::{ReadOwnDesigns, WriteOwnDesigns};
use crate::http::extract::{Body, ClientNetwork, May, PageQuery, Params, cacheable};
use crate::memory::rendered::Freshness;

/// Lists the revisions of one of your designs, the newest first.
#[utoipa::path(
    get, path = "/v1/designs/{design}/revisions", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), PageQuery),
    responses((status = 200, body = Page<DesignRevisionSummary>), (status = 304, description = "Not changed."))
)]
pub async fn list_design_revisions(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    design: web::Path<String>,
    query: Params<PageQuery>,
) -> Result<HttpResponse, Problem> {
    let (code, before) = (identifier(&design)?, query.after()?);
    let page = design_revisions::list(&state, &by, code, before, query.limit).await?;
    page.answer(&req, Freshness::Private)
}

/// Shows a revision of one of your designs.
#[utoipa::path(
    get, path = "/v1/designs/{design}/revisions/{revision}", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("revision" = i64, Path, description = "Number of the revision, from 1", example = 1),
    ),
    responses((status = 200, body = DesignRevisionResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_design_revision(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    path: web::Path<(String, i64)>,
) -> Result<HttpResponse, Problem> {
    let (design, number) = path.into_inner();
    let found = design_revisions::find(&state, &by, identifier(&design)?, number).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Which two revisions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DiffQuery {
    /// Number of the first revision to compare (`before` in the differences); absent: the one before `to`.
    #[param(value_type = Option<i64>, minimum = 1, example = 1)]
    from: Option<i64>,
    /// Number of the second revision to compare (`after` in the differences); absent: the newest.
    #[param(value_type = Option<i64>, minimum = 1, example = 3)]
    to: Option<i64>,
}

/// Compares two revisions of one of your designs, member by member.
#[utoipa::path(
    get, path = "/v1/designs/{design}/diff", tag = "designs", security(("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design"), DiffQuery),
    responses((status = 200, body = DesignDiffResponse), (status = 304, description = "Not changed."))
)]
pub async fn compare_design_revisions(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnDesigns>,
    design: web::Path<String>,
    query: Params<DiffQuery>,
) -> Result<HttpResponse, Problem> {
    let code = identifier(&design)?;
    let found = design_revisions::diff(&state, &by, code, query.from, query.to).await?;
    cacheable(&req, Freshness::Private, None, &found)
}

/// Restores an earlier revision of one of your designs, as a new revision.
#[utoipa::path(
    post, path = "/v1/designs/{design}/restore", tag = "designs", security(("bearer" = [])), request_body = RestoreRequest,
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r2\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 409, description = "`design_step_refused`, `design_taken_down`, `design_name_taken`, `design_nameless`, `too_many_revisions`, `artwork_removed`"),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`: there is no such revision, or its name, which an older version accepted, is refused now (`/name`)."),
        (status = 428, description = "`precondition_required`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn restore_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
    body: Body<RestoreRequest>,
) -> Result<HttpResponse, Problem> {
    let (code, if_match) = (identifier(&design)?, if_match?);
    let request = &body.value;
    let restored =
        design_revisions::restore(&state, &by, network.0, code, &if_match, request).await?;
    Ok(changed(restored))
}
