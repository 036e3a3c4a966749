//! Deck lists in files, for forms that show the list before a deck is stored.

use cardscape_engine::{DeckText, IgnoredReason, MalformedText, decode_deck_text};

use crate::domain::decks::list::LineRefusal;

/// Largest file, in bytes: as large as a request with a list.
pub const MAX_FILE: usize = 256 * 1024;
/// Longest list of a form, in characters, whether it is typed or read from a file.
pub const MAX_LIST: usize = 150_000;

/// Why the list of a file is not taken over into a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListFileFault {
    /// The file has no text.
    Empty,
    /// The file has more than [`MAX_FILE`] bytes.
    TooLarge,
    /// The list has more than [`MAX_LIST`] characters.
    TooLong,
    /// The file is no text, but for example a picture.
    Unreadable(LineRefusal),
}

/// The list of a file, whose encoding is recognised. Its lines are not read yet.
pub fn decode(content: &[u8]) -> Result<String, ListFileFault> {
    if content.len() > MAX_FILE {
        return Err(ListFileFault::TooLarge);
    }
    let (text, _) = decode_deck_text(content);
    // No form can send NUL characters.
    if text.contains('\0') || !DeckText::new(&text, None).is_text() {
        let detail = MalformedText::NotText;
        let refusal = LineRefusal::Unreadable(IgnoredReason::Malformed { detail });
        return Err(ListFileFault::Unreadable(refusal));
    }
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    if text.trim().is_empty() {
        return Err(ListFileFault::Empty);
    }
    if is_too_long(&text) {
        return Err(ListFileFault::TooLong);
    }
    Ok(text)
}

/// Whether a list has more than [`MAX_LIST`] characters. Browsers count a line break as one, and send it as two.
pub fn is_too_long(list: &str) -> bool {
    list.chars().filter(|letter| *letter != '\r').nth(MAX_LIST).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_all_encodings_are_decoded() {
        for (content, expected) in [
            (&b"2 Kettle Imp\r\n1 Bat"[..], "2 Kettle Imp\n1 Bat"),
            (b"2 Caf\xe9".as_slice(), "2 Café"),
            (b"\xff\xfe2\0 \0A\0".as_slice(), "2 A"),
            ("\u{feff}1 Rübe".as_bytes(), "1 Rübe"),
        ] {
            assert_eq!(decode(content).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn files_without_a_list_are_refused() {
        for picture in [&b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"[..], b"\xff\xd8\xff\xe0JFIF", b"2 A\0"]
        {
            assert!(matches!(decode(picture), Err(ListFileFault::Unreadable(_))), "{picture:?}");
        }
        assert_eq!(decode(b" \r\n"), Err(ListFileFault::Empty));
        assert_eq!(decode(&vec![b'a'; MAX_LIST + 1]), Err(ListFileFault::TooLong));
        let lines = "1 Bat\r\n".repeat(MAX_LIST / 6);
        assert!(!is_too_long(&lines) && lines.len() > MAX_LIST);
        assert_eq!(decode(&vec![b'a'; MAX_FILE + 1]), Err(ListFileFault::TooLarge));
    }
}
