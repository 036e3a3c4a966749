//! Reasons to refuse an upload, with messages for the player who sent it.

use thiserror::Error;

/// Why an upload cannot be used as artwork. The messages are for the person who uploaded it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ArtworkError {
    /// No bytes at all.
    #[error("the file is empty; send a PNG, JPEG or WebP picture")]
    Empty,
    /// More bytes than [`Limits::bytes`](crate::Limits::bytes).
    #[error("the file has {} MiB; at most {} are taken", tenths(*bytes as u64, 1 << 20), tenths(*max as u64, 1 << 20))]
    TooManyBytes {
        /// Size of the file in bytes.
        bytes: usize,
        /// Most bytes that are accepted.
        max: usize,
    },
    /// The first bytes are not those of a PNG, JPEG or WebP. The name of the file does not count.
    #[error("{}; send a PNG, JPEG or WebP picture", known_as(*looks_like))]
    UnknownFormat {
        /// The format that the first bytes indicate, with its article (`an SVG`), if it is known.
        looks_like: Option<&'static str>,
    },
    /// More pixels than [`Limits::pixels`](crate::Limits::pixels).
    #[error(
        "the picture has {} megapixels ({width} × {height} pixels); at most {} are taken",
        tenths(u64::from(*width) * u64::from(*height), 1_000_000),
        tenths(*max, 1_000_000)
    )]
    TooManyPixels {
        /// Width in pixels, before the orientation is applied.
        width: u32,
        /// Height in pixels, before the orientation is applied.
        height: u32,
        /// Most pixels (width times height) that are accepted.
        max: u64,
    },
    /// A side shorter than [`Limits::side_min`](crate::Limits::side_min).
    #[error("the picture has {width} × {height} pixels; each side needs at least {min}")]
    TooSmall {
        /// Width in pixels, before the orientation is applied.
        width: u32,
        /// Height in pixels, before the orientation is applied.
        height: u32,
        /// Fewest pixels along a side.
        min: u32,
    },
    /// One side is too long in relation to the other; see [`Limits::ratio_max`](crate::Limits::ratio_max).
    #[error(
        "the picture has {width} × {height} pixels; one side may be at most {max} times as long as the other"
    )]
    TooNarrow {
        /// Width in pixels, before the orientation is applied.
        width: u32,
        /// Height in pixels, before the orientation is applied.
        height: u32,
        /// Highest ratio of the longer side to the shorter one.
        max: u32,
    },
    /// An animated PNG or WebP, even of one frame.
    #[error("the picture is animated; send a still one")]
    Animated,
    /// A JPEG in CMYK: its colours depend on the press.
    #[error("the picture is in the colours of a printing press (CMYK); save it as RGB")]
    Cmyk,
    /// A valid file that would take more time or memory than any file from an image program.
    #[error(
        "the file is built in a way that takes too long to read ({reason}); open it in an image program and save it again"
    )]
    TooComplex {
        /// The excessive part.
        reason: &'static str,
    },
    /// A part of the format that the decoder does not support.
    #[error(
        "the picture uses a rare kind of its format ({reason}); open it in an image program and save it again"
    )]
    Unsupported {
        /// The unsupported part, in the terms of the format or the decoder.
        reason: String,
    },
    /// The file ends before the picture does.
    #[error("the file ends before the picture does; it may not have been sent or saved completely")]
    Truncated,
    /// The file begins like a picture, but cannot be decoded.
    #[error("the file is damaged ({reason})")]
    Broken {
        /// The problem, in the terms of the format or the decoder.
        reason: String,
    },
}

impl ArtworkError {
    /// A code for the reason, for programs. It does not change when messages are reworded.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::TooManyBytes { .. } => "too_many_bytes",
            Self::UnknownFormat { .. } => "unknown_format",
            Self::TooManyPixels { .. } => "too_many_pixels",
            Self::TooSmall { .. } => "too_small",
            Self::TooNarrow { .. } => "too_narrow",
            Self::Animated => "animated",
            Self::Cmyk => "cmyk",
            Self::TooComplex { .. } => "too_complex",
            Self::Unsupported { .. } => "unsupported",
            Self::Truncated => "truncated",
            Self::Broken { .. } => "broken",
        }
    }

    pub(crate) fn broken(reason: impl ToString) -> Self {
        Self::Broken { reason: reason.to_string() }
    }

    pub(crate) fn unsupported(reason: impl ToString) -> Self {
        Self::Unsupported { reason: reason.to_string() }
    }
}

/// A number of units with one decimal, rounded up, so that a value above a limit is never shown as the limit.
fn tenths(number: u64, unit: u64) -> String {
    let tenths = (u128::from(number) * 10).div_ceil(u128::from(unit));
    match (tenths / 10, tenths % 10) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{whole}.{tenth}"),
    }
}

fn known_as(looks_like: Option<&str>) -> String {
    match looks_like {
        Some(name) => format!("the file looks like {name}"),
        None => "the file is no picture of a known format".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_contain_numbers() {
        let error = ArtworkError::TooManyPixels { width: 4800, height: 3583, max: 16_000_000 };
        let text = "the picture has 17.2 megapixels (4800 × 3583 pixels); at most 16 are taken";
        assert_eq!(error.to_string(), text);
        let error = ArtworkError::TooManyBytes { bytes: (10 << 20) + 1, max: 10 << 20 };
        assert_eq!(error.to_string(), "the file has 10.1 MiB; at most 10 are taken");
        let error = ArtworkError::UnknownFormat { looks_like: Some("an SVG") };
        assert_eq!(
            error.to_string(),
            "the file looks like an SVG; send a PNG, JPEG or WebP picture"
        );
    }
}
