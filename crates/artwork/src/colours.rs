//! Conversion of colours to sRGB (IEC 61966-2-1).

use std::iter;

use image::DynamicImage;
use moxcms::{
    Chromaticity, CicpColorPrimaries, CicpProfile, ColorPrimaries, ColorProfile, DataColorSpace,
    Layout, MatrixCoefficients, ToneReprCurve, TransferCharacteristics, TransformOptions,
};

/// Most bytes of a profile (ICC.1) that is read. Those of cameras and screens have some kilobytes.
pub(crate) const PROFILE_BYTES_MAX: usize = 1 << 20;

/// The tags of a profile that conversions to sRGB use: matrix, curves, and tables to the connection space.
const NEEDED_TAGS: [[u8; 4]; 13] = [
    *b"rXYZ", *b"gXYZ", *b"bXYZ", *b"rTRC", *b"gTRC", *b"bTRC", *b"kTRC", *b"wtpt", *b"chad",
    *b"cicp", *b"A2B0", *b"A2B1", *b"A2B2",
];
/// Where the table of tags begins in a profile (ICC.1, 7.3): a count of four bytes, then entries of twelve bytes that begin with a signature.
const TAG_TABLE: usize = 128;

/// The colour information of a file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colours {
    /// None, or sRGB.
    Srgb,
    /// A profile, as ICC.1 defines it. It may be damaged.
    Profile(Vec<u8>),
    /// Code points of ITU-T H.273: primaries and transfer.
    CodePoints([u8; 2]),
    /// The older chunks of PNG.
    Measured {
        /// `gAMA`: the exponent that light was encoded with.
        gamma: f64,
        /// `cHRM`: x and y of white, red, green and blue.
        chromaticities: Option<[[f32; 2]; 4]>,
    },
}

/// Converts a picture with eight bits per channel to RGB, or to RGBA if a pixel is not opaque. `was_grey`: whether it
/// was decoded as greyscale; profiles for greyscale fit only such pictures.
pub(crate) fn to_srgb(picture: DynamicImage, colours: &Colours, was_grey: bool) -> DynamicImage {
    let picture = if picture.color().has_alpha() {
        DynamicImage::from(picture.into_rgba8())
    } else {
        DynamicImage::from(picture.into_rgb8())
    };
    match profile(colours) {
        Some(profile) => match (profile.color_space, was_grey) {
            (DataColorSpace::Rgb, _) => converted(&picture, &profile).unwrap_or(picture),
            (DataColorSpace::Gray, true) => greys_converted(picture, &profile),
            _ => picture,
        },
        None => picture,
    }
}

fn profile(colours: &Colours) -> Option<ColorProfile> {
    match colours {
        Colours::Srgb => None,
        Colours::Profile(bytes) => ColorProfile::new_from_slice(&with_needed_tags(bytes)).ok(),
        Colours::CodePoints([primaries, transfer]) => {
            let profile = ColorProfile::new_from_cicp(CicpProfile {
                color_primaries: CicpColorPrimaries::try_from(*primaries).ok()?,
                transfer_characteristics: TransferCharacteristics::try_from(*transfer).ok()?,
                matrix_coefficients: MatrixCoefficients::Identity,
                full_range: true,
            });
            profile.red_trc.is_some().then_some(profile)
        }
        Colours::Measured { gamma, chromaticities } => measured(*gamma, *chromaticities),
    }
}

/// The profile, with only one tag of each kind that is needed; the signatures of the others are zeros, which the parser ignores. It would copy every text of
/// every tag, and tens of thousands of entries and texts of a small profile can refer to the same half megabyte.
fn with_needed_tags(profile: &[u8]) -> Vec<u8> {
    let mut profile = profile.to_vec();
    let mut needed = NEEDED_TAGS.to_vec();
    let count = profile.get(TAG_TABLE..).and_then(|table| table.first_chunk());
    let count = count.map_or(0, |count| u32::from_be_bytes(*count));
    let entries = profile.get_mut(TAG_TABLE + 4..).unwrap_or_default();
    for (entry, _) in entries.as_chunks_mut::<12>().0.iter_mut().zip(0..count) {
        match needed.iter().position(|tag| entry.starts_with(tag)) {
            Some(at) => drop(needed.swap_remove(at)),
            None => entry[..4].fill(0),
        }
    }
    profile
}

/// Chromaticities x and y of white, red, green and blue in sRGB.
const SRGB: [[f32; 2]; 4] = [[0.3127, 0.329], [0.64, 0.33], [0.3, 0.6], [0.15, 0.06]];

/// A profile from the older chunks of PNG. Values that no screen or camera has are treated as sRGB.
fn measured(gamma: f64, chromaticities: Option<[[f32; 2]; 4]>) -> Option<ColorProfile> {
    let points = chromaticities.unwrap_or(SRGB);
    let pairs = points.iter().flatten().zip(SRGB.iter().flatten());
    let has_srgb_points = pairs.fold(true, |is, (one, other)| is && (one - other).abs() < 0.001);
    // Files in sRGB contain 1/2.2, the best approximation by a power.
    let has_srgb_gamma = (gamma - 1.0 / 2.2).abs() < 0.001;
    let [white, red, green, blue] = points;
    let area = (green[0] - red[0]) * (blue[1] - red[1]) - (blue[0] - red[0]) * (green[1] - red[1]);
    let is_real = points.iter().all(|[x, y]| *x >= 0.0 && *y >= 0.01 && x + y <= 1.0);
    if has_srgb_points && has_srgb_gamma
        || !is_real
        || area.abs() < 0.01
        || !(0.2..=2.0).contains(&gamma)
    {
        return None;
    }
    let point = |[x, y]: [f32; 2]| Chromaticity::new(x, y);
    let primaries = ColorPrimaries { red: point(red), green: point(green), blue: point(blue) };
    let mut profile = ColorProfile::new_srgb();
    profile.update_rgb_colorimetry(point(white).to_xyyb(), primaries);
    #[allow(clippy::cast_possible_truncation, reason = "between 0.5 and 5")]
    let curve = ToneReprCurve::Parametric(vec![(1.0 / gamma) as f32]);
    profile.red_trc = Some(curve.clone());
    profile.green_trc = Some(curve.clone());
    profile.blue_trc = Some(curve);
    Some(profile)
}

fn converted(picture: &DynamicImage, profile: &ColorProfile) -> Option<DynamicImage> {
    let layout = if picture.color().has_alpha() { Layout::Rgba } else { Layout::Rgb };
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let transform = profile.create_transform_8bit(layout, &srgb, layout, options).ok()?;
    let mut picture_in_srgb = match picture {
        DynamicImage::ImageRgb8(pixels) => vec![0; pixels.len()],
        DynamicImage::ImageRgba8(pixels) => vec![0; pixels.len()],
        _ => return None,
    };
    transform.transform(picture.as_bytes(), &mut picture_in_srgb).ok()?;
    let (width, height) = (picture.width(), picture.height());
    if layout == Layout::Rgba {
        image::RgbaImage::from_raw(width, height, picture_in_srgb).map(DynamicImage::from)
    } else {
        image::RgbImage::from_raw(width, height, picture_in_srgb).map(DynamicImage::from)
    }
}

/// Converts with a table of all grey values; returns whether the picture has one channel, or three equal ones.
fn greys_converted(mut picture: DynamicImage, profile: &ColorProfile) -> DynamicImage {
    let greys: Vec<u8> = (0..=u8::MAX).collect();
    let mut colours = vec![0; greys.len() * 3];
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let transform = profile.create_transform_8bit(Layout::Gray, &srgb, Layout::Rgb, options);
    let done = transform.and_then(|transform| transform.transform(&greys, &mut colours));
    if done.is_err() {
        return picture;
    }
    let table = colours.as_chunks::<3>().0;
    let replace = |channels: &mut [u8]| {
        if let Some(colour) = channels.first().and_then(|grey| table.get(usize::from(*grey))) {
            iter::zip(channels, colour).for_each(|(channel, new)| *channel = *new);
        }
    };
    match &mut picture {
        DynamicImage::ImageRgb8(pixels) => pixels.pixels_mut().for_each(|p| replace(&mut p.0)),
        DynamicImage::ImageRgba8(pixels) => pixels.pixels_mut().for_each(|p| replace(&mut p.0)),
        _ => {}
    }
    picture
}
