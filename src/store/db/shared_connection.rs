//! A connection that the short reads of one worker thread share by pipelining: statements are sent without waiting for
//! the responses to earlier ones. So a few Postgres sessions do the work of many, their caches stay warm, and one
//! wake-up handles several responses.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::pool::NO_FREE_CONNECTION;
use super::session::Session;
use crate::store::{Connection, StoreError, StoreResult, StoreSettings};

/// Reads that may be in flight on one connection. Each waits for those before it; further reads wait for a place.
const UNDER_WAY: usize = 32;

/// The shared connection of one worker thread.
pub(in crate::store) struct SharedConnection {
    settings: Arc<StoreSettings>,
    places: Arc<Semaphore>,
    /// Opened when first needed; reopened when it has ended, when a response was late, or when its prepared statements
    /// are invalid.
    session: Mutex<Option<Arc<Session>>>,
}

/// A connection for single statements that find a row by its key. It is shared, so it has no transactions.
pub(in crate::store) struct Reader {
    session: Arc<Session>,
    _place: OwnedSemaphorePermit,
}

impl SharedConnection {
    pub(in crate::store) fn new(settings: Arc<StoreSettings>) -> Self {
        let places = Arc::new(Semaphore::new(UNDER_WAY));
        Self { settings, places, session: Mutex::new(None) }
    }

    /// Shares the connection when fewer than [`UNDER_WAY`] reads use it, within the time limit for a connection of the
    /// pool.
    pub(in crate::store) async fn reader(&self, time_limit: Duration) -> StoreResult<Reader> {
        let reader = async {
            // The semaphore is never closed.
            let place = self.places.clone().acquire_owned().await.map_err(unavailable)?;
            let mut current = self.session.lock().await;
            let session = match &*current {
                Some(session)
                    if session.is_open()
                        && !session.must_forget_statements(self.settings.health.outdated()) =>
                {
                    session.clone()
                }
                _ => {
                    let session =
                        Box::pin(Session::open(&self.settings)).await.map_err(unavailable)?;
                    current.insert(Arc::new(session)).clone()
                }
            };
            Ok(Reader { session, _place: place })
        };
        let in_time = timeout(time_limit, reader).await;
        in_time.map_err(|_| unavailable(NO_FREE_CONNECTION))?
    }
}

fn unavailable(cause: impl ToString) -> StoreError {
    StoreError::Unavailable(cause.to_string())
}

impl std::ops::Deref for Reader {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.session
    }
}
