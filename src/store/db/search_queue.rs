//! A queue with fair scheduling for searches that may read much of the catalogue. Searches have their own connections,
//! so that they take none from other requests. Networks take turns: the next search is one of the network that runs the
//! fewest, so a network with many searches does not delay others for long.

use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout};

use super::session::PooledConnection;
use super::wait_budget::WaitBudget;
use crate::domain::network::Network;
use crate::store::{Connection, Store, StoreError, StoreResult, StoreSettings};

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
    scheduler: Arc<Scheduler>,
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

impl SearchQueue {
    /// A queue with the connections and the time limit that the settings have for searches. Must be called in a tokio
    /// runtime that outlives all searches.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let own = StoreSettings {
            pool_size: settings.search_connections,
            statement_timeout: settings.search_timeout,
            ..settings.clone()
        };
        let scheduler = Scheduler::new(settings.search_connections);
        let runtime = Handle::current();
        let store = Store::driven_by(runtime.clone(), &own)?;
        Ok(Self { store, settings: Arc::new(own), scheduler, runtime })
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
        let budget = WaitBudget::current();
        let most = self.settings.acquire_timeout;
        let most = budget.as_ref().map_or(most, |budget| most.min(budget.remaining()));
        let began = Instant::now();
        let turn = timeout(most, self.scheduler.take(network)).await;
        if let Some(budget) = &budget {
            budget.spend(began.elapsed());
        }
        turn.ok().flatten().ok_or(StoreError::Crowded)
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

/// The running and the waiting searches.
struct Scheduler {
    connections: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running_in_all: usize,
    running: HashMap<Network, usize>,
    waiting: VecDeque<(Network, oneshot::Sender<SearchPermit>)>,
}

/// The right to run one search. Dropping it passes the right to the next waiting search.
pub struct SearchPermit {
    scheduler: Arc<Scheduler>,
    network: Network,
}

impl Scheduler {
    fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self { connections, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a turn, at once or when other searches end; `None`: too many are waiting.
    async fn take(self: &Arc<Self>, network: Network) -> Option<SearchPermit> {
        let receiver = {
            let mut state = self.state();
            state.waiting.retain(|(_, waiting)| !waiting.is_closed());
            if state.running_in_all < self.connections {
                state.begin(network);
                return Some(SearchPermit { scheduler: self.clone(), network });
            }
            let queue = self.connections * WAITING_PER_CONNECTION;
            let of_network = state.waiting.iter().filter(|(other, _)| *other == network).count();
            // One network may use at most half of the places.
            if state.waiting.len() >= queue || of_network >= queue / 2 {
                return None;
            }
            let (sender, receiver) = oneshot::channel();
            state.waiting.push_back((network, sender));
            receiver
        };
        receiver.await.ok()
    }
}

impl State {
    fn begin(&mut self, network: Network) {
        self.running_in_all += 1;
        *self.running.entry(network).or_default() += 1;
    }

    fn end(&mut self, network: Network) {
        self.running_in_all -= 1;
        if let Some(running) = self.running.get_mut(&network) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&network);
            }
        }
    }

    /// The search that waits longest among those of the networks that run the fewest.
    fn next(&mut self) -> Option<(Network, oneshot::Sender<SearchPermit>)> {
        let running = |network: &Network| self.running.get(network).copied().unwrap_or_default();
        let all = self.waiting.iter().enumerate();
        let (at, _) = all.min_by_key(|(_, (network, _))| running(network))?;
        self.waiting.remove(at)
    }
}

impl Drop for SearchPermit {
    fn drop(&mut self) {
        let next = {
            let mut state = self.scheduler.state();
            state.end(self.network);
            state.waiting.retain(|(_, waiting)| !waiting.is_closed());
            let next = state.next();
            if let Some((network, _)) = &next {
                state.begin(*network);
            }
            next
        };
        if let Some((network, sender)) = next {
            // If the receiver gave up at this moment, the turn is dropped here and passed on.
            let _ = sender.send(Self { scheduler: self.scheduler.clone(), network });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use futures_util::FutureExt as _;

    use super::*;

    fn network(last: u8) -> Network {
        IpAddr::from([192, 0, 2, last]).into()
    }

    #[tokio::test]
    async fn the_network_that_runs_fewer_searches_is_next() {
        let scheduler = Scheduler::new(2);
        let first = scheduler.take(network(1)).await.unwrap();
        let second = scheduler.take(network(1)).await.unwrap();
        let mut third = Box::pin(scheduler.take(network(1)));
        assert!(third.as_mut().now_or_never().is_none());
        let mut other = Box::pin(scheduler.take(network(2)));
        assert!(other.as_mut().now_or_never().is_none());
        drop(first);
        let other = other.now_or_never().flatten().expect("the other network's turn");
        assert!(third.as_mut().now_or_never().is_none());
        drop(second);
        let third = third.now_or_never().flatten().expect("its turn");
        drop((other, third));
        assert!(scheduler.state().running.is_empty() && scheduler.state().running_in_all == 0);
    }

    #[tokio::test]
    async fn one_network_leaves_places_to_others_and_turns_are_never_lost() {
        let scheduler = Scheduler::new(1);
        let running = scheduler.take(network(1)).await.unwrap();
        let mut waiting: Vec<_> =
            (0..WAITING_PER_CONNECTION).map(|_| Box::pin(scheduler.take(network(1)))).collect();
        let refused = waiting.iter_mut().filter_map(|one| one.as_mut().now_or_never());
        assert_eq!(refused.filter(Option::is_none).count(), WAITING_PER_CONNECTION / 2);
        let mut other = Box::pin(scheduler.take(network(2)));
        assert!(other.as_mut().now_or_never().is_none(), "another network still has places");
        // All waiting requests are dropped, and the turn is free again.
        drop((waiting, other, running));
        assert!(scheduler.take(network(3)).now_or_never().flatten().is_some());
    }
}
