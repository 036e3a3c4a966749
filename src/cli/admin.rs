//! `cardscape admin create|reset-password|remove-second-factor`

use std::cell::Cell;
use std::io;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};

use super::database::Database;
use super::standard_output::print;
use super::{ExitError, Outcome, block_on, say};
use crate::auth::password::PasswordHasher;
use crate::auth::permission::{Operator, Role};
use crate::auth::secret::{RecoveryCode, TokenHash};
use crate::config::DatabaseOptions;
use crate::domain::accounts::password::Password;
use crate::domain::clock::Clock;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::accounts::account_records::{self, NewAccount};
use crate::store::accounts::second_factors::{self, FactorRemoved};
use crate::store::{AsStoreError, Connection, Store, StoreError, StoreResult};

#[derive(Subcommand)]
pub(super) enum AdminCommand {
    /// Create an account with a random password and recovery codes, shown once, to be changed at the first log-in
    Create(CreateCommand),
    /// Give an account a new random password and new recovery codes, shown once, and end its sessions and tokens
    ResetPassword(ResetCommand),
    /// Remove an account's second factor, whose device and recovery codes are lost, and end its sessions and tokens
    RemoveSecondFactor(RemoveCommand),
}

#[derive(Args)]
pub(super) struct CreateCommand {
    /// Name of the account
    name: String,
    /// What it is trusted with
    #[arg(long, default_value = "admin")]
    role: RoleOption,
    #[command(flatten)]
    database: DatabaseOptions,
}

#[derive(Args)]
pub(super) struct ResetCommand {
    /// Name of the account
    name: String,
    #[command(flatten)]
    database: DatabaseOptions,
}

#[derive(Args)]
pub(super) struct RemoveCommand {
    /// Name of the account
    name: String,
    #[command(flatten)]
    database: DatabaseOptions,
}

#[derive(Clone, Copy, ValueEnum)]
enum RoleOption {
    Player,
    Moderator,
    Admin,
}

impl From<RoleOption> for Role {
    fn from(option: RoleOption) -> Self {
        match option {
            RoleOption::Player => Self::Player,
            RoleOption::Moderator => Self::Moderator,
            RoleOption::Admin => Self::Admin,
        }
    }
}

impl AdminCommand {
    pub(super) fn run(self) -> Outcome {
        match self {
            Self::Create(command) => {
                let name = AccountName::parse_new(&command.name).context(unusable_name())?;
                let database = Database::open(&command.database)?;
                block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    create(&store, &name, command.role.into(), |secrets| show(&name, secrets)).await
                })?
                .ok_or_else(name_taken)?;
            }
            Self::ResetPassword(command) => {
                let name = AccountName::parse(&command.name).context(unusable_name())?;
                let database = Database::open(&command.database)?;
                block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    reset(&store, &name).await
                })?;
            }
            Self::RemoveSecondFactor(command) => {
                let name = AccountName::parse(&command.name).context(unusable_name())?;
                let database = Database::open(&command.database)?;
                block_on(async {
                    database.migrate().await?;
                    remove_second_factor(&Store::new(&database.settings)?, &name).await
                })?;
                let name = name.as_str();
                say(format_args!(
                    "The second factor of {name} is off, and its sessions are over. The password alone is enough now."
                ))
                .with_context(|| format!("the second factor of {name} is off"))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn unusable_name() -> ExitError {
    ExitError::usage("the name cannot be used")
}

/// Secrets of a new or reset account, which are shown once.
pub(super) struct FirstSecrets {
    pub(super) password: String,
    pub(super) recovery_codes: Vec<RecoveryCode>,
}

impl FirstSecrets {
    /// Generates the secrets, and the hashes that are stored.
    async fn generate() -> anyhow::Result<(Self, String, Vec<TokenHash>)> {
        let password = random_password();
        let hash = PasswordHasher::new()?.hash(Password::presented(password.clone())).await?;
        let (recovery_codes, code_hashes) = RecoveryCode::generate_all();
        Ok((Self { password, recovery_codes }, hash, code_hashes))
    }

    /// The recovery codes in words, after other lines about the account.
    pub(super) fn codes_in_words(&self) -> String {
        let explanation = "Each of these sets another password once, when this one is lost (POST /v1/accounts/recover). They, too, are shown only now:";
        let codes = self.recovery_codes.iter().map(RecoveryCode::reveal);
        codes.fold(explanation.to_owned(), |text, code| format!("{text}\nrecovery code: {code}"))
    }
}

fn show(name: &AccountName, secrets: &FirstSecrets) -> io::Result<()> {
    print(format_args!(
        "account:  {}\npassword: {}\nIt is shown only now and must be changed at the first log-in (PUT /v1/me/password).\n{}",
        name.as_str(),
        secrets.password,
        secrets.codes_in_words()
    ))
}

/// Why an account did not get its secrets.
#[derive(Debug, thiserror::Error)]
enum SecretsError {
    #[error(
        "nothing was changed, because the password cannot be shown: cannot write standard output"
    )]
    NotShown(#[source] io::Error),
    /// Perhaps after the secrets were shown.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AsStoreError for SecretsError {
    fn as_store_error(&self) -> Option<&StoreError> {
        match self {
            Self::NotShown(_) => None,
            Self::Store(error) => Some(error),
        }
    }
}

/// Stores secrets in a transaction that is committed only if they could be shown: otherwise nobody would know them.
async fn store_and_show(
    store: &Store,
    name: &AccountName,
    write: impl AsyncFn(&mut Connection) -> StoreResult<()>,
    show: impl Fn() -> io::Result<()>,
) -> anyhow::Result<()> {
    let is_shown = Cell::new(false);
    let stored: Result<(), SecretsError> = store
        .transaction(async |conn| {
            write(conn).await?;
            // The transaction may be repeated, with the same secrets.
            if !is_shown.get() {
                show().map_err(SecretsError::NotShown)?;
                is_shown.set(true);
            }
            Ok(())
        })
        .await;
    if is_shown.get() {
        let name = name.as_str();
        return stored.with_context(|| format!("it is not certain that {name} has the new password; if there is this account, `cardscape admin reset-password \"{name}\"` shows another one"));
    }
    stored?;
    Ok(())
}

/// The answer if another account has the name.
pub(super) fn name_taken() -> ExitError {
    ExitError::no(
        "there is an account with this name already, or with one that looks like it; reset-password gives an account a new password",
    )
}

/// Creates an account, if `show` succeeds with the secrets. `None`: another account has the name, or one that looks like it.
pub(super) async fn create(
    store: &Store,
    name: &AccountName,
    role: Role,
    show: impl Fn(&FirstSecrets) -> io::Result<()>,
) -> anyhow::Result<Option<FirstSecrets>> {
    let (secrets, hash, codes) = FirstSecrets::generate().await?;
    let new = NewAccount {
        id: AccountId::generate(),
        name,
        password_hash: &hash,
        role,
        must_change_password: true,
        recovery_codes: &codes,
        at: Clock::system().now(),
    };
    let operator = Operator::at_the_machine();
    let created = store_and_show(
        store,
        name,
        async |conn| account_records::create(conn, &operator, &new).await.map(drop),
        || show(&secrets),
    );
    match created.await {
        Ok(()) => Ok(Some(secrets)),
        Err(error) if is_name_taken(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

fn is_name_taken(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<SecretsError>().and_then(SecretsError::as_store_error);
    error.is_some_and(account_records::is_name_taken)
}

async fn reset(store: &Store, name: &AccountName) -> anyhow::Result<()> {
    let mut conn = store.connection().await?;
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let row = found.ok_or_else(|| ExitError::no("there is no account with this name"))?;
    let (secrets, hash, codes) = FirstSecrets::generate().await?;
    let id = row.account.id;
    let (operator, now) = (Operator::at_the_machine(), Clock::system().now());
    store_and_show(
        store,
        name,
        async |conn| account_records::reset_password(conn, &operator, id, &hash, &codes, now).await,
        || show(name, &secrets),
    )
    .await
}

async fn remove_second_factor(store: &Store, name: &AccountName) -> anyhow::Result<()> {
    let mut conn = store.connection().await?;
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let row = found.ok_or_else(|| ExitError::no("there is no account with this name"))?;
    let (operator, now) = (Operator::at_the_machine(), Clock::system().now());
    let account = row.account.id;
    let removed = store
        .transaction(async |conn| {
            second_factors::remove_by_operator(conn, &operator, account, now).await
        })
        .await?;
    match removed {
        FactorRemoved::Yes => Ok(()),
        FactorRemoved::WasOff => Err(ExitError::no("the account has no second factor").into()),
        FactorRemoved::NoAccount => Err(ExitError::no("there is no account with this name").into()),
    }
}

/// A password of 80 random bits that is easy to type.
fn random_password() -> String {
    RecoveryCode::generate().reveal().to_lowercase()
}
