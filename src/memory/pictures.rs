//! Pictures: as PNG they take a core for tens of milliseconds, so they are drawn a few at once, and kept; pictures of designs are kept as they are sent.

use bytes::Bytes;
use cardscape_pictures::{Fonts, Picture};
use moka::future::Cache;
use xxhash_rust::xxh3::xxh3_128;

use super::kept::Weighed;
use super::rendered::Rendered;
use crate::domain::designs::identifier::DesignCode;
use crate::work::{BoundedWork, WorkError};

/// Memory for drawn pictures, in bytes: some two hundred.
const KEPT_BYTES: u64 = 16 * 1024 * 1024;
/// How many wait for each picture that is being drawn.
const WAITING: usize = 32;

/// Draws pictures as PNG. Each is kept by the hash of its SVG as long as there is room: who asks for the same meanwhile waits for the first.
pub struct PictureDrawer {
    fonts: Fonts,
    drawn: metrics::Counter,
    kept: Cache<u128, Bytes>,
    work: BoundedWork,
}

/// What a picture of a design depends on. What a revision says is never changed.
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

/// Pictures of designs that everybody sees, as long as there is room.
pub type KeptPictures = Weighed<PictureKey, Rendered>;

/// Size of a kept picture without its bytes: key, headers, book-keeping; rounded up.
const OVERHEAD: usize = 1_200;

/// Room for as many bytes of pictures as PNGs have.
pub fn room_for_pictures() -> KeptPictures {
    Weighed::new(KEPT_BYTES, |_, picture: &Rendered| picture.weight() + OVERHEAD)
}

/// Why there is no PNG.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrawError {
    /// Too many are being drawn.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// A fault of the renderer.
    #[error("{0}")]
    Renderer(String),
}

impl PictureDrawer {
    /// Draws with these fonts.
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
