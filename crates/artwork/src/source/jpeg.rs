//! The segments of a JPEG (ITU-T T.81, annex B).

mod scans;

use self::scans::Scans;
use super::{Source, orientation};
use crate::colours::{Colours, PROFILE_BYTES_MAX};
use crate::error::ArtworkError;
use crate::format::Format;
use crate::limits::Limits;

/// Most bytes of Huffman and quantisation tables in total. Sixty scans with their own tables need less. Ten megabytes
/// of tables take seconds to build.
const TABLE_BYTES_MAX: usize = 1 << 16;

/// Within how many bytes [`check_header`] looks for the frame. Profiles and previews before it may be larger; then the frame is found by [`read`].
const HEADER_BYTES_MAX: usize = 1 << 18;

const EXIF: &[u8] = b"Exif\0\0";
const ICC: &[u8] = b"ICC_PROFILE\0";
const ADOBE: &[u8] = b"Adobe";

const END: u8 = 0xD9;
const SCAN: u8 = 0xDA;

/// Checks the size in the header of the frame, if it is near the beginning.
pub(super) fn check_header(bytes: &[u8], limits: &Limits) -> Result<(), ArtworkError> {
    let bytes = &bytes[..bytes.len().min(HEADER_BYTES_MAX)];
    let mut at = 2;
    while let Some(next) = marker(bytes, at) {
        at = next + 1;
        match bytes[next] {
            END | SCAN => break,
            0x01 | 0xD0..=0xD8 => {}
            kind => {
                let Ok(segment) = segment(bytes, at) else { break };
                if matches!(kind, 0xC0..=0xC2) {
                    return Scans::of_frame(kind == 0xC2, &segment[2..], limits).map(drop);
                }
                at += segment.len();
            }
        }
    }
    Ok(())
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Source, ArtworkError> {
    let mut stripped = Vec::with_capacity(bytes.len());
    stripped.extend_from_slice(b"\xFF\xD8");
    let mut scans: Option<Scans> = None;
    let mut has_scan = false;
    let mut table_bytes = 0;
    let mut exif = None;
    let mut profile = Profile::default();
    let mut at = 2;
    loop {
        at = marker(bytes, at).ok_or(ArtworkError::Truncated)?;
        let kind = bytes[at];
        if kind == END {
            break;
        }
        // Markers without a segment, which have no meaning between segments.
        if matches!(kind, 0x01 | 0xD0..=0xD8) {
            at += 1;
            continue;
        }
        let segment = segment(bytes, at + 1)?;
        let body = &segment[2..];
        let mut end = at + 1 + segment.len();
        let draws = match kind {
            0xC0..=0xC2 if scans.is_none() => {
                scans = Some(Scans::of_frame(kind == 0xC2, body, limits)?);
                true
            }
            0xC0..=0xC2 => return Err(ArtworkError::broken("there are several pictures in one")),
            0xC4 | 0xDB => {
                table_bytes += segment.len();
                if table_bytes > TABLE_BYTES_MAX {
                    return Err(ArtworkError::TooComplex { reason: "too many tables" });
                }
                true
            }
            // The other start-of-frame markers in this range; 0xCC is also for arithmetic codes.
            0xC3 | 0xC5..=0xCF => {
                let reason = "lossless, hierarchical or arithmetic JPEG";
                return Err(ArtworkError::unsupported(reason));
            }
            SCAN => {
                let frame = scans.as_mut().ok_or(ArtworkError::broken("the header is missing"))?;
                frame.add(body)?;
                has_scan = true;
                end = codes_end(bytes, end).ok_or(ArtworkError::Truncated)?;
                true
            }
            // The restart interval.
            0xDD => true,
            0xE1 => {
                exif = exif.or(body.strip_prefix(EXIF));
                false
            }
            0xE2 => {
                body.strip_prefix(ICC).into_iter().for_each(|part| profile.add(part));
                false
            }
            // The colour space of the three components.
            0xEE => body.starts_with(ADOBE),
            _ => false,
        };
        if draws {
            stripped.extend_from_slice(&[0xFF, kind]);
            stripped.extend_from_slice(&bytes[at + 1..end]);
        }
        at = end;
    }
    stripped.extend_from_slice(&[0xFF, END]);
    let size = match scans {
        Some(scans) if has_scan => scans.size,
        _ => return Err(ArtworkError::broken("there is no picture in it")),
    };
    let orientation = orientation(exif);
    Ok(Source { format: Format::Jpeg, stripped, size, orientation, colours: profile.colours() })
}

/// The offset of the next marker's type byte; bytes between segments are skipped.
fn marker(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xFF)?;
        at += bytes.get(at..)?.iter().position(|byte| *byte != 0xFF)?;
        if bytes[at] != 0 {
            return Some(at);
        }
    }
}

/// After the entropy-coded data of a scan: the offset of the next marker that is not a restart marker.
fn codes_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| *byte == 0xFF)?;
        match bytes.get(at + 1)? {
            0 | 0xD0..=0xD7 => at += 2,
            0xFF => at += 1,
            _ => return Some(at),
        }
    }
}

/// A segment with its length field, whose value includes its own two bytes.
fn segment(bytes: &[u8], at: usize) -> Result<&[u8], ArtworkError> {
    let rest = bytes.get(at..).unwrap_or_default();
    let length = rest.first_chunk().map(|length| usize::from(u16::from_be_bytes(*length)));
    match length.ok_or(ArtworkError::Truncated)? {
        0 | 1 => Err(ArtworkError::broken("a segment has no length")),
        length => rest.get(..length).ok_or(ArtworkError::Truncated),
    }
}

/// The parts of a profile (ICC.1, annex B.4): each contains its number, from one, and the number of parts.
#[derive(Default)]
struct Profile<'a> {
    parts: Vec<(u8, &'a [u8])>,
    count: u8,
}

impl<'a> Profile<'a> {
    fn add(&mut self, part: &'a [u8]) {
        if let [number, count, data @ ..] = part
            && self.parts.len() < usize::from(u8::MAX)
        {
            self.parts.push((*number, data));
            self.count = *count;
        }
    }

    fn colours(mut self) -> Colours {
        self.parts.sort_by_key(|(number, _)| *number);
        let numbers = self.parts.iter().map(|(number, _)| *number);
        let length: usize = self.parts.iter().map(|(_, data)| data.len()).sum();
        if self.parts.is_empty() || !numbers.eq(1..=self.count) || length > PROFILE_BYTES_MAX {
            return Colours::Srgb;
        }
        Colours::Profile(self.parts.iter().flat_map(|(_, data)| data.iter().copied()).collect())
    }
}
