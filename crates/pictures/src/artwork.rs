//! Raster images for the artwork box of a card.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use resvg::usvg::ImageKind;
use thiserror::Error;

/// Most bytes of an artwork: 1 MiB. It is embedded in the SVG, where it is a third longer.
pub const ARTWORK_BYTES_MAX: usize = 1 << 20;

/// Most pixels along a side of an artwork.
pub const ARTWORK_SIDE_MAX: u32 = 2048;

/// A raster image for the artwork box: PNG or JPEG, which all browsers and the renderer support.
///
/// Created by [`Artwork::new`], which checks the bytes. SVG is not accepted: a picture may come from a player, and an SVG
/// can contain scripts and addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Artwork<'a> {
    bytes: &'a [u8],
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
}

/// Why an image cannot be an artwork.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArtworkError {
    /// More bytes than [`ARTWORK_BYTES_MAX`].
    #[error("the image has more than {ARTWORK_BYTES_MAX} bytes")]
    TooLong,
    /// The bytes do not begin like a PNG or JPEG, or do not contain the size of the image.
    #[error("the image is neither PNG nor JPEG")]
    UnknownFormat,
    /// No pixels, or more than [`ARTWORK_SIDE_MAX`] along a side: small files can contain images that fill the memory.
    #[error("the image's sides must have 1 to {ARTWORK_SIDE_MAX} pixels")]
    Size,
}

impl<'a> Artwork<'a> {
    /// Accepts an image after a check of its header. Whether the rest can be decoded shows when it is drawn; a damaged
    /// image leaves the box empty.
    ///
    /// # Errors
    /// When the image is too long or too large, or of another format; see [`ArtworkError`].
    pub fn new(bytes: &'a [u8]) -> Result<Self, ArtworkError> {
        if bytes.len() > ARTWORK_BYTES_MAX {
            return Err(ArtworkError::TooLong);
        }
        let (kind, (width, height)) = if bytes.starts_with(b"\x89PNG\r\n\x1A\n") {
            (Kind::Png, png_size(bytes).ok_or(ArtworkError::UnknownFormat)?)
        } else if bytes.starts_with(b"\xFF\xD8\xFF") {
            (Kind::Jpeg, jpeg_size(bytes).ok_or(ArtworkError::UnknownFormat)?)
        } else {
            return Err(ArtworkError::UnknownFormat);
        };
        let sides = 1..=ARTWORK_SIDE_MAX;
        if sides.contains(&width) && sides.contains(&height) {
            Ok(Self { bytes, kind })
        } else {
            Err(ArtworkError::Size)
        }
    }

    /// The image as a `data:` URI.
    pub(crate) fn data_uri(self) -> String {
        let mime = match self.kind {
            Kind::Png => "image/png",
            Kind::Jpeg => "image/jpeg",
        };
        format!("data:{mime};base64,{}", STANDARD.encode(self.bytes))
    }
}

impl fmt::Debug for Artwork<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Artwork({:?}, {} bytes)", self.kind, self.bytes.len())
    }
}

/// The filter for images in `data:` URIs that the renderer may draw: only those that [`Artwork::new`] accepts.
pub(crate) fn admitted(bytes: std::sync::Arc<Vec<u8>>) -> Option<ImageKind> {
    match Artwork::new(&bytes).ok()?.kind {
        Kind::Png => Some(ImageKind::PNG(bytes)),
        Kind::Jpeg => Some(ImageKind::JPEG(bytes)),
    }
}

/// Width and height: the first chunk of a PNG has to be the header.
fn png_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    (bytes.get(12..16)? == b"IHDR").then_some((number(16)?, number(20)?))
}

/// Width and height from the first frame header, which follows segments with given lengths.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| -> Option<usize> {
        Some(usize::from(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?)))
    };
    let mut at = 2;
    loop {
        let (0xFF, marker) = (*bytes.get(at)?, *bytes.get(at + 1)?) else { return None };
        match marker {
            // Fill bytes, and markers without a segment.
            0xFF => at += 1,
            0x01 | 0xD0..=0xD8 => at += 2,
            // Frame headers; the other three markers in this range are tables.
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                let (height, width) = (number(at + 5)?, number(at + 7)?);
                return Some((u32::try_from(width).ok()?, u32::try_from(height).ok()?));
            }
            0xD9 | 0xDA => return None,
            _ => at += 2 + number(at + 2)?,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR".to_vec();
        bytes.extend(width.to_be_bytes());
        bytes.extend(height.to_be_bytes());
        bytes
    }

    #[test]
    fn only_small_raster_images_are_accepted() {
        assert!(Artwork::new(&png(640, 480)).is_ok());
        assert_eq!(Artwork::new(&png(0, 480)), Err(ArtworkError::Size));
        assert_eq!(Artwork::new(&png(60_000, 60_000)), Err(ArtworkError::Size));
        let jpeg =
            b"\xFF\xD8\xFF\xE0\x00\x04ab\xFF\xC2\x00\x0B\x08\x01\xE0\x02\x80\x01\x01\x11\x00";
        assert!(Artwork::new(jpeg).is_ok());
        assert_eq!(jpeg_size(jpeg), Some((640, 480)));
        for bad in [
            &b""[..],
            b"<svg/>",
            b"GIF89a",
            b"\x89PNG\r\n\x1A\n",
            b"\xFF\xD8\xFF",
            b"\xFF\xD8\xFF\xE0\x00\x00",
        ] {
            assert_eq!(Artwork::new(bad), Err(ArtworkError::UnknownFormat), "{bad:?}");
        }
        assert_eq!(Artwork::new(&vec![0; ARTWORK_BYTES_MAX + 1]), Err(ArtworkError::TooLong));
    }
}
