//! The files of artworks, for download.

use std::io;

use bytes::Bytes;
use futures_util::Stream;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{Granted, ReadOwnDesigns, ReviewDesigns, Viewer};
use crate::domain::designs::artwork::{ArtworkId, RenditionSize};
use crate::memory::rendered::Freshness;
use crate::store::StoreError;
use crate::store::designs::artwork_files::{self, ArtworkFile};

/// Pieces of a file that one read returns, 512 KiB: most files need one or two reads.
const PIECES_AT_ONCE: i32 = 8;

/// How long caches may keep a public artwork, in seconds. The bytes of an id never change, but its readers do: when a
/// design shows another artwork, its author is banned, or the artwork is taken down.
const PUBLIC_SECONDS: u32 = 300;

/// A file that the reader may see.
pub struct ShownArtwork {
    file: ArtworkFile,
    /// The ETag of its bytes.
    pub tag: String,
    /// Which caches may keep it, and for how long.
    pub freshness: Freshness,
}

/// Finds a file of an artwork: 404 when this reader may not see it, 410 when it was taken down.
pub async fn find(
    app: &AppState,
    viewer: Viewer,
    reader: Option<&Granted<ReadOwnDesigns>>,
    reviewer: Option<&Granted<ReviewDesigns>>,
    id: ArtworkId,
    size: RenditionSize,
) -> Result<ShownArtwork, Problem> {
    let mut conn = app.store.connection().await?;
    let file = artwork_files::find(&mut conn, viewer, reader, reviewer, id, size).await?;
    let file = file.ok_or_else(Problem::not_found)?;
    if file.is_removed {
        return Err(Problem::new(ProblemCode::Gone).detail("This picture was taken down."));
    }
    let freshness =
        if file.is_public { Freshness::Public(PUBLIC_SECONDS) } else { Freshness::Never };
    Ok(ShownArtwork { file, tag: format!("{id}-{}", size.as_str()), freshness })
}

impl ShownArtwork {
    /// The media type of the file.
    pub fn media_type(&self) -> &str {
        &self.file.media_type
    }

    /// The size in bytes.
    pub fn size(&self) -> Result<u64, Problem> {
        u64::try_from(self.file.size).map_err(Problem::internal)
    }

    /// Streams the bytes, each part read on demand; a connection is held only while reading. The stream ends with an
    /// error, and the client's connection with it, when the database does not answer.
    pub fn stream(self, app: AppState) -> impl Stream<Item = Result<Bytes, io::Error>> {
        let begin = (self.file, app, 0);
        futures_util::stream::try_unfold(begin, |(file, app, at)| async move {
            let bytes = read(&file, &app, at).await.map_err(|error| {
                tracing::warn!(%error, "the download of an artwork was interrupted");
                io::Error::other(error)
            })?;
            let next = (file, app, at + PIECES_AT_ONCE);
            Ok((!bytes.is_empty()).then(|| (Bytes::from(bytes), next)))
        })
    }
}

async fn read(file: &ArtworkFile, app: &AppState, from: i32) -> Result<Vec<u8>, StoreError> {
    file.read(&mut *app.store.connection().await?, from, PIECES_AT_ONCE).await
}
