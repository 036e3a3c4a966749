//! The chunks of a WebP (RFC 9649).

use super::{Source, four, lossless, orientation};
use crate::colours::{Colours, PROFILE_BYTES_MAX};
use crate::error::ArtworkError;
use crate::format::Format;
use crate::limits::Limits;

/// `RIFF`, a length, `WEBP`.
const HEAD: usize = 12;

/// The flag of `VP8X` for an alpha chunk.
const HAS_ALPHA: u8 = 0x10;

#[derive(Default)]
struct Chunks<'a> {
    /// Width and height of the canvas, from `VP8X`.
    canvas: Option<(u32, u32)>,
    /// The first picture chunk: its type and its data.
    picture: Option<([u8; 4], &'a [u8])>,
    alpha: Option<&'a [u8]>,
    profile: Option<&'a [u8]>,
    exif: Option<&'a [u8]>,
}

/// Checks the sizes in the headers of canvas and picture.
pub(super) fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
    checked_picture(&chunks(bytes, limits)?, limits).map(drop)
}

/// A picture chunk whose size is within the limits.
struct Picture<'a> {
    kind: [u8; 4],
    data: &'a [u8],
    is_lossless: bool,
    size: (u32, u32),
}

fn checked_picture<'a>(chunks: &Chunks<'a>, limits: &Limits) -> Result<Picture<'a>, ArtworkError> {
    let (kind, data) = chunks.picture.ok_or(ArtworkError::broken("there is no picture in it"))?;
    let is_lossless = &kind == b"VP8L";
    let size = if is_lossless { lossless_size(data) } else { lossy_size(data) };
    let size = size.ok_or(ArtworkError::broken("the header makes no sense"))?;
    limits.check_size(size.0, size.1)?;
    Ok(Picture { kind, data, is_lossless, size })
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Source, ArtworkError> {
    let chunks = chunks(bytes, limits)?;
    let Picture { kind, data, is_lossless, size } = checked_picture(&chunks, limits)?;
    // The decoder allocates memory for the picture before it compares the sizes.
    if chunks.canvas.is_some_and(|canvas| canvas != size) {
        return Err(ArtworkError::broken("the picture has another size than its header says"));
    }
    let mut stripped = Vec::with_capacity(bytes.len());
    stripped.extend_from_slice(b"RIFF\0\0\0\0WEBP");
    match chunks.alpha {
        Some(alpha) if !is_lossless => {
            if let Some((head, codes)) = alpha.split_first()
                && head & 3 == 1
            {
                lossless::check(codes, size)?;
            }
            let mut extended = [HAS_ALPHA, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            extended[4..7].copy_from_slice(&(size.0 - 1).to_le_bytes()[..3]);
            extended[7..10].copy_from_slice(&(size.1 - 1).to_le_bytes()[..3]);
            write_chunk(&mut stripped, *b"VP8X", &extended)?;
            write_chunk(&mut stripped, *b"ALPH", alpha)?;
        }
        _ => {}
    }
    if is_lossless {
        lossless::check(data.get(LOSSLESS_HEAD..).unwrap_or_default(), size)?;
    }
    write_chunk(&mut stripped, kind, data)?;
    let length = u32::try_from(stripped.len() - 8).map_err(ArtworkError::broken)?;
    stripped[4..8].copy_from_slice(&length.to_le_bytes());
    let colours = match chunks.profile {
        Some(profile) if profile.len() <= PROFILE_BYTES_MAX => Colours::Profile(profile.to_vec()),
        _ => Colours::Srgb,
    };
    // Some programs write the prefix of a JPEG's EXIF segment before it.
    let exif = chunks.exif.map(|exif| exif.strip_prefix(b"Exif\0\0").unwrap_or(exif));
    Ok(Source { format: Format::WebP, stripped, size, orientation: orientation(exif), colours })
}

fn chunks<'a>(bytes: &'a [u8], limits: &Limits) -> Result<Chunks<'a>, ArtworkError> {
    let length = four(bytes, 4).ok_or(ArtworkError::Truncated)?;
    let length = u32::from_le_bytes(length) as usize;
    let bytes = bytes.get(..length.saturating_add(8)).ok_or(ArtworkError::Truncated)?;
    let mut chunks = Chunks::default();
    let mut at = HEAD;
    while at < bytes.len() {
        let kind = four(bytes, at).ok_or(ArtworkError::Truncated)?;
        let length = four(bytes, at + 4).ok_or(ArtworkError::Truncated)?;
        let length = u32::from_le_bytes(length) as usize;
        let data = bytes.get(at + 8..).and_then(|rest| rest.get(..length));
        let data = data.ok_or(ArtworkError::Truncated)?;
        match &kind {
            b"VP8X" if at == HEAD => {
                let canvas = canvas(data).ok_or(ArtworkError::broken("the header is too short"))?;
                limits.check_size(canvas.0, canvas.1)?;
                chunks.canvas = Some(canvas);
            }
            b"ANIM" | b"ANMF" => return Err(ArtworkError::Animated),
            b"VP8 " | b"VP8L" => {
                chunks.picture = chunks.picture.or(Some((kind, data)));
                // A file without `VP8X` has no other chunks.
                if chunks.canvas.is_none() {
                    break;
                }
            }
            b"ALPH" => chunks.alpha = chunks.alpha.or(Some(data)),
            b"ICCP" => chunks.profile = chunks.profile.or(Some(data)),
            b"EXIF" => chunks.exif = chunks.exif.or(Some(data)),
            _ => {}
        }
        // Data of an odd length is followed by a padding byte.
        at += 8 + length + length % 2;
    }
    Ok(chunks)
}

fn canvas(data: &[u8]) -> Option<(u32, u32)> {
    let &[_, _, _, _, w1, w2, w3, h1, h2, h3, ..] = data else { return None };
    Some((u32::from_le_bytes([w1, w2, w3, 0]) + 1, u32::from_le_bytes([h1, h2, h3, 0]) + 1))
}

/// Size from a `VP8 ` chunk (RFC 6386, section 9.1): the tag of a key frame, its start code, two numbers of 14 bits.
fn lossy_size(data: &[u8]) -> Option<(u32, u32)> {
    let &[tag, _, _, 0x9D, 0x01, 0x2A, w1, w2, h1, h2, ..] = data else { return None };
    let side = |bytes| u32::from(u16::from_le_bytes(bytes) & 0x3FFF);
    (tag & 1 == 0).then_some((side([w1, w2]), side([h1, h2])))
}

/// Header bytes of a `VP8L` chunk.
const LOSSLESS_HEAD: usize = 5;

fn lossless_size(data: &[u8]) -> Option<(u32, u32)> {
    let &[0x2F, b1, b2, b3, b4, ..] = data else { return None };
    let bits = u32::from_le_bytes([b1, b2, b3, b4]);
    Some(((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1))
}

fn write_chunk(file: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) -> Result<(), ArtworkError> {
    let length = u32::try_from(data.len()).map_err(ArtworkError::broken)?;
    file.extend_from_slice(&kind);
    file.extend_from_slice(&length.to_le_bytes());
    file.extend_from_slice(data);
    if length % 2 == 1 {
        file.push(0);
    }
    Ok(())
}
