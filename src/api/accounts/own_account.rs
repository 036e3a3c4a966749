//! Accounts: registration, recovery, reading and changing.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::people::RoleParam;
use crate::app::accounts::own_account::{
    self, AccountChanges, AccountResponse, RegisteredResponse,
};
use crate::app::problem::{InputFault, Problem};
use crate::app::state::AppState;
use crate::auth::permission::{ManageAccounts, ReadAccounts, ReadOwnAccount, Role};
use crate::auth::secret::RecoveryCode;
use crate::domain::accounts::password::{Password, PasswordError};
use crate::domain::ids::AccountId;
use crate::domain::text::{AccountName, TextError};
use crate::http::extract::{Body, ClientNetwork, Judge, JudgedBody, May, cacheable};
use crate::memory::rendered::Freshness;

/// A new account to register.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// Name of the account: 3 to 32 characters. Names that differ only in case, spaces or punctuation, or in letters of other scripts that look the
    /// same, count as the same name.
    #[schema(example = "ada", min_length = 3, max_length = 32)]
    pub name: String,
    /// Password: 10 to 128 characters. It must not be a common password and must not contain the name of the account.
    #[schema(example = "tram window sonnet", min_length = 10, max_length = 128)]
    pub password: String,
}

impl RegisterRequest {
    fn credentials(&self) -> Result<(AccountName, Password), Problem> {
        let name = AccountName::parse_new(&self.name);
        credentials(name, Password::new(self.password.clone(), &self.name), "/password")
    }
}

impl Judge for RegisterRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.credentials().map(drop)
    }
}

/// Registers a player.
///
/// The answer contains recovery codes, which are shown only once. With one of them, the player can set a new password when the old one is lost: the
/// service sends no e-mail.
#[utoipa::path(
    post, path = "/v1/accounts", tag = "accounts", request_body = RegisterRequest,
    responses(
        (status = 201, body = RegisteredResponse, headers(("Location" = String, description = "`/v1/me`: the account, for its owner after a log-in"))),
        (status = 403, description = "`forbidden`: a page of another site has sent the request."),
        (status = 409, description = "`name_taken`"),
        (status = 429, description = "`registration_throttled`, `rate_limited`"),
    )
)]
pub async fn register(
    state: web::Data<AppState>,
    network: ClientNetwork,
    JudgedBody(body): JudgedBody<RegisterRequest>,
) -> Result<HttpResponse, Problem> {
    let (name, password) = body.value.credentials()?;
    let answer = own_account::register(&state, network.0, &name, password).await?;
    Ok(HttpResponse::Created()
        .insert_header(("location", "/v1/me"))
        .insert_header(("cache-control", "no-store"))
        .json(answer))
}

/// Joins a name and a new password, so that faults of both are reported.
fn credentials(
    name: Result<AccountName, TextError>,
    password: Result<Password, PasswordError>,
    pointer: &str,
) -> Result<(AccountName, Password), Problem> {
    let name = name.map_err(|error| InputFault::at("/name", error));
    let password = password.map_err(|error| InputFault::at(pointer, error));
    match (name, password) {
        (Ok(name), Ok(password)) => Ok((name, password)),
        (name, password) => {
            Err(Problem::invalid(name.err().into_iter().chain(password.err()).collect()))
        }
    }
}

/// A recovery code, and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoverRequest {
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// One of the account's recovery codes, not used before.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub recovery_code: String,
    /// The new password: 10 to 128 characters. It must not be a common password and must not contain the name of the account.
    #[schema(example = "violet harbour lamp", min_length = 10, max_length = 128)]
    pub new_password: String,
}

impl RecoverRequest {
    fn credentials(&self) -> Result<(AccountName, Password), Problem> {
        let name = AccountName::parse(&self.name);
        credentials(name, Password::new(self.new_password.clone(), &self.name), "/new_password")
    }
}

impl Judge for RecoverRequest {
    fn judge(&self) -> Result<(), Problem> {
        self.credentials().map(drop)
    }
}

/// Sets a new password with a recovery code.
///
/// The code is used up, and all sessions and personal access tokens of the account end. A second factor stays on.
#[utoipa::path(
    post, path = "/v1/accounts/recover", tag = "accounts", request_body = RecoverRequest,
    responses(
        (status = 204, description = "The new password is set."),
        (status = 401, description = "`wrong_recovery_code`"),
        (status = 403, description = "`forbidden`: a page of another site has sent the request; it did not count as an attempt."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn recover(
    state: web::Data<AppState>,
    network: ClientNetwork,
    JudgedBody(body): JudgedBody<RecoverRequest>,
) -> Result<HttpResponse, Problem> {
    let (name, password) = body.value.credentials()?;
    let code = RecoveryCode::presented(&body.value.recovery_code);
    own_account::recover(&state, network.0, &name, &code, password).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Shows your account.
#[utoipa::path(
    get, path = "/v1/me", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = AccountResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_me(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let answer = own_account::find_own(&state, &by).await?;
    cacheable(&req, Freshness::Private, None, &answer)
}

/// Shows an account, for moderators.
#[utoipa::path(
    get, path = "/v1/accounts/{account}", tag = "accounts", security(("bearer" = [])),
    params(("account" = Uuid, Path, description = "Id of the account")),
    responses((status = 200, body = AccountResponse), (status = 304, description = "Not changed."))
)]
pub async fn find_account(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let answer = own_account::find(&state, &by, AccountId(*account)).await?;
    cacheable(&req, Freshness::Private, None, &answer)
}

/// Changes of an account. Values that are absent stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeAccountRequest {
    /// The new role: `player`, `moderator` or `admin`.
    #[schema(example = "moderator")]
    pub role: Option<RoleParam>,
    /// Whether the account is banned.
    pub banned: Option<bool>,
}

/// Changes the role of an account, bans it or lifts its ban; for admins.
///
/// When the role changes or the account is banned, all its sessions and personal access tokens end. The new role applies from the next log-in.
#[utoipa::path(
    patch, path = "/v1/accounts/{account}", tag = "accounts", security(("bearer" = [])),
    params(("account" = Uuid, Path, description = "Id of the account")),
    request_body = ChangeAccountRequest,
    responses((status = 200, body = AccountResponse), (status = 409, description = "`own_account`"))
)]
pub async fn change_account(
    state: web::Data<AppState>,
    by: May<ManageAccounts>,
    account: web::Path<Uuid>,
    body: Body<ChangeAccountRequest>,
) -> Result<web::Json<AccountResponse>, Problem> {
    let changes =
        AccountChanges { role: body.value.role.map(Role::from), banned: body.value.banned };
    Ok(web::Json(own_account::change(&state, &by, AccountId(*account), changes).await?))
}
