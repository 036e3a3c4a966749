//! Designs one by one: creating, reading, replacing, sharing, withdrawing and deleting them.

use actix_web::http::header;
use actix_web::{HttpRequest, HttpResponse, web};

use super::identifier;
use crate::app::designs::design_bodies::{DesignRequest, DesignResponse};
use crate::app::designs::design_lifecycle::{self, VersionedDesign};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::app::versions::{IfMatch, Version};
use crate::auth::permission::{ReadOwnDesigns, WriteOwnDesigns};
use crate::http::extract::{
    Caller, ClientNetwork, IdempotencyKey, Judge, JudgedBody, May, cacheable,
};
use crate::memory::rendered::Freshness;
use crate::store::designs::DesignReviewer;

/// Whether the game exists is left to the use case.
impl Judge for DesignRequest {
    fn judge(&self) -> Result<(), Problem> {
        let faults = self.faults();
        if faults.is_empty() { Ok(()) } else { Err(Problem::invalid(faults)) }
    }
}

/// Creates a design.
///
/// A design may be unfinished or break rules: `POST /v1/design-checks` returns what is wrong with it. Nobody else sees it until you share or submit it, and until
/// it is shared its name is not reserved.
#[utoipa::path(
    post, path = "/v1/designs", tag = "designs", security(("bearer" = [])), request_body = DesignRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "Makes a repeated request safe")),
    responses(
        (status = 201, body = DesignResponse, headers(
            ("Location" = String, description = "The design"),
            ("ETag" = String, description = "Its version, for `If-Match`"),
        )),
        (status = 409, description = "`too_many_designs`, `idempotency_in_progress`"),
        (status = 410, description = "`gone`: the request is a repeated one, and its design was deleted since."),
        (status = 422, description = "`invalid_body`, `idempotency_key_reused`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn create_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    key: IdempotencyKey,
    JudgedBody(body): JudgedBody<DesignRequest>,
) -> Result<HttpResponse, Problem> {
    let key = key.claim(&state, by.account(), "create_design", &body);
    let VersionedDesign { version, counts, design, .. } =
        design_lifecycle::create(&state, &by, body.value, key.as_ref()).await?;
    Ok(HttpResponse::Created()
        .insert_header((header::LOCATION, format!("/v1/designs/{}", design.id)))
        .insert_header(Version::from(version).header_counted(&counts))
        .insert_header((header::CACHE_CONTROL, "no-store"))
        .json(design))
}

/// Shows a design that was shared, or one of yours.
///
/// You see the newest revision of your own designs, and the public revision of others. Moderators also see designs that were submitted or taken down,
/// and shared designs of authors who are banned (`author_banned`).
/// A shared design that was withdrawn can still be read by its identifier, as it was shared last.
#[utoipa::path(
    get, path = "/v1/designs/{design}", tag = "designs", security((), ("bearer" = [])),
    params(("design" = String, Path, description = "Identifier of the design")),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "For the author of the design: its version, for `If-Match`"))),
        (status = 304, description = "It is still the version that `If-None-Match` names."),
    )
)]
pub async fn find_design(
    req: HttpRequest,
    state: web::Data<AppState>,
    caller: Caller,
    design: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let reader = caller.may::<ReadOwnDesigns>();
    let reviewer = caller.may().map(|by| DesignReviewer::new(&by, caller.viewer()));
    let code = identifier(&design)?;
    let found = design_lifecycle::find(&state, reader.as_ref(), reviewer, code).await?;
    // Others get a different representation than the author; its ETag is a hash of the body.
    if found.is_own {
        found.version.answer_counted(&req, Freshness::Private, &found.counts, &found.design)
    } else {
        // What only moderators see is stored in no cache.
        let freshness = if found.is_public { Freshness::Private } else { Freshness::Never };
        cacheable(&req, freshness, None, &found.design)
    }
}

/// Writes a new revision of one of your designs.
///
/// If the design is in the gallery, the new revision is public at once. A design that is submitted, in review, approved or official cannot be changed.
#[utoipa::path(
    put, path = "/v1/designs/{design}", tag = "designs", security(("bearer" = [])), request_body = DesignRequest,
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to replace", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 409, description = "`design_step_refused`, `design_taken_down`, `design_name_taken`, `design_nameless`, `too_many_revisions`"),
        (status = 412, description = "`precondition_failed`: it was changed since; nothing is overwritten."),
        (status = 422, description = "`invalid_body`"),
        (status = 428, description = "`precondition_required`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn replace_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
    JudgedBody(body): JudgedBody<DesignRequest>,
) -> Result<HttpResponse, Problem> {
    let (code, if_match) = (identifier(&design)?, if_match?);
    let revised =
        design_lifecycle::revise(&state, &by, network.0, code, &if_match, body.value).await?;
    Ok(changed(revised))
}

/// Deletes one of your designs that was never shared, and about which no moderator has decided.
///
/// A design that is submitted or in review must be withdrawn first.
#[utoipa::path(
    delete, path = "/v1/designs/{design}", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to delete", example = "\"r1\""),
    ),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "`design_was_public`, `design_step_refused`, `design_taken_down`"),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn delete_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    design_lifecycle::delete(&state, &by, identifier(&design)?, &if_match?).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Shares one of your designs with everybody.
///
/// Its name is then reserved: no other design with this name, or with one that looks the same, can be shared. The design needs a name; it may break rules.
#[utoipa::path(
    post, path = "/v1/designs/{design}/share", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to share", example = "\"r1\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 409, description = "`design_step_refused`, `design_taken_down`, `design_name_taken`, `design_nameless`"),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 422, description = "`invalid_body`: its name, which an older version accepted, is too long to be compared (`/name`)."),
        (status = 428, description = "`precondition_required`"),
        (status = 429, description = "`daily_limit_reached`"),
    )
)]
pub async fn share_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    network: ClientNetwork,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    let (code, if_match) = (identifier(&design)?, if_match?);
    Ok(changed(design_lifecycle::share(&state, &by, network.0, code, &if_match).await?))
}

/// Withdraws one of your designs from the gallery or from review.
///
/// Public lists no longer contain it, and its name is free. If it was shared, it can still be read by its identifier, as it was shared last.
#[utoipa::path(
    post, path = "/v1/designs/{design}/withdraw", tag = "designs", security(("bearer" = [])),
    params(
        ("design" = String, Path, description = "Identifier of the design"),
        ("If-Match" = String, Header, description = "ETag of the version to withdraw", example = "\"r2\""),
    ),
    responses(
        (status = 200, body = DesignResponse, headers(("ETag" = String, description = "The new version"))),
        (status = 409, description = "`design_step_refused`, `design_taken_down`"),
        (status = 412, description = "`precondition_failed`: it was changed since."),
        (status = 428, description = "`precondition_required`"),
    )
)]
pub async fn withdraw_design(
    state: web::Data<AppState>,
    by: May<WriteOwnDesigns>,
    design: web::Path<String>,
    if_match: Result<IfMatch, Problem>,
) -> Result<HttpResponse, Problem> {
    Ok(changed(design_lifecycle::withdraw(&state, &by, identifier(&design)?, &if_match?).await?))
}

/// The response to a change: the design in its new state, with its new version.
pub(super) fn changed(
    VersionedDesign { version, counts, design, .. }: VersionedDesign,
) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header(Version::from(version).header_counted(&counts))
        .insert_header((header::CACHE_CONTROL, "private, no-cache"))
        .json(design)
}
