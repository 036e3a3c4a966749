//! Connections and transactions.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::pooled_connection::deadpool::{Object, Pool};
use diesel_async::pooled_connection::{
    AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod,
};
use diesel_async::{
    AnsiTransactionManager, AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection as _,
    TransactionManager as _,
};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::task::AbortHandle;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{Client, Socket};

use super::express::Express;
use super::{StoreError, StoreResult, credentials};
use crate::auth::permission::{Acting, Confirm, Granted, Permission};

/// Every connection of a pool is in use, and none was given back in time.
pub(super) const NO_FREE_CONNECTION: &str = "no free connection in time";

/// The connection that store functions take.
pub type Connection = AsyncPgConnection;

/// How to reach Postgres, and how patient to be.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// `postgres://…`; never logged.
    pub url: String,
    /// Most connections of one pool (each worker thread has a pool of its own).
    pub pool_size: usize,
    /// Longest wait for a free connection, and for a new one.
    pub acquire_timeout: Duration,
    /// Longest run of one statement.
    pub statement_timeout: Duration,
    /// Connections for searches that may read much of the catalogue; all worker threads share them.
    pub search_connections: usize,
    /// Longest run of one statement of such a search.
    pub search_timeout: Duration,
    /// Whether statements are prepared once and kept. PgBouncer before 1.21 in transaction mode cannot keep them.
    pub prepared_statements: bool,
}

impl StoreSettings {
    /// Settings for `url` with the default patience: 2 s for a connection, 2 s for a statement, so that a request never
    /// waits longer than 3 s in all to hear that Postgres is gone.
    pub fn new(url: String) -> Self {
        Self {
            url,
            pool_size: 8,
            acquire_timeout: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(2),
            search_connections: 2,
            search_timeout: Duration::from_millis(1_500),
            prepared_statements: true,
        }
    }

    /// Whether `url` can be read at all. What is wrong with it is not told: it holds a password.
    pub fn check_url(url: &str) -> Result<(), &'static str> {
        let read = url.parse::<tokio_postgres::Config>();
        read.map(drop).map_err(|_| {
            "the database URL cannot be read; one looks like postgres://user:password@host/database"
        })
    }
}

/// A pool of connections.
#[derive(Clone)]
pub struct Store {
    pool: Pool<AsyncPgConnection>,
    settings: Arc<StoreSettings>,
    express: Arc<Express>,
}

impl Store {
    /// A pool that opens its connections when they are first needed.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let shared = Arc::new(settings.clone());
        let mut config = ManagerConfig::default();
        // The default pings at every checkout, which costs up to half the throughput; closed connections are noticed anyway.
        config.recycling_method = RecyclingMethod::Fast;
        let settings = shared.clone();
        config.custom_setup = Box::new(move |_| connect(shared.clone()));
        let manager = AsyncDieselConnectionManager::new_with_config(settings.url.clone(), config);
        let pool = Pool::builder(manager)
            .max_size(settings.pool_size)
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let express = Arc::new(Express::new(settings.clone()));
        Ok(Self { pool, settings, express })
    }

    /// A connection, within the time limit.
    pub async fn connection(&self) -> StoreResult<Object<AsyncPgConnection>> {
        tokio::time::timeout(self.settings.acquire_timeout, self.pool.get())
            .await
            .map_err(|_| StoreError::Unavailable(NO_FREE_CONNECTION.to_owned()))?
            .map_err(|error| StoreError::Unavailable(error.to_string()))
    }

    /// Runs a read that finds its rows by a key and is over at once, on a connection that it shares with others like it where statements can
    /// be kept prepared. Neither the wait for its turn nor the read may take longer than a connection or a statement may.
    pub async fn read<T>(
        &self,
        work: impl AsyncFnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let conn = if self.settings.prepared_statements {
            self.express.reader().await?
        } else {
            self.connection().await?.into()
        };
        let read = tokio::time::timeout(self.settings.statement_timeout, work(&conn)).await;
        read.unwrap_or_else(|_| {
            conn.is_late();
            Err(StoreError::silent())
        })
    }

    /// Runs `work` in a transaction; runs it again, up to twice, when Postgres ended it for a deadlock or a serialisation
    /// failure. `work` must therefore have no effect outside the database. When the future is dropped half-way, the connection
    /// is closed and Postgres rolls back.
    pub async fn transaction<T, E>(
        &self,
        work: impl AsyncFn(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let store_error = |error: diesel::result::Error| E::from(StoreError::from(error));
        let mut tries = 0;
        loop {
            tries += 1;
            let mut conn = self.connection().await?;
            AnsiTransactionManager::begin_transaction(&mut *conn).await.map_err(store_error)?;
            let result = match work(&mut conn).await {
                Ok(value) => AnsiTransactionManager::commit_transaction(&mut *conn)
                    .await
                    .map(|()| value)
                    .map_err(store_error),
                Err(error) => {
                    // When even this fails the connection is broken, and Postgres has rolled back already.
                    let _ = AnsiTransactionManager::rollback_transaction(&mut *conn).await;
                    Err(error)
                }
            };
            match result {
                Err(error)
                    if tries < 3
                        && error.as_store_error().is_some_and(StoreError::is_transient) => {}
                result => return result,
            }
        }
    }

    /// Runs `work` in a transaction in the name of somebody: it commits only if the credential that `by` was granted for is still alive, its
    /// account is not banned and the role is still enough; otherwise [`StoreError::Revoked`], and nothing is written. One statement more than
    /// [`Self::transaction`].
    pub async fn transaction_by<P: Permission, T, E>(
        &self,
        by: &Granted<P>,
        now: DateTime<Utc>,
        work: impl AsyncFn(&mut Connection, &Acting<P>) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let acting = Acting::in_transaction(by);
        self.transaction(async |conn| {
            if P::CONFIRM == Confirm::First {
                credentials::hold_account(conn, by.account()).await?;
                credentials::confirm(conn, by, now).await?;
                return work(conn, &acting).await;
            }
            let done = work(conn, &acting).await?;
            credentials::confirm(conn, by, now).await?;
            Ok(done)
        })
        .await
    }

    /// Begins a transaction that the caller ends: for tasks that are spawned, which cannot hold a closure over a borrowed connection.
    /// It is not run again; when it is dropped, the connection is closed and Postgres rolls back.
    pub(super) async fn begin(&self) -> StoreResult<Begun> {
        let mut conn = self.connection().await?;
        AnsiTransactionManager::begin_transaction(&mut *conn).await?;
        Ok(Begun(conn))
    }

    /// Connections in use and open, for metrics.
    pub fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size.saturating_sub(status.available), status.size)
    }

    /// Whether Postgres answers.
    pub async fn ping(&self) -> StoreResult<()> {
        Ok(self.connection().await?.batch_execute("SELECT 1").await?)
    }
}

/// A transaction that is open.
pub(super) struct Begun(Object<AsyncPgConnection>);

impl Begun {
    /// Where its statements run.
    pub(super) fn conn(&mut self) -> &mut Connection {
        &mut self.0
    }

    /// Commits what went well and takes back what did not.
    pub(super) async fn end<T>(mut self, result: StoreResult<T>) -> StoreResult<T> {
        match &result {
            Ok(_) => AnsiTransactionManager::commit_transaction(&mut *self.0).await?,
            Err(_) => AnsiTransactionManager::rollback_transaction(&mut *self.0).await?,
        }
        result
    }
}

/// Errors of a transaction that may wrap a [`StoreError`].
pub trait AsStoreError {
    /// The wrapped error, if there is one.
    fn as_store_error(&self) -> Option<&StoreError>;
}

impl AsStoreError for StoreError {
    fn as_store_error(&self) -> Option<&StoreError> {
        Some(self)
    }
}

/// With less than 16 MB, Postgres forgets which rows of a page a word of many cards was found in, and folds all of them again: a
/// dozen times as long in a million cards. A server that gives more is left alone.
const WORK_MEM: &str = "SELECT set_config('work_mem', '16MB', false) \
                        WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB')";

/// A request gets one process of Postgres, and its plan is not compiled. To start processes takes ten times as long as most requests,
/// and they take processors from other requests; to compile takes longer than nearly all.
const ALONE: &str = "SET max_parallel_workers_per_gather = 0; SET jit = off";

fn connect(
    settings: Arc<StoreSettings>,
) -> BoxFuture<'static, ConnectionResult<AsyncPgConnection>> {
    async move {
        let mut conn = open(&settings.url, settings.acquire_timeout).await?;
        prepare(&mut conn, &settings).await?;
        Ok(conn)
    }
    .boxed()
}

/// A connection like those of the pool, which `drive` keeps going, and the handle to end that.
pub(super) async fn connect_driven<F>(
    settings: &StoreSettings,
    drive: impl FnOnce(Wire) -> F,
) -> ConnectionResult<(AsyncPgConnection, AbortHandle)>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (client, wire) = dial(&settings.url, settings.acquire_timeout).await?;
    let driven = tokio::spawn(drive(wire)).abort_handle();
    let mut conn = AsyncPgConnection::try_from(client).await?;
    prepare(&mut conn, settings).await?;
    Ok((conn, driven))
}

async fn prepare(conn: &mut AsyncPgConnection, settings: &StoreSettings) -> ConnectionResult<()> {
    if !settings.prepared_statements {
        conn.set_prepared_statement_cache_size(diesel::connection::CacheSize::Disabled);
    }
    let timeout = settings.statement_timeout.as_millis();
    conn.batch_execute(&format!(
        "SET statement_timeout = {timeout}; SET lock_timeout = {timeout}; {ALONE}; \
         SET idle_in_transaction_session_timeout = 10000; SET timezone = 'UTC'; {WORK_MEM}"
    ))
    .await
    .map_err(ConnectionError::CouldntSetupConfiguration)
}

/// A bare connection. `patience` is for each address of the server; the errors say what the system said.
pub(super) async fn open(url: &str, patience: Duration) -> ConnectionResult<Connection> {
    let (client, wire) = dial(url, patience).await?;
    AsyncPgConnection::try_from_client_and_connection(client, wire).await
}

/// What goes to and fro between a client and the server.
pub(super) type Wire = tokio_postgres::Connection<Socket, NoTlsStream>;

async fn dial(url: &str, patience: Duration) -> ConnectionResult<(Client, Wire)> {
    let mut config: tokio_postgres::Config = url
        .parse()
        .map_err(|_| ConnectionError::InvalidConnectionUrl("not a Postgres URL".to_owned()))?;
    config.connect_timeout(patience).application_name("cardscape");
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENCE);
    }
    let dialled = config.connect(tokio_postgres::NoTls).await;
    dialled.map_err(|error| ConnectionError::BadConnection(with_causes(&error)))
}

/// How long a server may leave what it is sent without any sign, at the level of TCP, before the connection is given up: a machine that
/// is cut off does not close its connections.
const SILENCE: Duration = Duration::from_secs(10);

/// The driver's errors name a kind only ("error connecting to server"); the cause behind them has the reason.
fn with_causes(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(": ")
}
