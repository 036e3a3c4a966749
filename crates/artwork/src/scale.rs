//! Scales pictures down.

use fast_image_resize::images::TypedImage;
use fast_image_resize::pixels::{U8, U8x3, U8x4};
use fast_image_resize::{
    FilterType, MulDiv, PixelTrait, PixelType, ResizeAlg, ResizeOptions, Resizer,
};
use image::{DynamicImage, GrayImage, RgbImage, RgbaImage};

use crate::error::ArtworkError;

/// Scales a picture with eight bits per channel down, if needed, so that it fits into a square. The aspect ratio is
/// kept, to within half a pixel.
///
/// The alpha channel is kept only if a pixel is not opaque. Fully transparent pixels become black: their invisible
/// colours could hide a second picture.
pub(crate) fn fit(picture: DynamicImage, side_max: u32) -> Result<DynamicImage, ArtworkError> {
    let picture = without_needless_alpha(picture);
    let size = (picture.width(), picture.height());
    let new = fitted(size, side_max);
    let is_large = new != size;
    match picture {
        picture @ (DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_)) if !is_large => {
            Some(picture)
        }
        DynamicImage::ImageLuma8(pixels) => {
            let pixels = resized::<U8>(pixels.into_raw(), size, new)?;
            GrayImage::from_raw(new.0, new.1, pixels).map(DynamicImage::from)
        }
        DynamicImage::ImageRgb8(pixels) => {
            let pixels = resized::<U8x3>(pixels.into_raw(), size, new)?;
            RgbImage::from_raw(new.0, new.1, pixels).map(DynamicImage::from)
        }
        // Grey with alpha is rare enough to be treated as colours.
        picture => {
            let mut pixels = picture.into_rgba8();
            if is_large {
                let pixels = resized::<U8x4>(pixels.into_raw(), size, new)?;
                RgbaImage::from_raw(new.0, new.1, pixels).map(DynamicImage::from)
            } else {
                let unseen = pixels.pixels_mut().filter(|pixel| pixel.0[3] == 0);
                unseen.for_each(|pixel| pixel.0 = [0; 4]);
                Some(DynamicImage::from(pixels))
            }
        }
    }
    // The last pixels that are not opaque may have disappeared.
    .map(without_needless_alpha)
    .ok_or_else(|| {
        ArtworkError::broken("the size of the picture differs from the size in its header")
    })
}

/// The largest size with the same aspect ratio that fits into a square.
fn fitted((width, height): (u32, u32), side_max: u32) -> (u32, u32) {
    let longer = u64::from(width.max(height));
    let most = u64::from(side_max);
    if longer <= most {
        return (width, height);
    }
    let scaled = |side: u32| {
        let rounded = (u64::from(side) * most * 2 + longer) / (longer * 2);
        u32::try_from(rounded).unwrap_or(side_max).max(1)
    };
    (scaled(width), scaled(height))
}

/// Scales pixels of one kind. Generic, so that the resizer is compiled for the three kinds that occur, and not for the fifteen others. Fails only if the
/// numbers are inconsistent.
fn resized<P: PixelTrait>(
    mut pixels: Vec<u8>,
    size: (u32, u32),
    new: (u32, u32),
) -> Result<Vec<u8>, ArtworkError> {
    let mut picture =
        TypedImage::<P>::from_buffer(size.0, size.1, &mut pixels).map_err(ArtworkError::broken)?;
    let mut scaled = vec![0; new.0 as usize * new.1 as usize * P::size()];
    let mut smaller =
        TypedImage::<P>::from_buffer(new.0, new.1, &mut scaled).map_err(ArtworkError::broken)?;
    let has_alpha = P::pixel_type() == PixelType::U8x4;
    // Pixels are weighted by opacity; otherwise colours of invisible pixels would bleed into edges. In place, because
    // the resizer would make a copy.
    if has_alpha {
        MulDiv::new().multiply_alpha_inplace_typed(&mut picture).map_err(ArtworkError::broken)?;
    }
    let method = ResizeAlg::Convolution(FilterType::Lanczos3);
    let options = ResizeOptions::new().resize_alg(method).use_alpha(false);
    let resize = Resizer::new().resize_typed(&picture, &mut smaller, &options);
    resize.map_err(ArtworkError::broken)?;
    if has_alpha {
        MulDiv::new().divide_alpha_inplace_typed(&mut smaller).map_err(ArtworkError::broken)?;
    }
    Ok(scaled)
}

fn without_needless_alpha(picture: DynamicImage) -> DynamicImage {
    match picture {
        DynamicImage::ImageRgba8(pixels) if pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX) => {
            DynamicImage::from(pixels).into_rgb8().into()
        }
        DynamicImage::ImageLumaA8(pixels) if pixels.pixels().all(|pixel| pixel.0[1] == u8::MAX) => {
            DynamicImage::from(pixels).into_luma8().into()
        }
        picture => picture,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_aspect_ratio_is_kept() {
        assert_eq!(fitted((200, 300), 500), (200, 300));
        assert_eq!(fitted((4000, 3000), 1536), (1536, 1152));
        assert_eq!(fitted((3000, 4000), 1536), (1152, 1536));
        assert_eq!(fitted((8000, 2000), 500), (500, 125));
        assert_eq!(fitted((1537, 1537), 1536), (1536, 1536));
    }
}
