//! Pictures. Drawing a PNG takes a core for tens of milliseconds, so only a few are drawn at a time, and they are
//! cached; pictures of designs are cached in their final form.

use bytes::Bytes;
use cardscape_pictures::{Fonts, Picture};
use moka::future::Cache;
use xxhash_rust::xxh3::xxh3_128;

use super::kept::Weighed;
use super::rendered::Rendered;
use crate::domain::designs::identifier::DesignCode;
use crate::work::{BoundedWork, WorkError};

/// Memory for drawn pictures, in bytes: enough for about two hundred.
const KEPT_BYTES: u64 = 16 * 1024 * 1024;
/// How many drawings may wait for each one that runs.
const WAITING: usize = 32;

/// Draws pictures as PNG. Each is cached by the hash of its SVG while there is room; concurrent requests for the same
/// picture wait for one drawing.
pub struct PictureDrawer {
    fonts: Fonts,
    drawn: metrics::Counter,
    kept: Cache<u128, Bytes>,
    work: BoundedWork,
}

/// Everything that the picture of a design depends on. The content of a revision never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PictureKey {
    /// The design.
    pub code: DesignCode,
    /// Its revision.
    pub revision: i64,
    /// Revision of the manifest of its game.
    pub game_revision: i64,
    /// Code of the rarity; `None`: the lowest.
    pub rarity: Option<String>,
    /// Whether it is a PNG; an SVG otherwise.
    pub is_png: bool,
}

/// Cached pictures of public designs.
pub type KeptPictures = Weighed<PictureKey, Rendered>;

/// Size of a cached picture without its bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;

/// A cache of the same size as the cache of PNGs.
pub fn room_for_pictures() -> KeptPictures {
    Weighed::new(KEPT_BYTES, |_, picture: &Rendered| picture.weight() + OVERHEAD)
}

/// Why a PNG could not be drawn.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrawError {
    /// Too many drawings are waiting.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// The renderer failed.
    #[error("{0}")]
    Renderer(String),
}

impl PictureDrawer {
    /// A drawer with these fonts.
    pub fn new(fonts: Fonts) -> Self {
        let weight = |_: &u128, png: &Bytes| u32::try_from(png.len()).unwrap_or(u32::MAX);
        Self {
            fonts,
            drawn: metrics::counter!("pictures_drawn_total"),
            kept: Cache::builder().max_capacity(KEPT_BYTES).weigher(weight).build(),
            work: BoundedWork::on_half_the_cores(WAITING),
        }
    }

    /// The picture as PNG, 500 × 700 pixels; `svg` is the same picture as SVG.
    pub async fn png(&self, picture: Picture, svg: &str) -> Result<Bytes, DrawError> {
        let draw = async {
            let fonts = self.fonts.clone();
            let drawn = self.work.run(move || picture.png(&fonts)).await?;
            self.drawn.increment(1);
            drawn.map(Bytes::from).map_err(|error| DrawError::Renderer(error.to_string()))
        };
        let drawn = self.kept.try_get_with(xxh3_128(svg.as_bytes()), draw).await;
        drawn.map_err(|error| DrawError::clone(&error))
    }
}
