//! One connection of each worker thread for the shortest reads, which send their statements one behind another without waiting for each
//! other's answers (pipelining). So a few sessions of Postgres do what many did, stay warm, and are woken once for several statements.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::deadpool::Object;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::pool::{NO_FREE_CONNECTION, connect_driven};
use super::{Connection, StoreError, StoreResult, StoreSettings};

/// Reads that may be under way at once on one connection. Each waits for those before it; more than that wait for a place.
const UNDER_WAY: usize = 32;

/// How old a connection must be to be given up because an answer is late: one that is stuck is, and so is one whose statements wait for a
/// lock, but for these a new one is opened only so often.
const OLD: Duration = Duration::from_secs(30);

/// The line of one worker thread.
pub(super) struct Express {
    settings: Arc<StoreSettings>,
    places: Arc<Semaphore>,
    /// Opened when it is first needed, and again when it has ended.
    line: Mutex<Option<Arc<Line>>>,
}

struct Line {
    conn: AsyncPgConnection,
    opened: Instant,
    ended: Arc<AtomicBool>,
    /// Of what goes to and fro.
    wire: AbortHandle,
}

/// Notes the end, however it comes.
struct Ends(Arc<AtomicBool>);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A connection for single statements that find a row by its key. It is shared: there is no transaction to be had.
pub(super) struct Reader(Held);

enum Held {
    Shared { line: Arc<Line>, _place: OwnedSemaphorePermit },
    Own(Box<Object<AsyncPgConnection>>),
}

impl Express {
    pub(super) fn new(settings: Arc<StoreSettings>) -> Self {
        let places = Arc::new(Semaphore::new(UNDER_WAY));
        Self { settings, places, line: Mutex::new(None) }
    }

    /// A place on the line, within the time that a connection of the pool may take.
    pub(super) async fn reader(&self) -> StoreResult<Reader> {
        let reader = async {
            // The places are never closed.
            let place = self.places.clone().acquire_owned().await.map_err(unavailable)?;
            let mut current = self.line.lock().await;
            let line = match &*current {
                Some(line) if !line.ended.load(Ordering::Acquire) => line.clone(),
                _ => current.insert(Arc::new(Line::open(&self.settings).await?)).clone(),
            };
            Ok(Reader(Held::Shared { line, _place: place }))
        };
        let in_time = timeout(self.settings.acquire_timeout, reader).await;
        in_time.map_err(|_| unavailable(NO_FREE_CONNECTION))?
    }
}

impl Line {
    async fn open(settings: &StoreSettings) -> StoreResult<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        let ends = Ends(ended.clone());
        let connection = connect_driven(settings, |wire| async move {
            let _ends = ends;
            if let Err(error) = wire.await {
                tracing::warn!(%error, "the connection for short reads has ended");
            }
        });
        let (conn, wire) = connection.await.map_err(unavailable)?;
        Ok(Self { conn, opened: Instant::now(), ended, wire })
    }
}

fn unavailable(cause: impl ToString) -> StoreError {
    StoreError::Unavailable(cause.to_string())
}

impl From<Object<AsyncPgConnection>> for Reader {
    fn from(conn: Object<AsyncPgConnection>) -> Self {
        Self(Held::Own(Box::new(conn)))
    }
}

impl Reader {
    /// Notes that an answer is late. An old connection is not used any more then: what is behind it may have stopped without closing it.
    pub(super) fn is_late(&self) {
        if let Held::Shared { line, .. } = &self.0
            && line.opened.elapsed() >= OLD
        {
            tracing::warn!("the connection for short reads is given up: an answer is late");
            line.ended.store(true, Ordering::Release);
            line.wire.abort();
        }
    }
}

impl Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        match &self.0 {
            Held::Shared { line, .. } => &line.conn,
            Held::Own(conn) => conn,
        }
    }
}
