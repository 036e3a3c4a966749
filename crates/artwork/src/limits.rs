//! Limits of the size of uploads.

use crate::error::ArtworkError;

/// Limits of an upload. The defaults are those of the service.
///
/// Time and memory grow with [`pixels`](Self::pixels): 12 bytes of memory for each, in addition to the upload, a copy
/// of it, and at most 120 MB for the tables of a lossless WebP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of the file. Default: 10 MiB.
    pub bytes: usize,
    /// Most pixels, width times height. Default: 16 million.
    pub pixels: u64,
    /// Fewest pixels along the shorter side. Default: 200, which gives 90 dots per inch in the artwork box of a card (56 of its
    /// 63 mm). Smaller pictures look blurred even on the smallest picture of a card. A sharp print (300 dpi) needs 660.
    pub side_min: u32,
    /// Highest ratio of the longer side to the shorter one. Default: 4. The artwork box of a card is at most 2.4 times as wide
    /// as high.
    pub ratio_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 10 << 20, pixels: 16_000_000, side_min: 200, ratio_max: 4 }
    }
}

impl Limits {
    /// Checks the size in the header, before anything is decoded.
    pub(crate) fn check_size(&self, width: u32, height: u32) -> Result<(), ArtworkError> {
        let (shorter, longer) = (width.min(height), width.max(height));
        if u64::from(width) * u64::from(height) > self.pixels {
            return Err(ArtworkError::TooManyPixels { width, height, max: self.pixels });
        }
        if shorter < self.side_min.max(1) {
            return Err(ArtworkError::TooSmall { width, height, min: self.side_min });
        }
        if u64::from(longer) > u64::from(shorter) * u64::from(self.ratio_max) {
            return Err(ArtworkError::TooNarrow { width, height, max: self.ratio_max });
        }
        Ok(())
    }
}
