//! Pictures as PNG, which take a core for tens of milliseconds: drawn a few at once, and kept.

use bytes::Bytes;
use cardscape_pictures::{Fonts, Picture};
use moka::future::Cache;
use xxhash_rust::xxh3::xxh3_128;

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
