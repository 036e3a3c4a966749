//! Connections and transactions.

use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Pool, QueueMode};
use diesel_async::{AsyncPgConnection, RunQueryDsl as _, SimpleAsyncConnection as _};
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};

use super::health::Health;
use super::session::{PooledConnection, Session, Sessions};
use super::shared_connection::SharedConnection;
use super::statement::sql;
use super::wait_budget::WaitBudget;
use super::wire;
use crate::store::{StoreError, StoreResult};

/// All connections of a pool are in use, and none was returned in time.
pub(super) const NO_FREE_CONNECTION: &str = "no free connection in time";

/// What a request that has paused still has to wait for the database.
const AFTER_PAUSES: Duration = Duration::from_millis(800);

/// The connection type of store functions.
pub type Connection = AsyncPgConnection;

/// How to reach Postgres, and how long to wait for it. The stores of a process are created from clones of one value, so
/// that they share observations about the server.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// `postgres://…`; never logged.
    pub url: String,
    /// Most connections of one pool; each worker thread has its own pool.
    pub pool_size: usize,
    /// Longest wait for a free connection, and for a new one.
    pub acquire_timeout: Duration,
    /// Time limit of one statement, enforced by the server.
    pub statement_timeout: Duration,
    /// Longest wait for the response to one statement; after it, the connection is closed. Slightly longer than
    /// `statement_timeout`, so that the server's error arrives first.
    pub answer_timeout: Duration,
    /// Longest total time that one request waits for the database.
    pub request_budget: Duration,
    /// Connections for searches that may read much of the catalogue; all worker threads share them.
    pub search_connections: usize,
    /// Time limit of one statement of such a search.
    pub search_timeout: Duration,
    /// Observations about the server, shared by pools.
    pub health: Arc<Health>,
}

impl StoreSettings {
    /// Settings for `url` with the default time limits: 2 s for a connection, 2 s for a statement, 2.8 s in total, so
    /// that a request waits at most 3 s until it learns that Postgres is not reachable.
    pub fn new(url: String) -> Self {
        Self {
            url,
            pool_size: 8,
            acquire_timeout: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(2),
            answer_timeout: Duration::from_millis(2_400),
            request_budget: Duration::from_millis(2_800),
            search_connections: 2,
            search_timeout: Duration::from_millis(1_500),
            health: Arc::default(),
        }
    }

    /// Whether `url` can be parsed and names a server. Errors do not quote it, because it contains a password.
    pub fn check_url(url: &str) -> Result<(), &'static str> {
        wire::check_url(url)
    }
}

/// A pool of connections.
#[derive(Clone)]
pub struct Store {
    pool: Pool<Sessions>,
    settings: Arc<StoreSettings>,
    shared: Arc<SharedConnection>,
    /// The time limit of one statement, if it is longer than that of requests.
    time_limit: Option<Duration>,
}

impl Store {
    /// A pool that opens its connections when they are first needed. They end with the runtime in which they are opened.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        Self::with_sessions(settings, None)
    }

    /// Like [`Self::new`], for a pool that several worker threads share: `runtime`, which outlives them, drives its
    /// connections.
    pub(super) fn driven_by(runtime: Handle, settings: &StoreSettings) -> StoreResult<Self> {
        Self::with_sessions(settings, Some(runtime))
    }

    fn with_sessions(settings: &StoreSettings, runtime: Option<Handle>) -> StoreResult<Self> {
        let settings = Arc::new(settings.clone());
        let pool = Pool::builder(Sessions { settings: settings.clone(), runtime })
            .max_size(settings.pool_size)
            // The connection that was used last is reused first: its Postgres process has warm caches; an idle one
            // would take several times as long.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let shared = Arc::new(SharedConnection::new(settings.clone()));
        Ok(Self { pool, settings, shared, time_limit: None })
    }

    /// The same pool for work whose statements may each take as long as `limit`. Such work sets its own
    /// `statement_timeout`, which should be slightly shorter.
    #[must_use]
    pub fn with_deadline(&self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self.clone() }
    }

    /// Runs a request whose total wait for the database is limited by the settings. Tasks that it spawns are not
    /// counted.
    pub async fn within_budget<T>(&self, request: impl Future<Output = T>) -> T {
        WaitBudget::scope(self.settings.request_budget, request).await
    }

    /// Takes a connection, within the time limit. If its future is dropped during a statement or transaction, the
    /// connection is closed.
    pub async fn connection(&self) -> StoreResult<PooledConnection> {
        match self.time_limit {
            Some(limit) => self.lend(limit, None).await,
            None => self.lend(self.settings.answer_timeout, WaitBudget::current()).await,
        }
    }

    /// Takes a connection on which each statement is answered within `limit`, and all of them within the budget.
    async fn lend(
        &self,
        limit: Duration,
        budget: Option<Arc<WaitBudget>>,
    ) -> StoreResult<PooledConnection> {
        let most = self.settings.acquire_timeout;
        let most = budget.as_ref().map_or(most, |budget| most.min(budget.remaining()));
        let began = Instant::now();
        let session = timeout(most, self.pool.get()).await;
        if let Some(budget) = &budget {
            budget.spend(began.elapsed());
            self.settings.health.count_taken();
        }
        let session = session
            .map_err(|_| StoreError::Unavailable(NO_FREE_CONNECTION.to_owned()))?
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        session.pulse().lend(limit, budget);
        Ok(PooledConnection::new(session))
    }

    /// Runs a fast read by key on a connection shared with other such reads. The wait for the turn is limited like that
    /// for a connection, and the read like a statement.
    pub async fn read<T>(
        &self,
        work: impl AsyncFnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let budget = WaitBudget::current();
        let most =
            |limit: Duration| budget.as_ref().map_or(limit, |budget| limit.min(budget.remaining()));
        let spend = |began: Instant| {
            if let Some(budget) = &budget {
                budget.spend(began.elapsed());
            }
        };
        let began = Instant::now();
        let reader = self.shared.reader(most(self.settings.acquire_timeout)).await;
        spend(began);
        let reader = reader?;
        let began = Instant::now();
        let read = timeout(most(self.settings.answer_timeout), work(&reader)).await;
        spend(began);
        read.unwrap_or_else(|_| Err(StoreError::silent()))
    }

    /// Runs `work` in a transaction. Repeats it, up to twice, when Postgres aborted it because of a deadlock or a
    /// serialisation failure, or when rows that it had read were changed or deleted meanwhile ([`StoreError::Contended`]);
    /// so `work` must have no effects outside the database. If the future is dropped, the connection is closed and
    /// Postgres rolls back.
    pub async fn transaction<T, E>(
        &self,
        work: impl AsyncFn(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            let mut begun = self.begin().await?;
            let result = work(begun.conn()).await;
            match begun.end(result).await {
                Err(error)
                    if tries < 3
                        && error.as_store_error().is_some_and(StoreError::is_transient) => {}
                result => return result,
            }
        }
    }

    /// Waits for work that another task or request does in the database for this request, at most as long as this
    /// request may wait for the database.
    pub async fn wait_for<T>(
        &self,
        answer: impl Future<Output = StoreResult<T>>,
    ) -> StoreResult<T> {
        let budget = WaitBudget::current();
        let most = self.settings.acquire_timeout + self.settings.answer_timeout;
        let most = budget.as_ref().map_or(most, |budget| most.min(budget.remaining()));
        let began = Instant::now();
        let answer = timeout(most, answer).await;
        if let Some(budget) = &budget {
            budget.spend(began.elapsed());
        }
        answer.unwrap_or_else(|_| Err(StoreError::silent()))
    }

    /// Waits as a part of the time that this request may wait for the database. `false`, at once: then too little of
    /// this time would be left for the work that follows.
    pub async fn pause(&self, length: Duration) -> bool {
        if let Some(budget) = WaitBudget::current() {
            if budget.remaining() < length + AFTER_PAUSES {
                return false;
            }
            budget.spend(length);
        }
        sleep(length).await;
        true
    }

    /// Begins a transaction that the caller ends: for spawned tasks, which cannot hold a closure over a borrowed
    /// connection. It is not repeated; when it is dropped, the connection is closed and Postgres rolls back.
    ///
    /// The BEGIN has the usual time limit, so that a server that does not answer is noticed as fast as in any request,
    /// however long the later work may take.
    pub(in crate::store) async fn begin(&self) -> StoreResult<OpenTransaction> {
        let mut conn = self.lend_for_transaction().await?;
        conn.batch_execute("BEGIN").await?;
        Ok(self.open_transaction(conn))
    }

    /// Takes a connection for a transaction. Its BEGIN, and the statements that go to the database together with it
    /// ([`send_begin`]), have the usual time limit. When it is dropped, it is closed.
    pub(in crate::store) async fn lend_for_transaction(&self) -> StoreResult<PooledConnection> {
        let mut conn = self.lend(self.settings.answer_timeout, WaitBudget::current()).await?;
        conn.set_in_transaction(true);
        Ok(conn)
    }

    /// The transaction on a connection of [`Self::lend_for_transaction`] whose BEGIN succeeded.
    pub(in crate::store) fn open_transaction(&self, conn: PooledConnection) -> OpenTransaction {
        if let Some(limit) = self.time_limit {
            conn.extend(limit);
        }
        OpenTransaction(conn)
    }

    /// Connections in use and open, for metrics.
    pub fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size.saturating_sub(status.available), status.size)
    }

    /// Checks whether the server answers and accepts writes.
    pub async fn readiness(&self) -> Readiness {
        let query = async {
            let mut conn = self.connection().await?;
            let ReadOnly { read_only } = sql(
                "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only",
            )
            .get_result(&mut *conn)
            .await?;
            Ok::<bool, StoreError>(read_only)
        };
        match query.await {
            Err(_) => Readiness::Silent,
            Ok(true) => Readiness::ReadOnly,
            Ok(false) if self.settings.health.is_full() => Readiness::Full,
            Ok(false) => Readiness::Ready,
        }
    }
}

#[derive(diesel::QueryableByName)]
struct ReadOnly {
    #[diesel(sql_type = diesel::sql_types::Bool)]
    read_only: bool,
}

/// Whether the database can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It answers and accepts writes.
    Ready,
    /// It does not answer.
    Silent,
    /// It answers but accepts no writes: it is a standby, or read-only.
    ReadOnly,
    /// It answers, and a write failed within the last 15 s because its disk is full.
    Full,
}

/// Sends the BEGIN of a transaction for which [`Store::lend_for_transaction`] took the connection.
pub(in crate::store) async fn send_begin(mut conn: &Connection) -> StoreResult<()> {
    conn.batch_execute("BEGIN").await?;
    Ok(())
}

pub(in crate::store) struct OpenTransaction(PooledConnection);

impl OpenTransaction {
    /// The connection for its statements.
    pub(in crate::store) fn conn(&mut self) -> &mut Connection {
        &mut self.0
    }

    /// Commits after success, else rolls back.
    pub(in crate::store) async fn end<T, E: From<StoreError>>(
        mut self,
        result: Result<T, E>,
    ) -> Result<T, E> {
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        // If this fails, the connection is closed when it is dropped, and Postgres rolls back.
        let outcome = self.0.batch_execute(end).await;
        self.0.set_in_transaction(outcome.is_err());
        match (result, outcome) {
            (Ok(_), Err(error)) => Err(StoreError::from(error).at_commit().into()),
            (result, _) => result,
        }
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

/// A connection outside of pools, for the start or the command line; `time_limit` applies to each of its statements.
pub(in crate::store) async fn open(
    settings: &StoreSettings,
    time_limit: Duration,
) -> diesel::ConnectionResult<Session> {
    let settings = StoreSettings { answer_timeout: time_limit, ..settings.clone() };
    Session::bare(&settings).await
}
