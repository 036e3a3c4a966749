//! Normalisation before a list is read: encodings, invisible characters, forms of digits.

use std::borrow::Cow;

use serde::Serialize;

/// How the bytes of a list were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum TextEncoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little or big endian, recognised by its byte order mark or by zero bytes at every second position.
    Utf16,
    /// Windows-1252, if the bytes are not UTF-8. In this encoding every sequence of bytes is valid.
    Windows1252,
}

/// The characters 0x80 to 0x9F of Windows-1252; the five unused ones are the control characters of Latin-1, as in the Encoding Standard of the
/// WHATWG.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes the text of a file. It never fails: bytes that are neither UTF-16 nor UTF-8 are read as Windows-1252.
///
/// ```
/// use cardscape_engine::{TextEncoding, decode_deck_text};
/// assert_eq!(decode_deck_text(b"2 Caf\xe9"), ("2 Café".into(), TextEncoding::Windows1252));
/// assert_eq!(decode_deck_text(b"\xff\xfe2\0 \0A\0"), ("2 A".into(), TextEncoding::Utf16));
/// ```
pub fn decode_deck_text(bytes: &[u8]) -> (Cow<'_, str>, TextEncoding) {
    let utf_16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks(2).map(|pair| unit([pair[0], *pair.get(1).unwrap_or(&0)]));
        let text =
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        (Cow::Owned(text.collect()), TextEncoding::Utf16)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => return utf_16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => return utf_16(rest, u16::from_be_bytes),
        _ => {}
    }
    match zeros_at(bytes) {
        Some(1) => return utf_16(bytes, u16::from_le_bytes),
        Some(_) => return utf_16(bytes, u16::from_be_bytes),
        None => {}
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(without_mark(text)), TextEncoding::Utf8),
        Err(_) => {
            let text = bytes.iter().map(|byte| match byte {
                0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
                other => char::from(*other),
            });
            (Cow::Owned(text.collect()), TextEncoding::Windows1252)
        }
    }
}

/// Maximum number of bytes that are examined for zero bytes.
const EXAMINED_MAX: usize = 4096;

/// Whether the zero bytes of UTF-16 without a byte order mark are at even (0) or odd (1) positions; `None`: it is not UTF-16. Most characters of a list are below
/// U+0100, so at least a quarter of the bytes at these positions are zero, and hardly any of the others.
fn zeros_at(bytes: &[u8]) -> Option<usize> {
    let examined = &bytes[..bytes.len().min(EXAMINED_MAX)];
    let mut zeros = [0_usize; 2];
    for (at, byte) in examined.iter().enumerate() {
        zeros[at % 2] += usize::from(*byte == 0);
    }
    let many = (examined.len() / 8).max(3);
    match zeros {
        [even, odd] if even >= many && odd * 8 <= even => Some(0),
        [even, odd] if odd >= many && even * 8 <= odd => Some(1),
        _ => None,
    }
}

/// The text without a byte order mark at its start.
pub(super) fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

/// Normalises a text for the shared line reader: ASCII digits and brackets, no control characters, no invisible characters. The number of lines does
/// not change.
pub(super) fn tidy(text: &str) -> Cow<'_, str> {
    // Blanks and ampersands of web pages.
    if text.contains("&nbsp;") || text.contains("&amp;") {
        let plain = text.replace("&nbsp;", " ").replace("&amp;", "&");
        return Cow::Owned(with_plain_characters(&plain).into_owned());
    }
    with_plain_characters(text)
}

fn with_plain_characters(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n');
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut tidy = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => tidy.push('\n'),
            // Invisible: soft hyphen, zero-width characters, marks of direction. Joiners and variation selectors are parts of emoji.
            '\u{ad}'
            | '\u{200b}'
            | '\u{200c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}' => {}
            '\u{ff01}'..='\u{ff5e}' => tidy.push(narrow(character)),
            other if other.is_whitespace() || other.is_control() => tidy.push(' '),
            other => tidy.push(other),
        }
    }
    Cow::Owned(tidy)
}

/// The ASCII form of a full-width character.
fn narrow(character: char) -> char {
    char::from_u32(u32::from(character) - 0xfee0).unwrap_or(character)
}

/// Ends lines with line feeds in texts of old systems, where a carriage return alone ends a line.
pub(super) fn with_line_feeds(text: &str) -> Cow<'_, str> {
    if text.contains('\n') || !text.contains('\r') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\r', "\n"))
}
