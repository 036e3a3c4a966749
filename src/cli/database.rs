//! Connects to the database that the options name: the user's server, or the private Postgres.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use embedded_postgres::{Durability, EmbeddedPostgres, Handle, Settings};

use super::ExitError;
use super::key_file::KeyFile;
use crate::config::{self, DatabaseOptions};
use crate::store::StoreSettings;
use crate::store::db::pooler::{self, Route, RouteError};
use crate::store::db::{migrations, private_postgres};

/// Connections beyond those of the service: for the command line, a person with psql, and abandoned connections that
/// the server has not closed yet.
const SPARE_CONNECTIONS: usize = 30;

/// Name of the database inside the private Postgres.
const DATABASE: &str = "cardscape";

/// A reachable database. A private Postgres that this process started runs until this value is dropped.
pub(super) struct Database {
    /// How to connect.
    pub settings: StoreSettings,
    keys_file: Option<PathBuf>,
    data_dir: Option<PathBuf>,
    private: Option<Handle>,
    /// Whether the command may make a new database.
    may_be_new: bool,
    /// How long to wait until the server can be reached.
    connect_wait: Duration,
}

/// Pause between two attempts to reach a server.
const RETRY_DELAY: Duration = Duration::from_millis(250);

impl Database {
    /// Starts the private Postgres, or uses the server in `DATABASE_URL`. For `serve`: fails if another process runs
    /// the private Postgres. `pools` is the number of connections that all pools together may open.
    pub(super) fn start(options: &DatabaseOptions, pools: usize) -> anyhow::Result<Self> {
        Self::reach(options, |mut settings| {
            settings.max_connections =
                u16::try_from(pools + SPARE_CONNECTIONS).unwrap_or(u16::MAX).max(100);
            EmbeddedPostgres::start(settings).map(Handle::Owned)
        })
    }

    /// Like [`Self::start`], but uses the private Postgres of a running service. For commands that may create a
    /// database.
    pub(super) fn open_or_create(options: &DatabaseOptions) -> anyhow::Result<Self> {
        Self::reach(options, embedded_postgres::start_or_attach)
    }

    /// Like [`Self::open_or_create`], for commands that need an existing database: a mistyped directory must not create
    /// a new one.
    pub(super) fn open(options: &DatabaseOptions) -> anyhow::Result<Self> {
        require_private(options)?;
        Ok(Self { may_be_new: false, ..Self::open_or_create(options)? })
    }

    /// Like [`Self::start`], for a command that needs an existing database.
    pub(super) fn start_existing(options: &DatabaseOptions) -> anyhow::Result<Self> {
        require_private(options)?;
        Ok(Self { may_be_new: false, ..Self::start(options, 0)? })
    }

    fn reach(
        options: &DatabaseOptions,
        private: impl FnOnce(Settings) -> Result<Handle, embedded_postgres::Error>,
    ) -> anyhow::Result<Self> {
        let (url, data_dir, handle) = match &options.database_url {
            Some(url) => {
                StoreSettings::check_url(url).map_err(ExitError::usage)?;
                (url.clone(), None, None)
            }
            None => {
                let data_dir = options.data_dir();
                let handle = private(private_settings(options)).map_err(with_options)?;
                (handle.url(DATABASE), Some(data_dir), Some(handle))
            }
        };
        let settings = StoreSettings::new(url);
        Ok(Self {
            settings,
            keys_file: options.keys_file.clone(),
            data_dir,
            private: handle,
            may_be_new: true,
            connect_wait: Duration::ZERO,
        })
    }

    /// Waits up to `connect_wait` for a user's server that cannot be reached yet, so that it may be started after this
    /// program.
    pub(super) fn with_connect_wait(self, connect_wait: Duration) -> Self {
        Self { connect_wait, ..self }
    }

    /// The key file from the options, or the one in the data directory.
    pub(super) fn key_file(&self) -> anyhow::Result<KeyFile> {
        KeyFile::read(self.keys_file.as_deref(), self.data_dir.as_deref())
    }

    /// Whether this is the private Postgres.
    pub(super) fn is_private(&self) -> bool {
        self.private.is_some()
    }

    /// Waits up to `connect_wait` until the server can be reached.
    pub(super) async fn reach_server(&self) -> anyhow::Result<()> {
        self.route().await.map(drop)
    }

    /// Applies pending migrations. Refuses a database that was never migrated, unless the command may create one.
    pub(super) async fn migrate(&self) -> anyhow::Result<Vec<String>> {
        if let Some(private) = &self.private {
            migrations::ensure_database(&private.url("postgres"), DATABASE).await?;
        }
        if !self.may_be_new {
            self.require_tables().await?;
        }
        let route = self.route().await?;
        migrations::migrate(&self.settings.url, route).await.context("cannot migrate the database")
    }

    /// Refuses a database that was never migrated.
    pub(super) async fn require_tables(&self) -> anyhow::Result<()> {
        if migrations::has_begun(&self.settings).await? {
            return Ok(());
        }
        Err(ExitError::usage(
            "the database has no tables of Cardscape. `cardscape serve`, `migrate` and `seed` make them; \
             --database-url (DATABASE_URL) names another database",
        )
        .into())
    }

    /// Finds out how the database is reached; an error if the service cannot work that way.
    async fn route(&self) -> anyhow::Result<Route> {
        if self.private.is_some() {
            return Ok(Route::Session);
        }
        let (began, mut last_reason) = (Instant::now(), String::new());
        loop {
            match pooler::find(&self.settings).await {
                Err(RouteError::Connect(error)) if began.elapsed() < self.connect_wait => {
                    let reason = error.to_string();
                    if reason != last_reason {
                        tracing::warn!(%error, "cannot connect to the database, trying again");
                    }
                    last_reason = reason;
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                found => return Ok(found?),
            }
        }
    }

    /// Refuses a pooler in transaction mode, which breaks session locks: `what` needs them.
    pub(super) async fn require_session(&self, what: &str) -> anyhow::Result<()> {
        match self.route().await? {
            Route::Session => Ok(()),
            Route::Transaction => Err(ExitError::usage(format!(
                "{what} needs a direct connection, and this one goes through a pooler in transaction mode: use a DATABASE_URL that leads \
                 straight to PostgreSQL"
            ))
            .into()),
        }
    }
}

/// Fails if the data directory has no private Postgres and no server of the user's is named.
fn require_private(options: &DatabaseOptions) -> anyhow::Result<()> {
    if options.database_url.is_some() {
        return Ok(());
    }
    if has_private_database(options)? {
        return Ok(());
    }
    Err(ExitError::usage(format!(
        "there is no database in {}. `cardscape serve`, `migrate` and `seed` make one; --data-dir (CARDSCAPE_DATA_DIR) names another \
         directory, --database-url (DATABASE_URL) a server of your own",
        options.data_dir().display()
    ))
    .into())
}

/// Whether the data directory in the options has a private Postgres.
pub(super) fn has_private_database(options: &DatabaseOptions) -> anyhow::Result<bool> {
    embedded_postgres::exists(&private_settings(options)).map_err(with_options)
}

fn private_settings(options: &DatabaseOptions) -> Settings {
    let mut settings = private_postgres::settings(options.data_dir());
    settings.durability = Durability::Full;
    // The crash recovery of a busy server may take many minutes, and would begin anew if it was broken off.
    settings.start_timeout = Duration::from_hours(1);
    settings.bin_dir.clone_from(&options.pg_bin);
    settings.search_path = config::search_path();
    settings.runtime_dir = config::runtime_dir();
    settings
}

/// Adds advice about options to an error of the library, which does not know them.
fn with_options(error: embedded_postgres::Error) -> anyhow::Error {
    use embedded_postgres::Error;
    let advice = match &error {
        Error::AlreadyRunning { .. }
        | Error::DataDir { .. }
        | Error::Unreachable { .. }
        | Error::ClusterTooOld { .. }
        | Error::NotACluster { .. } => {
            "--data-dir (CARDSCAPE_DATA_DIR) names another data directory"
        }
        Error::NoBinaries { .. } => {
            "scripts/install-postgres.sh installs them, --pg-bin (CARDSCAPE_PG_BIN) names their directory, --database-url (DATABASE_URL) \
             a server of your own"
        }
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}; {advice}")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Options {
        #[command(flatten)]
        database: DatabaseOptions,
    }

    #[test]
    fn the_private_postgres_has_time_for_crash_recovery() {
        let options = Options::parse_from(["cardscape"]).database;
        assert!(private_settings(&options).start_timeout >= Duration::from_hours(1));
    }
}
