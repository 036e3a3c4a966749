//! Migrates the database to the schema of this program.

use std::time::Duration;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Text};
use diesel_async::{AsyncMigrationHarness, RunQueryDsl as _, SimpleAsyncConnection as _};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness as _, embed_migrations};
use thiserror::Error;

use super::error::sql_state;
use super::pool;
use super::pooler::Route;
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

/// Refuses a database with another encoding than UTF8, in which some names could not be stored.
async fn require_encoding(conn: &mut Connection) -> Result<(), MigrationError> {
    let query = sql(
        "SELECT current_database()::text AS database, current_setting('server_encoding') AS encoding",
    );
    let DatabaseEncoding { database, encoding } = query.get_result(conn).await?;
    if encoding == ENCODING { Ok(()) } else { Err(MigrationError::Encoding { database, encoding }) }
}

#[derive(QueryableByName)]
struct DatabaseEncoding {
    #[diesel(sql_type = Text)]
    database: String,
    #[diesel(sql_type = Text)]
    encoding: String,
}

/// Applies all pending migrations and returns their names. Fails through a pooler in transaction mode if there are any, and if the database has
/// another encoding than UTF8.
pub async fn migrate(url: &str, route: Route) -> Result<Vec<String>, MigrationError> {
    let time_limit =
        StoreSettings { acquire_timeout: ACQUIRE_TIMEOUT, ..StoreSettings::new(url.to_owned()) };
    let mut session = pool::open(&time_limit, STATEMENT).await?;
    require_encoding(&mut session).await?;
    if route == Route::Session {
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
