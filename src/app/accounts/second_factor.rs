//! The caller's second factor: set-up, confirmation, switching off, new recovery codes. Admins can remove another
//! account's second factor.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::own_password::{ConfirmedPassword, confirm_own_password};
use super::second_factor_attempts::FactorAttempt;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ManageAccounts, ManageOwnSecondFactor, ReadOwnAccount};
use crate::auth::second_factor::{ENROLMENT_LIFETIME, PresentedFactor, TotpSecret};
use crate::auth::secret::RecoveryCode;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::memory::identities::CredentialKey;
use crate::store::accounts::account_records::VerifiedPassword;
use crate::store::accounts::second_factors::{self, Confirmed, FactorChanged, FactorRemoved};
use crate::store::accounts::sessions;
use crate::store::{Connection, StoreResult};

/// State of your second factor.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorResponse {
    /// Whether log-ins need a code.
    pub on: bool,
    /// Whether your role must have a second factor: without one, most routes answer 403 `second_factor_due`.
    pub required: bool,
    /// Since when log-ins need a code; absent if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<DateTime<Utc>>,
    /// Until when a second factor that is being set up waits for its first code; absent if none is being set up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending_until: Option<DateTime<Utc>>,
    /// Number of unused recovery codes of the second factor.
    #[schema(example = 8, minimum = 0)]
    pub recovery_codes_left: i64,
}

/// Finds the state of the caller's second factor.
pub async fn find(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
) -> Result<SecondFactorResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let found = second_factors::state(&mut conn, by, app.clock.now()).await?;
    Ok(SecondFactorResponse {
        on: found.since.is_some(),
        required: app.settings.second_factor_demand.covers(by.role()),
        since: found.since,
        pending_until: found.pending_until,
        recovery_codes_left: found.recovery_codes_left,
    })
}

/// The secret of a new second factor, for an authenticator app.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorSecretResponse {
    /// The secret in Base32, to be typed into the app. Shown once.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    pub secret: String,
    /// The same secret as a URI, to be shown as a QR code: codes of six digits, SHA-1, 30 seconds (RFC 6238). Shown once.
    #[schema(
        example = "otpauth://totp/Cardscape:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Cardscape"
    )]
    pub uri: String,
    /// The first code must be sent before this time.
    pub expires_at: DateTime<Utc>,
}

/// Begins to set up a second factor.
pub async fn begin(
    app: &AppState,
    by: &Granted<ManageOwnSecondFactor>,
    network: Network,
    password: String,
) -> Result<SecondFactorSecretResponse, Problem> {
    let (account, now) = (by.account(), app.clock.now());
    let ConfirmedPassword { account: row, verified } =
        confirm_own_password(app, by, network, password, now).await?;
    if verified.second_factor_since.is_some() {
        return Err(Problem::new(ProblemCode::SecondFactorOn));
    }
    let secret = TotpSecret::generate();
    let sealed = secret.seal(&app.keys, account);
    let begun = app
        .write(by, async |conn, by| second_factors::begin(conn, by, &verified, &sealed, now).await)
        .await?;
    if !begun {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    tracing::info!(%account, "second factor enrolment started");
    Ok(SecondFactorSecretResponse {
        secret: secret.base32().to_string(),
        uri: secret.uri(&row.name).to_string(),
        expires_at: now + ENROLMENT_LIFETIME,
    })
}

/// Recovery codes of the second factor.
#[derive(Serialize, ToSchema)]
pub struct SecondFactorCodesResponse {
    /// Recovery codes, each of which works once in place of a code, when the device is lost. Shown once: keep them safe, and apart from the recovery
    /// codes of the account, which are for a lost password.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

impl SecondFactorCodesResponse {
    fn of(codes: &[RecoveryCode]) -> Self {
        Self { recovery_codes: codes.iter().map(|code| code.reveal().to_owned()).collect() }
    }
}

/// Switches the second factor on with its first code.
pub async fn confirm(
    app: &AppState,
    by: &Granted<ManageOwnSecondFactor>,
    network: Network,
    code: &str,
) -> Result<SecondFactorCodesResponse, Problem> {
    let (account, now) = (by.account(), app.clock.now());
    let code = PresentedFactor::parse(code).ok_or_else(wrong_code)?;
    let conn = app.store.connection().await?;
    let attempt = FactorAttempt::reserve(app, conn, account, None, network, now).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let confirmed = app
        .write(by, async |conn, by| {
            let keys = &app.keys;
            let confirmed = second_factors::confirm(conn, by, keys, &code, &hashes, now).await?;
            if confirmed != Confirmed::WrongCode {
                attempt.release(conn).await?;
            }
            StoreResult::Ok(confirmed)
        })
        .await;
    match attempt.decided(app, confirmed).await? {
        Confirmed::Yes => {}
        Confirmed::WrongCode => {
            attempt.record_failure(app, account).await;
            return Err(wrong_code());
        }
        Confirmed::NothingPending => {
            return Err(Problem::new(ProblemCode::SecondFactorNotBegun));
        }
        Confirmed::AlreadyOn => return Err(Problem::new(ProblemCode::SecondFactorOn)),
    }
    forget_identity(app, by).await;
    tracing::info!(%account, "second factor switched on");
    Ok(SecondFactorCodesResponse::of(&codes))
}

/// Switches the caller's second factor off. Requires the password and a code.
pub async fn switch_off(
    app: &AppState,
    by: &Granted<ManageOwnSecondFactor>,
    network: Network,
    password: String,
    code: &str,
) -> Result<(), Problem> {
    let proof = Proof::check(app, by, network, password, code).await?;
    let now = app.clock.now();
    let changed = app
        .write(by, async |conn, by| {
            let (keys, verified, code) = (&app.keys, &proof.verified, &proof.code);
            let changed = second_factors::switch_off(conn, by, keys, verified, code, now).await?;
            proof.settle(conn, changed).await
        })
        .await;
    check_changed(app, by, &proof, changed).await?;
    forget_identity(app, by).await;
    tracing::info!(account = %by.account(), "second factor switched off");
    Ok(())
}

/// Replaces the recovery codes of the caller's second factor. Requires the password and a code.
pub async fn replace_recovery_codes(
    app: &AppState,
    by: &Granted<ManageOwnSecondFactor>,
    network: Network,
    password: String,
    code: &str,
) -> Result<SecondFactorCodesResponse, Problem> {
    let proof = Proof::check(app, by, network, password, code).await?;
    let now = app.clock.now();
    let (codes, hashes) = RecoveryCode::generate_all();
    let changed = app
        .write(by, async |conn, by| {
            let (keys, verified, code) = (&app.keys, &proof.verified, &proof.code);
            let changed = second_factors::replace_recovery_codes(
                conn, by, keys, verified, code, &hashes, now,
            )
            .await?;
            proof.settle(conn, changed).await
        })
        .await;
    check_changed(app, by, &proof, changed).await?;
    tracing::info!(account = %by.account(), "recovery codes of the second factor replaced");
    Ok(SecondFactorCodesResponse::of(&codes))
}

/// Removes the second factor of another account, for owners who lost both the device and the recovery codes.
pub async fn remove(
    app: &AppState,
    by: &Granted<ManageAccounts>,
    account: AccountId,
) -> Result<(), Problem> {
    let now = app.clock.now();
    if account == by.account() {
        // Admins switch their own second factor off like everybody else: with password and code.
        return Err(Problem::new(ProblemCode::OwnAccount));
    }
    let removed = app
        .write(by, async |conn, by| second_factors::remove(conn, by, account, now).await)
        .await?;
    match removed {
        FactorRemoved::Yes => {}
        FactorRemoved::WasOff => return Err(Problem::new(ProblemCode::SecondFactorOff)),
        FactorRemoved::NoAccount => return Err(Problem::not_found()),
    }
    tracing::warn!(%account, by = %by.account(), "second factor removed by an admin");
    Ok(())
}

/// A correct password, and a code that is not checked yet, with the attempts that the check of the code costs.
struct Proof {
    verified: VerifiedPassword,
    code: PresentedFactor,
    attempt: FactorAttempt,
}

impl Proof {
    /// Checks the password, and takes attempts for the check of the code.
    async fn check(
        app: &AppState,
        by: &Granted<ManageOwnSecondFactor>,
        network: Network,
        password: String,
        code: &str,
    ) -> Result<Self, Problem> {
        let (account, now) = (by.account(), app.clock.now());
        let ConfirmedPassword { verified, .. } =
            confirm_own_password(app, by, network, password, now).await?;
        let since = verified.second_factor_since;
        if since.is_none() {
            return Err(Problem::new(ProblemCode::SecondFactorOff));
        }
        let code = PresentedFactor::parse(code).ok_or_else(wrong_code)?;
        let conn = app.store.connection().await?;
        let attempt = FactorAttempt::reserve(app, conn, account, since, network, now).await?;
        Ok(Self { verified, code, attempt })
    }

    /// Returns the attempts, unless the code was wrong.
    async fn settle(
        &self,
        conn: &mut Connection,
        changed: FactorChanged,
    ) -> StoreResult<FactorChanged> {
        if changed != FactorChanged::WrongCode {
            self.attempt.release(conn).await?;
        }
        Ok(changed)
    }
}

/// Converts a refused change to its problem.
async fn check_changed(
    app: &AppState,
    by: &Granted<ManageOwnSecondFactor>,
    proof: &Proof,
    changed: StoreResult<FactorChanged>,
) -> Result<(), Problem> {
    match proof.attempt.decided(app, changed).await? {
        FactorChanged::Yes => Ok(()),
        FactorChanged::Conflict => Err(Problem::new(ProblemCode::EditConflict)),
        FactorChanged::WrongCode => {
            proof.attempt.record_failure(app, by.account()).await;
            Err(wrong_code())
        }
    }
}

fn wrong_code() -> Problem {
    Problem::new(ProblemCode::WrongCode)
}

/// Whether a second factor is required may have changed: this instance reads the session again at once, other instances
/// within seconds.
async fn forget_identity(app: &AppState, by: &Granted<ManageOwnSecondFactor>) {
    if let Some(session) = sessions::current(by) {
        app.identities.invalidate(&CredentialKey::Session(session)).await;
    }
}
