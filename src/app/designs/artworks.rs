//! Artwork that players upload for their designs.

use bytes::Bytes;
use cardscape_artwork::{Artwork, ArtworkError, Limits, Rendition};
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::catalogue::image_uris::artwork_uri;
use crate::app::feedback::problems::too_many_today;
use crate::app::page::{CursorTime, PageLimit, paged};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::problem_cause::ProblemCause;
use crate::app::problem_member::ProblemMember;
use crate::app::state::AppState;
use crate::app::words::words;
use crate::auth::permission::{Granted, ReadOwnDesigns, WriteOwnDesigns};
use crate::domain::designs::artwork::{ARTWORK_QUOTA, ArtworkId, MAX_ARTWORK_FILE, RenditionSize};
use crate::domain::network::Network;
use crate::memory::file_limiter::FilePlace;
use crate::store::db::deadlines;
use crate::store::designs::artworks::{
    self, ArtworkReleased, ArtworkStored, NewArtwork, NewRendition, OwnArtwork, UploadBegun,
};

words! {
    RenditionSize: "Size of a file of an artwork.";
}

/// A file of an artwork.
#[derive(Serialize, ToSchema)]
pub struct RenditionResponse {
    /// Path of the file.
    #[schema(
        example = "/v1/artworks/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    )]
    pub uri: String,
    /// `image/jpeg`, or `image/png` if the picture has transparent parts.
    #[schema(example = "image/jpeg")]
    pub media_type: String,
    /// Width in pixels.
    #[schema(example = 1536, minimum = 1)]
    pub width: i32,
    /// Height in pixels.
    #[schema(example = 1024, minimum = 1)]
    pub height: i32,
    /// Size of the file in bytes.
    #[schema(example = 412_640, minimum = 1)]
    pub bytes: i64,
}

/// An artwork that you have uploaded.
#[derive(Serialize, ToSchema)]
#[schema(example = json!({
    "id": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "full": {
        "uri": "/v1/artworks/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "media_type": "image/jpeg", "width": 1536, "height": 1024, "bytes": 412_640,
    },
    "small": {
        "uri": "/v1/artworks/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08?size=small",
        "media_type": "image/jpeg", "width": 500, "height": 333, "bytes": 29162,
    },
    "bytes": 441_802, "in_use": false, "uploaded_at": "2026-11-21T08:50:41.563424Z",
}))]
pub struct ArtworkResponse {
    /// Id of the artwork, computed from its pixels: the same picture has the same id for every account.
    #[schema(example = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")]
    pub id: String,
    /// The file for prints and large screens: at most 1536 pixels along a side.
    pub full: RenditionResponse,
    /// The file for a card on a screen: at most 500 pixels along a side.
    pub small: RenditionResponse,
    /// Size of both files in bytes, which counts against your quota.
    #[schema(example = 441_802, minimum = 2)]
    pub bytes: i64,
    /// Whether a revision of one of your designs shows it: then it cannot be deleted.
    pub in_use: bool,
    /// When you uploaded it.
    pub uploaded_at: DateTime<Utc>,
}

impl From<OwnArtwork> for ArtworkResponse {
    fn from(own: OwnArtwork) -> Self {
        let uri = artwork_uri(own.id);
        Self {
            id: own.id.to_string(),
            small: RenditionResponse {
                uri: format!("{uri}?size=small"),
                media_type: own.small_type,
                width: own.small_width,
                height: own.small_height,
                bytes: own.small_size,
            },
            full: RenditionResponse {
                uri,
                media_type: own.full_type,
                width: own.full_width,
                height: own.full_height,
                bytes: own.full_size,
            },
            bytes: own.size,
            in_use: own.in_use,
            uploaded_at: own.uploaded_at,
        }
    }
}

/// A page of the artwork that you have uploaded.
#[derive(Serialize, ToSchema)]
pub struct OwnArtworksResponse {
    /// The artwork, the last uploaded first.
    pub data: Vec<ArtworkResponse>,
    /// Send as `cursor` to get the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "WyIwMTk5OGQ1ZSJd")]
    pub next_cursor: Option<String>,
    /// Size of all your artwork in bytes, other pages included.
    #[schema(example = 441_802, minimum = 0)]
    pub bytes_used: i64,
    /// Maximum size of all your artwork in bytes.
    #[schema(example = 104_857_600)]
    pub bytes_quota: i64,
}

/// A picture that the client may send. It occupies a place until it is read.
pub struct ExpectedArtwork(FilePlace);

pub struct UploadedArtwork {
    /// Whether this upload added the artwork to the account.
    pub is_new: bool,
    pub artwork: ArtworkResponse,
}

/// Reserves a place for a picture that is about to be sent. Places are limited, because pictures have to fit into
/// memory.
pub fn expect(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    network: Network,
) -> Result<ExpectedArtwork, Problem> {
    let place = app.artwork_limiter.enter(by.account(), network).map_err(Problem::no_file_place)?;
    Ok(ExpectedArtwork(place))
}

impl ExpectedArtwork {
    /// Reads the picture when it is its turn, and stores it for the account. Equal pictures are one artwork.
    pub async fn store(
        self,
        app: &AppState,
        by: &Granted<WriteOwnDesigns>,
        raw: Bytes,
    ) -> Result<UploadedArtwork, Problem> {
        let at = app.clock.now();
        let begun =
            app.write(by, async |conn, by| artworks::begin_upload(conn, by, at).await).await?;
        match begun {
            UploadBegun::Counted => {}
            UploadBegun::TooManyToday(limit) => return Err(too_many_today(app, limit)),
        }
        let limits = upload_limits();
        // Pictures are read one at a time. One that its header shows to be too large does not wait for the others.
        let read = match Artwork::check_header(&raw, &limits) {
            Ok(()) => self.0.turn().await?.run(move || Artwork::read(&raw, &limits)).await?,
            Err(refused) => Err(refused),
        };
        let outcome = if read.is_ok() { "read" } else { "refused" };
        metrics::counter!("artworks_read_total", "outcome" => outcome).increment(1);
        let artwork = read.map_err(unreadable)?;
        let id = ArtworkId::of(artwork.full().hash().as_bytes(), artwork.small().hash().as_bytes());
        let renditions = [
            new_rendition(RenditionSize::Full, artwork.full())?,
            new_rendition(RenditionSize::Small, artwork.small())?,
        ];
        let new = NewArtwork { id, renditions, at };
        let kept = app
            .write_within(deadlines::LARGE, by, async |conn, by| {
                artworks::store(conn, by, &new).await
            })
            .await?;
        let (is_new, own) = match kept {
            ArtworkStored::New(own) => {
                tracing::info!(account = %by.account(), artwork = %id, "artwork uploaded");
                (true, own)
            }
            ArtworkStored::Known(own) => (false, own),
            ArtworkStored::Removed => {
                return Err(Problem::new(ProblemCode::Gone)
                    .detail("This picture was taken down. It cannot be uploaded again."));
            }
            ArtworkStored::NoRoom(used) => return Err(no_room(used)),
        };
        Ok(UploadedArtwork { is_new, artwork: own.into() })
    }
}

/// Limits of uploaded pictures.
pub(super) fn upload_limits() -> Limits {
    Limits { bytes: MAX_ARTWORK_FILE, ..Limits::default() }
}

fn new_rendition(rendition: RenditionSize, file: &Rendition) -> Result<NewRendition<'_>, Problem> {
    let pixels = |side: u32| i32::try_from(side).map_err(Problem::internal);
    Ok(NewRendition {
        rendition,
        media_type: file.media_type().as_str(),
        width: pixels(file.width())?,
        height: pixels(file.height())?,
        bytes: file.bytes(),
    })
}

/// The failure of a file that is no acceptable picture.
fn unreadable(error: ArtworkError) -> Problem {
    Problem::new(ProblemCode::UnreadableArtwork)
        .with(ProblemMember::Reason, error.reason())
        .because(ProblemCause::Artwork(error))
}

fn no_room(used: i64) -> Problem {
    Problem::new(ProblemCode::ArtworkQuotaReached)
        .with(ProblemMember::BytesUsed, used)
        .with(ProblemMember::BytesQuota, ARTWORK_QUOTA)
}

/// Where a page of the caller's artwork begins: upload time and id of the last one on the previous page.
pub type ArtworkKey = (CursorTime, ArtworkId);

/// Lists the artwork that the account has uploaded, the newest first.
pub async fn list_own(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    before: Option<ArtworkKey>,
    limit: PageLimit,
) -> Result<OwnArtworksResponse, Problem> {
    let mut conn = app.store.connection().await?;
    let before = before.map(|(CursorTime(at), id)| (at, id));
    let rows = artworks::list_own(&mut conn, by, before, limit.rows()).await?;
    let bytes_used = artworks::bytes_used(&mut conn, by).await?;
    let key = |row: &OwnArtwork| (CursorTime(row.uploaded_at), row.id);
    let page = paged(rows, limit, key, ArtworkResponse::from);
    Ok(OwnArtworksResponse {
        data: page.data,
        next_cursor: page.next_cursor,
        bytes_used,
        bytes_quota: ARTWORK_QUOTA,
    })
}

/// Finds one of the account's artworks; `None`: it holds none with that id, or it was taken down.
pub async fn find_own(
    app: &AppState,
    by: &Granted<ReadOwnDesigns>,
    id: ArtworkId,
) -> Result<Option<ArtworkResponse>, Problem> {
    let mut conn = app.store.connection().await?;
    Ok(artworks::find_own(&mut conn, by, id).await?.map(ArtworkResponse::from))
}

/// Deletes one of the account's artworks, unless a revision of one of its designs shows it.
pub async fn delete(
    app: &AppState,
    by: &Granted<WriteOwnDesigns>,
    id: ArtworkId,
) -> Result<(), Problem> {
    let at = app.clock.now();
    let released =
        app.write(by, async |conn, by| artworks::release(conn, by, id, at).await).await?;
    match released {
        ArtworkReleased::Done => {
            tracing::info!(account = %by.account(), artwork = %id, "artwork deleted");
            Ok(())
        }
        ArtworkReleased::Missing => Err(Problem::not_found()),
        ArtworkReleased::InUse => Err(Problem::new(ProblemCode::ArtworkInUse)),
    }
}
