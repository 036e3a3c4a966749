//! Serial codes in texts that people write. Codes are secrets: they are never stored, shown or published.

use std::borrow::Cow;
use std::iter;
use std::ops::Range;

use serde::Serializer;
use unicode_normalization::UnicodeNormalization as _;

use super::serial::{SerialCode, SerialError};
use crate::domain::crockford::{is_dash, is_unseen};

/// What is shown instead of a serial code, or of a text of a list that contains one.
pub const MASKED: &str = "(a serial code)";

/// Whether a text of a list contains a serial code: what prose must not contain, and also codes inside longer words, codes in other parts than groups of four,
/// and four groups with dashes that look like a code with a typing error. The rules: docs/SECURITY.md.
///
/// ```
/// use cardscape::domain::serials::serial_text::contains_serial;
/// assert!(contains_serial("2x 7KQ2-0000-0000-0000 {rare}"));
/// assert!(!contains_serial("Amethyst Dragons of 2026"));
/// assert!(!contains_serial("standard-2026-meta"));
/// ```
pub fn contains_serial(text: &str) -> bool {
    is_found(text, |text| may_have_code(text) && has_code(text, Place::List))
}

/// Whether a name or another text that people write contains a serial code. In prose, any words and numbers stand beside each other, so that only four groups of four
/// symbols and words of 16 symbols are looked for, and the check symbol must fit. The rules: docs/SECURITY.md.
///
/// ```
/// use cardscape::domain::serials::serial_text::has_serial_in_prose;
/// assert!(has_serial_in_prose("Mine is 7K33-3333-3333-3333!"));
/// assert!(!has_serial_in_prose("standard-2026-meta"));
/// ```
pub fn has_serial_in_prose(text: &str) -> bool {
    is_found(text, |text| has_code(text, Place::Prose))
}

/// A text with [`MASKED`] in place of each serial code, in the forms that lists are searched for. The words beside the code stay. A text without a code is not copied;
/// one with a code also gets the usual form of letters and digits, and loses the characters that nobody sees.
///
/// ```
/// use cardscape::domain::serials::serial_text::mask_serials;
/// assert_eq!(mask_serials("There is no game 7k33-3333-3333-3333."), "There is no game (a serial code).");
/// assert_eq!(mask_serials("There is no game pond-2026."), "There is no game pond-2026.");
/// ```
pub fn mask_serials(text: &str) -> Cow<'_, str> {
    if !contains_serial(text) {
        return Cow::Borrowed(text);
    }
    // With these characters a text may have other codes than without them.
    let masked = with_codes_masked(&folded(text));
    Cow::Owned(if masked.contains(is_unseen) {
        with_codes_masked(&masked.replace(is_unseen, ""))
    } else {
        masked
    })
}

/// Serialises a text with its serial codes masked: for fields of answers that repeat what a client has sent.
pub fn serialize_masked<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&mask_serials(text))
}

fn with_codes_masked(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut end = 0;
    for code in codes(text, Place::List) {
        // What overlaps with a code before is masked together with it.
        if code.start >= end {
            masked.push_str(&text[end..code.start]);
            masked.push_str(MASKED);
        }
        end = code.end;
    }
    masked.push_str(&text[end..]);
    masked
}

/// Whether a text has a code, perhaps only without the characters that nobody sees: with one of these within a group, a code looks like itself.
fn is_found(text: &str, has: impl Fn(&str) -> bool) -> bool {
    let text = folded(text);
    let has_unseen = !text.is_ascii() && text.contains(is_unseen);
    has(&text) || (has_unseen && has(&text.replace(is_unseen, "")))
}

/// Where a text stands. In lists, few words and numbers stand beside each other, so that more forms of codes are looked for than in prose.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    List,
    Prose,
}

/// A text with the usual form of other forms of letters, digits and dashes, such as full-width ones.
fn folded(text: &str) -> Cow<'_, str> {
    // The first bytes of all characters from U+F000; those before are left as they are.
    if !text.bytes().any(|byte| byte >= 0xEF) {
        return Cow::Borrowed(text);
    }
    let usual = |letter: char| {
        let mut form = iter::once(letter).nfkc();
        match (form.next(), form.next()) {
            (Some(usual), None) => usual,
            _ => letter,
        }
    };
    Cow::Owned(text.chars().map(usual).collect())
}

/// A quick test: most texts of lists are names, which are too short for a code or have no digit.
fn may_have_code(text: &str) -> bool {
    let symbols = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    symbols >= CODE_SYMBOLS
        && (may_have_groups(text) || (has_digit(text) && !is_digit_before_words(text)))
}

/// Whether a text may have three dashes or the like; all characters that are not ASCII are counted, by their first byte. Only codes with these may be without a digit.
fn may_have_groups(text: &str) -> bool {
    let is_of_joint = |byte: &u8| matches!(byte, b'-' | b'_' | b'.' | b'/' | 0xC0..);
    text.bytes().filter(is_of_joint).nth(2).is_some()
}

/// Whether a text is one digit, a space, and a text without digits that begins with two letters, as most lines of lists are. It has no code: the digit alone is no
/// group of a code, codes of single symbols have only such words, and a code that begins later would have no digit.
fn is_digit_before_words(text: &str) -> bool {
    match text.as_bytes() {
        [first, b' ', second, third, rest @ ..] => {
            first.is_ascii_digit()
                && [second, third].into_iter().all(u8::is_ascii_alphabetic)
                && !rest.iter().any(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// What stands before a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    /// Only dashes.
    Dashes,
    /// What addresses and programs write instead of dashes, perhaps with dashes.
    Joints,
    /// Dashes and spaces.
    SpacedDashes,
    /// Only spaces.
    Spaces,
    /// Marks of sentences, columns or emphasis, perhaps with any of the others.
    Marks,
    /// Anything else, or the beginning of the text: what comes after it is not in one code with what comes before.
    Break,
}

impl Gap {
    fn of(text: &str) -> Self {
        let has = |is: fn(char) -> bool| text.chars().any(is);
        let may_be_in_code = |character: char| {
            character.is_whitespace()
                || is_dash(character)
                || is_joint(character)
                || is_mark(character)
        };
        if text.is_empty() || !text.chars().all(may_be_in_code) {
            return Self::Break;
        }
        match (has(char::is_whitespace), has(is_joint), has(is_mark)) {
            (false, false, false) => Self::Dashes,
            (false, true, false) => Self::Joints,
            (true, false, false) if has(is_dash) => Self::SpacedDashes,
            (true, false, false) => Self::Spaces,
            _ => Self::Marks,
        }
    }

    /// Whether no space or mark is in it.
    fn is_tight(self) -> bool {
        matches!(self, Self::Dashes | Self::Joints)
    }

    fn is_dashed(self) -> bool {
        matches!(self, Self::Dashes | Self::SpacedDashes)
    }

    /// Whether a code that is typed in may have it between its symbols.
    fn is_typed(self) -> bool {
        matches!(self, Self::Dashes | Self::SpacedDashes | Self::Spaces)
    }
}

/// A word of a text, with the gap before it.
#[derive(Clone, Copy)]
struct Word<'a> {
    gap: Gap,
    /// Its place in the text, in bytes.
    start: usize,
    text: &'a str,
}

/// Whether a text has a code outside of its UUIDs.
fn has_code(text: &str, place: Place) -> bool {
    codes(text, place).next().is_some()
}

/// The places of the codes of a text outside of its UUIDs, in bytes, in the order of their ends. They are whole words, and may overlap.
fn codes(text: &str, place: Place) -> impl Iterator<Item = Range<usize>> {
    parts_without_uuids(text).flat_map(move |(offset, part)| {
        codes_of_part(part, place).map(move |code| offset + code.start..offset + code.end)
    })
}

fn codes_of_part(part: &str, place: Place) -> impl Iterator<Item = Range<usize>> {
    // As many words as the longest code has: one for each symbol.
    let mut recent = [Word { gap: Gap::Break, start: 0, text: "" }; CODE_SYMBOLS];
    let mut end = 0;
    iter::from_fn(move || {
        while let Some(gap) = part[end..].find(is_in_word) {
            let start = end + gap;
            let gap = Gap::of(&part[end..start]);
            end = start + end_of_word(&part[start..]);
            recent.rotate_left(1);
            recent[CODE_SYMBOLS - 1] = Word { gap, start, text: &part[start..end] };
            if let Some(words) = words_of_code(&recent, place) {
                return Some(recent[CODE_SYMBOLS - words].start..end);
            }
        }
        None
    })
}

/// The end of the word at the beginning of a text. Letters of ASCII and others are words of their own: Chinese, Japanese and Thai have no spaces between words, and
/// Korean appends particles to them.
fn end_of_word(text: &str) -> usize {
    let is_ascii = text.starts_with(|first: char| first.is_ascii());
    let ends = |character: char| !is_in_word(character) || character.is_ascii() != is_ascii;
    text.find(ends).unwrap_or(text.len())
}

/// Whether a character is a letter or digit of a word. The dash of Japanese keyboards counts as a letter in Unicode.
fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() && !is_dash(character)
}

/// How many of the last words are a code, or contain one; `None`: there is none at the end of the words.
fn words_of_code(words: &[Word<'_>; CODE_SYMBOLS], place: Place) -> Option<usize> {
    let last = words[CODE_SYMBOLS - 1].text;
    let is_in_groups =
        || words.last_chunk::<4>().is_some_and(|groups| is_code_in_groups(groups, place));
    match () {
        () if is_bare_code(last) => Some(1),
        () if is_in_groups() => Some(4),
        () if place == Place::Prose => None,
        () if is_in_longer_word(last) => Some(1),
        () => parts_of_code(words),
    }
}

/// Whether a word of 16 symbols is a code. Ids are often hexadecimal, and of the real codes only one in 65,000 looks so. Letters with a number after them are rather
/// a name (`dragonmaster1978`), and only two of 1,000 real codes.
fn is_bare_code(word: &str) -> bool {
    word.len() == CODE_SYMBOLS
        && !is_like_set_code(word)
        && has_digit(word)
        && has_letter_beyond_hex(word)
        && SerialCode::parse(word).is_ok()
}

/// Whether four words are the groups of a code. In a list, other letters and digits may stand directly before and after the code.
fn is_code_in_groups(words: &[Word<'_>; 4], place: Place) -> bool {
    let [first, second, third, last] = words;
    let gaps = [second.gap, third.gap, last.gap];
    let is_group = |word: &Word<'_>| word.text.len() == GROUP_SYMBOLS;
    if gaps.contains(&Gap::Break) || !is_group(second) || !is_group(third) {
        return false;
    }
    let start_of_group = first.text.len().checked_sub(GROUP_SYMBOLS);
    let Some((before, first)) = start_of_group.and_then(|at| first.text.split_at_checked(at))
    else {
        return false;
    };
    let Some((last, after)) = last.text.split_at_checked(GROUP_SYMBOLS) else { return false };
    let is_list = place == Place::List;
    let is_apart = after.is_empty() && (before.is_empty() || (is_list && is_quantity(before)));
    if !is_list && !is_apart {
        return false;
    }
    let groups = [first, second.text, third.text, last];
    let code = groups.concat();
    let have = |is: fn(Gap) -> bool| gaps.into_iter().all(is);
    match SerialCode::parse(&code) {
        // Four years are no code, and hardly any real code has only digits.
        Ok(_) if !has_letter(&code) => false,
        // Codes of sets stand beside each other in texts.
        Ok(_) if are_of_sets(&groups) && !have(|gap| gap == Gap::Dashes) => false,
        Ok(_) if is_apart => {
            have(Gap::is_tight)
                || is_like_code(&groups)
                || (is_list
                    && have(Gap::is_typed)
                    && has_digit(&code)
                    && has_letter_beyond_hex(&code))
        }
        // An id of another kind often has capitals and small letters.
        Ok(_) => {
            is_in_one_case(&code)
                && ((have(Gap::is_tight) && has_digit(&code)) || is_like_code(&groups))
        }
        // A typing error.
        Err(SerialError::Check) => {
            is_list && is_apart && have(Gap::is_dashed) && is_like_code(&groups)
        }
        Err(_) => false,
    }
}

/// Whether four groups look like a code and not like words and numbers: there is a letter that hexadecimal numbers do not have, a group has both letters and digits,
/// and so has another, or all letters are capitals, or all are small and another group has a digit. Four groups of letters with a number after them, such as the codes of
/// sets `EB01, EB02, OP01, OP02`, do not; of 1,000 real codes, one is of this form. Of 100 real codes, 96 or more look like codes in any spelling.
fn is_like_code(groups: &[&str; 4]) -> bool {
    if are_of_sets(groups) {
        return false;
    }
    let code = groups.concat();
    let with_digits = groups.iter().filter(|group| has_digit(group)).count();
    let mixed = groups.iter().filter(|group| has_digit(group) && has_letter(group)).count();
    let is_in_capitals = !code.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_second_sign =
        mixed >= 2 || is_in_capitals || (is_in_one_case(&code) && with_digits >= 2);
    has_letter_beyond_hex(&code) && mixed >= 1 && is_second_sign
}

/// Whether there is a code at the end or the beginning of a longer word, as in `foo7KQ2000000000000`.
fn is_in_longer_word(word: &str) -> bool {
    let is_typed = |code: &str| is_in_one_case(code) && is_bare_code(code);
    let at_end = || word.get(word.len().checked_sub(CODE_SYMBOLS)?..);
    (CODE_SYMBOLS + 1..=LONGER_WORD_MAX).contains(&word.len())
        && [at_end(), word.get(..CODE_SYMBOLS)].into_iter().flatten().any(is_typed)
}

/// How many of the last words are a code in other parts than groups of four.
fn parts_of_code(words: &[Word<'_>]) -> Option<usize> {
    let mut symbols = 0;
    for (at, word) in words.iter().enumerate().rev() {
        symbols += word.text.len();
        if symbols >= CODE_SYMBOLS {
            let parts = &words[at..];
            let is_code = symbols == CODE_SYMBOLS && are_parts_of_code(parts);
            return is_code.then_some(parts.len());
        }
        if !word.gap.is_typed() {
            return None;
        }
    }
    None
}

/// Whether words with 16 symbols in total are a code. Names have words, and numbers beside them: in a code, at least half of the parts have both letters and digits,
/// or all parts have one symbol, or all have two. Words like codes of sets are none.
fn are_parts_of_code(words: &[Word<'_>]) -> bool {
    if words.iter().all(|word| is_like_set_code(word.text)) {
        return false;
    }
    let have_length = |length: usize| words.iter().all(|word| word.text.len() == length);
    let mixed = words.iter().filter(|word| has_digit(word.text) && has_letter(word.text)).count();
    (mixed * 2 >= words.len() || have_length(1) || have_length(2))
        && is_bare_code(&words.iter().map(|word| word.text).collect::<String>())
}

/// Whether a text is a quantity of one or two digits, as in `2`, `2x` and `x2`.
fn is_quantity(text: &str) -> bool {
    let times = ['x', 'X'];
    let digits = text.strip_suffix(times).or_else(|| text.strip_prefix(times)).unwrap_or(text);
    (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether all groups are like codes of sets.
fn are_of_sets(groups: &[&str; 4]) -> bool {
    groups.iter().all(|group| is_like_set_code(group))
}

/// Whether a word is letters and then digits, at least one of each.
fn is_like_set_code(word: &str) -> bool {
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
    is_number && !number.is_empty() && number.len() < word.len()
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn has_letter(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

fn has_letter_beyond_hex(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_alphabetic() && !byte.is_ascii_hexdigit())
}

fn is_in_one_case(text: &str) -> bool {
    let has = |is: fn(&u8) -> bool| text.as_bytes().iter().any(is);
    !(has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase))
}

/// What addresses and other programs have in place of dashes, also if nobody sees it.
fn is_joint(character: char) -> bool {
    is_unseen(character) || matches!(character, '_' | '.' | '/')
}

/// Marks of sentences, columns and emphasis. Words stand beside each other with these, too, so that they count like spaces.
fn is_mark(character: char) -> bool {
    let is_dot = matches!(character, '·' | '•' | '\u{2027}' | '\u{2219}' | '\u{22C5}' | '\u{30FB}');
    is_dot || matches!(character, ':' | ';' | ',' | '|' | '*' | '~' | '`' | '+' | '\\')
}

/// Number of letters and digits of a code.
const CODE_SYMBOLS: usize = 16;
/// Number of them in each group.
const GROUP_SYMBOLS: usize = 4;
/// Most letters and digits of a word in which a code is looked for. Longer ones are share codes and hashes.
const LONGER_WORD_MAX: usize = 28;

/// Number of characters of a UUID.
const UUID_LENGTH: usize = 36;

/// The parts of a text around its UUIDs, such as the ids of copies, with their places in bytes. Some groups of a UUID have as many symbols as those of a code.
fn parts_without_uuids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = Some(0);
    iter::from_fn(move || {
        let start = rest.take()?;
        let part = &text[start..];
        let Some(length) = first_uuid(part) else { return Some((start, part)) };
        rest = Some(start + length + UUID_LENGTH);
        Some((start, &part[..length]))
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

#[cfg(test)]
mod tests;
