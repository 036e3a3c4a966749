//! One connection for the steps of a use case.

use crate::store::{Connection, PooledConnection, Store, StoreResult};

/// One connection for several consecutive steps: taken from the pool when a step first needs it, and returned after the last step.
///
/// A function that gets it may find a connection in it, and may leave one in it. A request must not wait for a second connection while it has one: requests that do
/// so could take all connections of the pool and then wait for each other.
pub(crate) struct StepConnection<'a> {
    store: &'a Store,
    taken: Option<PooledConnection>,
}

impl<'a> StepConnection<'a> {
    pub(crate) fn new(store: &'a Store) -> Self {
        Self { store, taken: None }
    }

    pub(crate) async fn get(&mut self) -> StoreResult<&mut Connection> {
        let conn = match self.taken.take() {
            Some(conn) => conn,
            None => self.store.connection().await?,
        };
        Ok(&mut **self.taken.insert(conn))
    }

    /// Returns the connection to the pool. Must be called before work that takes another connection, such as a transaction or a search, or that waits for
    /// something else.
    pub(crate) fn give_back(&mut self) {
        self.taken = None;
    }
}
