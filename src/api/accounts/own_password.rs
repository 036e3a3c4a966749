//! Changes of the caller's own password and recovery codes.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::app::accounts::own_password::{self, RecoveryCodesResponse};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ChangeOwnPassword, ReplaceOwnRecoveryCodes};
use crate::http::extract::{Body, ClientNetwork, May};

/// The current and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePasswordRequest {
    /// The current password.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
    /// The new password: 10 to 128 characters. It must not be the current password or a common one, and must not contain the name of the account.
    #[schema(example = "violet harbour lamp", min_length = 10, max_length = 128)]
    pub new_password: String,
    /// Whether to replace the recovery codes, too. Do this if somebody else may have seen them.
    #[serde(default)]
    pub replace_recovery_codes: bool,
}

/// Changes your password.
///
/// All other sessions and all personal access tokens end; this session continues. The recovery codes stay valid, unless `replace_recovery_codes` is
/// true.
#[utoipa::path(
    put, path = "/v1/me/password", tag = "accounts", security(("bearer" = [])),
    request_body = ChangePasswordRequest,
    responses(
        (status = 200, description = "The new password is set. The answer contains new recovery codes.", body = RecoveryCodesResponse),
        (status = 204, description = "The new password is set."),
        (status = 403, description = "`wrong_password`"),
        (status = 409, description = "`edit_conflict`: the password was changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn change_password(
    state: web::Data<AppState>,
    by: May<ChangeOwnPassword>,
    network: ClientNetwork,
    body: Body<ChangePasswordRequest>,
) -> Result<HttpResponse, Problem> {
    let ChangePasswordRequest { current_password, new_password, replace_recovery_codes } =
        body.value;
    let codes = own_password::change(
        &state,
        &by,
        network.0,
        current_password,
        new_password,
        replace_recovery_codes,
    );
    Ok(match codes.await? {
        Some(codes) => answer(&codes),
        None => HttpResponse::NoContent().finish(),
    })
}

fn answer(codes: &RecoveryCodesResponse) -> HttpResponse {
    HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(codes)
}

/// Your password, which confirms the request.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceRecoveryCodesRequest {
    /// Your password.
    #[schema(example = "tram window sonnet")]
    pub password: String,
}

/// Creates new recovery codes.
///
/// All earlier codes stop working, used or not. The new ones are shown once.
#[utoipa::path(
    post, path = "/v1/me/recovery-codes", tag = "accounts", security(("bearer" = [])),
    request_body = ReplaceRecoveryCodesRequest,
    responses(
        (status = 200, body = RecoveryCodesResponse),
        (status = 403, description = "`wrong_password`"),
        (status = 409, description = "`edit_conflict`: the password was changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn replace_recovery_codes(
    state: web::Data<AppState>,
    by: May<ReplaceOwnRecoveryCodes>,
    network: ClientNetwork,
    body: Body<ReplaceRecoveryCodesRequest>,
) -> Result<HttpResponse, Problem> {
    let password = body.value.password;
    let codes = own_password::replace_recovery_codes(&state, &by, network.0, password).await?;
    Ok(answer(&codes))
}
