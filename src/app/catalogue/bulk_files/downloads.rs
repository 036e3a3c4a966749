//! The bytes of a download, chunk by chunk.

use std::io;
use std::ops::Range;

use bytes::Bytes;
use futures_util::Stream;
use uuid::Uuid;

use crate::app::state::AppState;
use crate::domain::network::Network;
use crate::memory::places::Place;
use crate::store::StoreError;
use crate::store::catalogue::bulk_files::{self, CHUNK};

/// The bytes of a version that are still to be sent. Holds a database connection only while it reads a chunk.
pub struct Download {
    app: AppState,
    version: Uuid,
    left: Range<u64>,
    /// Counts as one download of the client's network until it is dropped.
    _place: Place<Network>,
}

impl Download {
    pub(super) fn new(
        app: AppState,
        version: Uuid,
        left: Range<u64>,
        place: Place<Network>,
    ) -> Self {
        Self { app, version, left, _place: place }
    }

    /// Streams the bytes, each chunk read on demand. The stream ends with an error, and the connection with it, when
    /// the database does not answer or the version was deleted; the client can resume with a range request.
    pub fn stream(self) -> impl Stream<Item = Result<Bytes, io::Error>> {
        futures_util::stream::try_unfold(self, |mut download| async move {
            if download.left.is_empty() {
                return Ok(None);
            }
            match download.next().await {
                Ok(bytes) => Ok(Some((bytes, download))),
                Err(error) => {
                    tracing::warn!(%error, version = %download.version, "a download was interrupted");
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
        let mut conn = self.app.store.connection().await?;
        bulk_files::chunk(&mut conn, self.version, position).await
    }
}
