//! `cardscape admin create|reset-password|remove-second-factor`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};

use super::database::Database;
use super::{Exit, Outcome, block_on, say};
use crate::auth::password::PasswordHasher;
use crate::auth::permission::{Operator, Role};
use crate::auth::secret::RecoveryCode;
use crate::config::DatabaseOptions;
use crate::domain::clock::Clock;
use crate::domain::ids::AccountId;
use crate::domain::password::Password;
use crate::domain::text::AccountName;
use crate::store::Store;
use crate::store::accounts::{self, NewAccount};
use crate::store::second_factors::{self, FactorRemoved};

#[derive(Subcommand)]
pub(super) enum AdminCommand {
    /// Create an account with a random password, shown once, to be changed at the first log-in
    Create(CreateCommand),
    /// Give an account a new random password, shown once, and end its sessions
    ResetPassword(ResetCommand),
    /// Take off an account's second factor, whose device and recovery codes are lost, and end its sessions
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
                let name = account_name(&command.name)?;
                let database = Database::open(&command.database)?;
                let password = block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    create(&store, &name, command.role.into()).await
                })?;
                show(&name, &password);
            }
            Self::ResetPassword(command) => {
                let name = account_name(&command.name)?;
                let database = Database::open(&command.database)?;
                let password = block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    reset(&store, &name).await
                })?;
                show(&name, &password);
            }
            Self::RemoveSecondFactor(command) => {
                let name = account_name(&command.name)?;
                let database = Database::open(&command.database)?;
                block_on(async {
                    database.migrate().await?;
                    remove_second_factor(&Store::new(&database.settings)?, &name).await
                })?;
                say(format_args!(
                    "The second factor of {} is off, and its sessions are over. The password alone is enough now.",
                    name.as_str()
                ));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn account_name(name: &str) -> anyhow::Result<AccountName> {
    AccountName::parse(name).context(Exit::usage("the name cannot be used"))
}

fn show(name: &AccountName, password: &str) {
    say(format_args!("account:  {}", name.as_str()));
    say(format_args!("password: {password}"));
    say("It is shown only now and must be changed at the first log-in (PUT /v1/me/password).");
}

/// Creates an account and returns its random password.
pub(super) async fn create(
    store: &Store,
    name: &AccountName,
    role: Role,
) -> anyhow::Result<String> {
    let password = random_password();
    let hash = PasswordHasher::new()?.hash(Password::presented(password.clone())).await?;
    let new = NewAccount {
        id: AccountId::fresh(),
        name,
        password_hash: &hash,
        role,
        must_change_password: true,
        recovery_codes: &[],
        at: Clock::system().now(),
    };
    let operator = Operator::at_the_machine();
    let created =
        store.transaction(async |conn| accounts::create(conn, &operator, &new).await).await;
    match created {
        Ok(_) => Ok(password),
        Err(error) if error.conflicts_with("accounts_name_key_key") => {
            let taken = "there is an account with this name already; reset-password gives it a new password";
            Err(Exit::no(taken).into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn reset(store: &Store, name: &AccountName) -> anyhow::Result<String> {
    let mut conn = store.connection().await?;
    let found = accounts::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let row = found.ok_or_else(|| Exit::no("there is no account with this name"))?;
    let password = random_password();
    let hash = PasswordHasher::new()?.hash(Password::presented(password.clone())).await?;
    let id = AccountId(row.account.id);
    let (operator, now) = (Operator::at_the_machine(), Clock::system().now());
    store
        .transaction(async |conn| accounts::reset_password(conn, &operator, id, &hash, now).await)
        .await?;
    Ok(password)
}

async fn remove_second_factor(store: &Store, name: &AccountName) -> anyhow::Result<()> {
    let mut conn = store.connection().await?;
    let found = accounts::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let row = found.ok_or_else(|| Exit::no("there is no account with this name"))?;
    let (operator, now) = (Operator::at_the_machine(), Clock::system().now());
    let account = AccountId(row.account.id);
    let removed = store
        .transaction(async |conn| {
            second_factors::remove_by_operator(conn, &operator, account, now).await
        })
        .await?;
    match removed {
        FactorRemoved::Yes => Ok(()),
        FactorRemoved::WasOff => Err(Exit::no("the account has no second factor").into()),
        FactorRemoved::NoAccount => Err(Exit::no("there is no account with this name").into()),
    }
}

/// A password of 80 random bits that is easy to type.
fn random_password() -> String {
    RecoveryCode::generate().reveal().to_lowercase()
}
