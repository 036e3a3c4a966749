//! The caller's second factor: set-up, confirmation, switching off, new recovery codes. Admins can remove another
//! account's second factor.

use actix_web::{HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::app::accounts::second_factor::{
    self, SecondFactorCodesResponse, SecondFactorResponse, SecondFactorSecretResponse,
};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::permission::{ManageAccounts, ManageOwnSecondFactor, ReadOwnAccount};
use crate::domain::ids::AccountId;
use crate::http::extract::{Body, ClientNetwork, May};

const NO_STORE: (&str, &str) = ("cache-control", "no-store");

/// Shows whether your account has a second factor.
#[utoipa::path(
    get, path = "/v1/me/second-factor", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = SecondFactorResponse))
)]
pub async fn find_second_factor(
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let answer = second_factor::find(&state, &by).await?;
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(answer))
}

/// Your password, because a stolen access token must not be enough.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginSecondFactorRequest {
    /// Your password.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
}

/// Begins to set up a second factor.
///
/// Log-ins do not change until the first code is sent to `POST /v1/me/second-factor/confirm`. If you begin again before that, you get a new secret
/// and the earlier one stops working.
#[utoipa::path(
    post, path = "/v1/me/second-factor", tag = "accounts", security(("bearer" = [])),
    request_body = BeginSecondFactorRequest,
    responses(
        (status = 201, body = SecondFactorSecretResponse),
        (status = 403, description = "`wrong_password`"),
        (status = 409, description = "`second_factor_on`; `edit_conflict`: the password was changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn begin_second_factor(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<BeginSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let password = body.value.current_password;
    let answer = second_factor::begin(&state, &by, network.0, password).await?;
    Ok(HttpResponse::Created().insert_header(NO_STORE).json(answer))
}

/// The first code of the new second factor.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSecondFactorRequest {
    /// The six digits that the device shows.
    #[schema(example = "287082")]
    pub code: String,
}

/// Switches the second factor on with its first code.
///
/// From now on every log-in needs a code. All other sessions and all personal access tokens end; this session continues.
#[utoipa::path(
    post, path = "/v1/me/second-factor/confirm", tag = "accounts", security(("bearer" = [])),
    request_body = ConfirmSecondFactorRequest,
    responses(
        (status = 200, body = SecondFactorCodesResponse),
        (status = 403, description = "`wrong_code`"),
        (status = 409, description = "`second_factor_on`, `second_factor_not_begun`"),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn confirm_second_factor(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<ConfirmSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let answer = second_factor::confirm(&state, &by, network.0, &body.value.code).await?;
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(answer))
}

/// Your password and a code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProveSecondFactorRequest {
    /// Your password.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
    /// The six digits that the device shows, or a recovery code of the second factor.
    #[schema(example = "287082")]
    pub code: String,
}

/// Switches your second factor off.
///
/// If your role must have a second factor, most routes answer 403 `second_factor_due` until you set up another one.
#[utoipa::path(
    post, path = "/v1/me/second-factor/switch-off", tag = "accounts", security(("bearer" = [])),
    request_body = ProveSecondFactorRequest,
    responses(
        (status = 204, description = "From now on the password alone is enough."),
        (status = 403, description = "`wrong_password`, `wrong_code`"),
        (status = 409, description = "`second_factor_off`; `edit_conflict`: the password or the second factor was changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn switch_off_second_factor(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<ProveSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let ProveSecondFactorRequest { current_password, code } = body.value;
    second_factor::switch_off(&state, &by, network.0, current_password, &code).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Creates new recovery codes of the second factor.
///
/// The old ones stop working.
#[utoipa::path(
    post, path = "/v1/me/second-factor/recovery-codes", tag = "accounts", security(("bearer" = [])),
    request_body = ProveSecondFactorRequest,
    responses(
        (status = 201, body = SecondFactorCodesResponse),
        (status = 403, description = "`wrong_password`, `wrong_code`"),
        (status = 409, description = "`second_factor_off`; `edit_conflict`: the password or the second factor was changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn replace_second_factor_codes(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<ProveSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let ProveSecondFactorRequest { current_password, code } = body.value;
    let answer =
        second_factor::replace_recovery_codes(&state, &by, network.0, current_password, &code)
            .await?;
    Ok(HttpResponse::Created().insert_header(NO_STORE).json(answer))
}

/// Removes the second factor of another account, for admins: when the device and the recovery codes are lost.
///
/// All sessions and personal access tokens of the account end. The next log-in needs only the password.
#[utoipa::path(
    delete, path = "/v1/accounts/{account}/second-factor", tag = "accounts", security(("bearer" = [])),
    params(("account" = Uuid, Path, description = "Id of the account")),
    responses(
        (status = 204, description = "From now on the password alone is enough."),
        (status = 409, description = "`own_account`, `second_factor_off`"),
    )
)]
pub async fn remove_second_factor(
    state: web::Data<AppState>,
    by: May<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    second_factor::remove(&state, &by, AccountId(*account)).await?;
    Ok(HttpResponse::NoContent().finish())
}
