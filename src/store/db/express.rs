//! One connection of each worker thread for the shortest reads, which send their statements one behind another without waiting for each
//! other's answers (pipelining). So a few sessions of Postgres do what many did, stay warm, and are woken once for several statements.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::pool::NO_FREE_CONNECTION;
use super::session::Session;
use crate::store::{Connection, StoreError, StoreResult, StoreSettings};

/// Reads that may be under way at once on one connection. Each waits for those before it; more than that wait for a place.
const UNDER_WAY: usize = 32;

/// The line of one worker thread.
pub(in crate::store) struct Express {
    settings: Arc<StoreSettings>,
    places: Arc<Semaphore>,
    /// Opened when it is first needed, and again when it has ended, also because an answer was late, or when its kept statements are of no use.
    line: Mutex<Option<Arc<Session>>>,
}

/// A connection for single statements that find a row by its key. It is shared: there is no transaction to be had.
pub(in crate::store) struct Reader {
    line: Arc<Session>,
    _place: OwnedSemaphorePermit,
}

impl Express {
    pub(in crate::store) fn new(settings: Arc<StoreSettings>) -> Self {
        let places = Arc::new(Semaphore::new(UNDER_WAY));
        Self { settings, places, line: Mutex::new(None) }
    }

    /// A place on the line, within the time that a connection of the pool may take.
    pub(in crate::store) async fn reader(&self, time_limit: Duration) -> StoreResult<Reader> {
        let reader = async {
            // The places are never closed.
            let place = self.places.clone().acquire_owned().await.map_err(unavailable)?;
            let mut current = self.line.lock().await;
            let line = match &*current {
                Some(line)
                    if line.is_open() && !line.keeps_too_much(self.settings.health.outdated()) =>
                {
                    line.clone()
                }
                _ => {
                    let line =
                        Box::pin(Session::open(&self.settings)).await.map_err(unavailable)?;
                    current.insert(Arc::new(line)).clone()
                }
            };
            Ok(Reader { line, _place: place })
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
        &self.line
    }
}
