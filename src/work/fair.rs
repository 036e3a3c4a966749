//! Work that takes a core for as long as it lasts and that strangers can ask for: a bounded number at once, behind a short queue in which
//! networks take turns. Whoever finds no place in it is told so at once.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::domain::network::Network;
use crate::work::WorkError;

/// A bound on one kind of work. Clones share it.
#[derive(Clone)]
pub struct FairWork(Arc<Queue>);

struct Queue {
    at_once: usize,
    /// Places, for those that work and those that wait.
    in_all: usize,
    /// How many of them one network may have.
    of_one: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    places: Counts,
    running: Counts,
    waiting: VecDeque<(Network, oneshot::Sender<Turn>)>,
}

/// How many each network has of something. Those that have none are not in it.
#[derive(Default)]
struct Counts {
    by_network: HashMap<Network, usize>,
    in_all: usize,
}

impl Counts {
    fn of(&self, network: Network) -> usize {
        self.by_network.get(&network).copied().unwrap_or_default()
    }

    fn add(&mut self, network: Network) {
        *self.by_network.entry(network).or_default() += 1;
        self.in_all += 1;
    }

    fn remove(&mut self, network: Network) {
        self.in_all -= 1;
        if let Some(count) = self.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                self.by_network.remove(&network);
            }
        }
    }
}

/// A place in the queue, for any number of pieces of work one after the other. It is free when it and its work are over.
#[derive(Clone)]
pub struct Place(Arc<Held>);

struct Held {
    queue: Arc<Queue>,
    network: Network,
}

/// The right to work. The next has it when it is dropped.
struct Turn {
    queue: Arc<Queue>,
    network: Network,
}

impl FairWork {
    /// So many at once, and so many places in all, of which one network may have `of_one`; at least one of each.
    pub fn new(at_once: usize, in_all: usize, of_one: usize) -> Self {
        let at_once = at_once.max(1);
        let in_all = in_all.max(at_once);
        let of_one = of_one.clamp(1, in_all);
        Self(Arc::new(Queue { at_once, in_all, of_one, state: Mutex::default() }))
    }

    /// Takes a place. [`WorkError::Busy`]: all are taken, or as many as the network may have. The widest network around a client counts:
    /// a provider gives its customers many to try from.
    pub fn enter(&self, network: Network) -> Result<Place, WorkError> {
        let network = network.counted().last().map_or(network, |(widest, _)| widest);
        let places = &mut self.0.state().places;
        if places.in_all >= self.0.in_all || places.of(network) >= self.0.of_one {
            return Err(WorkError::Busy);
        }
        places.add(network);
        Ok(Place(Arc::new(Held { queue: self.0.clone(), network })))
    }
}

impl Place {
    /// Does a piece of work on a thread of its own when it is its turn. A client that hangs up meanwhile makes room only when the work is
    /// really over.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, WorkError> {
        let turn = self.turn().await?;
        let place = self.clone();
        let done = tokio::task::spawn_blocking(move || {
            let done = work();
            drop((turn, place));
            done
        });
        done.await.map_err(|_| WorkError::BrokenOff)
    }

    async fn turn(&self) -> Result<Turn, WorkError> {
        let Held { queue, network } = &*self.0;
        let given = {
            let mut state = queue.state();
            if state.running.in_all < queue.at_once {
                state.running.add(*network);
                return Ok(Turn { queue: queue.clone(), network: *network });
            }
            let (give, given) = oneshot::channel();
            state.waiting.push_back((*network, give));
            given
        };
        given.await.map_err(|_| WorkError::BrokenOff)
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Who waits longest of those whose networks work least.
    fn next(&mut self) -> Option<(Network, oneshot::Sender<Turn>)> {
        self.waiting.retain(|(_, waiting)| !waiting.is_closed());
        let all = self.waiting.iter().enumerate();
        let (at, _) = all.min_by_key(|(_, (network, _))| self.running.of(*network))?;
        self.waiting.remove(at)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let next = {
            let mut state = self.queue.state();
            state.running.remove(self.network);
            let next = state.next();
            if let Some((network, _)) = &next {
                state.running.add(*network);
            }
            next
        };
        if let Some((network, give)) = next {
            // Whoever gave up in this moment drops the turn, and so hands it on.
            let _ = give.send(Self { queue: self.queue.clone(), network });
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.queue.state().places.remove(self.network);
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;
    use std::sync::mpsc;

    use futures_util::FutureExt as _;

    use super::*;

    fn network(text: &str) -> Network {
        text.parse::<IpAddr>().unwrap().into()
    }

    #[tokio::test]
    async fn a_network_that_works_less_goes_first() {
        let work = FairWork::new(2, 10, 10);
        let (one, other) = (network("192.0.2.1"), network("192.0.2.2"));
        let enter = |network| work.enter(network).unwrap();
        let (first, second, third, stranger) = (enter(one), enter(one), enter(one), enter(other));
        let first_turn = first.turn().await.unwrap();
        let second_turn = second.turn().await.unwrap();
        let mut third_turn = Box::pin(third.turn());
        assert!(third_turn.as_mut().now_or_never().is_none());
        let mut other_turn = Box::pin(stranger.turn());
        assert!(other_turn.as_mut().now_or_never().is_none());
        drop(first_turn);
        let other_turn = other_turn.now_or_never().expect("the other network's turn").unwrap();
        assert!(third_turn.as_mut().now_or_never().is_none());
        drop(second_turn);
        let third_turn = third_turn.now_or_never().expect("its turn").unwrap();
        drop((other_turn, third_turn));
        assert!(work.0.state().running.by_network.is_empty());
        assert_eq!(work.0.state().running.in_all, 0);
    }

    #[tokio::test]
    async fn who_finds_no_place_is_sent_away_and_one_network_leaves_places_to_others() {
        let work = FairWork::new(1, 4, 2);
        let held =
            [work.enter(network("192.0.2.1")).unwrap(), work.enter(network("192.0.2.1")).unwrap()];
        assert_eq!(work.enter(network("192.0.2.1")).err(), Some(WorkError::Busy));
        // Another street of the same town is the same provider's.
        let street = work.enter(network("2001:db8:0:1::1")).unwrap();
        let other = work.enter(network("2001:db8:0:2::1")).unwrap();
        assert_eq!(work.enter(network("192.0.2.2")).err(), Some(WorkError::Busy), "all are taken");
        drop(held);
        assert_eq!(work.enter(network("2001:db8:0:3::1")).err(), Some(WorkError::Busy));
        assert!(work.enter(network("192.0.2.2")).is_ok());
        drop((street, other));
        assert!(work.0.state().places.by_network.is_empty());
    }

    #[tokio::test]
    async fn given_up_work_keeps_its_place_until_it_is_over() {
        let work = FairWork::new(1, 1, 1);
        let (begin, begun) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let place = work.enter(Network::UNKNOWN).unwrap();
        let given_up = tokio::spawn(async move {
            let work = move || {
                begin.send(()).unwrap();
                released.recv().ok()
            };
            place.run(work).await
        });
        tokio::task::spawn_blocking(move || begun.recv().unwrap()).await.unwrap();
        given_up.abort();
        assert!(given_up.await.is_err());
        assert_eq!(work.enter(Network::UNKNOWN).err(), Some(WorkError::Busy));
        release.send(()).unwrap();
        // The thread tells nobody when it is over.
        while work.enter(Network::UNKNOWN).is_err() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn who_gives_up_waiting_hands_the_turn_on_and_a_panic_frees_it() {
        let work = FairWork::new(1, 3, 3);
        let enter = || work.enter(Network::UNKNOWN).unwrap();
        let (first, second, third) = (enter(), enter(), enter());
        let turn = first.turn().await.unwrap();
        let mut given_up = Box::pin(second.turn());
        assert!(given_up.as_mut().now_or_never().is_none());
        let mut waiting = Box::pin(third.turn());
        assert!(waiting.as_mut().now_or_never().is_none());
        drop(given_up);
        drop(turn);
        drop(waiting.now_or_never().expect("its turn").unwrap());
        assert_eq!(third.run(|| panic!("in a test")).await, Err::<(), _>(WorkError::BrokenOff));
        assert_eq!(third.run(|| 8).await, Ok(8));
    }
}
