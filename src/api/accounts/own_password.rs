//! What the owner of an account does with its password: change it, and make new recovery codes.

use actix_web::{HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::sessions::reserve_attempt;
use crate::app::problem::{InputFault, Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::password::{HashingPlace, Verdict};
use crate::auth::permission::{
    ChangeOwnPassword, Credential, Granted, Permission, ReplaceOwnRecoveryCodes,
};
use crate::auth::secret::RecoveryCode;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::password::Password;
use crate::domain::network::Network;
use crate::http::extract::{Body, ClientNetwork, May};
use crate::memory::identities::CredentialKey;
use crate::store::accounts::account_records::{self, LoginRow, VerifiedPassword};
use crate::store::accounts::attempts::{self, AttemptSubject};

/// The old and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePasswordRequest {
    /// The password until now.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
    /// The new password: 10 to 128 characters, without the account's name.
    #[schema(example = "violet harbour lamp", min_length = 10, max_length = 128)]
    pub new_password: String,
    /// Whether the recovery codes are replaced, too, as they should be when somebody else may have seen them.
    #[serde(default)]
    pub replace_recovery_codes: bool,
}

/// New recovery codes; all earlier ones stop working.
#[derive(Serialize, ToSchema)]
pub struct RecoveryCodesResponse {
    /// One-time codes that set a new password when the old one is lost. Shown once: keep them safe.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

impl RecoveryCodesResponse {
    fn answer(codes: &[RecoveryCode]) -> HttpResponse {
        let recovery_codes = codes.iter().map(|code| code.reveal().to_owned()).collect();
        HttpResponse::Ok()
            .insert_header(("cache-control", "no-store"))
            .json(Self { recovery_codes })
    }
}

/// Changes your password.
///
/// All other sessions and all personal access tokens end; this session goes on. Recovery codes stay unless new ones are asked for.
#[utoipa::path(
    put, path = "/v1/me/password", tag = "accounts", security(("bearer" = [])),
    request_body = ChangePasswordRequest,
    responses(
        (status = 200, description = "The new password is set, and here are new recovery codes.", body = RecoveryCodesResponse),
        (status = 204, description = "The new password is set."),
        (status = 403, description = "`wrong_password`"),
        (status = 409, description = "`edit_conflict`: it was changed at the same time."),
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
    let now = state.clock.now();
    let row = own_account(&state, &by).await?;
    let new_password = Password::new(new_password, &row.account.name)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/new_password", error)]))?;
    let place = state.passwords.enter(network.0)?;
    let old_hash = confirm_password(&state, &by, &place, row, current_password, now).await?;
    let new_hash = place.hash(new_password).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let stored = replace_recovery_codes.then_some(&hashes[..]);
    let changed = state
        .write(&by, async |conn, by| {
            account_records::change_password(conn, by, &old_hash, &new_hash, stored, now).await
        })
        .await?;
    if !changed {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    if let Credential::Session(session) = by.credential() {
        state.identities.invalidate(&CredentialKey::Session(*session)).await;
    }
    tracing::info!(account = %by.account(), recovery_codes = replace_recovery_codes, "password changed");
    Ok(if replace_recovery_codes {
        RecoveryCodesResponse::answer(&codes)
    } else {
        HttpResponse::NoContent().finish()
    })
}

/// The password, to show that the owner asks.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceRecoveryCodesRequest {
    /// The account's password.
    #[schema(example = "tram window sonnet")]
    pub password: String,
}

/// Makes new recovery codes.
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
    let now = state.clock.now();
    let verified = verify_own_password(&state, &by, network.0, body.value.password, now).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let changed = state
        .write(&by, async |conn, by| {
            account_records::change_recovery_codes(conn, by, &verified, &hashes, now).await
        })
        .await?;
    if !changed {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    tracing::info!(account = %by.account(), "recovery codes replaced");
    Ok(RecoveryCodesResponse::answer(&codes))
}

async fn own_account<P>(state: &AppState, by: &Granted<P>) -> Result<LoginRow, Problem> {
    let mut conn = state.store.connection().await?;
    account_records::find_with_password(&mut conn, by.account())
        .await?
        .ok_or_else(Problem::not_found)
}

/// Checks the password of whoever is logged in: what a stolen access token must not be enough for asks for it once more.
pub(super) async fn verify_own_password<P: Permission>(
    state: &AppState,
    by: &Granted<P>,
    network: Network,
    password: String,
    now: DateTime<Utc>,
) -> Result<VerifiedPassword, Problem> {
    let place = state.passwords.enter(network)?;
    let row = own_account(state, by).await?;
    let second_factor_since = row.account.second_factor_since;
    let hash = confirm_password(state, by, &place, row, password, now).await?;
    Ok(VerifiedPassword { account: by.account(), hash, second_factor_since, stronger: None })
}

/// Checks the password of whoever is logged in, within the attempts of the session; the hash that it was checked against.
async fn confirm_password<P: Permission>(
    state: &AppState,
    by: &Granted<P>,
    place: &HashingPlace,
    row: LoginRow,
    password: String,
    now: DateTime<Utc>,
) -> Result<String, Problem> {
    let subject = session_subject(state, by);
    let mut conn = state.store.connection().await?;
    reserve_attempt(&mut conn, &[subject], ProblemCode::LoginThrottled, now).await?;
    drop(conn);
    let hash = row.password_hash;
    let verdict = place.verify(Password::presented(password), Some(hash.clone())).await?;
    if verdict == Verdict::Wrong {
        return Err(Problem::new(ProblemCode::WrongPassword));
    }
    let mut conn = state.store.connection().await?;
    attempts::release(&mut conn, &[subject], 1, now).await?;
    Ok(hash)
}

/// Wrong passwords are counted by session: whoever stole an access token can use up the attempts of the session that it was stolen from, and
/// no others. The owner logs in anew, and has new ones.
fn session_subject<P>(state: &AppState, by: &Granted<P>) -> AttemptSubject {
    let credential = match by.credential() {
        Credential::Session(session) => session.0,
        Credential::Token { id, .. } => id.0,
    };
    let scope = AttemptScope::PasswordSession;
    let mac = state.keys.short_lookup(scope.as_str(), &[credential.as_bytes()]);
    AttemptSubject { scope, mac, limit: state.settings.attempt_limits.of(scope) }
}
