//! The forms of a quantity after the name.

use std::borrow::Cow;

use super::parts::{is_finish, split_parts};
use crate::deck_text::draft::Parts;

/// The signs of a quantity.
pub(super) const TIMES: [char; 3] = ['x', 'X', '×'];

/// `x4`, `x 4`, `4x` or `(x4)` after the name.
pub(in crate::deck_text) fn trailing(line: &str) -> Option<(&str, &str)> {
    if let Some(found) = times_after(line) {
        return Some(found);
    }
    let (front, word) = split_end(line, is_of_count);
    if !front.ends_with(char::is_whitespace) {
        return None;
    }
    let before = front.trim_end();
    let bare = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = bare.strip_prefix(TIMES).or_else(|| bare.strip_suffix(TIMES))
        && is_number(number)
    {
        return (!before.is_empty() && !is_before_remark(before)).then_some((before, number));
    }
    let (name, times) = before.rsplit_once(char::is_whitespace)?;
    let is_count = is_number(word) && matches!(times, "x" | "X" | "×");
    (is_count && !is_before_remark(name.trim_end())).then_some((name.trim_end(), word))
}

/// A text in two parts, of which the second one has the last characters of a kind. Only these are read: the text before each separator of a line is asked for its
/// quantity.
fn split_end(text: &str, is_of_end: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.trim_end_matches(is_of_end).len())
}

/// Whether a character may be part of a quantity with its sign: `(x4)`.
fn is_of_count(character: char) -> bool {
    character.is_ascii_digit() || TIMES.contains(&character) || matches!(character, '(' | ')')
}

/// `4` directly after the sign in `Name×4`; an `x` may be part of a name, but not of a symbol.
fn times_after(line: &str) -> Option<(&str, &str)> {
    let before = line.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = &line[before.len()..];
    let name = before.strip_suffix('×').or_else(|| {
        let name = before.strip_suffix(['x', 'X'])?;
        // Searched from the end: each of many such texts of a line is searched only back to the `x` of the one before it.
        (!name.chars().rev().any(char::is_alphanumeric)).then_some(name)
    })?;
    (!number.is_empty() && !name.trim().is_empty()).then_some((name.trim_end(), number))
}

/// The name and the number of `Name (2)`, `Name [2]`, `Name [x2]`, `Name (2 copies)`, `Name: 2` or `Name - 2`. A larger number is rather a collector number or a year.
pub(in crate::deck_text) fn count_after_name(line: &str) -> Option<(&str, u32)> {
    if let Some((name, number)) = signed_in_brackets(line) {
        let (name, count) = (name.trim_end(), number.parse().ok()?);
        return ((1..=99).contains(&count) && !name.is_empty()).then_some((name, count));
    }
    let bare = line.strip_suffix([')', ']']);
    let (before, marks): (&str, &[char]) = match bare {
        Some(bare) => (without_copies(bare), &['(', '[']),
        None => (line, &[':', ',', ';']),
    };
    let number = before.trim_end_matches(|character: char| character.is_ascii_digit());
    let count = before[number.len()..].parse().ok()?;
    let front = number.trim_end();
    let name = match front.strip_suffix(marks) {
        Some(name) => name.trim_end(),
        // A dash without space before it belongs to the name.
        None if bare.is_none() && number.len() > front.len() => {
            let dashed = front.trim_end_matches(['-', '–', '—']);
            let name = dashed.trim_end();
            if dashed.len() == front.len() || name.len() == dashed.len() {
                return None;
            }
            name
        }
        None => return None,
    };
    ((1..=99).contains(&count) && !name.is_empty()).then_some((name, count))
}

/// The name and the digits, if there are some, of `Name [x2]` or `Name [2x]`.
fn signed_in_brackets(line: &str) -> Option<(&str, &str)> {
    let (front, inner) = split_end(line.strip_suffix(']')?, is_of_count);
    let name = front.strip_suffix('[')?;
    let number = inner.strip_prefix(TIMES).or_else(|| inner.strip_suffix(TIMES))?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then_some((name, number))
}

/// Whether a text is a quantity in words: `2 copies`.
pub(in crate::deck_text) fn is_copies(text: &str) -> bool {
    let count = without_copies(text);
    count.len() < text.len() && count.bytes().all(|byte| byte.is_ascii_digit())
}

/// A text without the word that some write after a quantity: `2 copies`.
fn without_copies(text: &str) -> &str {
    let (front, word) = split_end(text, |letter| letter.is_ascii_alphabetic());
    let is_copies = ["copies", "copy"].iter().any(|copies| word.eq_ignore_ascii_case(copies));
    front.strip_suffix(' ').filter(|_| is_copies).unwrap_or(text)
}

/// The parts and the quantity of a card whose quantity stands after its name, at the end or before other parts.
pub(in crate::deck_text) fn parts_with_count(text: &str) -> impl Iterator<Item = (Parts<'_>, u32)> {
    let at_end = counted_at_end(text).map(|(name, count)| (split_parts(name), count));
    at_end.into_iter().chain(counts_before_parts(text))
}

/// The parts and the quantity of a card whose quantity stands between its name and the rest: `Name x2 (set) 3`, `Name (2) {rarity}`, `Name (2x) (foil)`,
/// `Name (2 copies) foil`. A name may end like a quantity, so that there may be several.
fn counts_before_parts(text: &str) -> impl Iterator<Item = (Parts<'_>, u32)> {
    const OPENING: [char; 6] = ['(', '[', '{', '*', '#', '^'];
    /// Each is looked up. A line with more such words is no line of a list.
    const COUNTS_MAX: usize = 4;
    let words = text.split_whitespace().skip(1);
    let starts = words.map(|word| word.as_ptr().addr() - text.as_ptr().addr());
    let counted = starts.filter_map(|at| Some((at, count_in_front(&text[at..])?)));
    counted.take(COUNTS_MAX).filter_map(|(at, (count, length))| {
        let end = at + length;
        let (name, rest) = (text[..at].trim_end(), text[end..].trim_start());
        if is_before_remark(name) {
            return None;
        }
        let name = Cow::Borrowed(name);
        // A finish without marks would be a part of the name anywhere else.
        if is_finish(rest, "") {
            let rarity = Some(Cow::Borrowed(rest));
            return Some((Parts { name, rarity, ..Parts::default() }, count));
        }
        // The last character of the quantity stands for the name: in brackets, the whole would be a set.
        let start = end - text[..end].chars().next_back()?.len_utf8();
        let parts = rest.starts_with(OPENING).then(|| split_parts(&text[start..]))?;
        (parts.name == text[start..end]).then_some((Parts { name, ..parts }, count))
    })
}

/// The quantity that a text in brackets is as a whole: `(2)`, `[x2]`, `(2 copies)`.
pub(in crate::deck_text) fn count_in_brackets(text: &str) -> Option<u32> {
    let (count, length) = count_in_front(text).filter(|_| text.starts_with(['(', '[']))?;
    (length == text.len()).then_some(count)
}

/// The quantity that a text is with its sign: `x2`, `2x`.
pub(in crate::deck_text) fn count_with_sign(text: &str) -> Option<u32> {
    let (count, length) = count_in_front(text).filter(|_| !text.starts_with(['(', '[']))?;
    (length == text.len()).then_some(count)
}

/// The number and the length of the quantity that a text begins with: `x2`, `2x`, `(2)`, `[2]`, `(x2)`, `(2x)` or `(2 copies)`.
fn count_in_front(text: &str) -> Option<(u32, usize)> {
    let close = match text.chars().next()? {
        '(' => Some(')'),
        '[' => Some(']'),
        _ => None,
    };
    let end = match close {
        Some(close) => text.find(close)? + close.len_utf8(),
        None => text.find(char::is_whitespace).unwrap_or(text.len()),
    };
    let is_apart = text[end..].is_empty() || text[end..].starts_with(char::is_whitespace);
    let inner =
        if close.is_some() { without_copies(text[1..end - 1].trim()) } else { &text[..end] };
    let times = inner.strip_prefix(TIMES).or_else(|| inner.strip_suffix(TIMES));
    let number = times.or(close.map(|_| inner)).filter(|_| is_apart)?;
    let count = number.parse().ok().filter(|count| (1..=99).contains(count))?;
    Some((count, end))
}

/// The name and the quantity of a text that ends with the quantity in any form.
pub(in crate::deck_text) fn counted_at_end(text: &str) -> Option<(&str, u32)> {
    let trailing = || {
        let (name, number) = trailing(text)?;
        let count = number.parse().ok().filter(|count| (1..=99).contains(count))?;
        Some((name, count))
    };
    trailing().or_else(|| count_after_name(text)).filter(|(name, _)| !is_before_remark(name))
}

/// Whether a remark follows a text: `Salt //` of `Salt // 2`, `Salt // -` of `Salt // - 2`.
fn is_before_remark(text: &str) -> bool {
    text.trim_end_matches(['-', '–', '—', ' ']).ends_with("//")
}

/// The name and the number of `Name 2`, whose number may as well belong to the name.
pub(in crate::deck_text) fn bare_count_after_name(line: &str) -> Option<(&str, u32)> {
    let (name, number) = split_end(line, |digit| digit.is_ascii_digit());
    let is_count = number.len() <= 2 && name.ends_with(char::is_whitespace);
    let count = number.parse().ok().filter(|count| is_count && *count > 0)?;
    let name = name.trim();
    (!name.is_empty() && !is_before_remark(name)).then_some((name, count))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Does what [`trailing`] does, in a plain way: searches the whole text for a blank. The next functions are plain forms of others.
    fn plain_trailing(line: &str) -> Option<(&str, &str)> {
        if let Some(found) = times_after(line) {
            return Some(found);
        }
        let (before, word) = line.rsplit_once(char::is_whitespace)?;
        let before = before.trim_end();
        let bare = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
        if let Some(number) = bare.strip_prefix(TIMES).or_else(|| bare.strip_suffix(TIMES))
            && is_number(number)
        {
            return (!before.is_empty() && !is_before_remark(before)).then_some((before, number));
        }
        let (name, times) = before.rsplit_once(char::is_whitespace)?;
        let is_count = is_number(word) && ["x", "X", "×"].contains(&times);
        (is_count && !is_before_remark(name.trim_end())).then_some((name.trim_end(), word))
    }

    fn plain_signed_in_brackets(line: &str) -> Option<(&str, &str)> {
        let (name, inner) = line.strip_suffix(']')?.rsplit_once('[')?;
        let number = inner.strip_prefix(TIMES).or_else(|| inner.strip_suffix(TIMES))?;
        (number.is_empty() || is_number(number)).then_some((name, number))
    }

    fn plain_without_copies(text: &str) -> &str {
        match text.rsplit_once(' ') {
            Some((count, word)) if is_word_for_copies(word) => count,
            _ => text,
        }
    }

    fn is_word_for_copies(word: &str) -> bool {
        ["copies", "copy"].contains(&word.to_lowercase().as_str())
    }

    fn plain_bare_count(line: &str) -> Option<(&str, u32)> {
        let (name, number) = line.rsplit_once(char::is_whitespace)?;
        let is_count = is_number(number) && number.len() <= 2;
        let count = number.parse().ok().filter(|count| is_count && *count > 0)?;
        let name = name.trim();
        (!name.is_empty() && !is_before_remark(name)).then_some((name, count))
    }

    fn is_number(text: &str) -> bool {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
    }

    /// Texts of characters with a meaning, most of which end like a quantity.
    fn lines() -> impl Strategy<Value = String> {
        let name = "[a01x×()\\[\\],; \u{a0}-]{0,8}( //)?";
        let count =
            "( |, |: ?)?[(\\[]?[xX×]? ?[0-9]{0,3}[xX×]?( copies| COPY|copy| copied)?[)\\]]?";
        (name, count).prop_map(|(name, count)| format!("{name}{count}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_end_of_a_line_shows_its_quantity(line in lines()) {
            prop_assert_eq!(trailing(&line), plain_trailing(&line));
            prop_assert_eq!(signed_in_brackets(&line), plain_signed_in_brackets(&line));
            prop_assert_eq!(without_copies(&line), plain_without_copies(&line));
            prop_assert_eq!(bare_count_after_name(&line), plain_bare_count(&line));
        }
    }

    /// So that the property above compares more than `None`.
    #[test]
    fn a_quantity_at_the_end_of_a_line_is_found_in_each_form() {
        for line in ["a,a x12", "a,a (12x)", "a,a x 12", "a,a\u{a0}12x", "-,-x12", "a,ax×12"] {
            let found = trailing(line);
            assert!(found.is_some_and(|(_, number)| number == "12"), "{line}");
            assert_eq!(found, plain_trailing(line), "{line}");
        }
        for line in ["a,a x(12", "a,a x12]", "a,x12", "a,a12", " x12", "a,a // x12", "12", ""] {
            assert_eq!(trailing(line), None, "{line}");
        }
        assert_eq!(signed_in_brackets("a,[a] [x12]"), Some(("a,[a] ", "12")));
        assert_eq!(signed_in_brackets("a [x(12]"), None);
        assert_eq!(without_copies("a,(2 Copies"), "a,(2");
        assert_eq!(without_copies("a,copies"), "a,copies");
        assert_eq!(bare_count_after_name("a,a  12"), Some(("a,a", 12)));
        assert_eq!(bare_count_after_name("a,12"), None);
    }
}
