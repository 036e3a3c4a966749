//! Detects the format of a file by its first bytes, because names and declared types are chosen by the sender.

use crate::error::ArtworkError;

/// The formats that are decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Png,
    Jpeg,
    WebP,
}

/// First bytes of other common formats, so that messages can name the format of a refused file.
const OTHERS: [(&[u8], &str); 15] = [
    (b"GIF8", "a GIF"),
    (b"BM", "a BMP"),
    (b"II*\0", "a TIFF"),
    (b"MM\0*", "a TIFF"),
    (b"8BPS", "a Photoshop document"),
    (b"gimp xcf", "a GIMP document"),
    (b"\xFF\x0A", "a JPEG XL"),
    (b"\0\0\0\x0CJXL ", "a JPEG XL"),
    (b"\0\0\0\x0CjP  ", "a JPEG 2000"),
    (b"\0\0\x01\0", "an icon"),
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1F\x8B", "a compressed file"),
    (b"Rar!", "a RAR archive"),
    (b"#!", "a script"),
];

impl Format {
    /// Detects the format from the first bytes.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, ArtworkError> {
        if bytes.is_empty() {
            return Err(ArtworkError::Empty);
        }
        if bytes.starts_with(b"\x89PNG\r\n\x1A\n") {
            return Ok(Self::Png);
        }
        if bytes.starts_with(b"\xFF\xD8\xFF") {
            return Ok(Self::Jpeg);
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Ok(Self::WebP);
        }
        Err(ArtworkError::UnknownFormat { looks_like: name_of_other_format(bytes) })
    }
}

fn name_of_other_format(bytes: &[u8]) -> Option<&'static str> {
    if let Some((_, name)) = OTHERS.iter().find(|(first, _)| bytes.starts_with(first)) {
        return Some(name);
    }
    if bytes.get(4..8) == Some(b"ftyp") {
        return match bytes.get(8..12)? {
            b"avif" | b"avis" => Some("an AVIF"),
            b"heic" | b"heix" | b"heim" | b"heis" | b"mif1" | b"msf1" => Some("an HEIC"),
            _ => Some("a video"),
        };
    }
    let head = &bytes[..bytes.len().min(1024)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    if head.contains("<svg") {
        return Some("an SVG");
    }
    let text = head.trim_start_matches('\u{FEFF}').trim_start();
    if text.starts_with("<!doctype html") || text.starts_with("<html") || text.contains("<script") {
        return Some("a web page");
    }
    text.starts_with("<?xml").then_some("an XML document")
}
