//! Connections of their own for searches that may read much of the catalogue, with a short queue before them: however many there
//! are, everything else goes on as before.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::pool::NO_FREE_CONNECTION;
use super::session::Held;
use super::{Connection, Store, StoreError, StoreResult, StoreSettings};

/// Searches that may wait for each connection.
const QUEUE: usize = 16;

/// The lane of a process: its worker threads share it.
#[derive(Clone)]
pub struct SearchLane {
    store: Store,
    places: Arc<Semaphore>,
}

/// A connection of the lane. Its place in the queue is free again when it is dropped.
pub struct LaneConnection {
    // Dropped first: whoever gets the place finds the connection free.
    conn: Held,
    _place: OwnedSemaphorePermit,
}

impl SearchLane {
    /// A lane with the connections and the time limit that the settings have for searches.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let own = StoreSettings {
            pool_size: settings.search_connections,
            statement_timeout: settings.search_timeout,
            ..settings.clone()
        };
        let places = Semaphore::new(settings.search_connections * (1 + QUEUE));
        Ok(Self { store: Store::new(&own)?, places: Arc::new(places) })
    }

    /// A connection, after those who came before. [`StoreError::Crowded`]: there are too many of them.
    pub async fn enter(&self) -> StoreResult<LaneConnection> {
        let place = self.places.clone().try_acquire_owned().map_err(|_| StoreError::Crowded)?;
        match self.store.connection().await {
            Ok(conn) => Ok(LaneConnection { conn, _place: place }),
            Err(StoreError::Unavailable(cause)) if cause == NO_FREE_CONNECTION => {
                Err(StoreError::Crowded)
            }
            Err(error) => Err(error),
        }
    }

    /// Connections in use and open, for metrics.
    pub fn usage(&self) -> (usize, usize) {
        self.store.usage()
    }
}

impl Deref for LaneConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.conn
    }
}

impl DerefMut for LaneConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }
}
