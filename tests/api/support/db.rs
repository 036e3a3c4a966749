//! One private Postgres for the test run, with a database for each test.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use cardscape::store::db::private_postgres;
use embedded_postgres::{Durability, EmbeddedPostgres};
use tokio::sync::{mpsc, oneshot};
use tokio_postgres::NoTls;

use super::catalogue::import_games;

/// The running Postgres; taken out and stopped when the process ends.
static POSTGRES: Mutex<Option<EmbeddedPostgres>> = Mutex::new(None);
static SERVER: OnceLock<Server> = OnceLock::new();
const TEMPLATE: &str = "cardscape_template";

struct Server {
    /// Returns the URL of a database, by its name.
    url: Box<dyn Fn(&str) -> String + Send + Sync>,
    /// Creates databases, one after the other: Postgres copies a template only once at a time.
    creator: Administrator,
    /// Drops databases, while tests go on.
    dropper: Administrator,
}

/// A session for statements about databases, from the first test to the last: each new one costs Postgres several milliseconds. It has a thread, because the runtime
/// of a test ends with the test.
struct Administrator(mpsc::UnboundedSender<(String, oneshot::Sender<()>)>);

impl Administrator {
    fn begin(url: String) -> Self {
        let (send, mut requests) = mpsc::unbounded_channel::<(String, oneshot::Sender<()>)>();
        std::thread::spawn(move || {
            runtime().block_on(async move {
                let (client, connection) =
                    tokio_postgres::connect(&url, NoTls).await.expect("Postgres answers");
                tokio::spawn(connection);
                while let Some((statement, done)) = requests.recv().await {
                    // An error is printed, and whoever waits for the statement fails.
                    match client.batch_execute(&statement).await {
                        Ok(()) => drop(done.send(())),
                        // Postgres is stopped at the end of the process, and its databases with it.
                        Err(_) if client.is_closed() => break,
                        Err(error) => eprintln!("{statement}: {error:?}"),
                    }
                }
            });
        });
        Self(send)
    }

    /// Begins a statement. What is returned is ready at its end.
    fn begin_statement(&self, statement: String) -> oneshot::Receiver<()> {
        let (send, done) = oneshot::channel();
        let _ = self.0.send((statement, send));
        done
    }
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
        settings.shared_buffers_mib = Some(128);
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
        let url = |name: &str| {
            POSTGRES
                .lock()
                .unwrap()
                .as_ref()
                .expect("Postgres runs until the process ends")
                .url(name)
        };
        let (creator, dropper) =
            (Administrator::begin(url("postgres")), Administrator::begin(url("postgres")));
        Server { url: Box::new(url), creator, dropper }
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
    /// A session for statements of the test itself, from the first to the next copy: each new one costs Postgres several milliseconds.
    session: tokio::sync::Mutex<Option<Session>>,
}

struct Session {
    client: tokio_postgres::Client,
    connection: tokio::task::JoinHandle<()>,
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
                source.end_session().await;
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

    /// A copy of this database, to which nothing else must be connected.
    pub async fn copy(&self) -> Self {
        self.end_session().await;
        Self::copy_of(&self.name).await
    }

    async fn copy_of(source: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        let statement = format!("CREATE DATABASE {name} TEMPLATE {source} STRATEGY FILE_COPY");
        server().creator.begin_statement(statement).await.expect("the database is created");
        Self { name, session: tokio::sync::Mutex::default() }
    }

    /// Runs something in the session of the test, or in another one while that is in use: a statement may wait for what the next one does.
    async fn with_session<T>(&self, run: impl AsyncFnOnce(&tokio_postgres::Client) -> T) -> T {
        let mut kept = self.session.try_lock().ok();
        let known = kept.as_mut().and_then(|kept| kept.take());
        let open = match known.filter(|session| !session.client.is_closed()) {
            Some(open) => open,
            None => self.open_session().await,
        };
        let result = run(&open.client).await;
        // What the statements have set must not reach the next ones.
        if let Some(mut kept) = kept
            && open.client.batch_execute("DISCARD ALL").await.is_ok()
        {
            *kept = Some(open);
        }
        result
    }

    async fn open_session(&self) -> Session {
        let (client, connection) =
            tokio_postgres::connect(&self.url(), NoTls).await.expect("the test database answers");
        Session { client, connection: tokio::spawn(async { drop(connection.await) }) }
    }

    async fn end_session(&self) {
        if let Some(Session { client, connection }) = self.session.lock().await.take() {
            drop(client);
            let _ = connection.await;
        }
    }

    /// Runs statements that have no API.
    pub async fn sql(&self, statements: &str) {
        let run = async |client: &tokio_postgres::Client| {
            let result = client.batch_execute(statements).await;
            result.unwrap_or_else(|error| panic!("{statements}: {error:?}"));
        };
        self.with_session(run).await;
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
        self.open_session().await.client
    }

    /// The text that a query returns, for data without an API, such as whether secrets were stored.
    pub async fn value(&self, query: &str) -> String {
        let query = format!("SELECT ({query})::text");
        let run = async |client: &tokio_postgres::Client| client.query_one(&query, &[]).await;
        let value = self.with_session(run).await.unwrap();
        value.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// Whether the database refuses a statement.
    pub async fn refuses(&self, statement: &str) -> bool {
        let run = async |client: &tokio_postgres::Client| client.batch_execute(statement).await;
        self.with_session(run).await.is_err()
    }
}

impl Drop for TestDb {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        drop(server().dropper.begin_statement(statement));
    }
}
