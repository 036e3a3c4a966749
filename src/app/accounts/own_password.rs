//! Changes of the caller's own password and recovery codes.

use chrono::{DateTime, Duration, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::attempts::{decide_wrong, give_back_right, or_give_back, reserve_with_place};
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
use crate::memory::identities::CredentialKey;
use crate::store::accounts::account_records::{self, AccountRow, LoginRow, VerifiedPassword};
use crate::store::accounts::attempts::AttemptSubject;
use crate::store::{Connection, PooledConnection};

/// New recovery codes; all earlier ones stop working.
#[derive(Serialize, ToSchema)]
pub struct RecoveryCodesResponse {
    /// One-time codes, each of which sets a new password once, when the old one is lost. Shown once: keep them safe.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

impl RecoveryCodesResponse {
    fn of(codes: &[RecoveryCode]) -> Self {
        Self { recovery_codes: codes.iter().map(|code| code.reveal().to_owned()).collect() }
    }
}

/// Changes the caller's password; on request also replaces the recovery codes. The new password must differ from the
/// current one: otherwise a required change could leave the password that an operator has set.
pub async fn change(
    app: &AppState,
    by: &Granted<ChangeOwnPassword>,
    network: Network,
    current_password: String,
    new_password: String,
    replace_recovery_codes: bool,
) -> Result<Option<RecoveryCodesResponse>, Problem> {
    let now = app.clock.now();
    let mut conn = app.store.connection().await?;
    let row = own_account(&mut conn, by).await?;
    let new_password = Password::replacing(&current_password, new_password, &row.account.name)
        .map_err(|error| Problem::invalid(vec![InputFault::at("/new_password", error)]))?;
    let place = app.passwords.enter(network)?;
    let (ConfirmedPassword { verified, .. }, place, attempt) =
        confirm_password(app, by, network, (place, conn), row, current_password, now).await?;
    give_back_right(app, &[attempt], now).await;
    let new_hash = place.hash(new_password).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let stored = replace_recovery_codes.then_some(&hashes[..]);
    let changed = app
        .write(by, async |conn, by| {
            let old_hash = &verified.hash;
            account_records::change_password(conn, by, old_hash, &new_hash, stored, now).await
        })
        .await?;
    if !changed {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    if let Credential::Session(session) = by.credential() {
        app.identities.invalidate(&CredentialKey::Session(*session)).await;
    }
    tracing::info!(account = %by.account(), recovery_codes = replace_recovery_codes, "password changed");
    Ok(replace_recovery_codes.then(|| RecoveryCodesResponse::of(&codes)))
}

/// For how long a form that changes the password may be one that was sent twice.
const SENT_TWICE_WITHIN: Duration = Duration::minutes(2);

/// Whether another request of the caller has just changed the password to this one. Only then the password is checked,
/// and counts like a wrong one if it is not the caller's. A change that is required is never done before.
pub async fn was_just_changed_to(
    app: &AppState,
    by: &Granted<ChangeOwnPassword>,
    network: Network,
    password: String,
) -> Result<bool, Problem> {
    let now = app.clock.now();
    let mut conn = app.store.connection().await?;
    let since = now - SENT_TWICE_WITHIN;
    let may_be = !own_account(&mut conn, by).await?.account.must_change_password
        && account_records::has_changed_password_since(&mut conn, by, since).await?;
    drop(conn);
    if !may_be {
        return Ok(false);
    }
    match confirm_own_password(app, by, network, password, now).await {
        Ok(_) => Ok(true),
        Err(problem) if problem.code() == ProblemCode::WrongPassword => Ok(false),
        Err(problem) => Err(problem),
    }
}

/// Replaces the recovery codes of the caller's account.
pub async fn replace_recovery_codes(
    app: &AppState,
    by: &Granted<ReplaceOwnRecoveryCodes>,
    network: Network,
    password: String,
) -> Result<RecoveryCodesResponse, Problem> {
    let now = app.clock.now();
    let ConfirmedPassword { verified, .. } =
        confirm_own_password(app, by, network, password, now).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let changed = app
        .write(by, async |conn, by| {
            account_records::change_recovery_codes(conn, by, &verified, &hashes, now).await
        })
        .await?;
    if !changed {
        return Err(Problem::new(ProblemCode::EditConflict));
    }
    tracing::info!(account = %by.account(), "recovery codes replaced");
    Ok(RecoveryCodesResponse::of(&codes))
}

/// The caller's password after a successful check.
pub(super) struct ConfirmedPassword {
    /// The account, as it was before the check.
    pub account: AccountRow,
    pub verified: VerifiedPassword,
}

async fn own_account<P>(conn: &mut Connection, by: &Granted<P>) -> Result<LoginRow, Problem> {
    account_records::find_with_password(conn, by.account()).await?.ok_or_else(Problem::not_found)
}

/// Checks the caller's password. Used by operations that a stolen access token alone must not allow.
pub(super) async fn confirm_own_password<P: Permission>(
    app: &AppState,
    by: &Granted<P>,
    network: Network,
    password: String,
    now: DateTime<Utc>,
) -> Result<ConfirmedPassword, Problem> {
    let place = app.passwords.enter(network)?;
    let mut conn = app.store.connection().await?;
    let row = own_account(&mut conn, by).await?;
    let (confirmed, place, attempt) =
        confirm_password(app, by, network, (place, conn), row, password, now).await?;
    // Others may hash while this request waits for the database.
    drop(place);
    give_back_right(app, &[attempt], now).await;
    Ok(confirmed)
}

/// Like [`confirm_own_password`], for an account that was read on `conn`. The connection is returned to the pool before
/// the password is hashed. Also returns a place to hash another password, and what the caller must give back: the attempt
/// of the right password.
async fn confirm_password<P: Permission>(
    app: &AppState,
    by: &Granted<P>,
    network: Network,
    held: (HashingPlace, PooledConnection),
    row: LoginRow,
    password: String,
    now: DateTime<Utc>,
) -> Result<(ConfirmedPassword, HashingPlace, AttemptSubject), Problem> {
    let attempt = session_subject(app, by);
    let code = ProblemCode::LoginThrottled;
    let (place, conn) = reserve_with_place(app, network, held, &[attempt], code, now).await?;
    drop(conn);
    let LoginRow { account, password_hash: hash } = row;
    let verdict = place.verify(Password::presented(password), Some(hash.clone())).await;
    let verdict = or_give_back(app, &[attempt], now, verdict).await?;
    if verdict == Verdict::Wrong {
        drop(place);
        decide_wrong(app, &[attempt], now).await;
        return Err(Problem::new(ProblemCode::WrongPassword));
    }
    let verified = VerifiedPassword {
        account: by.account(),
        hash,
        second_factor_since: account.second_factor_since,
        stronger: None,
    };
    Ok((ConfirmedPassword { account, verified }, place, attempt))
}

/// Wrong passwords are counted by session. A thief of an access token can use up only the attempts of that session; the
/// owner logs in again and has a new session with new attempts.
fn session_subject<P>(app: &AppState, by: &Granted<P>) -> AttemptSubject {
    let credential = match by.credential() {
        Credential::Session(session) => session.0,
        Credential::Token { id, .. } => id.0,
    };
    let scope = AttemptScope::PasswordSession;
    let mac = app.keys.short_lookup(scope.as_str(), &[credential.as_bytes()]);
    AttemptSubject { scope, mac, limit: app.settings.attempt_limits.of(scope) }
}
