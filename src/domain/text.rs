//! Short texts that people type, such as names and labels. They are checked once, when they are parsed.

use std::sync::LazyLock;

use serde::Deserialize;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation as _;

/// Why a text is refused.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum TextError {
    /// Fewer or more characters (Unicode scalar values, after trimming) than allowed.
    #[error("must be {min} to {max} characters long, not {actual}")]
    Length {
        /// Fewest characters allowed.
        min: usize,
        /// Most characters allowed.
        max: usize,
        /// How many there were.
        actual: usize,
    },
    /// A control character: NUL, newline, bidirectional override and the like.
    #[error("must not contain control characters")]
    Control,
    /// Marks that pile up on one character and cover the lines around it.
    #[error("must not have more than {MAX_MARKS} marks on one character")]
    Marks,
    /// Only punctuation and spaces.
    #[error("must contain a letter, a digit or a symbol")]
    Blank,
}

/// Checks a single line of text: trims it, counts characters, refuses control characters and texts without a letter,
/// digit or symbol.
pub fn line(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text = raw.trim();
    let actual = text.chars().count();
    if !(min..=max).contains(&actual) {
        return Err(TextError::Length { min, max, actual });
    }
    if text.chars().any(is_control) {
        return Err(TextError::Control);
    }
    Ok(text.to_owned())
}

/// Checks a text that may have several lines: trims it, converts every line end to a single newline, counts characters, and refuses
/// other control characters.
pub fn lines(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text = raw.trim().replace("\r\n", "\n");
    let actual = text.chars().count();
    if !(min..=max).contains(&actual) {
        return Err(TextError::Length { min, max, actual });
    }
    if text.chars().any(|c| c != '\n' && is_control(c)) {
        return Err(TextError::Control);
    }
    Ok(text)
}

/// Most combining marks on one character. No written language needs more than four.
const MAX_MARKS: usize = 6;
/// Most code points of a text for each character that it may have: an emoji of a family has seven.
const CODE_POINTS: usize = 8;

/// Checks a single line that many people read, such as in a card design or a comment: like [`line`], but the text is composed (NFC), its length is counted in
/// characters as readers see them (grapheme clusters, UAX 29), and the number of combining marks on a character is limited.
///
/// ```
/// use cardscape::domain::text::{TextError, prose_line};
/// assert_eq!(prose_line(" Cafe\u{301} ", 1, 4).unwrap(), "Caf\u{e9}");
/// assert_eq!(prose_line("👨‍👩‍👧‍👦", 1, 1).unwrap(), "👨‍👩‍👧‍👦");
/// assert_eq!(prose_line(&format!("a{}", "\u{301}".repeat(20)), 1, 10), Err(TextError::Marks));
/// ```
pub fn prose_line(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    prose(&line(raw, 0, max.saturating_mul(CODE_POINTS))?, min, max)
}

/// Like [`prose_line`], for a text that may have several lines, as in [`lines`].
pub fn prose_lines(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    prose(&lines(raw, 0, max.saturating_mul(CODE_POINTS))?, min, max)
}

fn prose(text: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text: String = text.nfc().collect();
    let (mut actual, mut piled) = (0, false);
    for character in text.graphemes(true) {
        actual += 1;
        let marks = character.chars().filter(|mark| canonical_combining_class(*mark) != 0);
        piled |= marks.count() > MAX_MARKS;
    }
    // Composition can also split code points, so the number of code points to store is limited as well.
    let most = max.saturating_mul(CODE_POINTS);
    if !(min..=max).contains(&actual) || text.chars().count() > most {
        return Err(TextError::Length { min, max, actual });
    }
    if piled { Err(TextError::Marks) } else { Ok(text) }
}

/// C0 and C1 controls, and the bidirectional formatting characters that make a text look like another one.
pub(super) fn is_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
}

/// The name of an account: 3 to 32 characters. Two names that fold to the same key are the same name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AccountName {
    text: String,
    key: String,
}

impl AccountName {
    /// Parses what a person typed.
    ///
    /// ```
    /// use cardscape::domain::text::AccountName;
    /// let ada = AccountName::parse("  Ada.Lovelace ").unwrap();
    /// assert_eq!(ada.as_str(), "Ada.Lovelace");
    /// assert_eq!(ada.key(), AccountName::parse("ada lovelace").unwrap().key());
    /// assert!(AccountName::parse("..").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let text = line(raw, 3, 32)?;
        let key = cardscape_engine::name_key(&text);
        if key.is_empty() { Err(TextError::Blank) } else { Ok(Self { text, key }) }
    }

    /// The name as it was typed.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The folded name: two names with the same key are the same name.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The skeleton of the name: see [`name_skeleton`].
    pub fn skeleton(&self) -> String {
        name_skeleton(&self.text)
    }
}

impl TryFrom<String> for AccountName {
    type Error = TextError;

    fn try_from(raw: String) -> Result<Self, TextError> {
        Self::parse(&raw)
    }
}

/// A part of an account's name: 1 to 32 characters at any place in the name. It is compared like whole names: case, spaces and punctuation do
/// not count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct NamePart(String);

impl NamePart {
    /// Parses what a person typed.
    ///
    /// ```
    /// use cardscape::domain::text::NamePart;
    /// assert_eq!(NamePart::parse(" Ada L").unwrap().key(), "adal");
    /// assert!(NamePart::parse(" ").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let key = cardscape_engine::name_key(&line(raw, 1, 32)?);
        if key.is_empty() { Err(TextError::Blank) } else { Ok(Self(key)) }
    }

    /// The folded part. The key of every name that contains the part contains this text.
    pub fn key(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for NamePart {
    type Error = TextError;

    fn try_from(raw: String) -> Result<Self, TextError> {
        Self::parse(&raw)
    }
}

/// The skeleton of a name (UTS 39, section 4), folded like its key: names with the same skeleton look alike, in whatever scripts they are
/// written. It is only for comparison, and never shown.
///
/// ```
/// use cardscape::domain::text::name_skeleton;
/// assert_eq!(name_skeleton("Ada"), name_skeleton("\u{410}d\u{430}"), "with Cyrillic letters");
/// assert_eq!(name_skeleton("Bill"), name_skeleton("BiII"));
/// assert_ne!(name_skeleton("Ada"), name_skeleton("Ida"));
/// ```
pub fn name_skeleton(name: &str) -> String {
    let look = ascii_look(name).unwrap_or_else(|| unicode_security::skeleton(name).collect());
    let folded = cardscape_engine::name_key(&look);
    // Some symbols look like punctuation, which folding removes.
    if folded.is_empty() { look } else { folded }
}

/// The look (prototype) of each ASCII character, if it is ASCII as well.
static ASCII_LOOKS: LazyLock<[Option<Box<str>>; 128]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let letter = u8::try_from(code).map(char::from).ok()?;
        let look: String = unicode_security::skeleton(letter.encode_utf8(&mut [0; 4])).collect();
        look.is_ascii().then(|| look.into())
    })
});

/// The skeleton of a name (UTS 39), letter by letter, which is possible because without combining marks the letters do not affect each other. A check of a
/// design compares its name with dozens of names, and the tables for all scripts take seven times as long. `None`: a letter or its look is not ASCII.
fn ascii_look(name: &str) -> Option<String> {
    let mut look = String::with_capacity(name.len() + 8);
    for byte in name.bytes() {
        look.push_str(ASCII_LOOKS.get(usize::from(byte))?.as_deref()?);
    }
    Some(look)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skeletons_of_ascii_names_equal_those_of_uts_39() {
        let ascii: String = (0..128_u8).map(char::from).collect();
        let simple: String =
            ascii.chars().filter(|one| ascii_look(&one.to_string()).is_some()).collect();
        assert!(simple.len() > 120, "most ASCII characters need no tables: {simple:?}");
        for one in ascii.chars() {
            for other in ascii.chars() {
                let name = format!("{one}{other}m{one}");
                let expected: String = unicode_security::skeleton(&name).collect();
                assert!(ascii_look(&name).is_none_or(|look| look == expected), "{name:?}");
            }
        }
        assert_eq!(ascii_look("Ada I").as_deref(), Some("Ada l"));
        assert_eq!(ascii_look("Ad\u{e1}"), None);
    }
}
