//! The chunks of a PNG (W3C, Portable Network Graphics, third edition).

use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;

use super::{Source, four, orientation};
use crate::colours::{Colours, PROFILE_BYTES_MAX};
use crate::error::ArtworkError;
use crate::format::Format;
use crate::limits::Limits;

/// Length of the signature before the first chunk.
const SIGNATURE: usize = 8;

/// Transfer characteristics of ITU-T H.273 for high dynamic range: PQ and HLG.
const HIGH_DYNAMIC_RANGE: [u8; 2] = [16, 18];

/// The colour chunks, in order of precedence.
#[derive(Default)]
struct ColourChunks {
    code_points: Option<[u8; 2]>,
    /// The first profile, if it can be read.
    profile: Option<Vec<u8>>,
    /// Whether there was one. Others are not unpacked: thousands would take seconds.
    has_profile: bool,
    is_srgb: bool,
    gamma: Option<f64>,
    chromaticities: Option<[[f32; 2]; 4]>,
}

/// Checks the size in the header, which is the first chunk.
pub(super) fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
    match four(bytes, SIGNATURE + 4) {
        Some(kind) if &kind == b"IHDR" => header(bytes, SIGNATURE + 8, limits).map(drop),
        _ => Ok(()),
    }
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Source, ArtworkError> {
    let mut stripped = Vec::with_capacity(bytes.len());
    stripped.extend_from_slice(&bytes[..SIGNATURE]);
    let mut colour_chunks = ColourChunks::default();
    let mut size = None;
    let mut exif = None;
    let mut at = SIGNATURE;
    loop {
        let length = four(bytes, at).ok_or(ArtworkError::Truncated)?;
        let length = u32::from_be_bytes(length) as usize;
        let kind = four(bytes, at + 4).ok_or(ArtworkError::Truncated)?;
        if size.is_none() {
            if &kind != b"IHDR" || length != 13 {
                return Err(ArtworkError::broken("the header is missing"));
            }
            size = Some(header(bytes, at + 8, limits)?);
        }
        let end = length.checked_add(at + 12).ok_or(ArtworkError::Truncated)?;
        let chunk = bytes.get(at..end).ok_or(ArtworkError::Truncated)?;
        let data = &chunk[8..8 + length];
        match &kind {
            b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" => stripped.extend_from_slice(chunk),
            b"IEND" => {
                stripped.extend_from_slice(chunk);
                break;
            }
            b"acTL" => return Err(ArtworkError::Animated),
            b"eXIf" => exif = exif.or(Some(data)),
            _ => colour_chunks.add(kind, data),
        }
        at = end;
    }
    Ok(Source {
        format: Format::Png,
        stripped,
        size: size.unwrap_or_default(),
        orientation: orientation(exif),
        colours: colour_chunks.colours()?,
    })
}

fn header(bytes: &[u8], at: usize, limits: &Limits) -> Result<(u32, u32), ArtworkError> {
    let width = four(bytes, at).ok_or(ArtworkError::Truncated)?;
    let height = four(bytes, at + 4).ok_or(ArtworkError::Truncated)?;
    let (width, height) = (u32::from_be_bytes(width), u32::from_be_bytes(height));
    limits.check_size(width, height)?;
    Ok((width, height))
}

impl ColourChunks {
    fn add(&mut self, kind: [u8; 4], data: &[u8]) {
        match &kind {
            b"cICP" => {
                if let &[primaries, transfer, ..] = data {
                    self.code_points = Some([primaries, transfer]);
                }
            }
            b"iCCP" if !self.has_profile => {
                self.has_profile = true;
                self.profile = profile(data);
            }
            b"sRGB" => self.is_srgb = true,
            b"gAMA" => {
                self.gamma = four(data, 0).map(|number| f64::from(hundred_thousandths(number)))
            }
            b"cHRM" => {
                let point = |at: usize| {
                    let coordinate = |at| four(data, at).map(hundred_thousandths);
                    Some([coordinate(at)?, coordinate(at + 4)?])
                };
                self.chromaticities = (|| Some([point(0)?, point(8)?, point(16)?, point(24)?]))();
            }
            _ => {}
        }
    }

    /// The order of precedence is that of the third edition, section 4.3.
    fn colours(self) -> Result<Colours, ArtworkError> {
        if let Some(code_points) = self.code_points {
            if HIGH_DYNAMIC_RANGE.contains(&code_points[1]) {
                return Err(ArtworkError::unsupported("HDR colours"));
            }
            return Ok(Colours::CodePoints(code_points));
        }
        Ok(match (self.profile, self.gamma) {
            (Some(profile), _) => Colours::Profile(profile),
            (None, Some(gamma)) if !self.is_srgb => {
                Colours::Measured { gamma, chromaticities: self.chromaticities }
            }
            _ => Colours::Srgb,
        })
    }
}

#[allow(clippy::cast_precision_loss, reason = "of numbers below one, seven digits stay")]
fn hundred_thousandths(number: [u8; 4]) -> f32 {
    u32::from_be_bytes(number) as f32 / 100_000.0
}

/// Decompresses a profile up to the limit: a small chunk can expand to gigabytes.
fn profile(data: &[u8]) -> Option<Vec<u8>> {
    let name = data.iter().take(80).position(|byte| *byte == 0)?;
    // The name is followed by the compression method: zero, for zlib.
    let packed = data.get(name + 1..)?.strip_prefix(&[0])?;
    decompress_to_vec_zlib_with_limit(packed, PROFILE_BYTES_MAX).ok()
}
