//! The own second factor: begin, confirm, switch off, new recovery codes; and taking off another's, for admins.

use actix_web::{HttpResponse, web};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::own_password::verify_own_password;
use super::second_factor_attempts::FactorAttempt;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ManageAccounts, ManageOwnSecondFactor, ReadOwnAccount};
use crate::auth::second_factor::{ENROLMENT_LIFETIME, PresentedFactor, TotpSecret};
use crate::auth::secret::RecoveryCode;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::http::extract::{Body, ClientNetwork, May};
use crate::memory::identities::CredentialKey;
use crate::store::StoreResult;
use crate::store::accounts::account_records::VerifiedPassword;
use crate::store::accounts::second_factors::{self, Confirmed, FactorChanged, FactorRemoved};
use crate::store::accounts::{account_records, sessions};

/// What your second factor is like.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorResponse {
    /// Whether a log-in needs a code.
    pub on: bool,
    /// Whether the role must have a second factor: without one nothing else is allowed.
    pub required: bool,
    /// Since when a log-in needs a code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<DateTime<Utc>>,
    /// One was begun and waits for its first code until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_until: Option<DateTime<Utc>>,
    /// Recovery codes of the second factor that were not used yet.
    #[schema(example = 8, minimum = 0)]
    pub recovery_codes_left: i64,
}

/// Shows whether your account has a second factor.
#[utoipa::path(
    get, path = "/v1/me/second-factor", tag = "accounts", security(("bearer" = [])),
    responses((status = 200, body = SecondFactorResponse))
)]
pub async fn find_second_factor(
    state: web::Data<AppState>,
    by: May<ReadOwnAccount>,
) -> Result<HttpResponse, Problem> {
    let mut conn = state.store.connection().await?;
    let found = second_factors::state(&mut conn, &by, state.clock.now()).await?;
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(SecondFactorResponse {
        on: found.since.is_some(),
        required: state.settings.second_factor_demand.covers(by.role()),
        since: found.since,
        pending_until: found.pending_until,
        recovery_codes_left: found.recovery_codes_left,
    }))
}

const NO_STORE: (&str, &str) = ("cache-control", "no-store");

/// Your password, once more: a stolen access token must not be enough.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BeginSecondFactorRequest {
    /// Your password.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
}

/// A secret for an authenticator app.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorSecretResponse {
    /// In Base32, to be typed. Shown once.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    pub secret: String,
    /// The same as a URI, to be shown as a QR code: codes of six digits, SHA-1, 30 seconds (RFC 6238). Shown once.
    #[schema(
        example = "otpauth://totp/Cardscape:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cardscape"
    )]
    pub uri: String,
    /// The first code must be sent before this.
    pub expires_at: DateTime<Utc>,
}

/// Begins to set up a second factor.
///
/// Log-ins stay as they are until the first code is sent to `POST /v1/me/second-factor/confirm`. Whoever begins anew gets another secret.
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
    let (account, now) = (by.account(), state.clock.now());
    let password = body.value.current_password;
    let verified = verify_own_password(&state, &by, network.0, password, now).await?;
    if verified.second_factor_since.is_some() {
        return Err(Problem::new(ProblemCode::SecondFactorOn));
    }
    let mut conn = state.store.connection().await?;
    let row = account_records::find(&mut conn, account).await?.ok_or_else(Problem::not_found)?;
    drop(conn);
    let secret = TotpSecret::generate();
    let sealed = secret.seal(&state.keys, account);
    let begun = state
        .write(&by, async |conn, by| second_factors::begin(conn, by, &verified, &sealed, now).await)
        .await?;
    if !begun {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    tracing::info!(%account, "second factor begun");
    Ok(HttpResponse::Created().insert_header(NO_STORE).json(SecondFactorSecretResponse {
        secret: secret.base32().to_string(),
        uri: secret.uri(&row.name).to_string(),
        expires_at: now + ENROLMENT_LIFETIME,
    }))
}

/// The first code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfirmSecondFactorRequest {
    /// Six digits that the device shows.
    #[schema(example = "287082")]
    pub code: String,
}

/// Recovery codes of the second factor.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorCodesResponse {
    /// Each stands once for a code, when the device is lost. Shown once: keep them safe, and apart from the codes of the registration, which
    /// are for a lost password.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

impl SecondFactorCodesResponse {
    fn of(codes: &[RecoveryCode]) -> Self {
        Self { recovery_codes: codes.iter().map(|code| code.reveal().to_owned()).collect() }
    }
}

/// Switches the second factor on with its first code.
///
/// From now on every log-in needs a code. All other sessions and all personal access tokens end; this session goes on.
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
    let (account, now) = (by.account(), state.clock.now());
    let code = PresentedFactor::parse(&body.value.code).ok_or_else(wrong_code)?;
    let attempt = FactorAttempt::reserve(&state, account, None, network.0, now).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let confirmed = state
        .write(&by, async |conn, by| {
            let keys = &state.keys;
            let confirmed = second_factors::confirm(conn, by, keys, &code, &hashes, now).await?;
            if confirmed != Confirmed::WrongCode {
                attempt.release(conn).await?;
            }
            StoreResult::Ok(confirmed)
        })
        .await?;
    match confirmed {
        Confirmed::Yes => {}
        Confirmed::WrongCode => {
            FactorAttempt::fail(account);
            return Err(wrong_code());
        }
        Confirmed::NothingPending => {
            return Err(Problem::new(ProblemCode::SecondFactorNotBegun));
        }
        Confirmed::AlreadyOn => return Err(Problem::new(ProblemCode::SecondFactorOn)),
    }
    look_again(&state, &by).await;
    tracing::info!(%account, "second factor switched on");
    Ok(HttpResponse::Ok().insert_header(NO_STORE).json(SecondFactorCodesResponse::of(&codes)))
}

/// Your password and a code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProveSecondFactorRequest {
    /// Your password.
    #[schema(example = "tram window sonnet")]
    pub current_password: String,
    /// Six digits that the device shows, or a recovery code of the second factor.
    #[schema(example = "287082")]
    pub code: String,
}

/// Switches your second factor off.
///
/// If your role must have one, you can do nothing then but set up another.
#[utoipa::path(
    post, path = "/v1/me/second-factor/switch-off", tag = "accounts", security(("bearer" = [])),
    request_body = ProveSecondFactorRequest,
    responses(
        (status = 204, description = "The password alone is enough again."),
        (status = 403, description = "`wrong_password`, `wrong_code`"),
        (status = 409, description = "`second_factor_off`; `edit_conflict`: password or second factor were changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn switch_off_second_factor(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<ProveSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let (proof, now) = (Proof::check(&state, &by, network.0, body.value).await?, state.clock.now());
    let changed = state
        .write(&by, async |conn, by| {
            let (keys, verified, code) = (&state.keys, &proof.verified, &proof.code);
            let changed = second_factors::switch_off(conn, by, keys, verified, code, now).await?;
            proof.settle(conn, changed).await
        })
        .await?;
    accepted(&by, changed)?;
    look_again(&state, &by).await;
    tracing::info!(account = %by.account(), "second factor switched off");
    Ok(HttpResponse::NoContent().finish())
}

/// Makes new recovery codes of the second factor.
///
/// The old ones stop working.
#[utoipa::path(
    post, path = "/v1/me/second-factor/recovery-codes", tag = "accounts", security(("bearer" = [])),
    request_body = ProveSecondFactorRequest,
    responses(
        (status = 201, body = SecondFactorCodesResponse),
        (status = 403, description = "`wrong_password`, `wrong_code`"),
        (status = 409, description = "`second_factor_off`; `edit_conflict`: password or second factor were changed at the same time."),
        (status = 429, description = "`login_throttled`, `rate_limited`"),
    )
)]
pub async fn replace_second_factor_codes(
    state: web::Data<AppState>,
    by: May<ManageOwnSecondFactor>,
    network: ClientNetwork,
    body: Body<ProveSecondFactorRequest>,
) -> Result<HttpResponse, Problem> {
    let (proof, now) = (Proof::check(&state, &by, network.0, body.value).await?, state.clock.now());
    let (codes, hashes) = RecoveryCode::generate_all();
    let changed = state
        .write(&by, async |conn, by| {
            let (keys, verified, code) = (&state.keys, &proof.verified, &proof.code);
            let changed = second_factors::replace_recovery_codes(
                conn, by, keys, verified, code, &hashes, now,
            )
            .await?;
            proof.settle(conn, changed).await
        })
        .await?;
    accepted(&by, changed)?;
    tracing::info!(account = %by.account(), "recovery codes of the second factor replaced");
    Ok(HttpResponse::Created().insert_header(NO_STORE).json(SecondFactorCodesResponse::of(&codes)))
}

/// Removes somebody's second factor, for admins: when the device and the recovery codes are lost.
///
/// All sessions and personal access tokens of the account end. The next log-in needs the password alone.
#[utoipa::path(
    delete, path = "/v1/accounts/{account}/second-factor", tag = "accounts", security(("bearer" = [])),
    params(("account" = Uuid, Path, description = "Id of the account")),
    responses(
        (status = 204, description = "The password alone is enough again."),
        (status = 409, description = "`own_account`, `second_factor_off`"),
    )
)]
pub async fn remove_second_factor(
    state: web::Data<AppState>,
    by: May<ManageAccounts>,
    account: web::Path<Uuid>,
) -> Result<HttpResponse, Problem> {
    let (account, now) = (AccountId(*account), state.clock.now());
    if account == by.account() {
        // The own one goes with the password and a code.
        return Err(Problem::new(ProblemCode::OwnAccount));
    }
    let removed = state
        .write(&by, async |conn, by| second_factors::remove(conn, by, account, now).await)
        .await?;
    match removed {
        FactorRemoved::Yes => {}
        FactorRemoved::WasOff => return Err(Problem::new(ProblemCode::SecondFactorOff)),
        FactorRemoved::NoAccount => return Err(Problem::not_found()),
    }
    tracing::warn!(%account, by = %by.account(), "second factor taken off by an admin");
    Ok(HttpResponse::NoContent().finish())
}

/// A password that was right, and a code that is to be looked at, with the attempts that it costs.
struct Proof {
    verified: VerifiedPassword,
    code: PresentedFactor,
    attempt: FactorAttempt,
}

impl Proof {
    async fn check(
        state: &AppState,
        by: &Granted<ManageOwnSecondFactor>,
        network: Network,
        request: ProveSecondFactorRequest,
    ) -> Result<Self, Problem> {
        let (account, now) = (by.account(), state.clock.now());
        let password = request.current_password;
        let verified = verify_own_password(state, by, network, password, now).await?;
        if verified.second_factor_since.is_none() {
            return Err(Problem::new(ProblemCode::SecondFactorOff));
        }
        let code = PresentedFactor::parse(&request.code).ok_or_else(wrong_code)?;
        let since = verified.second_factor_since;
        let attempt = FactorAttempt::reserve(state, account, since, network, now).await?;
        Ok(Self { verified, code, attempt })
    }

    /// Gives the attempts back unless the code was wrong.
    async fn settle(
        &self,
        conn: &mut crate::store::Connection,
        changed: FactorChanged,
    ) -> StoreResult<FactorChanged> {
        if changed != FactorChanged::WrongCode {
            self.attempt.release(conn).await?;
        }
        Ok(changed)
    }
}

fn accepted(by: &Granted<ManageOwnSecondFactor>, changed: FactorChanged) -> Result<(), Problem> {
    match changed {
        FactorChanged::Yes => Ok(()),
        FactorChanged::Conflict => Err(Problem::new(ProblemCode::EditConflict)),
        FactorChanged::WrongCode => {
            FactorAttempt::fail(by.account());
            Err(wrong_code())
        }
    }
}

fn wrong_code() -> Problem {
    Problem::new(ProblemCode::WrongCode)
}

/// Whether a second factor is due may be another answer now: this instance asks again at once, others within seconds.
async fn look_again(state: &AppState, by: &Granted<ManageOwnSecondFactor>) {
    if let Some(session) = sessions::current(by) {
        state.identities.invalidate(&CredentialKey::Session(session)).await;
    }
}
