//! Detects the encoding of a text file. Spreadsheets write UTF-16 and Windows-1252 without declaring it.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::TableError;
use super::csv_file::ends_line;

/// How many bytes are examined to detect UTF-16 without a byte order mark.
const SAMPLE: usize = 1_000;

/// Bytes that are undefined in Windows-1252.
const UNDEFINED: [u8; 5] = [0x81, 0x8d, 0x8f, 0x90, 0x9d];

/// The text of a CSV file, a byte order mark included, and the name of its encoding.
///
/// A byte order mark decides. Without one, a file with a zero in most second bytes is read as UTF-16, and a file that is valid UTF-8 as UTF-8. Any other
/// file is Windows-1252, unless it has bytes that are undefined there, or mixes letters in UTF-8 with other bytes: a part of such a file is broken, and
/// names would be broken as well.
///
/// # Errors
/// The file has none of these encodings.
pub(super) fn decode(file: &[u8]) -> Result<(Cow<'_, str>, &'static str), TableError> {
    if is_utf32(file) {
        return Err(TableError::Utf32);
    }
    let marked = Encoding::for_bom(file).map(|(encoding, _)| encoding);
    let encoding = match marked.or_else(|| detect_utf16(file)) {
        Some(encoding) if encoding != UTF_8 => encoding,
        _ => match std::str::from_utf8(file) {
            Ok(text) => return Ok((Cow::Borrowed(text), "utf-8")),
            Err(error) => {
                let at = error.valid_up_to();
                let has_letters = file.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
                if has_letters {
                    let (line, byte) = (line_number(file, at), file[at]);
                    return Err(TableError::MixedEncodings { line, byte });
                }
                if let Some(at) = file.iter().position(|byte| UNDEFINED.contains(byte)) {
                    let (line, byte) = (line_number(file, at), file[at]);
                    return Err(TableError::UnknownEncoding { line, byte });
                }
                WINDOWS_1252
            }
        },
    };
    let name = match encoding {
        encoding if encoding == UTF_16LE => "utf-16le",
        encoding if encoding == UTF_16BE => "utf-16be",
        _ => "windows-1252",
    };
    let text = encoding.decode_without_bom_handling_and_without_replacement(file);
    text.map(|text| (text, name)).ok_or(TableError::BrokenUtf16)
}

fn detect_utf16(file: &[u8]) -> Option<&'static Encoding> {
    let sample = &file[..file.len().min(SAMPLE)];
    let zeros = |first: usize| sample.iter().skip(first).step_by(2).filter(|byte| **byte == 0);
    let (even, odd) = (zeros(0).count(), zeros(1).count());
    let most = sample.len() / 2 * 3 / 4;
    match (even, odd) {
        _ if sample.len() < 4 => None,
        (0, odd) if odd > most => Some(UTF_16LE),
        (even, 0) if even > most => Some(UTF_16BE),
        _ => None,
    }
}

/// Whether the file has the byte order mark of UTF-32, or begins with an ASCII character in UTF-32.
fn is_utf32(file: &[u8]) -> bool {
    let starts = |first: &[u8]| match first {
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] => true,
        [byte, 0, 0, 0] | [0, 0, 0, byte] => *byte != 0,
        _ => false,
    };
    file.get(..4).is_some_and(starts)
}

/// The number of the line that contains a byte, from 1.
fn line_number(file: &[u8], at: usize) -> usize {
    (0..at).filter(|at| ends_line(file, *at)).count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Name;Anzahl\r\nGeißbock;2\r\n";

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn encodings_of_spreadsheets_are_detected() {
        let marked = format!("\u{feff}{TEXT}");
        let latin = WINDOWS_1252.encode(TEXT).0.into_owned();
        for (file, text, name) in [
            (TEXT.as_bytes().to_vec(), TEXT, "utf-8"),
            (marked.clone().into_bytes(), marked.as_str(), "utf-8"),
            (utf16(&marked, u16::to_le_bytes), &marked, "utf-16le"),
            (utf16(&marked, u16::to_be_bytes), &marked, "utf-16be"),
            (utf16(TEXT, u16::to_le_bytes), TEXT, "utf-16le"),
            (utf16(TEXT, u16::to_be_bytes), TEXT, "utf-16be"),
            (latin, TEXT, "windows-1252"),
        ] {
            let (read, encoding) = decode(&file).unwrap();
            assert_eq!((read.as_ref(), encoding), (text, name));
        }
    }

    #[test]
    fn a_file_with_a_broken_encoding_is_refused() {
        for broken in [
            b"Name\nGei\xc3\x9fbock\nK\xe4fer\n".as_slice(),
            b"Name\r\nOx\r\nK\xe4fer\r\nGei\xc3\x9fbock\r\n",
            b"Name\rGei\xc3\x9fbock\rK\xe4fer\r",
        ] {
            assert_eq!(decode(broken), Err(TableError::MixedEncodings { line: 3, byte: 0xe4 }));
        }
        for file in [b"\xff\xfe\0\0N\0\0\0".as_slice(), b"\0\0\xfe\xff", b"N\0\0\0a\0\0\0"] {
            assert_eq!(decode(file), Err(TableError::Utf32));
        }
        let other = b"Name\nK\x81fer\n";
        assert_eq!(decode(other), Err(TableError::UnknownEncoding { line: 2, byte: 0x81 }));
        let mut half = utf16(&format!("\u{feff}{TEXT}"), u16::to_le_bytes);
        half.pop();
        assert_eq!(decode(&half), Err(TableError::BrokenUtf16));
    }
}
