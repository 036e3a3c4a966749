//! `cardscape admin create|reset-password|remove-second-factor`

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Args, Subcommand, ValueEnum};

use super::database::Database;
use super::{ExitError, Outcome, block_on, say};
use crate::auth::password::PasswordHasher;
use crate::auth::permission::{Operator, Role};
use crate::auth::secret::{RecoveryCode, TokenHash};
use crate::config::DatabaseOptions;
use crate::domain::accounts::password::Password;
use crate::domain::clock::Clock;
use crate::domain::ids::AccountId;
use crate::domain::text::AccountName;
use crate::store::Store;
use crate::store::accounts::account_records::{self, NewAccount};
use crate::store::accounts::second_factors::{self, FactorRemoved};

#[derive(Subcommand)]
pub(super) enum AdminCommand {
    /// Create an account with a random password and recovery codes, shown once, to be changed at the first log-in
    Create(CreateCommand),
    /// Give an account a new random password and new recovery codes, shown once, and end its sessions
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
                let name = AccountName::parse_new(&command.name).context(unusable_name())?;
                let database = Database::open(&command.database)?;
                let secrets = block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    create(&store, &name, command.role.into()).await
                })?;
                show(&name, &secrets);
            }
            Self::ResetPassword(command) => {
                let name = AccountName::parse(&command.name).context(unusable_name())?;
                let database = Database::open(&command.database)?;
                let secrets = block_on(async {
                    database.migrate().await?;
                    let store = Store::new(&database.settings)?;
                    reset(&store, &name).await
                })?;
                show(&name, &secrets);
            }
            Self::RemoveSecondFactor(command) => {
                let name = AccountName::parse(&command.name).context(unusable_name())?;
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

    /// Prints the recovery codes, after other output about the account.
    pub(super) fn show_codes(&self) {
        say(
            "Each of these sets another password once, when this one is lost (POST /v1/accounts/recover). They, too, are shown only now:",
        );
        for code in &self.recovery_codes {
            say(format_args!("recovery code: {}", code.reveal()));
        }
    }
}

fn show(name: &AccountName, secrets: &FirstSecrets) {
    say(format_args!("account:  {}", name.as_str()));
    say(format_args!("password: {}", secrets.password));
    say("It is shown only now and must be changed at the first log-in (PUT /v1/me/password).");
    secrets.show_codes();
}

/// Creates an account. The caller must show the returned secrets once.
pub(super) async fn create(
    store: &Store,
    name: &AccountName,
    role: Role,
) -> anyhow::Result<FirstSecrets> {
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
    let created =
        store.transaction(async |conn| account_records::create(conn, &operator, &new).await).await;
    match created {
        Ok(_) => Ok(secrets),
        Err(error) if account_records::is_name_taken(&error) => {
            let taken = "there is an account with this name already, or with one that looks like it; reset-password gives an account a new password";
            Err(ExitError::no(taken).into())
        }
        Err(error) => Err(error.into()),
    }
}

async fn reset(store: &Store, name: &AccountName) -> anyhow::Result<FirstSecrets> {
    let mut conn = store.connection().await?;
    let found = account_records::find_for_login(&mut conn, name.key()).await?;
    drop(conn);
    let row = found.ok_or_else(|| ExitError::no("there is no account with this name"))?;
    let (secrets, hash, codes) = FirstSecrets::generate().await?;
    let id = row.account.id;
    let (operator, now) = (Operator::at_the_machine(), Clock::system().now());
    store
        .transaction(async |conn| {
            account_records::reset_password(conn, &operator, id, &hash, &codes, now).await
        })
        .await?;
    Ok(secrets)
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
