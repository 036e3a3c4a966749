//! Actions of moderators on copies: freeze, unfreeze, void.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::copies::copy_moderation::{self, Moderation, reason};
use crate::app::copies::own_copies::CopyResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ModerateCopies;
use crate::domain::ids::CopyId;
use crate::http::extract::{Caller, Judge, JudgedBody, May};

/// Why a moderator does something.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReasonRequest {
    /// 1 to 500 characters. The copy's owner reads it, and whoever owns it later.
    #[schema(example = "Reported as stolen", min_length = 1, max_length = 500)]
    pub reason: String,
}

/// Freezes a copy, for moderators: no trade moves it until it is unfrozen.
///
/// Its owner keeps it, sees its card and reads the reason. Freezing a frozen copy changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/freeze", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`copy_void`, `own_case`"))
)]
pub async fn freeze_copy(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateCopies>,
    copy: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<ReasonRequest>,
) -> Result<HttpResponse, Problem> {
    moderate(&state, &caller, &by, CopyId(*copy), Moderation::Freeze, &body.value).await
}

/// Lifts the freeze of a copy, for moderators.
///
/// Unfreezing a copy that is not frozen changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/unfreeze", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`copy_void`, `own_case`"))
)]
pub async fn unfreeze_copy(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateCopies>,
    copy: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<ReasonRequest>,
) -> Result<HttpResponse, Problem> {
    moderate(&state, &caller, &by, CopyId(*copy), Moderation::Unfreeze, &body.value).await
}

/// Declares a copy void, for moderators and for good.
///
/// Nobody holds it from now on, its code is rejected like one that does not exist, and its disputes end. Unlocks that it helped
/// stay. Voiding a void copy changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/void", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`own_case`"))
)]
pub async fn void_copy(
    state: web::Data<AppState>,
    caller: Caller,
    by: May<ModerateCopies>,
    copy: web::Path<Uuid>,
    JudgedBody(body): JudgedBody<ReasonRequest>,
) -> Result<HttpResponse, Problem> {
    moderate(&state, &caller, &by, CopyId(*copy), Moderation::Void, &body.value).await
}

async fn moderate(
    state: &AppState,
    caller: &Caller,
    by: &May<ModerateCopies>,
    copy: CopyId,
    action: Moderation,
    request: &ReasonRequest,
) -> Result<HttpResponse, Problem> {
    let reason = reason(&request.reason)?;
    let (viewer, accounts) = (caller.viewer(), caller.may());
    let copy =
        copy_moderation::moderate(state, by, viewer, accounts.as_ref(), copy, action, &reason)
            .await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(copy))
}

impl Judge for ReasonRequest {
    fn judge(&self) -> Result<(), Problem> {
        reason(&self.reason).map(drop)
    }
}
