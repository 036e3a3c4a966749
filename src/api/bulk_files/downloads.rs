//! Downloads that are going on: how many, and the bytes of one, chunk by chunk.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actix_web::web::{self, Bytes};
use futures_util::Stream;
use uuid::Uuid;

use crate::api::state::AppState;
use crate::domain::network::Network;
use crate::store::StoreError;
use crate::store::bulk_files::{self, CHUNK};

/// Most downloads of one network.
const PER_NETWORK: usize = 20;
/// Most downloads of a process: each holds a chunk, some twice.
const IN_ALL: usize = 2_000;

/// The downloads of the process.
#[derive(Debug, Default)]
pub struct Downloads(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    by_network: HashMap<Network, usize>,
    in_all: usize,
}

/// Counts as a download while it lives.
#[derive(Debug)]
pub struct Download {
    counts: Arc<Mutex<Counts>>,
    network: Network,
}

impl Downloads {
    /// A further download; `None` when its network, or all together, have as many as they may.
    pub fn begin(&self, network: Network) -> Option<Download> {
        let mut counts = lock(&self.0);
        let of_network = counts.by_network.get(&network).copied().unwrap_or_default();
        if of_network >= PER_NETWORK || counts.in_all >= IN_ALL {
            return None;
        }
        counts.by_network.insert(network, of_network + 1);
        counts.in_all += 1;
        metrics::gauge!("bulk_downloads").increment(1);
        Some(Download { counts: self.0.clone(), network })
    }
}

impl Drop for Download {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        counts.in_all -= 1;
        metrics::gauge!("bulk_downloads").decrement(1);
        if let Some(left) = counts.by_network.get_mut(&self.network) {
            *left -= 1;
            if *left == 0 {
                counts.by_network.remove(&self.network);
            }
        }
    }
}

fn lock(counts: &Mutex<Counts>) -> MutexGuard<'_, Counts> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The bytes of a version that are left to send. Holds a connection only while it reads a chunk.
pub(super) struct Reader {
    pub(super) state: web::Data<AppState>,
    pub(super) version: Uuid,
    pub(super) left: Range<u64>,
    /// Kept for its end.
    pub(super) _download: Download,
}

impl Reader {
    /// What to send, as it is taken. Ends with an error, and so with the connection, when the database does not answer or the version
    /// is not kept any more; the client can go on from there.
    pub(super) fn stream(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        futures_util::stream::try_unfold(self, |mut reader| async move {
            if reader.left.is_empty() {
                return Ok(None);
            }
            match reader.next().await {
                Ok(bytes) => Ok(Some((bytes, reader))),
                Err(error) => {
                    tracing::warn!(%error, version = %reader.version, "a download broke off");
                    Err(error)
                }
            }
        })
    }

    async fn next(&mut self) -> io::Result<Bytes> {
        let size = CHUNK as u64;
        let position = i32::try_from(self.left.start / size).map_err(io::Error::other)?;
        let chunk = self.chunk(position).await.map_err(io::Error::other)?;
        let chunk = chunk.ok_or_else(|| io::Error::other("the version is not kept any more"))?;
        let chunk = Bytes::from(chunk);
        let from = usize::try_from(self.left.start % size).map_err(io::Error::other)?;
        let wanted = usize::try_from(self.left.end - self.left.start).unwrap_or(usize::MAX);
        let until = chunk.len().min(from.saturating_add(wanted));
        if from >= until {
            return Err(io::Error::other("a chunk is too short"));
        }
        self.left.start += (until - from) as u64;
        Ok(chunk.slice(from..until))
    }

    async fn chunk(&self, position: i32) -> Result<Option<Vec<u8>>, StoreError> {
        let mut conn = self.state.store.connection().await?;
        bulk_files::chunk(&mut conn, self.version, position).await
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;

    #[test]
    fn a_download_that_ended_makes_room() {
        let network = |last| Network::from(IpAddr::from([192, 0, 2, last]));
        let downloads = Downloads::default();
        let begin = |_| downloads.begin(network(1)).expect("there is room");
        let mut held: Vec<Download> = (0..PER_NETWORK).map(begin).collect();
        assert!(downloads.begin(network(1)).is_none());
        assert!(downloads.begin(network(2)).is_some(), "others are not concerned");
        held.pop();
        assert!(downloads.begin(network(1)).is_some());
        drop(held);
        assert!(lock(&downloads.0).by_network.is_empty());
        assert_eq!(lock(&downloads.0).in_all, 0);
    }
}
