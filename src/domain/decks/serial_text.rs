//! Serial codes in texts that people write. Codes are secrets: they are never stored, shown or published.

use crate::domain::serials::serial::{SerialCode, SerialError};
use crate::domain::text::TextError;

/// Whether a text contains a serial code: 16 symbols whose check symbol fits, or 16 symbols in groups of four with hyphens, which may be a code with a typing
/// error. Some names have as many letters, so one of the symbols must be a digit, and a quantity before a name is not one of them.
///
/// ```
/// use cardscape::domain::decks::serial_text::holds_serial;
/// assert!(holds_serial("2x 7KQ2-0000-0000-0000 {rare}"));
/// assert!(!holds_serial("Amethyst Dragons of 2026"));
/// assert!(!holds_serial("2 Washing-Line Wyrm"));
/// ```
pub fn holds_serial(text: &str) -> bool {
    // A quick test: most texts are names, which are too short for a code or have no digit.
    let symbols = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    if symbols < CODE_SYMBOLS || !text.bytes().any(|byte| byte.is_ascii_digit()) {
        return false;
    }
    !is_digit_before_words(text) && has_code(text, Spacing::Any)
}

/// The text, unless it contains a serial code, which must not be published. In prose, any words and numbers stand beside each other, so that only codes without
/// spaces and codes in groups of four are looked for.
pub(super) fn without_serial(text: String) -> Result<String, TextError> {
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    if has_digit && has_code(&text, Spacing::Groups) { Err(TextError::Serial) } else { Ok(text) }
}

/// Which spaces and hyphens may stand between the symbols of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spacing {
    Any,
    /// Only between groups of four, or none.
    Groups,
}

/// Whether a code begins at the beginning of a word, or stands inside a longer word. The groups of a UUID are no code.
pub(super) fn has_code(text: &str, spacing: Spacing) -> bool {
    let (mut before, mut uuid_end) = (' ', 0);
    let is_code = |text: &str| is_code_at(text, spacing);
    let begins_word = text.char_indices().any(|(at, character)| {
        let begins = character.is_alphanumeric() && !before.is_alphanumeric();
        before = character;
        let word = &text[at..];
        if begins && word.get(..UUID_LENGTH).is_some_and(is_uuid) {
            uuid_end = at + UUID_LENGTH;
        }
        let may_begin = begins && at >= uuid_end;
        may_begin && (is_code(word) || after_glued_quantity(word).is_some_and(is_code))
    });
    begins_word || has_code_in_word(text)
}

/// Whether a valid code stands inside a longer word, as in `foo7KQ2-0000-0000-0000` and `7KQ2000000000000bar`.
fn has_code_in_word(text: &str) -> bool {
    let is_symbol = |character: char| character.is_ascii_alphanumeric();
    let has_bare_code = |word: &str| {
        (CODE_SYMBOLS..=BARE_WORD_MAX).contains(&word.len())
            && (0..=word.len() - CODE_SYMBOLS)
                .filter_map(|at| word.get(at..at + CODE_SYMBOLS))
                .any(is_printed_code)
    };
    let has_code_in_groups = |word: &str| {
        word.contains(is_dash)
            && !is_uuid(word)
            && (0..word.len()).filter_map(|at| code_in_groups(word.get(at..)?)).any(is_printed_code)
    };
    text.split(|character: char| !is_symbol(character)).any(has_bare_code)
        || text
            .split(|character: char| !is_symbol(character) && !is_dash(character))
            .filter(|word| (CODE_SYMBOLS..=GROUPED_WORD_MAX).contains(&word.len()))
            .any(has_code_in_groups)
}

/// Most letters and digits of a word in which a code without hyphens is looked for. Longer ones are share codes and hashes, where a check symbol fits at every
/// 32nd place.
const BARE_WORD_MAX: usize = 28;
/// Most bytes of a word in which a code with hyphens is looked for.
const GROUPED_WORD_MAX: usize = 200;

/// The first four groups of a text, each of four letters and digits with a dash before the next one.
fn code_in_groups(text: &str) -> Option<&str> {
    let mut end = 0;
    for group in 0..4 {
        let rest = text.get(end..)?;
        let rest = if group == 0 { rest } else { rest.strip_prefix(is_dash)? };
        let symbols = rest.get(..4)?;
        if !symbols.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        end = text.len() - rest.len() + 4;
    }
    text.get(..end)
}

/// Number of characters of a UUID.
const UUID_LENGTH: usize = 36;

/// Whether a word is a UUID, such as the id of a copy. Its groups have as many symbols as some groups of a code.
fn is_uuid(word: &str) -> bool {
    let is_of_uuid = |(at, byte): (usize, u8)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    word.len() == UUID_LENGTH && word.bytes().enumerate().all(is_of_uuid)
}

/// Whether a text is a valid code. Codes are in capitals, or in small letters if a person typed them: an id of another kind, such as in an address, often has
/// both.
fn is_printed_code(code: &str) -> bool {
    let has = |is: fn(&u8) -> bool| code.as_bytes().iter().any(is);
    has(u8::is_ascii_digit)
        && !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
        && SerialCode::parse(code).is_ok()
}

/// The groups of a code directly after a quantity, as in `2x7KQ2-0000-0000-0000`. Only groups of four with dashes are looked for: other words begin with digits, too.
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
            && group.next().is_some_and(is_dash);
        (is_quantity && is_group).then_some(rest)
    })
}

/// Whether a text is one digit, a space, and a text without digits, as most lines of lists are. It has no code: the first group of a code that begins with the
/// digit would have one symbol, and a code that begins later would have no digit.
pub(super) fn is_digit_before_words(text: &str) -> bool {
    match text.as_bytes() {
        [first, b' ', rest @ ..] => first.is_ascii_digit() && !rest.iter().any(u8::is_ascii_digit),
        _ => false,
    }
}

/// Number of letters and digits of a code.
const CODE_SYMBOLS: usize = 16;

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
fn is_code_at(text: &str, spacing: Spacing) -> bool {
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
    let has_digit = code.contains(|character: char| character.is_ascii_digit());
    symbols == CODE_SYMBOLS
        && has_digit
        && match SerialCode::parse(code) {
            Ok(_) if spacing == Spacing::Groups => is_in_fours,
            Ok(_) => is_in_twos || !is_quantity_at(text),
            Err(SerialError::Check) => {
                let has_spaces = code.contains(char::is_whitespace);
                is_in_fours && code.contains(is_dash) && !(has_spaces && spacing == Spacing::Groups)
            }
            Err(_) => false,
        }
}
