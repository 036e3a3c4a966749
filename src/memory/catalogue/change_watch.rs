//! Streams that wait for changes: one poll of the database serves all streams of the process.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::domain::network::Network;
use crate::memory::event_watch::MAX_SILENCE;
use crate::memory::places::{Place, Places};
use crate::store::catalogue::changes;
use crate::store::{Store, in_time};
use crate::work::supervise::supervise;

/// How often the database is polled while there are streams.
const INTERVAL: Duration = Duration::from_millis(500);
/// Most streams of one network.
const PER_NETWORK: usize = 20;
/// Most streams of a process.
const IN_ALL: usize = 2_000;

/// The newest number of the change feed, watched while there are streams.
#[derive(Debug)]
pub struct ChangeWatch {
    places: Arc<Places<Network>>,
    feed: Arc<Mutex<Feed>>,
}

impl Default for ChangeWatch {
    fn default() -> Self {
        Self { places: Arc::new(Places::new(IN_ALL, "change_streams")), feed: Arc::default() }
    }
}

#[derive(Debug, Default)]
struct Feed {
    newest: watch::Sender<i64>,
    /// Whether a task of this process polls the database.
    is_watched: bool,
}

/// A stream's subscription to the newest number. Counts as a stream until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    newest: watch::Receiver<i64>,
    _place: Place<Network>,
}

impl ChangeWatch {
    /// Opens a stream; `None` when its network or the process has reached the limit of streams.
    pub fn subscribe(&self, store: &Store, network: Network) -> Option<Watcher> {
        // Taken before `is_watched` is read: the polling task ends when no place is taken.
        let place = self.places.take_for_network(network, PER_NETWORK).ok()?;
        let mut feed = lock(&self.feed);
        let newest = feed.newest.subscribe();
        if !feed.is_watched {
            feed.is_watched = true;
            let (places, feed, store) = (self.places.clone(), self.feed.clone(), store.clone());
            let watched = feed.clone();
            tokio::spawn(supervise(
                "change_watch",
                move || !lock(&watched).is_watched,
                move || follow(places.clone(), feed.clone(), store.clone()),
            ));
        }
        Some(Watcher { newest, _place: place })
    }

    /// Wakes every stream, so that it notices that the instance is stopping.
    pub fn wake(&self) {
        lock(&self.feed).newest.send_modify(|_| {});
    }
}

impl Watcher {
    /// The newest known number of the feed.
    pub fn newest(&self) -> i64 {
        *self.newest.borrow()
    }

    /// Completes when the newest number may have changed; `false`: the database does not answer.
    pub async fn changed(&mut self) -> bool {
        self.newest.changed().await.is_ok()
    }
}

/// Polls the database until there are no streams. If it does not answer for some time, all streams end: otherwise clients would believe
/// that there are no changes.
async fn follow(places: Arc<Places<Network>>, feed: Arc<Mutex<Feed>>, store: Store) {
    let mut last_poll = Instant::now();
    loop {
        match in_time(MAX_SILENCE, changes::readable_extent(&store)).await {
            Ok(extent) => {
                last_poll = Instant::now();
                lock(&feed).newest.send_if_modified(|known| {
                    let is_new = *known != extent.newest;
                    *known = extent.newest;
                    is_new
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot look for changes");
                if last_poll.elapsed() > MAX_SILENCE {
                    // A stream ends with its sender.
                    lock(&feed).newest = watch::Sender::default();
                }
            }
        }
        tokio::time::sleep(INTERVAL).await;
        let mut feed = lock(&feed);
        if places.is_empty() {
            feed.is_watched = false;
            return;
        }
    }
}

fn lock(feed: &Mutex<Feed>) -> std::sync::MutexGuard<'_, Feed> {
    feed.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::store::StoreSettings;

    #[tokio::test]
    async fn an_ended_stream_frees_its_place() {
        let nowhere = StoreSettings::new("postgres://127.0.0.1:1/none".to_owned());
        let store = Store::new(&nowhere).unwrap();
        let network = |last| Network::from(IpAddr::from([192, 0, 2, last]));
        let watch = ChangeWatch::default();
        let mut held: Vec<Watcher> = (0..PER_NETWORK)
            .map(|_| watch.subscribe(&store, network(1)).expect("there is room"))
            .collect();
        assert!(watch.subscribe(&store, network(1)).is_none());
        assert!(watch.subscribe(&store, network(2)).is_some(), "each network has its own limit");
        held.pop();
        assert!(watch.subscribe(&store, network(1)).is_some());
        drop(held);
        assert!(watch.places.is_empty());
    }
}
