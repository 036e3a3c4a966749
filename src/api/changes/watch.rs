//! Who waits for changes: one look at the database serves all streams of the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::domain::network::Network;
use crate::store::Store;
use crate::store::changes;

/// How often the database is asked while anybody waits.
const INTERVAL: Duration = Duration::from_millis(500);
/// Most streams of one network.
const PER_NETWORK: usize = 20;
/// Most streams of a process.
const IN_ALL: usize = 2_000;

/// The newest number of the change feed, watched while there are streams.
#[derive(Debug, Default)]
pub struct ChangeWatch(Arc<Mutex<Streams>>);

#[derive(Debug, Default)]
struct Streams {
    by_network: HashMap<Network, usize>,
    in_all: usize,
    newest: watch::Sender<i64>,
    /// A task of this process asks the database.
    is_watched: bool,
}

/// A stream's view of the newest number. Counts as a stream while it lives.
#[derive(Debug)]
pub struct Watcher {
    streams: Arc<Mutex<Streams>>,
    network: Network,
    newest: watch::Receiver<i64>,
}

impl ChangeWatch {
    /// A further stream; `None` when its network, or all together, have as many as they may.
    pub fn subscribe(&self, store: &Store, network: Network) -> Option<Watcher> {
        let mut streams = lock(&self.0);
        let of_network = streams.by_network.get(&network).copied().unwrap_or_default();
        if of_network >= PER_NETWORK || streams.in_all >= IN_ALL {
            return None;
        }
        streams.by_network.insert(network, of_network + 1);
        streams.in_all += 1;
        metrics::gauge!("change_streams").increment(1);
        let newest = streams.newest.subscribe();
        if !streams.is_watched {
            streams.is_watched = true;
            tokio::spawn(follow(self.0.clone(), store.clone()));
        }
        Some(Watcher { streams: self.0.clone(), network, newest })
    }

    /// Wakes every stream, to see that the instance is about to stop.
    pub fn wake(&self) {
        lock(&self.0).newest.send_modify(|_| {});
    }
}

impl Watcher {
    /// The newest number of the feed, as far as is known.
    pub fn newest(&self) -> i64 {
        *self.newest.borrow()
    }

    /// Completes when the newest number may have changed; `false`: nobody watches any more.
    pub async fn changed(&mut self) -> bool {
        self.newest.changed().await.is_ok()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let mut streams = lock(&self.streams);
        streams.in_all -= 1;
        metrics::gauge!("change_streams").decrement(1);
        if let Some(left) = streams.by_network.get_mut(&self.network) {
            *left -= 1;
            if *left == 0 {
                streams.by_network.remove(&self.network);
            }
        }
    }
}

/// Asks the database until nobody waits any more.
async fn follow(streams: Arc<Mutex<Streams>>, store: Store) {
    loop {
        match changes::extent(&store).await {
            Ok(extent) => {
                lock(&streams).newest.send_if_modified(|known| {
                    let is_new = *known != extent.newest;
                    *known = extent.newest;
                    is_new
                });
            }
            Err(error) => tracing::warn!(%error, "cannot look for changes"),
        }
        tokio::time::sleep(INTERVAL).await;
        let mut streams = lock(&streams);
        if streams.in_all == 0 {
            streams.is_watched = false;
            return;
        }
    }
}

fn lock(streams: &Mutex<Streams>) -> std::sync::MutexGuard<'_, Streams> {
    streams.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::store::StoreSettings;

    #[tokio::test]
    async fn a_stream_that_ended_makes_room() {
        let nowhere = StoreSettings::new("postgres://127.0.0.1:1/none".to_owned());
        let store = Store::new(&nowhere).unwrap();
        let network = |last| Network::from(IpAddr::from([192, 0, 2, last]));
        let watch = ChangeWatch::default();
        let mut held: Vec<Watcher> = (0..PER_NETWORK)
            .map(|_| watch.subscribe(&store, network(1)).expect("there is room"))
            .collect();
        assert!(watch.subscribe(&store, network(1)).is_none());
        assert!(watch.subscribe(&store, network(2)).is_some(), "others are not concerned");
        held.pop();
        assert!(watch.subscribe(&store, network(1)).is_some());
        drop(held);
        assert!(lock(&watch.0).by_network.is_empty());
        assert_eq!(lock(&watch.0).in_all, 0);
    }
}
