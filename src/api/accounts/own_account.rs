//! Accounts: register, recover, look at, change.

use actix_web::{HttpRequest, HttpResponse, web};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::people::RoleParam;
use super::sessions::{attempt_subjects, reserve_attempt};
use crate::app::accounts::own_account::AccountResponse;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ManageAccounts, ReadAccounts, ReadOwnAccount, Role};
use crate::auth::secret::RecoveryCode;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::password::Password;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::http::extract::{Body, ClientNetwork, Judge, JudgedBody, May, cacheable};
use crate::memory::rendered::Freshness;
use crate::store::accounts::account_records::{self, AccountChanges, NewAccount};
use crate::store::accounts::attempts;
use crate::store::db::deadlines;
use crate::store::{StoreError, StoreResult};

/// A new account, with what is shown only now.
#[derive(Serialize, ToSchema)]
pub struct RegisteredResponse {
    /// The account.
    #[serde(flatten)]
    pub account: AccountResponse,
    /// One-time codes that set a new password when the old one is lost. Shown once: keep them safe.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

/// Who wants to register.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RegisterRequest {
    /// 3 to 32 characters; case and punctuation do not make another name, nor do letters of other scripts that look the same.
    #[schema(example = "ada", min_length = 3, max_length = 32)]
    pub name: String,
    /// 10 to 128 characters, not one of the common ones, without the name.
    #[schema(example = "tram window sonnet", min_length = 10, max_length = 128)]
    pub password: String,
}

impl Judge for RegisterRequest {
    fn judge(&self) -> Result<(), Problem> {
        new_credentials(&self.name, self.password.clone(), "/password").map(drop)
    }
}

/// Registers a player.
///
/// The answer holds recovery codes, once: no mail server stands behind this service.
#[utoipa::path(
    post, path = "/v1/accounts", tag = "accounts", request_body = RegisterRequest,
    responses(
        (status = 201, body = RegisteredResponse, headers(("Location" = String, description = "The account"))),
        (status = 409, description = "`name_taken`"),
        (status = 429, description = "`registration_throttled`, `rate_limited`"),
    )
)]
pub async fn register(
    state: web::Data<AppState>,
    network: ClientNetwork,
    JudgedBody(body): JudgedBody<RegisterRequest>,
) -> Result<HttpResponse, Problem> {
    let (name, password) = new_credentials(&body.value.name, body.value.password, "/password")?;
    let now = state.clock.now();
    let place = state.passwords.enter(network.0)?;
    let mut conn = state.store.connection().await?;
    let subjects = attempt_subjects(&state, AttemptScope::RegisterNetwork, &[], network.0);
    reserve_attempt(&mut conn, &subjects, ProblemCode::RegistrationThrottled, now).await?;
    drop(conn);

    let password_hash = place.hash(password).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let id = AccountId::fresh();
    let new = NewAccount {
        id,
        name: &name,
        password_hash: &password_hash,
        role: Role::Player,
        must_change_password: false,
        recovery_codes: &hashes,
        at: now,
    };
    let row = state
        .store
        .transaction(async |conn| account_records::register(conn, &new).await)
        .await
        .map_err(name_taken)?;
    tracing::info!(account = %row.id, "account registered");
    let answer = RegisteredResponse {
        account: row.into(),
        recovery_codes: codes.iter().map(|code| code.reveal().to_owned()).collect(),
    };
    Ok(HttpResponse::Created()
        .insert_header(("location", format!("/v1/accounts/{id}")))
        .insert_header(("cache-control", "no-store"))
        .json(answer))
}

fn name_taken(error: StoreError) -> Problem {
    if account_records::is_name_taken(&error) {
        Problem::new(ProblemCode::NameTaken)
    } else {
        error.into()
    }
}

/// Checks a name and a new password together, so that both faults are told at once.
fn new_credentials(
    name: &str,
    password: String,
    pointer: &str,
) -> Result<(AccountName, Password), Problem> {
    let parsed = AccountName::parse(name).map_err(|error| InputFault::at("/name", error));
    let password = Password::new(password, name).map_err(|error| InputFault::at(pointer, error));
    match (parsed, password) {
        (Ok(name), Ok(password)) => Ok((name, password)),
        (name, password) => {
            Err(Problem::invalid(name.err().into_iter().chain(password.err()).collect()))
        }
    }
}

/// Who lost the password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecoverRequest {
    /// Name of the account.
    #[schema(example = "ada")]
    pub name: String,
    /// One of the codes from the registration that was not used yet.
    #[schema(example = "7KQ2-X0FM-93TD-AW5G")]
    pub recovery_code: String,
    /// The new password: 10 to 128 characters, without the name.
    #[schema(example = "violet harbour lamp", min_length = 10, max_length = 128)]
    pub new_password: String,
}

impl Judge for RecoverRequest {
    fn judge(&self) -> Result<(), Problem> {
        new_credentials(&self.name, self.new_password.clone(), "/new_password").map(drop)
    }
}

/// Sets a new password with a recovery code.
///
/// The code is used up and all sessions end. A second factor stays on.
#[utoipa::path(
    post, path = "/v1/accounts/recover", tag = "accounts", request_body = RecoverRequest,
    responses(
        (status = 204, description = "The new password is set."),
        (status = 401, description = "`wrong_recovery_code`"),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn recover(
    state: web::Data<AppState>,
    network: ClientNetwork,
    JudgedBody(body): JudgedBody<RecoverRequest>,
) -> Result<HttpResponse, Problem> {
    let RecoverRequest { name, recovery_code, new_password } = body.value;
    let (name, password) = new_credentials(&name, new_password, "/new_password")?;
    let now = state.clock.now();
    let place = state.passwords.enter(network.0)?;
    let mut conn = state.store.connection().await?;
    let subjects = attempt_subjects(&state, AttemptScope::RecoverNetwork, &[], network.0);
    reserve_attempt(&mut conn, &subjects, ProblemCode::LoginThrottled, now).await?;
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);

    let new_hash = place.hash(password).await?;
    // An unknown account takes the same way as a wrong code: to an id that nobody has.
    let account = found.map_or_else(AccountId::fresh, |row| row.account.id);
    let code = RecoveryCode::presented(&recovery_code).hash();
    let recovered = state
        .store
        .transaction(async |conn| {
            let recovered = account_records::recover(conn, account, code, &new_hash, now).await?;
            if recovered {
                attempts::release(conn, &subjects, 1, now).await?;
            }
            StoreResult::Ok(recovered)
        })
        .await?;
    if !recovered {
        return Err(Problem::new(ProblemCode::WrongRecoveryCode));
    }
    tracing::info!(%account, "account recovered");
    Ok(HttpResponse::NoContent().finish())
}

/// Shows your account.
#[utoipa::path(
    get, path = "/v1/me", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = AccountResponse))
)]
pub async fn find_me(
    req: HttpRequest,
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let row =
        account_records::find(&mut conn, by.account()).await?.ok_or_else(Problem::not_found)?;
    cacheable(&req, Freshness::Private, None, &AccountResponse::from(row))
}

/// Shows an account, for moderators.
#[utoipa::path(
    get, path = "/v1/accounts/{account}", tag = "accounts", security(("bearer" = [])),
    params(("account" = Uuid, Path, description = "Id of the account")),
    responses((status = 200, body = AccountResponse))
)]
pub async fn find_account(
    req: HttpRequest,
    state: web::Data<AppState>,
    _by: May<ReadAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let row = account_records::find(&mut conn, AccountId(*account))
        .await?
        .ok_or_else(Problem::not_found)?;
    cacheable(&req, Freshness::Private, None, &AccountResponse::from(row))
}

/// What to change about an account; what is absent stays.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangeAccountRequest {
    /// The new role: `player`, `moderator` or `admin`.
    #[schema(example = "moderator")]
    pub role: Option<RoleParam>,
    /// Whether the account is banned.
    pub banned: Option<bool>,
}

/// Gives an account another role, bans it or lifts the ban; for admins.
///
/// All sessions of the account end when its role changes or it is banned: the next log-in has the new role.
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
    let id = AccountId(*account);
    if id == by.account() {
        return Err(Problem::new(ProblemCode::OwnAccount));
    }
    let changes =
        AccountChanges { role: body.value.role.map(Role::from), banned: body.value.banned };
    let now = state.clock.now();
    // A ban counts the votes of all hidden cards that the account has submitted.
    let row = state
        .write_within(deadlines::BATCH, &by, async |conn, by| {
            account_records::change(conn, by, id, changes, now).await
        })
        .await?
        .ok_or_else(Problem::not_found)?;
    tracing::info!(account = %id, by = %by.account(), "account changed");
    Ok(web::Json(row.into()))
}
