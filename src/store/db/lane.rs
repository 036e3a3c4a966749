//! Connections of their own for searches that may read much of the catalogue, with a short queue before them: however many there
//! are, everything else goes on as before. Networks take turns, so that one with many searches keeps no other waiting for long.

use std::collections::{HashMap, VecDeque};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::budget::Budget;
use super::session::Held;
use crate::domain::network::Network;
use crate::store::{Connection, Store, StoreError, StoreResult, StoreSettings};

/// Searches that may wait for each connection.
const QUEUE: usize = 16;

/// The lane of a process: its worker threads share it.
#[derive(Clone)]
pub struct SearchLane {
    store: Store,
    settings: Arc<StoreSettings>,
    turns: Arc<Turns>,
}

/// A connection of the lane. It is somebody else's turn when it is dropped.
pub struct LaneConnection {
    // Dropped first: whoever has the next turn finds the connection free.
    conn: Held,
    _turn: Turn,
}

impl SearchLane {
    /// A lane with the connections and the time limit that the settings have for searches.
    pub fn new(settings: &StoreSettings) -> StoreResult<Self> {
        let own = StoreSettings {
            pool_size: settings.search_connections,
            statement_timeout: settings.search_timeout,
            ..settings.clone()
        };
        let turns = Turns::new(settings.search_connections);
        Ok(Self { store: Store::new(&own)?, settings: Arc::new(own), turns })
    }

    /// A connection, when it is the network's turn. [`StoreError::Crowded`]: too many wait, or too many of that network.
    pub async fn enter(&self, network: Network) -> StoreResult<LaneConnection> {
        let turn = self.turn(network).await?;
        Ok(LaneConnection { conn: self.store.connection().await?, _turn: turn })
    }

    /// The same without a connection, for a search that needs none.
    pub async fn turn(&self, network: Network) -> StoreResult<Turn> {
        let budget = Budget::current();
        let most = self.settings.acquire_timeout;
        let most = budget.as_ref().map_or(most, |budget| most.min(budget.left()));
        let began = Instant::now();
        let turn = timeout(most, self.turns.take(network)).await;
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

/// Who searches, and who waits for that.
struct Turns {
    connections: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    taken: usize,
    running: HashMap<Network, usize>,
    waiting: VecDeque<(Network, oneshot::Sender<Turn>)>,
}

/// The right to search. The next has it when it is dropped.
pub struct Turn {
    turns: Arc<Turns>,
    network: Network,
}

impl Turns {
    fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self { connections, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A turn, at once or after others; `None`: too many wait already.
    async fn take(self: &Arc<Self>, network: Network) -> Option<Turn> {
        let given = {
            let mut state = self.state();
            state.waiting.retain(|(_, waiting)| !waiting.is_closed());
            if state.taken < self.connections {
                state.begin(network);
                return Some(Turn { turns: self.clone(), network });
            }
            let queue = self.connections * QUEUE;
            let of_network = state.waiting.iter().filter(|(other, _)| *other == network).count();
            // One network leaves half of the places to others.
            if state.waiting.len() >= queue || of_network >= queue / 2 {
                return None;
            }
            let (give, given) = oneshot::channel();
            state.waiting.push_back((network, give));
            given
        };
        given.await.ok()
    }
}

impl State {
    fn begin(&mut self, network: Network) {
        self.taken += 1;
        *self.running.entry(network).or_default() += 1;
    }

    fn end(&mut self, network: Network) {
        self.taken -= 1;
        if let Some(running) = self.running.get_mut(&network) {
            *running -= 1;
            if *running == 0 {
                self.running.remove(&network);
            }
        }
    }

    /// Who waits longest of those whose networks search least.
    fn next(&mut self) -> Option<(Network, oneshot::Sender<Turn>)> {
        let running = |network: &Network| self.running.get(network).copied().unwrap_or_default();
        let all = self.waiting.iter().enumerate();
        let (at, _) = all.min_by_key(|(_, (network, _))| running(network))?;
        self.waiting.remove(at)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = {
            let mut state = self.turns.state();
            state.end(self.network);
            state.waiting.retain(|(_, waiting)| !waiting.is_closed());
            let next = state.next();
            if let Some((network, _)) = &next {
                state.begin(*network);
            }
            next
        };
        if let Some((network, give)) = next {
            // Whoever gave up in this moment drops the turn, and so hands it on.
            let _ = give.send(Self { turns: self.turns.clone(), network });
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
    async fn a_network_that_searches_less_goes_first() {
        let turns = Turns::new(2);
        let first = turns.take(network(1)).await.unwrap();
        let second = turns.take(network(1)).await.unwrap();
        let mut third = Box::pin(turns.take(network(1)));
        assert!(third.as_mut().now_or_never().is_none());
        let mut other = Box::pin(turns.take(network(2)));
        assert!(other.as_mut().now_or_never().is_none());
        drop(first);
        let other = other.now_or_never().flatten().expect("the other network's turn");
        assert!(third.as_mut().now_or_never().is_none());
        drop(second);
        let third = third.now_or_never().flatten().expect("its turn");
        drop((other, third));
        assert!(turns.state().running.is_empty() && turns.state().taken == 0);
    }

    #[tokio::test]
    async fn one_network_leaves_places_to_others_and_turns_are_never_lost() {
        let turns = Turns::new(1);
        let running = turns.take(network(1)).await.unwrap();
        let mut waiting: Vec<_> = (0..QUEUE).map(|_| Box::pin(turns.take(network(1)))).collect();
        let refused = waiting.iter_mut().filter_map(|one| one.as_mut().now_or_never());
        assert_eq!(refused.filter(Option::is_none).count(), QUEUE / 2);
        let mut other = Box::pin(turns.take(network(2)));
        assert!(other.as_mut().now_or_never().is_none(), "there is a place for another");
        // All of them give up; the turn is free again.
        drop((waiting, other, running));
        assert!(turns.take(network(3)).now_or_never().flatten().is_some());
    }
}
