//! Converts an upload to artwork.

use crate::colours;
use crate::decode::decode;
use crate::error::ArtworkError;
use crate::limits::Limits;
use crate::rendition::Rendition;
use crate::scale::fit;
use crate::source::Source;

/// Most pixels along a side of [`Artwork::full`]. On a card of 63 × 88 mm this gives 440 dots per inch in height, and
/// 690 in the artwork box: enough for any press.
pub const FULL_SIDE_MAX: u32 = 1536;

/// Most pixels along a side of [`Artwork::small`]: the width of a card's picture, which has 500 × 700 pixels.
pub const SMALL_SIDE_MAX: u32 = 500;

/// An uploaded picture after cleaning: in sRGB, upright, in two sizes, and without metadata in the files.
///
/// Equal uploads give equal artwork, and so equal addresses ([`ContentHash`](crate::ContentHash)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artwork {
    full: Rendition,
    small: Rendition,
}

impl Artwork {
    /// Reads an untrusted upload.
    ///
    /// The format is detected from the first bytes. Only the parts of the file that are needed to draw the picture are
    /// passed to a decoder, and bytes after the end of the picture are ignored. Colours are converted with the embedded
    /// profile; a profile that is damaged, larger than 1 MiB or unsuitable is treated as sRGB, as in browsers. Pictures
    /// are scaled down to fit, never up.
    ///
    /// Time is limited by the pixels and bytes that `limits` allow, and so is memory: 256 MB in addition to `bytes` for
    /// the default. The function uses no threads and keeps no state; the caller must limit the number of concurrent
    /// calls.
    ///
    /// # Errors
    /// When the file is too large or too small, is not a still PNG, JPEG or WebP, is damaged, or is built to be slow;
    /// see [`ArtworkError`].
    pub fn read(bytes: &[u8], limits: &Limits) -> Result<Self, ArtworkError> {
        Self::check_header(bytes, limits)?;
        let Source { format, stripped, size, orientation, colours } = Source::read(bytes, limits)?;
        let picture = decode(format, &stripped, size)?;
        drop(stripped);
        let was_grey = !picture.color().has_color();
        // Colours and orientation are converted after scaling, when there are fewer pixels; the limit is a square, so
        // the orientation does not matter.
        let picture = fit(picture, FULL_SIDE_MAX)?;
        let mut picture = colours::to_srgb(picture, &colours, was_grey);
        picture.apply_orientation(orientation);
        let full = Rendition::encode(&picture)?;
        let small = Rendition::encode(&fit(picture, SMALL_SIDE_MAX)?)?;
        Ok(Self { full, small })
    }

    /// Checks what the header of an untrusted upload shows: its size, its format, the size of the picture. An upload that fails here is refused by
    /// [`read`](Self::read), too. It takes microseconds and no memory, so that it needs no turn of the caller's: nothing is decompressed or
    /// copied.
    ///
    /// # Errors
    /// When the file is too large, is not a PNG, JPEG or WebP, or its header states a size outside the limits.
    pub fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
        check_length(bytes, limits)?;
        Source::check_header(bytes, limits)
    }

    /// The picture for prints and large screens: at most [`FULL_SIDE_MAX`] pixels along a side, and at most 10 MB.
    /// Photographs have 0.2 to 1 MB.
    pub fn full(&self) -> &Rendition {
        &self.full
    }

    /// The picture for a card on a screen: at most [`SMALL_SIDE_MAX`] pixels along a side, and less than 1 MiB, which
    /// is the limit of `cardscape-pictures`.
    pub fn small(&self) -> &Rendition {
        &self.small
    }

    /// Both renditions, the full one first. They are equal when the upload was small.
    pub fn into_renditions(self) -> [Rendition; 2] {
        [self.full, self.small]
    }
}

fn check_length(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
    if bytes.len() > limits.bytes {
        return Err(ArtworkError::TooManyBytes { bytes: bytes.len(), max: limits.bytes });
    }
    Ok(())
}
