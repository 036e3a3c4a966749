//! A queue with fair scheduling for searches that may read much of the catalogue. Searches have their own connections,
//! so that they take none from other requests. Networks take turns: the next search is one of the network that runs the
//! fewest, so a network with many searches does not delay others for long.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep, timeout};

use super::session::PooledConnection;
use super::wait_budget::WaitBudget;
use crate::domain::network::Network;
use crate::store::{Connection, Store, StoreError, StoreResult, StoreSettings};
use crate::work::fair::{FairWork, Place, RunPermit};

/// Searches that may wait for each connection.
const WAITING_PER_CONNECTION: usize = 16;

/// How long Postgres may go on with a statement whose connection is closed: it checks the connection once a second
/// (`session.rs`), and needs a moment to end the statement.
const NOTICE_OF_CLOSING: Duration = Duration::from_millis(1_200);

/// The search queue of a process: its worker threads share it.
#[derive(Clone)]
pub struct SearchQueue {
    store: Store,
    settings: Arc<StoreSettings>,
    turns: FairWork,
    /// Drives the connections. Not the runtime of the first search, whose worker thread may end before others.
    runtime: Handle,
}

/// A connection for searches. Dropping it passes the turn to the next waiting search.
///
/// If it is dropped during a statement, the turn is passed on only when Postgres has ended the statement: otherwise a
/// client that resets its connections would have any number of searches executed at the same time.
pub struct SearchConnection {
    // Dropped first, so that the connection is free when the next search gets the turn.
    conn: PooledConnection,
    /// There until this is dropped.
    turn: Option<SearchPermit>,
    runtime: Handle,
}

/// The right to run one search. Dropping it passes the right to the next waiting search.
pub struct SearchPermit {
    _turn: RunPermit,
    _place: Place,
}

impl SearchQueue {
    /// A queue with the connections and the time limit that the settings have for searches. Must be called in a tokio
    /// runtime that outlives all searches.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let own = StoreSettings {
            pool_size: settings.search_connections,
            statement_timeout: settings.search_timeout,
            ..settings.clone()
        };
        let connections = settings.search_connections;
        let waiting = connections * WAITING_PER_CONNECTION;
        // One network may have as many searches as half of the waiting places, so others always find a place.
        let turns = FairWork::new(connections, connections + waiting, waiting / 2);
        let runtime = Handle::current();
        let store = Store::driven_by(runtime.clone(), &own)?;
        Ok(Self { store, settings: Arc::new(own), turns, runtime })
    }

    /// Waits for the network's turn and takes a connection. [`StoreError::Crowded`]: too many searches wait, or too
    /// many of that network, or the turn did not come within the time limit for a connection.
    pub async fn connection(&self, network: Network) -> StoreResult<SearchConnection> {
        let turn = self.turn(network).await?;
        let conn = self.store.connection().await?;
        Ok(SearchConnection { conn, turn: Some(turn), runtime: self.runtime.clone() })
    }

    /// Waits for the turn of a search that needs no connection; it only counts as a running search.
    pub async fn turn(&self, network: Network) -> StoreResult<SearchPermit> {
        let place = self.turns.enter(network).map_err(|_| StoreError::Crowded)?;
        let budget = WaitBudget::current();
        let most = self.settings.acquire_timeout;
        let most = budget.as_ref().map_or(most, |budget| most.min(budget.remaining()));
        let began = Instant::now();
        let turn = timeout(most, place.turn()).await;
        if let Some(budget) = &budget {
            budget.spend(began.elapsed());
        }
        let turn = turn.ok().and_then(Result::ok).ok_or(StoreError::Crowded)?;
        Ok(SearchPermit { _turn: turn, _place: place })
    }

    /// Connections in use and open, for metrics.
    pub fn usage(&self) -> (usize, usize) {
        self.store.usage()
    }
}

impl Deref for SearchConnection {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.conn
    }
}

impl DerefMut for SearchConnection {
    fn deref_mut(&mut self) -> &mut Connection {
        &mut self.conn
    }
}

impl Drop for SearchConnection {
    fn drop(&mut self) {
        if self.conn.is_abandoned()
            && let Some(turn) = self.turn.take()
        {
            let conn = self.conn.take();
            self.runtime.spawn(async move {
                if !conn.finish().await {
                    sleep(NOTICE_OF_CLOSING).await;
                }
                drop(turn);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures_util::FutureExt as _;

    use super::*;

    fn network(address: &str) -> Network {
        address.parse::<IpAddr>().unwrap().into()
    }

    #[tokio::test]
    async fn a_customer_with_many_networks_leaves_places_to_others() {
        let settings = StoreSettings::new("postgres://nobody@localhost/none".to_owned());
        let queue = SearchQueue::new(&settings).unwrap();
        // Networks of one /48, as providers assign it to one customer.
        let own = (0..60).map(|at| network(&format!("2001:db8:1:{at:x}::1")));
        let mut own: Vec<_> = own.map(|network| Box::pin(queue.turn(network))).collect();
        let turns: Vec<_> = own.iter_mut().map(|turn| turn.as_mut().now_or_never()).collect();
        let running = turns.iter().filter(|turn| matches!(turn, Some(Ok(_)))).count();
        let waiting = turns.iter().filter(|turn| turn.is_none()).count();
        assert_eq!((running, running + waiting), (2, WAITING_PER_CONNECTION));
        let mut other = Box::pin(queue.turn(network("2001:db8:2::1")));
        assert!(other.as_mut().now_or_never().is_none(), "another network still has places");
        // The next turn is that of the network that runs fewer searches.
        drop(turns);
        assert!(other.now_or_never().is_some_and(|turn| turn.is_ok()));
    }
}
