//! Actions of moderators on copies: freeze, unfreeze, void.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::copies::copy_moderation::{self, Moderation, ModerationRequest, reason};
use crate::app::copies::own_copies::CopyResponse;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::ModerateCopies;
use crate::domain::ids::{AccountId, CopyId};
use crate::http::extract::{Caller, Judge, JudgedBody, May};

/// The reason for a moderator's action.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "reason": "Reported as stolen" }))]
pub struct ReasonRequest {
    /// The reason: 1 to 500 characters. The owner of the copy and its later owners can read it.
    #[schema(example = "Reported as stolen", min_length = 1, max_length = 500)]
    pub reason: String,
    /// Id of the account that owned the copy when you read about it (`owner_id`). If it belongs to another account now, nothing is done (`edit_conflict`). Older clients leave it
    /// out; then the action is about the owner that there is.
    #[serde(default)]
    pub owner: Option<Uuid>,
}

/// Freezes a copy, for moderators: it cannot be traded until it is unfrozen.
///
/// The owner keeps the copy, sees its card and can read the reason. Freezing a frozen copy changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/freeze", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`copy_void`, `own_case`, `edit_conflict` (it has another `owner` than the request says)"))
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

/// Unfreezes a copy, for moderators.
///
/// Unfreezing a copy that is not frozen changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/unfreeze", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`copy_void`, `own_case`, `edit_conflict` (it has another `owner` than the request says)"))
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

/// Declares a copy void, permanently; for moderators.
///
/// A void copy belongs to nobody: its last owner still finds it in `GET /v1/copies`, but can no longer trade it, or see its card if the card is
/// hidden. Its code is rejected like a code that does not exist, and its open disputes end. It no longer counts for a card that is still hidden;
/// cards that are unlocked stay unlocked. Voiding a void copy changes nothing.
#[utoipa::path(
    post, path = "/v1/copies/{copy}/void", tag = "copies", security(("bearer" = [])), request_body = ReasonRequest,
    params(("copy" = Uuid, Path, description = "Id of the copy")),
    responses((status = 200, body = CopyResponse), (status = 409, description = "`own_case`, `edit_conflict` (it has another `owner` than the request says)"))
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
    let owner = request.owner.map(AccountId);
    let moderation = ModerationRequest { action, reason: &reason, owner };
    let moderated =
        copy_moderation::moderate(state, by, viewer, accounts.as_ref(), copy, moderation).await?;
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(moderated.copy))
}

impl Judge for ReasonRequest {
    fn judge(&self) -> Result<(), Problem> {
        reason(&self.reason).map(drop)
    }
}
