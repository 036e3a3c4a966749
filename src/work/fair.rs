//! Work that occupies a core, or a connection for long, and that anonymous clients can request. A limited number of jobs
//! runs at a time; a short queue, in which networks take turns, holds the others. When the queue is full, requests are
//! refused at once.

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
    /// Places for running and waiting jobs.
    in_all: usize,
    /// Most places of one network.
    of_one: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    places: Counts,
    running: Counts,
    waiting: VecDeque<(Network, oneshot::Sender<RunPermit>)>,
}

/// Counts by network. Networks with a count of zero have no entry.
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

/// A place in the queue, for any number of jobs one after the other. It is freed when it is dropped and its last job
/// has ended.
#[derive(Clone)]
pub struct Place(Arc<HeldPlace>);

struct HeldPlace {
    queue: Arc<Queue>,
    network: Network,
}

/// The right to run. When it is dropped, the next job runs.
pub struct RunPermit {
    queue: Arc<Queue>,
    network: Network,
}

impl FairWork {
    /// At most `at_once` jobs run, and at most `in_all` run or wait, of which one network may have `of_one`; each at
    /// least one.
    pub fn new(at_once: usize, in_all: usize, of_one: usize) -> Self {
        let at_once = at_once.max(1);
        let in_all = in_all.max(at_once);
        let of_one = of_one.clamp(1, in_all);
        Self(Arc::new(Queue { at_once, in_all, of_one, state: Mutex::default() }))
    }

    /// Takes a place. [`WorkError::Busy`]: all places are taken, or all that the widest network around the client may
    /// have.
    pub fn enter(&self, network: Network) -> Result<Place, WorkError> {
        let network = network.widest();
        let places = &mut self.0.state().places;
        if places.in_all >= self.0.in_all || places.of(network) >= self.0.of_one {
            return Err(WorkError::Busy);
        }
        places.add(network);
        Ok(Place(Arc::new(HeldPlace { queue: self.0.clone(), network })))
    }
}

impl Place {
    /// Runs a job on a blocking thread when it is its turn. If the client disconnects, its place is freed only when the
    /// job has ended.
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

    /// Waits until it is the turn of a job of this place: for jobs that do not run on a blocking thread. The place must be
    /// kept until the job has ended.
    pub async fn turn(&self) -> Result<RunPermit, WorkError> {
        let HeldPlace { queue, network } = &*self.0;
        let given = {
            let mut state = queue.state();
            if state.running.in_all < queue.at_once {
                state.running.add(*network);
                return Ok(RunPermit { queue: queue.clone(), network: *network });
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
    /// Removes the job that waits longest among those whose networks run the fewest jobs.
    fn next(&mut self) -> Option<(Network, oneshot::Sender<RunPermit>)> {
        self.waiting.retain(|(_, waiting)| !waiting.is_closed());
        let all = self.waiting.iter().enumerate();
        let (at, _) = all.min_by_key(|(_, (network, _))| self.running.of(*network))?;
        self.waiting.remove(at)
    }
}

impl Drop for RunPermit {
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
            // A receiver that has just given up drops the turn, which passes it on.
            let _ = give.send(Self { queue: self.queue.clone(), network });
        }
    }
}

impl Drop for HeldPlace {
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
    async fn a_network_with_fewer_running_jobs_goes_first() {
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
    async fn a_full_queue_refuses_and_one_network_cannot_take_all_places() {
        let work = FairWork::new(1, 4, 2);
        let held =
            [work.enter(network("192.0.2.1")).unwrap(), work.enter(network("192.0.2.1")).unwrap()];
        assert_eq!(work.enter(network("192.0.2.1")).err(), Some(WorkError::Busy));
        // A neighbouring prefix belongs to the same provider.
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
    async fn cancelled_work_keeps_its_place_until_it_ends() {
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
        // The end of the thread cannot be awaited, so this polls.
        while work.enter(Network::UNKNOWN).is_err() {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_cancelled_waiter_passes_the_turn_on_and_a_panic_frees_it() {
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
