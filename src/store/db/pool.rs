//! Connections and transactions.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use deadpool::managed::{Pool, QueueMode};
use diesel_async::{AsyncPgConnection, RunQueryDsl as _, SimpleAsyncConnection as _};
use tokio::time::{Instant, timeout};

use super::health::Health;
use super::session::{PooledConnection, Session, Sessions};
use super::shared_connection::SharedConnection;
use super::statement::sql;
use super::wait_budget::WaitBudget;
use super::wire;
use crate::auth::permission::{Acting, Confirm, Granted, Permission};
use crate::store::accounts::credentials;
use crate::store::{StoreError, StoreResult};

/// Every connection of a pool is in use, and none was given back in time.
pub(super) const NO_FREE_CONNECTION: &str = "no free connection in time";

/// The connection that store functions take.
pub type Connection = AsyncPgConnection;

/// How to reach Postgres, and how long to wait for it. The stores of a process are made from clones of one value: so each learns what the others
/// notice about the server.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// `postgres://…`; never logged.
    pub url: String,
    /// Most connections of one pool (each worker thread has a pool of its own).
    pub pool_size: usize,
    /// Longest wait for a free connection, and for a new one.
    pub acquire_timeout: Duration,
    /// Longest run of one statement; the server ends it.
    pub statement_timeout: Duration,
    /// Longest wait for the answer to one statement: the connection is closed then. A little more than `statement_timeout`, for the server is to
    /// speak first.
    pub answer_timeout: Duration,
    /// Longest time that one request waits for the database, all its waits together.
    pub request_budget: Duration,
    /// Connections for searches that may read much of the catalogue; all worker threads share them.
    pub search_connections: usize,
    /// Longest run of one statement of such a search.
    pub search_timeout: Duration,
    /// Observations about the server, shared by pools.
    pub health: Arc<Health>,
}

impl StoreSettings {
    /// Settings for `url` with the default time limits: 2 s for a connection, 2 s for a statement, 2.8 s in all, so that a request never
    /// waits longer than 3 s to hear that Postgres is gone.
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

    /// Whether `url` can be read at all. What is wrong with it is reported without it: it holds a password.
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
    /// How long one statement may take, where that is more than those of requests may.
    time_limit: Option<Duration>,
}

impl Store {
    /// A pool that opens its connections when they are first needed.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let settings = Arc::new(settings.clone());
        let pool = Pool::builder(Sessions(settings.clone()))
            .max_size(settings.pool_size)
            // The connection that was used last comes first: its process of Postgres has warm caches; one that slept takes several times as long.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        let shared = Arc::new(SharedConnection::new(settings.clone()));
        Ok(Self { pool, settings, shared, time_limit: None })
    }

    /// The same pool for work whose statements may each take as long as `limit`, whatever a request may: such that sets a
    /// `statement_timeout` of its own, which should be a little shorter.
    #[must_use]
    pub fn with_deadline(&self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self.clone() }
    }

    /// Runs a request: all its waits for the database take no longer together than the settings say. Work that it spawns is not counted.
    pub async fn within_budget<T>(&self, request: impl Future<Output = T>) -> T {
        WaitBudget::scope(self.settings.request_budget, request).await
    }

    /// A connection, within the time limit. When the future that has it is dropped in the middle of a statement or a transaction, it is
    /// closed.
    pub async fn connection(&self) -> StoreResult<PooledConnection> {
        match self.time_limit {
            Some(limit) => self.lend(limit, None).await,
            None => self.lend(self.settings.answer_timeout, WaitBudget::current()).await,
        }
    }

    /// A connection on which each statement is answered within `limit`, and all of them within the budget.
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
        }
        let session = session
            .map_err(|_| StoreError::Unavailable(NO_FREE_CONNECTION.to_owned()))?
            .map_err(|error| StoreError::Unavailable(error.to_string()))?;
        session.pulse().lend(limit, budget);
        Ok(PooledConnection::new(session))
    }

    /// Runs a read that finds its rows by a key and is over at once, on a connection that it shares with others like it. Neither the wait
    /// for its turn nor the read may take longer than a connection or a statement may.
    pub async fn read<T>(
        &self,
        work: impl AsyncFnOnce(&Connection) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let budget = WaitBudget::current();
        let most =
            |limit: Duration| budget.as_ref().map_or(limit, |budget| limit.min(budget.remaining()));
        let began = Instant::now();
        let reader = self.shared.reader(most(self.settings.acquire_timeout)).await?;
        let left = most(self.settings.answer_timeout).saturating_sub(began.elapsed());
        let read = timeout(left, work(&reader)).await;
        if let Some(budget) = &budget {
            budget.spend(began.elapsed());
        }
        read.unwrap_or_else(|_| Err(StoreError::silent()))
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

    /// Like [`Self::transaction_by`], for a permission that is confirmed last, and for work that has something to ask before anything else: `first` goes to
    /// the database together with the BEGIN, in one trip, and so do all its statements that it does not wait for one by one.
    pub async fn transaction_by_asking<P: Permission, A, T, E>(
        &self,
        by: &Granted<P>,
        now: DateTime<Utc>,
        first: impl AsyncFn(&Connection, &Acting<P>) -> Result<A, E>,
        work: impl AsyncFn(&mut Connection, &Acting<P>, A) -> Result<T, E>,
    ) -> Result<T, E>
    where
        E: From<StoreError> + AsStoreError,
    {
        const { assert!(matches!(P::CONFIRM, Confirm::Last), "it is confirmed first") };
        let store_error = |error: diesel::result::Error| E::from(StoreError::from(error));
        let acting = Acting::in_transaction(by);
        let mut tries = 0;
        loop {
            tries += 1;
            // Its first statements are never long, as in `begin`.
            let mut conn = self.lend(self.settings.answer_timeout, WaitBudget::current()).await?;
            conn.set_in_transaction(true);
            let mut shared: &Connection = &conn;
            // Sent in this order; the answers come in it, too.
            let (begun, asked) =
                tokio::join!(biased; shared.batch_execute("BEGIN"), first(&conn, &acting));
            if let Some(limit) = self.time_limit {
                conn.extend(limit);
            }
            let mut transaction = OpenTransaction(conn);
            let result = async {
                begun.map_err(store_error)?;
                let conn = transaction.conn();
                let done = work(conn, &acting, asked?).await?;
                credentials::confirm(conn, by, now).await?;
                Ok(done)
            };
            let result: Result<T, E> = result.await;
            match transaction.end(result).await {
                Err(error)
                    if tries < 3
                        && error.as_store_error().is_some_and(StoreError::is_transient) => {}
                result => return result,
            }
        }
    }

    /// Begins a transaction in the name of several, which the caller ends: for tasks that are spawned ([`Self::begin`]). `None` stands for those whose
    /// credential has ended, or is held by somebody: nobody is waited for.
    pub(in crate::store) async fn begin_by_all<P: Permission>(
        &self,
        by: &[&Granted<P>],
        now: DateTime<Utc>,
    ) -> StoreResult<(OpenTransaction, Vec<Option<Acting<P>>>)> {
        const { assert!(matches!(P::CONFIRM, Confirm::Last), "it is confirmed first") };
        let mut conn = self.lend(self.settings.answer_timeout, WaitBudget::current()).await?;
        conn.set_in_transaction(true);
        let mut shared: &Connection = &conn;
        let (opened, confirmed) = tokio::join!(
            biased;
            shared.batch_execute("BEGIN"),
            credentials::confirm_free(&conn, by, now)
        );
        opened?;
        let begun = OpenTransaction(conn);
        let confirmed = match confirmed {
            Ok(confirmed) => confirmed,
            Err(error) => return begun.end(Err(error)).await,
        };
        if let Some(limit) = self.time_limit {
            begun.0.extend(limit);
        }
        let acting = by.iter().zip(confirmed);
        let acting = acting.map(|(by, alive)| alive.then(|| Acting::in_transaction(by)));
        Ok((begun, acting.collect()))
    }

    /// Waits for what another task, or another request, asks of the database for this request, no longer than it may wait for the database itself.
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

    /// Begins a transaction that the caller ends: for tasks that are spawned, which cannot hold a closure over a borrowed connection.
    /// It is not run again; when it is dropped, the connection is closed and Postgres rolls back.
    ///
    /// The statement that begins it is never long: so a server that is silent is noticed as soon as in any request, whatever the work after it may take.
    pub(in crate::store) async fn begin(&self) -> StoreResult<OpenTransaction> {
        let mut conn = self.lend(self.settings.answer_timeout, WaitBudget::current()).await?;
        conn.set_in_transaction(true);
        conn.batch_execute("BEGIN").await?;
        if let Some(limit) = self.time_limit {
            conn.extend(limit);
        }
        Ok(OpenTransaction(conn))
    }

    /// Connections in use and open, for metrics.
    pub fn usage(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size.saturating_sub(status.available), status.size)
    }

    /// Whether the server answers, and takes writes.
    pub async fn readiness(&self) -> Readiness {
        let asked = async {
            let mut conn = self.connection().await?;
            let ReadOnly { read_only } = sql(
                "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only",
            )
            .get_result(&mut *conn)
            .await?;
            Ok::<bool, StoreError>(read_only)
        };
        match asked.await {
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

/// What can be expected of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It answers and takes writes.
    Ready,
    /// It does not answer.
    Silent,
    /// It answers, and takes no writes: a standby, or made read-only.
    ReadOnly,
    /// It answers, and a write failed within the last 15 s because its disk is full.
    Full,
}

/// A transaction that is open.
pub(in crate::store) struct OpenTransaction(PooledConnection);

impl OpenTransaction {
    /// Where its statements run.
    pub(in crate::store) fn conn(&mut self) -> &mut Connection {
        &mut self.0
    }

    /// Commits what went well and takes back what did not.
    pub(in crate::store) async fn end<T, E: From<StoreError>>(
        mut self,
        result: Result<T, E>,
    ) -> Result<T, E> {
        let end = if result.is_ok() { "COMMIT" } else { "ROLLBACK" };
        // When even this fails, the connection is closed as it is dropped, and Postgres has rolled back or will.
        let ended = self.0.batch_execute(end).await;
        self.0.set_in_transaction(ended.is_err());
        match (result, ended) {
            (Ok(_), Err(error)) => Err(StoreError::from(error).into()),
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

/// A connection outside of pools, for work at the start or on the command line: `time_limit` is for each of its statements.
pub(in crate::store) async fn open(
    settings: &StoreSettings,
    time_limit: Duration,
) -> diesel::ConnectionResult<Session> {
    let settings = StoreSettings { answer_timeout: time_limit, ..settings.clone() };
    Session::bare(&settings, "cardscape").await
}
