//! Short texts that people type, such as names and labels. They are checked once, when they are parsed.

use std::sync::LazyLock;

pub(super) use cardscape_engine::is_no_text as is_control;
use cardscape_engine::{is_drawn_as_nothing, is_seen, stray_tag};
use serde::Deserialize;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::canonical_combining_class;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::domain::serials::serial_text::has_serial_in_prose;

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
    /// A character that is no part of a text: NUL, newline, noncharacter and the like; a tag character outside of a flag.
    #[error(
        "must not contain control characters, noncharacters, or tag characters outside of a flag"
    )]
    Control,
    /// A bidirectional override, embedding or isolate, or the end of one.
    #[error(
        "must not contain characters that change the direction of the text (bidirectional controls: U+202A to U+202E, U+2066 to U+2069)"
    )]
    Bidi,
    /// A line or paragraph separator.
    #[error("must not contain line or paragraph separators (U+2028, U+2029)")]
    Separator,
    /// In names: an invisible letter.
    #[error("must not contain invisible letters")]
    Undrawn,
    /// Marks that pile up on one character and cover the lines around it.
    #[error("must not have more than {MAX_MARKS} marks on one character")]
    Marks,
    /// Nothing that can be seen; in names, also only punctuation or private-use characters.
    #[error("must contain a letter, a digit or a symbol")]
    Blank,
    /// In a text that is stored or that other people read: a serial code.
    #[error(
        "must not contain a serial code: it is a secret that only its card's owner should have; nobody else needs to see it"
    )]
    Serial,
}

/// Checks a single line of text: trims it, counts characters, and refuses control characters, tag characters outside of a flag, and texts
/// that have characters but none that can be seen.
///
/// ```
/// use cardscape::domain::text::{TextError, line};
/// assert_eq!(line(" Ada ", 1, 4).unwrap(), "Ada");
/// assert_eq!(line("\u{2800}\u{3164}", 1, 4), Err(TextError::Blank));
/// assert_eq!(line("a\u{2028}b", 1, 4), Err(TextError::Separator));
/// ```
pub fn line(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text = raw.trim();
    check(text, min, max, is_control)?;
    Ok(text.to_owned())
}

/// Checks a text that may have several lines: trims it, converts every line end to a single newline, counts characters, and refuses
/// the same as [`line`], except newlines.
pub fn lines(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text = raw.trim().replace("\r\n", "\n");
    check(&text, min, max, |c| c != '\n' && is_control(c))?;
    Ok(text)
}

/// The text, unless it contains a serial code: what people write is stored and shown to others.
///
/// ```
/// use cardscape::domain::text::{TextError, without_serial};
/// assert_eq!(without_serial("mine is 7K33-3333-3333-3333".to_owned()), Err(TextError::Serial));
/// ```
pub fn without_serial(text: String) -> Result<String, TextError> {
    if has_serial_in_prose(&text) { Err(TextError::Serial) } else { Ok(text) }
}

/// Checks a single line by the rules of older versions, which refused fewer characters: to find what they stored. Input is checked by [`line`].
pub(super) fn known_line(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    let text = raw.trim();
    check_length(text, min, max)?;
    let is_refused = |c: char| {
        c.is_control()
            || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
    };
    if text.chars().any(is_refused) { Err(TextError::Control) } else { Ok(text.to_owned()) }
}

/// Whether a text has only letters, digits, punctuation and spaces of ASCII.
pub(super) fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Counts the characters of a text, and returns their number if it is allowed.
fn check_length(text: &str, min: usize, max: usize) -> Result<usize, TextError> {
    let actual = text.chars().count();
    if (min..=max).contains(&actual) {
        Ok(actual)
    } else {
        Err(TextError::Length { min, max, actual })
    }
}

fn check(
    text: &str,
    min: usize,
    max: usize,
    is_refused: impl Fn(char) -> bool,
) -> Result<(), TextError> {
    if is_printable_ascii(text) {
        check_printable(text, min, max)
    } else {
        check_characters(text, min, max, is_refused)
    }
}

/// Checks a text of printable ASCII characters, as most texts are: none of them is refused, and all but the space are seen.
fn check_printable(text: &str, min: usize, max: usize) -> Result<(), TextError> {
    let actual = text.len();
    if !(min..=max).contains(&actual) {
        return Err(TextError::Length { min, max, actual });
    }
    let is_blank = actual > 0 && text.bytes().all(|byte| byte == b' ');
    if is_blank { Err(TextError::Blank) } else { Ok(()) }
}

fn check_characters(
    text: &str,
    min: usize,
    max: usize,
    is_refused: impl Fn(char) -> bool,
) -> Result<(), TextError> {
    let actual = check_length(text, min, max)?;
    if let Some(found) = text.chars().find(|c| is_refused(*c)) {
        return Err(kind_of(found));
    }
    if stray_tag(text).is_some() {
        return Err(TextError::Control);
    }
    // An empty text is a matter of its length.
    if actual > 0 && !text.chars().any(is_seen) {
        return Err(TextError::Blank);
    }
    Ok(())
}

/// Most combining marks on one character. No written language needs more than four.
const MAX_MARKS: usize = 6;
/// Most code points of a text for each character that it may have: an emoji of a family has seven.
const CODE_POINTS: usize = 8;

/// Checks a single line that many people read, such as in a card design or a comment: like [`line`], but the text is composed (NFC), its length is counted in
/// characters as readers see them (grapheme clusters, UAX 29), the number of combining marks on a character is limited, and the text must not contain a serial code.
///
/// ```
/// use cardscape::domain::text::{TextError, prose_line};
/// assert_eq!(prose_line(" Cafe\u{301} ", 1, 4).unwrap(), "Caf\u{e9}");
/// assert_eq!(prose_line("👨‍👩‍👧‍👦", 1, 1).unwrap(), "👨‍👩‍👧‍👦");
/// assert_eq!(prose_line(&format!("a{}", "\u{301}".repeat(20)), 1, 10), Err(TextError::Marks));
/// ```
pub fn prose_line(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    prose(&in_code_points(line, raw, (min, max))?, min, max).and_then(without_serial)
}

/// Like [`prose_line`], for a text that may have several lines, as in [`lines`].
pub fn prose_lines(raw: &str, min: usize, max: usize) -> Result<String, TextError> {
    prose(&in_code_points(lines, raw, (min, max))?, min, max).and_then(without_serial)
}

/// Reads a text of so many characters that each may be several code points. The error about a longer one has the numbers of characters.
fn in_code_points(
    read: fn(&str, usize, usize) -> Result<String, TextError>,
    raw: &str,
    (min, max): (usize, usize),
) -> Result<String, TextError> {
    read(raw, 0, max.saturating_mul(CODE_POINTS)).map_err(|error| {
        let actual = raw.trim().graphemes(true).count();
        let is_too_long = matches!(error, TextError::Length { .. }) && actual > max;
        if is_too_long { TextError::Length { min, max, actual } } else { error }
    })
}

fn prose(text: &str, min: usize, max: usize) -> Result<String, TextError> {
    // ASCII texts are composed and have no marks, and each character but the line end of two is one for readers.
    if text.is_ascii() && !text.contains('\r') {
        check_length(text, min, max)?;
        return Ok(text.to_owned());
    }
    let text: String = text.nfc().collect();
    let (mut actual, mut piled) = (0, false);
    for character in text.graphemes(true) {
        actual += 1;
        piled |= has_pile(character);
    }
    // Composition can also split code points, so the number of code points to store is limited as well.
    let most = max.saturating_mul(CODE_POINTS);
    if !(min..=max).contains(&actual) || text.chars().count() > most {
        return Err(TextError::Length { min, max, actual });
    }
    if piled { Err(TextError::Marks) } else { Ok(text) }
}

/// Whether a character as readers see it has more marks than any written language needs.
fn has_pile(character: &str) -> bool {
    character.chars().filter(|mark| canonical_combining_class(*mark) != 0).count() > MAX_MARKS
}

/// The error about a character that is no part of a text.
fn kind_of(refused: char) -> TextError {
    match refused {
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => TextError::Bidi,
        '\u{2028}' | '\u{2029}' => TextError::Separator,
        _ => TextError::Control,
    }
}

/// Characters that mean nothing without a font that has pictures for them.
const fn is_private(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}')
}

/// Refuses invisible letters in a name: with them, two names that look the same would be different names. [`name_key`](cardscape_engine::name_key)
/// drops the other invisible characters, but not these, which are letters and symbols. Names of private-use characters alone are refused as well: most readers
/// have no font for them, and see only empty boxes.
pub(super) fn check_letters(name: &str) -> Result<(), TextError> {
    if name.chars().any(is_drawn_as_nothing) {
        return Err(TextError::Undrawn);
    }
    let has_seen = name.chars().any(|c| is_seen(c) && !is_private(c));
    if has_seen { Ok(()) } else { Err(TextError::Blank) }
}

/// The name of an account: 3 to 32 characters. Two names that fold to the same key are the same name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AccountName {
    text: String,
    key: String,
}

impl AccountName {
    /// Parses the name of an account that may exist: by the rules of older versions, so that accounts from before stricter rules are found.
    ///
    /// ```
    /// use cardscape::domain::text::AccountName;
    /// let ada = AccountName::parse("  Ada.Lovelace ").unwrap();
    /// assert_eq!(ada.as_str(), "Ada.Lovelace");
    /// assert_eq!(ada.key(), AccountName::parse("ada lovelace").unwrap().key());
    /// assert!(AccountName::parse("..").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        known_line(raw, 3, 32).and_then(Self::of)
    }

    /// Parses the name of an account that is to be created. It must not contain a serial code, which somebody may type into the wrong field, and no piles of
    /// marks, which would cover the lines around it.
    ///
    /// ```
    /// use cardscape::domain::text::AccountName;
    /// assert_eq!(AccountName::parse_new(" Ada ").unwrap().as_str(), "Ada");
    /// assert!(AccountName::parse_new("Ada\u{3164}").is_err());
    /// ```
    pub fn parse_new(raw: &str) -> Result<Self, TextError> {
        let text = line(raw, 3, 32).and_then(without_serial)?;
        check_letters(&text)?;
        // Composed, as in other texts: a letter with its accent can be one character.
        let composed: String = text.nfc().collect();
        if composed.graphemes(true).any(has_pile) {
            return Err(TextError::Marks);
        }
        Self::of(text)
    }

    fn of(text: String) -> Result<Self, TextError> {
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

    /// What the name looks like in small letters: see [`small_look`].
    pub fn small_look(&self) -> String {
        small_look(&self.text)
    }

    /// What the name looks like in capital letters: see [`capital_look`].
    pub fn capital_look(&self) -> String {
        capital_look(&self.text)
    }
}

impl TryFrom<String> for AccountName {
    type Error = TextError;

    fn try_from(raw: String) -> Result<Self, TextError> {
        Self::parse(&raw)
    }
}

/// A part of the name of an account or a design: 1 to `MAX` characters, as many as a whole name may have, at any place in the name. It is compared like whole
/// names: case, spaces and punctuation do not count.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct NamePart<const MAX: usize>(String);

pub type AccountNamePart = NamePart<32>;

impl<const MAX: usize> NamePart<MAX> {
    /// Parses what a person typed.
    ///
    /// ```
    /// use cardscape::domain::text::AccountNamePart;
    /// assert_eq!(AccountNamePart::parse(" Ada L").unwrap().key(), "adal");
    /// assert!(AccountNamePart::parse(" ").is_err());
    /// ```
    pub fn parse(raw: &str) -> Result<Self, TextError> {
        let key = cardscape_engine::name_key(&known_line(raw, 1, MAX)?);
        if key.is_empty() { Err(TextError::Blank) } else { Ok(Self(key)) }
    }

    /// The folded part. The key of every name that contains the part contains this text.
    pub fn key(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for NamePart<MAX> {
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
    folded(look(name))
}

/// The skeleton of a name in small letters. [`name_skeleton`] depends on case, because it is taken before the folding: "m" looks like "rn", and "M" does not.
/// Names that differ only in case are the same name, so they are also compared in letters of one case.
///
/// ```
/// use cardscape::domain::text::small_look;
/// assert_eq!(small_look("Max"), small_look("m\u{430}x"), "with a Cyrillic letter");
/// assert_eq!(small_look("Iris"), small_look("\u{456}ris"));
/// assert_ne!(small_look("Max"), small_look("Mix"));
/// ```
pub fn small_look(name: &str) -> String {
    name_skeleton(&name.to_lowercase())
}

/// The skeleton of a name in capital letters: some letters look like those of another script only there.
///
/// ```
/// use cardscape::domain::text::capital_look;
/// assert_eq!(capital_look("max"), capital_look("\u{43c}\u{430}\u{445}"), "in Cyrillic letters");
/// assert_ne!(capital_look("Gail"), capital_look("Gall"));
/// ```
pub fn capital_look(name: &str) -> String {
    // Among capitals, a small "l" is the look of "I" and "1". Folding would make it equal to "L".
    folded(look(&name.to_uppercase()).replace('l', "1"))
}

/// What the letters of a name look like (UTS 39).
fn look(name: &str) -> String {
    ascii_look(name).unwrap_or_else(|| unicode_security::skeleton(name).collect())
}

fn folded(look: String) -> String {
    let folded = cardscape_engine::name_key(&look);
    // Some symbols look like punctuation, which folding removes.
    if folded.is_empty() { look } else { folded }
}

/// The look (prototype) of each ASCII character, if it is ASCII as well.
static ASCII_LOOKS: LazyLock<[Option<Box<str>>; 128]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let character = u8::try_from(code).map(char::from).ok()?;
        let look: String = unicode_security::skeleton(character.encode_utf8(&mut [0; 4])).collect();
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
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn printable_texts_are_checked_in_one_way(text in "[ -~]{0,6}", min in 0_usize..3, max in 2_usize..5) {
            let general = check_characters(&text, min, max, is_control);
            prop_assert_eq!(check_printable(&text, min, max), general);
        }
    }

    /// Checks a line, and the same text as one of several lines and as prose.
    fn all_ways(text: &str) -> Option<TextError> {
        let ways = [
            line(text, 1, 60),
            lines(text, 1, 60),
            prose_line(text, 1, 60),
            prose_lines(text, 1, 60),
        ];
        let faults: Vec<Option<TextError>> = ways.into_iter().map(Result::err).collect();
        assert!(faults.iter().all(|fault| *fault == faults[0]), "{text:?}: {faults:?}");
        faults.into_iter().next().flatten()
    }

    #[test]
    fn texts_of_invisible_characters_are_blank() {
        for blank in [
            "\u{2800}",
            "\u{3164}",
            "\u{115F}",
            "\u{1160}",
            "\u{FFA0}",
            "\u{180E}",
            "\u{AD}",
            "\u{34F}",
            "\u{200B}",
            "\u{200D}",
            "\u{FE0F}",
            "\u{2060}",
            "\u{200E}",
            "\u{E0101}",
            "\u{1D159}",
        ] {
            assert_eq!(all_ways(&blank.repeat(3)), Some(TextError::Blank), "{blank:?}");
            assert_eq!(all_ways(&format!("a{blank}")), None, "{blank:?}");
            assert!(AccountName::parse_new(&blank.repeat(3)).is_err(), "{blank:?}");
        }
        for symbol in ["\u{E000}", "\u{100000}"] {
            assert_eq!(all_ways(symbol), None, "a symbol of a font: {symbol:?}");
            let name = symbol.repeat(3);
            assert_eq!(check_letters(&name), Err(TextError::Blank), "{symbol:?}");
            assert_eq!(check_letters(&format!("{name}\u{200D} ")), Err(TextError::Blank));
            assert_eq!(check_letters(&format!("{name}a")), Ok(()), "{symbol:?}");
            assert_eq!(AccountName::parse_new(&name), Err(TextError::Blank), "{symbol:?}");
        }
        assert_eq!(line("\u{3164}", 0, 3), Err(TextError::Blank));
        assert_eq!(line("", 0, 3).unwrap(), "");
        assert_eq!(line(" ", 1, 3), Err(TextError::Length { min: 1, max: 3, actual: 0 }));
        assert_eq!(all_ways("..."), None, "punctuation can be seen");
    }

    #[test]
    fn separators_annotations_and_noncharacters_are_refused() {
        for refused in [
            "\u{206A}",
            "\u{FDD0}",
            "\u{FDEF}",
            "\u{FFFE}",
            "\u{FFFF}",
            "\u{FFF9}",
            "\u{FFFB}",
            "\u{1FFFE}",
            "\u{10FFFF}",
            "\u{E0001}",
            "\u{E0041}",
            "\u{E007F}",
            "\u{E0FFF}",
            "\0",
            "\u{85}",
        ] {
            let text = format!("a{refused}b");
            assert_eq!(all_ways(&text), Some(TextError::Control), "{refused:?}");
        }
        for refused in ["\u{2028}", "\u{2029}"] {
            let text = format!("a{refused}b");
            assert_eq!(all_ways(&text), Some(TextError::Separator), "{refused:?}");
        }
        for refused in ["\u{202A}", "\u{202E}", "\u{2066}", "\u{2069}"] {
            let text = format!("a{refused}b");
            assert_eq!(all_ways(&text), Some(TextError::Bidi), "{refused:?}");
        }
        assert_eq!(line("a\nb", 1, 3), Err(TextError::Control));
        assert_eq!(lines("a\r\nb", 1, 3).unwrap(), "a\nb");
    }

    #[test]
    fn emoji_and_words_with_joiners_are_accepted() {
        for text in [
            "👩🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏼",
            "❤\u{FE0F}",
            "1\u{FE0F}\u{20E3}",
            "🇩🇪",
            "🏴",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}🏴\u{200D}☠\u{FE0F}",
            "می\u{200C}خواهم",
            "क्\u{200D}ष",
            "ภาษา\u{200B}ไทย",
            "⠓⠑⠗⠕⠝\u{2800}⠕⠋",
            "\u{1112}\u{1160}\u{11AB}",
            "\u{F8FF} a",
        ] {
            assert_eq!(all_ways(text), None, "{text:?}");
        }
    }

    #[test]
    fn tags_are_only_in_flags() {
        let hidden: String =
            "kill".chars().filter_map(|c| char::from_u32(u32::from(c) + 0xE0000)).collect();
        for text in [
            format!("a{hidden}"),
            format!("🏴{hidden}"),
            format!("🏴{hidden}a"),
            format!("🏴{hidden}{hidden}\u{E007F}"),
            "🏴\u{E007F}".to_owned(),
            "🏴a\u{E0067}\u{E007F}".to_owned(),
        ] {
            assert_eq!(all_ways(&text), Some(TextError::Control), "{text:?}");
        }
    }

    #[test]
    fn names_have_no_letters_that_are_drawn_as_nothing() {
        for filler in ["\u{2800}", "\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{180E}"] {
            let name = format!("Ada{filler}");
            assert_eq!(AccountName::parse_new(&name), Err(TextError::Undrawn), "{filler:?}");
            // An account that has this name already is found.
            assert_eq!(AccountName::parse(&name).unwrap().as_str(), name);
        }
        for name in ["می\u{200C}خواهم", "❤\u{FE0F}❤\u{FE0F}"] {
            assert!(AccountName::parse_new(name).is_ok(), "{name:?}");
            assert!(AccountName::parse(name).is_ok(), "{name:?}");
        }
    }

    #[test]
    fn new_names_have_no_piles_of_marks() {
        let pile = |marks| format!("Ada{}", "\u{301}".repeat(marks));
        // Composition joins the first accent with the letter.
        assert!(AccountName::parse_new(&pile(MAX_MARKS + 1)).is_ok());
        assert_eq!(AccountName::parse_new(&pile(MAX_MARKS + 2)), Err(TextError::Marks));
        // An account that has this name already is found.
        assert!(AccountName::parse(&pile(MAX_MARKS + 2)).is_ok());
    }

    #[test]
    fn names_have_one_look_in_each_case() {
        let [maks, nina] = ["\u{43c}\u{430}\u{445}", "\u{43d}\u{438}\u{43d}\u{430}"];
        let is_alike = |one: &str, other: &str| {
            (
                name_skeleton(one) == name_skeleton(other),
                small_look(one) == small_look(other),
                capital_look(one) == capital_look(other),
            )
        };
        for (one, other, alike) in [
            ("Max", "m\u{430}x", (false, true, true)),
            ("Max", "rnax", (false, true, false)),
            ("Iris", "\u{456}ris", (false, true, true)),
            ("max", maks, (false, false, true)),
            (nina, "H\u{438}\u{43d}\u{430}", (false, false, true)),
            ("Bill", "BiII", (true, false, false)),
            ("Beni", "Ben1", (false, false, true)),
            ("Gail", "Gall", (false, false, false)),
            ("Max", "M'AX", (true, true, true)),
        ] {
            assert_eq!(is_alike(one, other), alike, "{one} {other}");
        }
    }

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

    #[test]
    fn prose_of_ascii_has_the_limits_of_any_prose() {
        for (text, actual) in [("abcd", 4), ("abc\u{e9}", 4), ("", 0), ("a b\u{e9}c", 5)] {
            let refused = Err(TextError::Length { min: 1, max: 3, actual });
            assert_eq!(prose_line(text, 1, 3), refused, "{text:?}");
        }
        for (text, stored) in [(" a b ", "a b"), ("a\u{e9}e\u{301}", "a\u{e9}\u{e9}")] {
            assert_eq!(prose_line(text, 1, 3).as_deref(), Ok(stored));
        }
        assert_eq!(prose_lines("a\r\nb", 1, 3).as_deref(), Ok("a\nb"));
        // Also a text of too many code points is said to be too long for its characters.
        let refused = Err(TextError::Length { min: 0, max: 3, actual: 100 });
        assert_eq!(prose_line(&"x".repeat(100), 0, 3), refused);
        assert_eq!(prose_lines(&"👨‍👩‍👧‍👦".repeat(100), 0, 3), refused);
    }
}
