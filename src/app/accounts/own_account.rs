//! Accounts as seen by their owners, moderators and admins: registration, recovery, reading and changing.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::attempts::{
    attempt_subjects, decide_wrong, decided_or_give_back, or_give_back, reserve_with_place,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::password::HashingPlace;
use crate::auth::permission::{Granted, ManageAccounts, ReadAccounts, ReadOwnAccount, Role};
use crate::auth::secret::RecoveryCode;
use crate::domain::accounts::attempts::AttemptScope;
use crate::domain::accounts::password::Password;
use crate::domain::ids::AccountId;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
pub use crate::store::accounts::account_records::AccountChanges;
use crate::store::accounts::account_records::{self, AccountRow, NewAccount};
use crate::store::accounts::attempts;
use crate::store::db::deadlines;
use crate::store::{PooledConnection, StoreResult};

/// An account.
#[derive(Serialize, ToSchema)]
pub struct AccountResponse {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    #[schema(example = "ada")]
    pub name: String,
    /// Its role: `player`, `moderator` or `admin`.
    #[schema(example = "player")]
    pub role: &'static str,
    /// Whether an operator has set the password: until the account changes it, most routes answer 403 `password_change_due`.
    pub must_change_password: bool,
    /// Whether log-ins need a second factor.
    pub second_factor: bool,
    /// Who may send trade offers to the account and see its copies: `closed`, `offers` or `public`.
    #[schema(example = "offers")]
    pub trading: &'static str,
    /// Whether the leaderboard names the account.
    pub on_leaderboard: bool,
    /// When the account was banned; absent if it is not banned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub banned_at: Option<DateTime<Utc>>,
    /// When the account was registered.
    pub created_at: DateTime<Utc>,
}

impl From<AccountRow> for AccountResponse {
    fn from(row: AccountRow) -> Self {
        Self {
            role: row.role().as_str(),
            trading: row.trading().as_str(),
            id: row.id.0,
            name: row.name,
            must_change_password: row.must_change_password,
            second_factor: row.second_factor_since.is_some(),
            on_leaderboard: row.on_leaderboard,
            banned_at: row.banned_at,
            created_at: row.created_at,
        }
    }
}

/// A new account, with recovery codes that are shown only now.
#[derive(Serialize, ToSchema)]
pub struct RegisteredResponse {
    /// The account.
    #[serde(flatten)]
    pub account: AccountResponse,
    /// One-time codes, each of which sets a new password once, when the old one is lost. Shown once: keep them safe.
    #[schema(example = json!(["7KQ2-X0FM-93TD-AW5G"]))]
    pub recovery_codes: Vec<String>,
}

/// Registers a player.
pub async fn register(
    app: &AppState,
    network: Network,
    name: &AccountName,
    password: Password,
) -> Result<RegisteredResponse, Problem> {
    let now = app.clock.now();
    let place = app.passwords.enter(network)?;
    let conn = app.store.connection().await?;
    let subjects = attempt_subjects(app, AttemptScope::RegisterNetwork, &[], network);
    let code = ProblemCode::RegistrationThrottled;
    let (place, conn) =
        reserve_with_place(app, network, (place, conn), &subjects, code, now).await?;
    drop(conn);

    let hashed = place.hash(password).await;
    let password_hash = or_give_back(app, &subjects, now, hashed).await?;
    let (codes, hashes) = RecoveryCode::generate_all();
    let new = NewAccount {
        id: AccountId::generate(),
        name,
        password_hash: &password_hash,
        role: Role::Player,
        must_change_password: false,
        recovery_codes: &hashes,
        at: now,
    };
    let registered =
        app.store.transaction(async |conn| account_records::register(conn, &new).await).await;
    let row = match registered {
        // This says something about an account, so the attempt stays used.
        Err(error) if account_records::is_name_taken(&error) => {
            return Err(Problem::new(ProblemCode::NameTaken));
        }
        registered => decided_or_give_back(app, &subjects, now, registered).await?,
    };
    tracing::info!(account = %row.id, "account registered");
    Ok(RegisteredResponse {
        account: row.into(),
        recovery_codes: codes.iter().map(|code| code.reveal().to_owned()).collect(),
    })
}

/// Sets a new password for an account, authorised by a recovery code.
pub async fn recover(
    app: &AppState,
    network: Network,
    name: &AccountName,
    code: &RecoveryCode,
    new_password: Password,
) -> Result<(), Problem> {
    let now = app.clock.now();
    let place = app.passwords.enter(network)?;
    let conn = app.store.connection().await?;
    let subjects = attempt_subjects(app, AttemptScope::RecoverNetwork, &[], network);
    let code_of_problem = ProblemCode::LoginThrottled;
    let (place, conn) =
        reserve_with_place(app, network, (place, conn), &subjects, code_of_problem, now).await?;
    let prepared = prepare_recovery(conn, name, &place, new_password).await;
    let (account, new_hash) = or_give_back(app, &subjects, now, prepared).await?;
    drop(place);
    let code = code.hash();
    let recovered = app
        .store
        .transaction(async |conn| {
            let recovered = account_records::recover(conn, account, code, &new_hash, now).await?;
            if recovered {
                attempts::release(conn, &subjects, 1, now).await?;
            }
            StoreResult::Ok(recovered)
        })
        .await;
    if !decided_or_give_back(app, &subjects, now, recovered).await? {
        decide_wrong(app, &subjects, now).await;
        return Err(Problem::new(ProblemCode::WrongRecoveryCode));
    }
    tracing::info!(%account, "account recovered");
    Ok(())
}

/// The account to recover, and the hash of its new password. The connection is returned to the pool before the password is hashed.
async fn prepare_recovery(
    mut conn: PooledConnection,
    name: &AccountName,
    place: &HashingPlace,
    new_password: Password,
) -> Result<(AccountId, String), Problem> {
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    // An unknown account takes the same path as a wrong code, with an id that no account has, so that both take the
    // same time.
    let account = found.map_or_else(AccountId::generate, |row| row.account.id);
    Ok((account, place.hash(new_password).await?))
}

/// Finds the caller's account.
pub async fn find_own(
    app: &AppState,
    by: &Granted<ReadOwnAccount>,
) -> Result<AccountResponse, Problem> {
    read(app, by.account()).await
}

/// Finds any account.
pub async fn find(
    app: &AppState,
    _by: &Granted<ReadAccounts>,
    account: AccountId,
) -> Result<AccountResponse, Problem> {
    read(app, account).await
}

async fn read(app: &AppState, account: AccountId) -> Result<AccountResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let row = account_records::find(&mut conn, account).await?.ok_or_else(Problem::not_found)?;
    Ok(row.into())
}

/// Changes the role of another account, bans it, or lifts its ban.
pub async fn change(
    app: &AppState,
    by: &Granted<ManageAccounts>,
    account: AccountId,
    changes: AccountChanges,
) -> Result<AccountResponse, Problem> {
    if account == by.account() {
        return Err(Problem::new(ProblemCode::OwnAccount));
    }
    let now = app.clock.now();
    // A ban recounts the votes on every hidden card for which the account has submitted a code.
    let row = app
        .write_within(deadlines::BATCH, by, async |conn, by| {
            account_records::change(conn, by, account, changes, now).await
        })
        .await?
        .ok_or_else(Problem::not_found)?;
    // The shared designs of a banned account are no longer listed.
    app.designs_changed();
    tracing::info!(%account, by = %by.account(), "account changed");
    if changes.banned.is_some() {
        // A ban decides whether cards name the account as their designer.
        app.wait_until_current().await;
    }
    Ok(row.into())
}
