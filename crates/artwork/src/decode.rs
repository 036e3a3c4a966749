//! Decodes the picture data of an upload.

use std::io::{Cursor, ErrorKind};

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::{DynamicImage, ImageDecoder, ImageError, Limits};

use crate::error::ArtworkError;
use crate::format::Format;

/// Decodes a stripped file (see [`Source`](crate::source::Source)) to one to four channels with eight bits each.
pub(crate) fn decode(
    format: Format,
    stripped: &[u8],
    size: (u32, u32),
) -> Result<DynamicImage, ArtworkError> {
    let reader = Cursor::new(stripped);
    let mut limits = Limits::no_limits();
    (limits.max_image_width, limits.max_image_height) = (Some(size.0), Some(size.1));
    // Four channels of 16 bits, plus rows and tables.
    limits.max_alloc = Some(u64::from(size.0) * u64::from(size.1) * 8 + (1 << 20));
    let picture = match format {
        Format::Png => PngDecoder::with_limits(reader, limits.clone())
            .and_then(|decoder| decoded(decoder, limits)),
        Format::Jpeg => JpegDecoder::new(reader).and_then(|decoder| decoded(decoder, limits)),
        Format::WebP => WebPDecoder::new(reader).and_then(|decoder| decoded(decoder, limits)),
    };
    let picture = picture.map_err(refusal)?;
    if (picture.width(), picture.height()) != size {
        return Err(ArtworkError::broken("the picture has another size than its header says"));
    }
    Ok(match picture {
        DynamicImage::ImageLuma16(_) => picture.into_luma8().into(),
        DynamicImage::ImageLumaA16(_) => picture.into_luma_alpha8().into(),
        DynamicImage::ImageRgb16(_) => picture.into_rgb8().into(),
        DynamicImage::ImageRgba16(_) => picture.into_rgba8().into(),
        eight => eight,
    })
}

fn decoded(mut decoder: impl ImageDecoder, limits: Limits) -> Result<DynamicImage, ImageError> {
    decoder.set_limits(limits)?;
    DynamicImage::from_decoder(decoder)
}

fn refusal(error: ImageError) -> ArtworkError {
    match error {
        ImageError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            ArtworkError::Truncated
        }
        ImageError::Unsupported(error) => ArtworkError::unsupported(error),
        error => ArtworkError::broken(error),
    }
}
