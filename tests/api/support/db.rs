//! One private Postgres for the test run, with a database for each test.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use cardscape::store::db::private_postgres;
use embedded_postgres::{Durability, EmbeddedPostgres};
use tokio_postgres::NoTls;

use super::catalogue::import_games;

/// The running Postgres; taken out and stopped when the process ends.
static POSTGRES: Mutex<Option<EmbeddedPostgres>> = Mutex::new(None);
static SERVER: OnceLock<Server> = OnceLock::new();
const TEMPLATE: &str = "cardscape_template";

struct Server {
    /// Returns the URL of a database, by its name.
    url: Box<dyn Fn(&str) -> String + Send + Sync>,
}

fn directory() -> PathBuf {
    std::env::temp_dir().join(format!("cardscape-tests-{}", std::process::id()))
}

/// The log of the Postgres of this test run.
pub fn postgres_log() -> PathBuf {
    directory().join("postgres.log")
}

/// Starts Postgres and migrates the template, once.
fn server() -> &'static Server {
    SERVER.get_or_init(|| {
        let mut settings = private_postgres::settings(directory());
        settings.durability = Durability::Off;
        settings.max_connections = 400;
        let postgres =
            EmbeddedPostgres::start(settings).expect("PostgreSQL is installed (make postgres)");
        let url = postgres.url("postgres");
        let template_url = postgres.url(TEMPLATE);
        *POSTGRES.lock().unwrap() = Some(postgres);
        stop_at_exit();
        // On a separate thread, because the caller may be inside a runtime.
        std::thread::spawn(move || {
            runtime().block_on(async {
                sql(&url, &format!("CREATE DATABASE {TEMPLATE}")).await;
                cardscape::store::db::migrations::migrate(
                    &template_url,
                    cardscape::store::db::pooler::Route::Session,
                )
                .await
                .expect("the migrations apply");
            });
        })
        .join()
        .unwrap();
        Server {
            url: Box::new(|name| {
                POSTGRES
                    .lock()
                    .unwrap()
                    .as_ref()
                    .expect("Postgres runs until the process ends")
                    .url(name)
            }),
        }
    })
}

/// The test runner has no hook for its end, but the process has one.
fn stop_at_exit() {
    extern "C" fn stop() {
        if let Some(postgres) = POSTGRES.lock().ok().and_then(|mut slot| slot.take()) {
            let _ = postgres.stop();
        }
        let _ = std::fs::remove_dir_all(directory());
    }
    // SAFETY: `stop` is a function that takes nothing, unwinds nowhere and lives as long as the program.
    #[allow(unsafe_code)]
    unsafe {
        libc::atexit(stop);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Runs statements on the database at `url`, outside any transaction.
pub async fn sql(url: &str, statements: &str) {
    let (client, connection) =
        tokio_postgres::connect(url, NoTls).await.expect("the test database answers");
    let connection = tokio::spawn(connection);
    client
        .batch_execute(statements)
        .await
        .unwrap_or_else(|error| panic!("{statements}: {error:?}"));
    drop(client);
    let _ = connection.await;
}

/// The database of one test, with the schema and no rows. Dropped with this value.
pub struct TestDb {
    name: String,
}

impl TestDb {
    /// A copy of the migrated template.
    pub async fn create() -> Self {
        Self::copy_of(TEMPLATE).await
    }

    /// A database with games of `seed-data`: a copy of one that is filled once for each list of games, because an import takes longer than most tests.
    pub async fn with_games(games: &[&str]) -> Self {
        static FILLED: tokio::sync::Mutex<BTreeMap<Vec<String>, TestDb>> =
            tokio::sync::Mutex::const_new(BTreeMap::new());
        let names: Vec<String> = games.iter().map(|game| (*game).to_owned()).collect();
        let mut filled = FILLED.lock().await;
        let source = match filled.entry(names) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let source = Self::create().await;
                import_games(&source, games).await;
                // Postgres copies no database that has connections.
                let url = (server().url)("postgres");
                let end = format!(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
                    source.name
                );
                sql(&url, &end).await;
                new.insert(source)
            }
        };
        source.copy().await
    }

    /// A copy of another test database, which must have no connections.
    pub async fn copy(&self) -> Self {
        Self::copy_of(&self.name).await
    }

    async fn copy_of(source: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        /// Postgres copies a template only once at a time.
        static ONE_AT_A_TIME: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let url = (server().url)("postgres");
        let _guard = ONE_AT_A_TIME.lock().await;
        sql(&url, &format!("CREATE DATABASE {name} TEMPLATE {source} STRATEGY FILE_COPY")).await;
        Self { name }
    }

    /// The address of the database.
    pub fn url(&self) -> String {
        (server().url)(&self.name)
    }

    /// The number that a query returns.
    pub async fn number(&self, query: &str) -> i64 {
        self.value(query).await.parse().expect("a number")
    }

    /// A session that stays open, for locks that a test holds.
    pub async fn session(&self) -> tokio_postgres::Client {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    }

    /// The text that a query returns, for data without an API, such as whether secrets were stored.
    pub async fn value(&self, query: &str) -> String {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let value = client.query_one(&format!("SELECT ({query})::text"), &[]).await.unwrap();
        drop(client);
        let _ = connection.await;
        value.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// Whether the database refuses a statement.
    pub async fn refuses(&self, statement: &str) -> bool {
        let (client, connection) = tokio_postgres::connect(&self.url(), NoTls).await.unwrap();
        let connection = tokio::spawn(connection);
        let refused = client.batch_execute(statement).await.is_err();
        drop(client);
        let _ = connection.await;
        refused
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let url = (server().url)("postgres");
        let drop_it = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        let _ = std::thread::spawn(move || runtime().block_on(sql(&url, &drop_it))).join();
    }
}
