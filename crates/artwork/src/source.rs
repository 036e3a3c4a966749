//! What an upload is made of: what draws the picture, and the little of the rest that changes how it looks.

mod jpeg;
mod lossless;
mod png;
mod webp;

use image::metadata::Orientation;

use crate::colours::Colours;
use crate::error::ArtworkError;
use crate::format::Format;
use crate::limits::Limits;

/// An upload, taken apart.
///
/// Decoders see only [`lean`](Self::lean), never the upload: what they would do with the rest is nothing that has to be bounded.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) format: Format,
    /// A file of the same format with nothing in it but what draws the picture: no texts, profiles, previews, nor anything behind the end.
    pub(crate) lean: Vec<u8>,
    /// Width and height, as decoded: before the picture is turned.
    pub(crate) size: (u32, u32),
    /// How to turn the picture, from its EXIF data.
    pub(crate) orientation: Orientation,
    pub(crate) colours: Colours,
}

impl Source {
    /// Takes an upload apart. Decodes nothing of it but a profile, and tables of lossless WebP.
    pub(crate) fn read(bytes: &[u8], limits: &Limits) -> Result<Self, ArtworkError> {
        match Format::of(bytes)? {
            Format::Png => png::read(bytes, limits),
            Format::Jpeg => jpeg::read(bytes, limits),
            Format::WebP => webp::read(bytes, limits),
        }
    }
}

/// The orientation that EXIF data (a TIFF structure, tag 0x0112) gives; upright if it gives none that is defined.
fn orientation(exif: Option<&[u8]>) -> Orientation {
    exif.and_then(Orientation::from_exif_chunk).unwrap_or(Orientation::NoTransforms)
}

/// The four bytes at a place.
fn four(bytes: &[u8], at: usize) -> Option<[u8; 4]> {
    bytes.get(at..)?.first_chunk().copied()
}
