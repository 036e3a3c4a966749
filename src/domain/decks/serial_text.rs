//! Serial codes in texts that people write. Codes are secrets: they are never stored, shown or published.

use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::text::TextError;

/// What is shown instead of a text of a list that contains a serial code.
pub const MASKED: &str = "(a serial code)";

/// Whether a text of a list contains a serial code: what prose must not contain, and also codes inside longer words, codes with any spaces, and 16 symbols in
/// groups of four with hyphens, which may be a code with a typing error. Some names have as many letters, so one of the symbols of these must be a digit, and a
/// quantity before a name is not one of them.
///
/// ```
/// use cardscape::domain::decks::serial_text::contains_serial;
/// assert!(contains_serial("2x 7KQ2-0000-0000-0000 {rare}"));
/// assert!(!contains_serial("Amethyst Dragons of 2026"));
/// assert!(!contains_serial("2 Washing-Line Wyrm"));
/// ```
pub fn contains_serial(text: &str) -> bool {
    // A quick test: most texts are names, which are too short for a code or have no digit.
    let symbols = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    symbols >= CODE_SYMBOLS
        && (may_have_groups(text) || (has_digit(text) && !is_digit_before_words(text)))
        && is_in_list(text)
}

/// What [`contains_serial`] finds, without its quick test.
fn is_in_list(text: &str) -> bool {
    parts_without_uuids(text).any(|part| {
        has_spaced_code(part)
            || has_code(part, |groups| is_code(groups) || is_in_longer_words(groups))
    })
}

/// The text, unless it contains a serial code, which must not be published.
pub(super) fn without_serial(text: String) -> Result<String, TextError> {
    if has_serial_in_prose(&text) { Err(TextError::Serial) } else { Ok(text) }
}

/// Whether a name or another text about a deck contains a serial code. In prose, any words and numbers stand beside each other, so that only three forms are
/// looked for: four groups of four symbols with dashes or the like between them; the same with spaces, if there are digits in two of the groups, or in one and all
/// letters are capitals; and a word of 16 symbols. In all of them the check symbol must fit.
///
/// ```
/// use cardscape::domain::decks::serial_text::has_serial_in_prose;
/// assert!(has_serial_in_prose("Mine is 7K33-3333-3333-3333!"));
/// assert!(!has_serial_in_prose("standard-2026-meta"));
/// ```
pub fn has_serial_in_prose(text: &str) -> bool {
    parts_without_uuids(text).any(|part| has_code(part, is_code))
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Only dashes, or what people and programs write instead of them.
    Dashes,
    /// Spaces, perhaps with dashes.
    Spaces,
    /// Anything else, or the beginning of the text: what comes after it is not in one code with what comes before.
    Break,
}

impl Gap {
    fn of(text: &str) -> Self {
        let may_join = |character: char| character.is_whitespace() || is_joint(character);
        if text.is_empty() || !text.chars().all(may_join) {
            Self::Break
        } else if text.contains(char::is_whitespace) {
            Self::Spaces
        } else {
            Self::Dashes
        }
    }
}

/// Four words of a text, one after another, each with the gap before it.
type Groups<'a> = [(Gap, &'a str); 4];

/// Whether a word of a text, with the three before it, is a code.
fn has_code(text: &str, is_code: impl Fn(&Groups<'_>) -> bool) -> bool {
    let mut groups = [(Gap::Break, ""); 4];
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let (gap, words) = rest.split_at(start);
        let end = words.find(|character: char| !character.is_alphanumeric());
        let (word, after) = words.split_at(end.unwrap_or(words.len()));
        groups.rotate_left(1);
        groups[3] = (Gap::of(gap), word);
        if is_code(&groups) {
            return true;
        }
        rest = after;
    }
    false
}

/// Whether four words are the groups of a code, or the last of them is a code.
fn is_code(groups: &Groups<'_>) -> bool {
    let [(_, first), (_, second), (_, third), (_, word)] = groups;
    if word.len() == CODE_SYMBOLS {
        return is_bare_code(word);
    }
    let words = [*first, *second, *third, *word];
    if words.iter().any(|group| group.len() != GROUP_SYMBOLS) {
        return false;
    }
    let code = words.concat();
    let is_like_code = match gap_in(groups) {
        Gap::Dashes => true,
        // Words of four letters and years stand beside each other in sentences, but seldom in capitals.
        Gap::Spaces => {
            let digits = words.iter().filter(|group| has_digit(group)).count();
            let is_in_capitals = !code.bytes().any(|byte| byte.is_ascii_lowercase());
            is_in_one_case(&code) && digits >= if is_in_capitals { 1 } else { 2 }
        }
        Gap::Break => false,
    };
    // Four years are no code, and hardly any real code has only digits.
    is_like_code
        && code.contains(|letter: char| letter.is_ascii_alphabetic())
        && SerialCode::parse(&code).is_ok()
}

/// The gaps between four groups.
fn gap_in([_, (second, _), (third, _), (fourth, _)]: &Groups<'_>) -> Gap {
    let gaps = [*second, *third, *fourth];
    [Gap::Break, Gap::Spaces].into_iter().find(|gap| gaps.contains(gap)).unwrap_or(Gap::Dashes)
}

/// Whether a word of 16 symbols is a code. Ids are often hexadecimal, and of the real codes only one in 65,000 looks so.
fn is_bare_code(word: &str) -> bool {
    let is_no_hex_digit =
        |letter: char| letter.is_ascii_alphabetic() && !letter.is_ascii_hexdigit();
    has_digit(word) && word.contains(is_no_hex_digit) && SerialCode::parse(word).is_ok()
}

/// Whether there is a code at the end or the beginning of longer words: in the last of four words, as in `foo7KQ2000000000000`, or in all of them, as in
/// `foo7KQ2-0000-0000-0000`. Codes are in capitals, or in small letters if a person typed them: an id of another kind often has both.
fn is_in_longer_words(groups: &Groups<'_>) -> bool {
    let [(_, first), (_, second), (_, third), (_, word)] = groups;
    let is_typed = |code: &str| is_in_one_case(code) && is_bare_code(code);
    if (CODE_SYMBOLS + 1..=LONGER_WORD_MAX).contains(&word.len()) {
        return [end_of(word, CODE_SYMBOLS), word.get(..CODE_SYMBOLS)]
            .into_iter()
            .flatten()
            .any(is_typed);
    }
    let is_group = |group: &str| group.len() == GROUP_SYMBOLS;
    let (Some(before), Some(after)) = (end_of(first, GROUP_SYMBOLS), word.get(..GROUP_SYMBOLS))
    else {
        return false;
    };
    if !is_group(second) || !is_group(third) || gap_in(groups) != Gap::Dashes {
        return false;
    }
    let code = [before, second, third, after].concat();
    has_digit(&code) && is_in_one_case(&code) && SerialCode::parse(&code).is_ok()
}

/// The last bytes of a word, if it has as many.
fn end_of(word: &str, length: usize) -> Option<&str> {
    word.get(word.len().checked_sub(length)?..)
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_in_one_case(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// Whether a text may have three dashes or the like; all characters that are not ASCII are counted, by their first byte. Only codes with these may be without a digit.
fn may_have_groups(text: &str) -> bool {
    let is_of_joint = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/' | 0xC0..);
    text.bytes().filter(is_of_joint).nth(2).is_some()
}

/// What may stand between the groups of a code instead of a space: dashes, and what addresses and other programs have in place of them, also if nobody sees it.
fn is_joint(character: char) -> bool {
    let is_unseen = matches!(
        character,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}'
    );
    is_dash(character) || is_unseen || matches!(character, '_' | '.' | '/')
}

/// Number of characters of a UUID.
const UUID_LENGTH: usize = 36;

/// The parts of a text around its UUIDs, such as the ids of copies. Some groups of a UUID have as many symbols as those of a code.
fn parts_without_uuids(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some(at) = first_uuid(text) else { return Some(text) };
        rest = Some(&text[at + UUID_LENGTH..]);
        Some(&text[..at])
    })
}

/// The place of the first UUID of a text.
fn first_uuid(text: &str) -> Option<usize> {
    if text.len() < UUID_LENGTH || !text.contains('-') {
        return None;
    }
    let mut before = ' ';
    let found = text.char_indices().find(|(at, character)| {
        let begins = character.is_ascii_hexdigit() && !before.is_alphanumeric();
        before = *character;
        let is_whole = || !text[at + UUID_LENGTH..].starts_with(char::is_alphanumeric);
        begins && text.get(*at..at + UUID_LENGTH).is_some_and(is_uuid) && is_whole()
    });
    found.map(|(at, _)| at)
}

fn is_uuid(word: &str) -> bool {
    let is_of_uuid = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    word.len() == UUID_LENGTH && word.bytes().enumerate().all(is_of_uuid)
}

/// Whether a code with any spaces and hyphens, perhaps with a typing error, begins at the beginning of a word of a list.
fn has_spaced_code(text: &str) -> bool {
    let mut before = ' ';
    text.char_indices().any(|(at, character)| {
        let begins = character.is_alphanumeric() && !before.is_alphanumeric();
        before = character;
        let word = &text[at..];
        begins && (is_code_at(word) || after_glued_quantity(word).is_some_and(is_code_at))
    })
}

/// The groups of a code directly after a quantity, as in `2x7KQ2-0000-0000-0000`. Only groups of four are looked for: other words begin with digits, too.
fn after_glued_quantity(word: &str) -> Option<&str> {
    (1..=3).find_map(|length| {
        let (quantity, rest) = word.split_at_checked(length)?;
        let times = ['x', 'X'];
        let digits = quantity.strip_suffix(times).or_else(|| quantity.strip_prefix(times));
        let digits = digits.unwrap_or(quantity);
        let is_quantity =
            (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let mut group = rest.chars();
        let is_group = group.by_ref().take(4).filter(char::is_ascii_alphanumeric).count() == 4
            && group.next().is_some_and(is_between_symbols);
        (is_quantity && is_group).then_some(rest)
    })
}

/// Whether a text is one digit, a space, and a text without digits, as most lines of lists are. It has no code: the first group of a code that begins with the
/// digit would have one symbol, and a code that begins later would have no digit.
fn is_digit_before_words(text: &str) -> bool {
    match text.as_bytes() {
        [first, b' ', rest @ ..] => first.is_ascii_digit() && !rest.iter().any(u8::is_ascii_digit),
        _ => false,
    }
}

/// Number of letters and digits of a code.
const CODE_SYMBOLS: usize = 16;
/// Number of them in each group.
const GROUP_SYMBOLS: usize = 4;
/// Most letters and digits of a word in which a code is looked for. Longer ones are share codes and hashes.
const LONGER_WORD_MAX: usize = 28;

/// A hyphen or dash that people type between the groups of a code.
fn is_dash(character: char) -> bool {
    matches!(character, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}')
}

fn is_between_symbols(character: char) -> bool {
    character.is_whitespace() || is_dash(character)
}

/// Whether a text begins with a quantity of one or two digits, as in `2 Name`, `2x Name` and `x2 Name`.
fn is_quantity_at(text: &str) -> bool {
    let word = text.split(' ').next().unwrap_or_default();
    let times = ['x', 'X'];
    let digits = word.strip_suffix(times).or_else(|| word.strip_prefix(times)).unwrap_or(word);
    word.len() < text.len()
        && (1..=2).contains(&digits.len())
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a text begins with a code: 16 letters and digits, with spaces and hyphens between them, not followed by another letter or digit. What begins with a
/// quantity is a code only in groups of two, because a group of a code has no other length below four.
fn is_code_at(text: &str) -> bool {
    let (mut symbols, mut end) = (0_usize, 0);
    let (mut is_in_twos, mut is_in_fours) = (true, true);
    for (at, character) in text.char_indices() {
        if character.is_ascii_alphanumeric() {
            is_in_twos &= at == end || symbols.is_multiple_of(2);
            is_in_fours &= at == end || symbols.is_multiple_of(4);
            if symbols == CODE_SYMBOLS {
                // The word continues after 16 symbols, so it is not a code.
                return false;
            }
            symbols += 1;
            end = at + 1;
        } else if !is_between_symbols(character) || symbols == CODE_SYMBOLS {
            break;
        }
    }
    let code = &text[..end];
    symbols == CODE_SYMBOLS
        && has_digit(code)
        && match SerialCode::parse(code) {
            Ok(_) => is_in_twos || !is_quantity_at(text),
            Err(SerialError::Check) => is_in_fours && code.contains(is_dash),
            Err(_) => false,
        }
}

#[cfg(test)]
mod tests;
