//! The parts of an upload: the picture data, and the few other parts that change how it looks.

mod jpeg;
mod lossless;
mod png;
mod webp;

use image::metadata::Orientation;

use crate::colours::Colours;
use crate::error::ArtworkError;
use crate::format::Format;
use crate::limits::Limits;

/// A parsed upload.
///
/// Decoders get only [`stripped`](Self::stripped), never the upload, so their behaviour on other parts needs no limits.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) format: Format,
    /// A file of the same format with only the picture data: no texts, profiles or previews, and nothing after the end.
    pub(crate) stripped: Vec<u8>,
    /// Width and height as decoded: before the orientation is applied.
    pub(crate) size: (u32, u32),
    /// The orientation from the EXIF data, which is applied after decoding.
    pub(crate) orientation: Orientation,
    pub(crate) colours: Colours,
}

impl Source {
    /// Checks the size in the header. Other parts are not looked at; a header that cannot be found is left to [`read`](Self::read).
    pub(crate) fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
        match Format::of(bytes)? {
            Format::Png => png::check_header(bytes, limits),
            Format::Jpeg => jpeg::check_header(bytes, limits),
            Format::WebP => webp::check_header(bytes, limits),
        }
    }

    /// Parses an upload. Decodes only a profile, and the tables of a lossless WebP.
    pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Self, ArtworkError> {
        match Format::of(bytes)? {
            Format::Png => png::read(bytes, limits),
            Format::Jpeg => jpeg::read(bytes, limits),
            Format::WebP => webp::read(bytes, limits),
        }
    }
}

/// The orientation in EXIF data (a TIFF structure, tag 0x0112); upright if there is no valid one.
fn orientation(exif: Option<&[u8]>) -> Orientation {
    exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms)
}

/// The four bytes at an offset.
fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..)?.first_chunk().copied()
}
