//! Output files.

use std::fmt;

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageError};
use sha2::{Digest, Sha256};

use crate::error::ArtworkError;

/// JPEG quality, from 1 to 100. The encoder does not subsample colours (4:4:4), so that lines of drawings stay sharp.
const JPEG_QUALITY: u8 = 88;

/// PNG compression level, up to 9. The usual level 6 takes a second for a photograph with a soft edge, and saves only 5% of
/// the bytes.
const PNG_LEVEL: u8 = 3;

/// One size of an artwork: a file with its properties.
#[derive(Clone, PartialEq, Eq)]
pub struct Rendition {
    width: u32,
    height: u32,
    media_type: MediaType,
    bytes: Vec<u8>,
    hash: ContentHash,
}

/// The format of a [`Rendition`]: PNG if any pixel is not opaque, else JPEG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MediaType {
    /// `image/jpeg`: baseline, three components, sRGB.
    Jpeg,
    /// `image/png`: eight bits for each of red, green, blue and opacity, sRGB.
    Png,
}

/// SHA-256 (FIPS 180-4) of the bytes of a [`Rendition`]: its address. Displayed as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl Rendition {
    /// Encodes pixels in RGB or RGBA with eight bits per channel.
    pub(crate) fn encode(picture: &DynamicImage) -> Result<Self, ArtworkError> {
        let mut bytes = Vec::new();
        let media_type = if picture.color().has_alpha() {
            let encoder = PngEncoder::new_with_quality(
                &mut bytes,
                CompressionType::Level(PNG_LEVEL),
                FilterType::Adaptive,
            );
            picture.write_with_encoder(encoder).map_err(unwritten)?;
            MediaType::Png
        } else {
            let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
            picture.write_with_encoder(encoder).map_err(unwritten)?;
            MediaType::Jpeg
        };
        let hash = ContentHash(Sha256::digest(&bytes).into());
        Ok(Self { width: picture.width(), height: picture.height(), media_type, bytes, hash })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The format of the bytes.
    pub fn media_type(&self) -> MediaType {
        self.media_type
    }

    /// The bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes of the file, without a copy.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The hash of the bytes: the address of the file, equal for equal files.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }
}

impl fmt::Debug for Rendition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, media_type, bytes, hash } = self;
        let length = bytes.len();
        write!(f, "Rendition({media_type:?}, {width} × {height}, {length} bytes, {hash})")
    }
}

impl MediaType {
    /// The registered name, for `Content-Type`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }
}

impl ContentHash {
    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Writing to memory cannot fail and the sizes are in range, so this is not expected.
fn unwritten(error: ImageError) -> ArtworkError {
    ArtworkError::broken(error)
}
