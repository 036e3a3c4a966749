//! The connections of a pool: opening, testing before reuse, and closing when they were dropped during a statement or
//! transaction.

use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, Object, RecycleError, RecycleResult};
use diesel::connection::{CacheSize, Instrumentation, InstrumentationEvent};
use diesel::{ConnectionError, ConnectionResult};
use diesel_async::pooled_connection::PoolableConnection as _;
use diesel_async::{AsyncConnection as _, AsyncPgConnection, SimpleAsyncConnection as _};
use tokio::runtime::Handle;
use tokio::time::Instant;

use super::statement::MOST_ON_A_CONNECTION;
use super::wire::{Line, Pulse, dial};
use crate::store::{Connection, StoreSettings};

/// A session with the server.
pub(in crate::store) struct Session {
    // Dropped first, so that the connection only has to be closed.
    conn: AsyncPgConnection,
    driver: Arc<DriverState>,
    /// Time of its oldest prepared statement.
    prepared_since: Instant,
    /// Whether a transaction is open that was begun without the driver.
    in_transaction: bool,
    line: Line,
}

/// With less than 16 MB, Postgres forgets in which rows of a page it found a frequent word, and tests all of them
/// again: this takes twelve times as long with a million cards. A larger setting of the server is kept.
const WORK_MEM: &str = "SELECT set_config('work_mem', '16MB', false) \
                        WHERE pg_size_bytes(current_setting('work_mem')) < pg_size_bytes('16MB')";

/// A statement whose client has disconnected ends within a second, and releases its locks.
const CONNECTION_CHECK: &str = "SET client_connection_check_interval = '1s'";

/// Long values are compressed by a method that takes a fraction of the time of Postgres' own. A server may be built
/// without that method.
const COMPRESSION: &str = "SELECT set_config(name, 'lz4', false) FROM pg_settings \
    WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals)";

/// Requests use one Postgres process, and their plans are not compiled. Starting parallel processes takes ten times as
/// long as most requests, and uses processors that other requests need; JIT compilation takes longer than nearly all
/// requests.
const ALONE: &str = "SET max_parallel_workers_per_gather = 0; SET jit = off";

/// Longest pause in a transaction, in milliseconds. After it the server ends the session, because its locks block
/// others.
const IDLE_IN_TRANSACTION: u32 = 5_000;

impl Session {
    /// Connects, and applies the settings for all statements.
    pub(in crate::store) async fn open(settings: &StoreSettings) -> ConnectionResult<Self> {
        let mut session = Self::bare(settings).await?;
        let timeout = settings.statement_timeout.as_millis();
        let settings = format!(
            "SET statement_timeout = {timeout}; SET lock_timeout = {timeout}; {ALONE}; \
             SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION}; SET timezone = 'UTC'; {CONNECTION_CHECK}; {WORK_MEM}; {COMPRESSION}"
        );
        session
            .conn
            .batch_execute(&settings)
            .await
            .map_err(ConnectionError::CouldntSetupConfiguration)?;
        Ok(session)
    }

    /// Connects with the server's default settings.
    pub(in crate::store) async fn bare(settings: &StoreSettings) -> ConnectionResult<Self> {
        let StoreSettings { url, acquire_timeout, health, .. } = settings;
        let opened = dial(url, "cardscape", *acquire_timeout, health).await?;
        let mut conn = AsyncPgConnection::try_from(opened.client).await?;
        let driver = Arc::<DriverState>::default();
        conn.set_instrumentation(DriverEvents(driver.clone()));
        opened.line.pulse.lend(settings.answer_timeout, None);
        let prepared_since = Instant::now();
        Ok(Self { conn, driver, prepared_since, in_transaction: false, line: opened.line })
    }

    pub(in crate::store) fn pulse(&self) -> &Pulse {
        &self.line.pulse
    }

    /// The connection, and the task that drives it.
    pub(super) fn into_parts(self) -> (Connection, Line) {
        (self.conn, self.line)
    }

    /// Whether the connection is still open.
    pub(super) fn is_open(&self) -> bool {
        !self.line.has_ended()
    }

    /// Whether a statement was dropped before its end.
    fn is_waiting(&self) -> bool {
        self.driver.is_waiting.load(Ordering::Relaxed)
    }

    /// Whether its prepared statements must not be used again: there are too many, or the server refused a statement of
    /// about their age at the time `outdated`.
    pub(super) fn must_forget_statements(&self, outdated: Option<Instant>) -> bool {
        self.driver.prepared.load(Ordering::Relaxed) > MOST_ON_A_CONNECTION
            || outdated.is_some_and(|outdated| self.prepared_since <= outdated)
    }

    /// Deallocates all prepared statements, in the driver and on the server.
    fn forget_statements(&mut self) {
        self.conn.set_prepared_statement_cache_size(CacheSize::Disabled);
        self.conn.set_prepared_statement_cache_size(CacheSize::Unbounded);
        self.driver.prepared.store(0, Ordering::Relaxed);
        self.prepared_since = Instant::now();
    }
}

impl Deref for Session {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.conn
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }
}

/// What the instrumentation of the driver has recorded about a connection.
#[derive(Default)]
struct DriverState {
    /// Whether a caller waits for the response to a statement. A dropped statement begins and never ends.
    is_waiting: AtomicBool,
    /// Number of prepared statements that are kept.
    prepared: AtomicUsize,
}

struct DriverEvents(Arc<DriverState>);

impl Instrumentation for DriverEvents {
    fn on_connection_event(&mut self, event: InstrumentationEvent<'_>) {
        match event {
            InstrumentationEvent::StartQuery { .. } => {
                self.0.is_waiting.store(true, Ordering::Relaxed);
            }
            InstrumentationEvent::FinishQuery { .. } => {
                self.0.is_waiting.store(false, Ordering::Relaxed);
            }
            InstrumentationEvent::CacheQuery { .. } => {
                self.0.prepared.fetch_add(1, Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Counts a connection that was closed without notice.
fn count_closed(reason: &'static str) {
    metrics::counter!("database_connections_given_up_total", "reason" => reason).increment(1);
}

/// Opens sessions for a pool.
pub(in crate::store) struct Sessions {
    pub settings: Arc<StoreSettings>,
    /// The runtime that drives the sessions; `None`: the one in which a session is opened. A session ends with its runtime,
    /// so those of a pool that several worker threads share must not depend on a worker thread.
    pub runtime: Option<Handle>,
}

impl Manager for Sessions {
    type Type = Session;
    type Error = ConnectionError;

    async fn create(&self) -> ConnectionResult<Session> {
        // Boxed, so that the future for taking a connection need not contain the one for opening it.
        let mut opened = Box::pin(Session::open(&self.settings));
        poll_fn(|cx| {
            let _entered = self.runtime.as_ref().map(Handle::enter);
            opened.as_mut().poll(cx)
        })
        .await
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<ConnectionError> {
        let broken = std::thread::panicking() || session.conn.is_broken();
        let health = &self.settings.health;
        if broken || !session.pulse().settles(health.suspects()).await {
            if !broken {
                count_closed("suspect");
            }
            session.line.disconnect();
            return Err(RecycleError::message("not fit for use"));
        }
        if session.must_forget_statements(health.outdated()) {
            session.forget_statements();
        }
        Ok(())
    }
}

/// A connection taken from a pool. It returns to the pool when it is dropped, unless a statement was dropped before its
/// end or a transaction is open: then it is closed.
pub struct PooledConnection(Option<Object<Sessions>>);

impl PooledConnection {
    pub(in crate::store) fn new(session: Object<Sessions>) -> Self {
        Self(Some(session))
    }

    /// From now on each statement has this time limit, without a total budget.
    pub(in crate::store) fn extend(&self, limit: Duration) {
        if let Some(session) = &self.0 {
            session.pulse().lend(limit, None);
        }
    }

    /// Whether Postgres may still execute a statement when this is dropped: the statement was dropped before its end or
    /// between its rows, or its response was late. Also for a moment after a statement that is not prepared for further
    /// use, which the driver deallocates.
    pub(super) fn is_abandoned(&self) -> bool {
        self.0.as_ref().is_some_and(|session| session.is_waiting() || session.pulse().owes())
    }

    /// Moves the connection out of this value, which must only be dropped afterwards.
    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    /// Returns the connection to its pool if all responses arrive at once. Otherwise it is closed: `false`, Postgres may
    /// still execute a statement.
    pub(super) async fn finish(mut self) -> bool {
        let at_rest = self.0.as_ref().filter(|session| !session.is_waiting());
        let pulse = at_rest.map(|session| session.line.pulse.clone());
        if let Some(pulse) = pulse
            && pulse.settles(None).await
        {
            return true;
        }
        if let Some(session) = self.0.take() {
            give_up(session);
        }
        false
    }

    /// Records whether a transaction is open that was begun without the driver: if it is, dropping this value closes
    /// the connection.
    pub(super) fn set_in_transaction(&mut self, open: bool) {
        if let Some(session) = &mut self.0 {
            session.in_transaction = open;
        }
    }
}

impl Deref for PooledConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.0 {
            Some(session) => &session.conn,
            None => unreachable!("it is there until it is dropped"),
        }
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        match &mut self.0 {
            Some(session) => &mut session.conn,
            None => unreachable!("it is there until it is dropped"),
        }
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut session) = self.0.take() else { return };
        if session.is_waiting() || session.in_transaction || session.conn.is_broken() {
            give_up(session);
        }
    }
}

/// Closes a connection on which something has not ended.
fn give_up(session: Object<Sessions>) {
    if !session.line.has_ended() {
        count_closed("abandoned");
    }
    Object::take(session).line.disconnect();
}
