//! Migrates the database to the schema of this program.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Int4, Text};
use diesel_async::{AsyncMigrationHarness, RunQueryDsl as _, SimpleAsyncConnection as _};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use thiserror::Error;

use super::error::sql_state;
use super::pool;
use super::pooler::Route;
use super::private_postgres::OLDEST_MAJOR;
use super::statement::sql;
use crate::store::{Connection, StoreSettings};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!();

/// Longest wait for a connection at the start, when no client waits.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

/// Longest wait for the answer to one statement of a migration: it may rewrite a large table.
const STATEMENT: Duration = Duration::from_hours(1);

const DUPLICATE_DATABASE: &str = "42P04";

/// Two instances that start together must not migrate at the same time: the second one waits for this advisory lock.
const LOCK: &str = "SELECT pg_advisory_lock(7233172001)";

/// A migration may take longer than the time limits that a role or database has for requests. The last one exists since
/// PostgreSQL 17.
const NO_TIME_LIMITS: &str = "SELECT set_config(name, '0', false) FROM pg_settings WHERE name IN \
    ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')";

/// The encoding of the database: others count the bytes of a character as characters, or do not have all of them.
const ENCODING: &str = "UTF8";

/// Why the database could not be migrated.
#[derive(Debug, Error)]
pub enum MigrationError {
    /// There was no connection.
    #[error("cannot connect to the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// A statement before the migrations failed.
    #[error("cannot prepare the migration: {0}")]
    Prepare(#[from] diesel::result::Error),
    /// There is a pooler in transaction mode: the lock that prevents concurrent migrations would stay with one of the
    /// pooler's connections.
    #[error(
        "the database has to be migrated, which takes a direct connection: this one goes through a pooler in transaction mode. Run \
         `cardscape migrate` with a DATABASE_URL that leads straight to PostgreSQL, then start again"
    )]
    Pooled,
    /// The server is too old for the migrations.
    #[error(
        "the database server is PostgreSQL {version}, and Cardscape needs PostgreSQL {OLDEST_MAJOR} or newer: upgrade the server, or name another \
         one in DATABASE_URL (docs/OPERATIONS.md, A database of your own)"
    )]
    Version {
        /// In the words of Postgres.
        version: String,
    },
    /// The database has another encoding than UTF8.
    #[error(
        "the database {database} has the encoding {encoding}, and Cardscape needs UTF8. Make another database with `createdb NAME --owner=ROLE \
         --encoding=UTF8 --locale=C.UTF-8 --template=template0` and name it in DATABASE_URL. If this one already has data, restore a \
         backup of it into the new one (docs/OPERATIONS.md, Backup and restore)"
    )]
    Encoding {
        /// Its name.
        database: String,
        /// In the words of Postgres.
        encoding: String,
    },
    /// The database takes no writes: even a start without pending migrations writes.
    #[error(
        "the database {database} is read-only, and Cardscape has to write when it starts: it is a standby, or default_transaction_read_only is on. \
         Name a server that accepts writes in DATABASE_URL, or turn the setting off, then start again"
    )]
    ReadOnly {
        /// Its name.
        database: String,
    },
    /// A migration failed; it was rolled back.
    #[error("a migration failed: {0}")]
    Failed(String),
}

/// Creates the database `name` on the server with the maintenance database at `url`, unless it exists. Only for the
/// private Postgres; on a user's server, the database in the URL must exist.
pub async fn ensure_database(url: &str, name: &str) -> Result<(), MigrationError> {
    let mut session = pool::open(&StoreSettings::new(url.to_owned()), STATEMENT).await?;
    // A refused statement would be an error in the log of Postgres at each command.
    let known = sql("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $name) AS is_known")
        .bind("name", name);
    if known.get_result::<Known>(&mut session).await?.is_known {
        return Ok(());
    }
    let Err(error) = session.batch_execute(&format!("CREATE DATABASE {name}")).await else {
        return Ok(());
    };
    // Postgres has no IF NOT EXISTS here, and another process can create the database after the check.
    match &error {
        diesel::result::Error::DatabaseError(_, info)
            if sql_state(&**info) == DUPLICATE_DATABASE =>
        {
            Ok(())
        }
        _ => Err(error.into()),
    }
}

#[derive(QueryableByName)]
struct Known {
    #[diesel(sql_type = Bool)]
    is_known: bool,
}

/// Whether any migration was ever applied to the database.
pub async fn has_begun(settings: &StoreSettings) -> Result<bool, MigrationError> {
    let mut session = pool::open(settings, STATEMENT).await?;
    let table = sql("SELECT to_regclass('__diesel_schema_migrations') IS NOT NULL AS begun");
    Ok(table.get_result::<Begun>(&mut session).await?.begun)
}

#[derive(QueryableByName)]
struct Begun {
    #[diesel(sql_type = Bool)]
    begun: bool,
}

/// Refuses a server that is too old, a database with another encoding than UTF8, in which some names could not be stored, and a database that takes no
/// writes.
async fn require_usable(conn: &mut Connection) -> Result<(), MigrationError> {
    let query = sql(
        "SELECT current_setting('server_version_num')::int AS version_number, current_setting('server_version') AS version, \
             current_database()::text AS database, current_setting('server_encoding') AS encoding, \
             current_setting('transaction_read_only')::boolean AS is_read_only",
    );
    let found: FoundDatabase = query.get_result(conn).await?;
    found.check()
}

#[derive(QueryableByName)]
struct FoundDatabase {
    /// 150018 is 15.18.
    #[diesel(sql_type = Int4)]
    version_number: i32,
    #[diesel(sql_type = Text)]
    version: String,
    #[diesel(sql_type = Text)]
    database: String,
    #[diesel(sql_type = Text)]
    encoding: String,
    #[diesel(sql_type = Bool)]
    is_read_only: bool,
}

impl FoundDatabase {
    fn check(self) -> Result<(), MigrationError> {
        let Self { version_number, version, database, encoding, is_read_only } = self;
        if i64::from(version_number) < i64::from(OLDEST_MAJOR) * 10_000 {
            return Err(MigrationError::Version { version });
        }
        if encoding != ENCODING {
            return Err(MigrationError::Encoding { database, encoding });
        }
        if is_read_only {
            return Err(MigrationError::ReadOnly { database });
        }
        Ok(())
    }
}

/// Applies all pending migrations and returns their names. Fails through a pooler in transaction mode if there are any, if the server is too old, and
/// if the database has another encoding than UTF8 or takes no writes.
pub async fn migrate(url: &str, route: Route) -> Result<Vec<String>, MigrationError> {
    let time_limit =
        StoreSettings { acquire_timeout: ACQUIRE_TIMEOUT, ..StoreSettings::new(url.to_owned()) };
    let mut session = pool::open(&time_limit, STATEMENT).await?;
    require_usable(&mut session).await?;
    if route == Route::Session {
        session.batch_execute(NO_TIME_LIMITS).await?;
        session.batch_execute(LOCK).await?;
    }
    tokio::task::spawn_blocking(move || {
        let (conn, line) = session.into_parts();
        let mut harness = AsyncMigrationHarness::new(conn);
        let failed = |error: Box<dyn std::error::Error + Send + Sync>| {
            MigrationError::Failed(error.to_string())
        };
        if route == Route::Transaction {
            let pending = harness.has_pending_migration(MIGRATIONS).map_err(failed)?;
            return if pending { Err(MigrationError::Pooled) } else { Ok(Vec::new()) };
        }
        let applied = harness.run_pending_migrations(MIGRATIONS).map_err(failed)?;
        let applied = applied.iter().map(ToString::to_string).collect();
        drop((harness, line));
        Ok(applied)
    })
    .await
    .map_err(|error| MigrationError::Failed(error.to_string()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(version_number: i32, encoding: &str) -> Result<(), MigrationError> {
        let version = format!("{}.{} (Debian)", version_number / 10_000, version_number % 10_000);
        let (database, encoding) = ("cards".to_owned(), encoding.to_owned());
        let is_read_only = false;
        FoundDatabase { version_number, version, database, encoding, is_read_only }.check()
    }

    #[test]
    fn servers_before_version_15_and_other_encodings_are_refused() {
        for number in [150_000, 150_018, 180_001] {
            check(number, "UTF8").unwrap();
        }
        for encoding in ["UTF8", "LATIN1"] {
            let message = check(140_012, encoding).unwrap_err().to_string();
            let expected =
                "is PostgreSQL 14.12 (Debian), and Cardscape needs PostgreSQL 15 or newer";
            assert!(message.contains(expected), "{message}");
        }
        let message = check(150_000, "LATIN1").unwrap_err().to_string();
        assert!(message.contains("the database cards has the encoding LATIN1"), "{message}");
    }
}
