//! The quantity of a line, and its forms before the name.

use super::marks::{without_bullet, without_check_box, without_dashes, without_frame};
use super::places::place_in_front;
use super::quantities_after::{TIMES, trailing};
use crate::deck_text::own::DeckTextFault;

/// The quantity of a line, if it has one, and the rest of the line.
pub(in crate::deck_text) fn quantity(line: &str) -> Result<(Option<u32>, &str), DeckTextFault> {
    let line = without_check_box(line).unwrap_or_else(|| without_bullet(line));
    let line = match leading(without_frame(line)) {
        Some((_, name)) if !name.is_empty() && !name.ends_with(['=', '-', '–', '—']) => {
            without_frame(line)
        }
        _ => without_dashes(line),
    };
    if let Some((number, rest)) = leading(line) {
        return Ok((Some(parse(number)?), rest));
    }
    let unsigned = line.strip_prefix(['-', '−', '+']);
    if unsigned.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit())) {
        return Err(DeckTextFault::QuantityInvalid);
    }
    if let Some((rest, number)) = trailing(line) {
        return Ok((Some(parse(number)?), rest));
    }
    Ok((None, line))
}

fn parse(number: &str) -> Result<u32, DeckTextFault> {
    number.parse().map_err(|_| DeckTextFault::QuantityTooLarge)
}

/// `4`, `4x`, `4 x`, `x4`, `(4)` or `[4]` before the name, or `4x` directly before a set and a number with a dash: `4xOP01-016`.
pub(in crate::deck_text) fn leading(line: &str) -> Option<(&str, &str)> {
    if let Some(circled) = circled(line) {
        return Some(circled);
    }
    let is_times = |text: &str| text.starts_with(TIMES);
    let (close, inner) = match (line.strip_prefix('('), line.strip_prefix('[')) {
        (Some(inner), _) => (Some(')'), inner),
        (_, Some(inner)) => (Some(']'), inner),
        _ => (None, line),
    };
    let inner = if is_times(inner) { inner.strip_prefix(TIMES)? } else { inner };
    let before = inner.len() < line.len() - usize::from(close.is_some());
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return None;
    }
    let (number, mut rest) = inner.split_at(digits);
    // The digit of a keycap emoji. Without a name after it, it is no quantity, but may be the symbol of a card.
    let keycap = rest.strip_prefix('\u{fe0f}').unwrap_or(rest).strip_prefix('\u{20e3}');
    if let Some(after) = keycap {
        if after.trim().is_empty() || is_count_alone(after) {
            return None;
        }
        rest = after;
    }
    let mut has_sign = before;
    if !before && let Some(after) = rest.strip_prefix(TIMES) {
        if close.is_none() && place_in_front(after).is_some() {
            return Some((number, after));
        }
        has_sign = true;
        rest = after;
    }
    if let Some(close) = close {
        rest = rest.strip_prefix(close)?;
    }
    // A line of a table: a quantity, a separator and a name. Digits after a comma are thousands.
    if !before
        && close.is_none()
        && let Some(name) = rest.strip_prefix([',', ';']).map(str::trim)
        && name.starts_with(|first: char| !first.is_ascii_digit() && !",;".contains(first))
    {
        return Some((number, name));
    }
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let mut name = rest.trim_start();
    // A card may be called `X`.
    if let Some(after) = name.strip_prefix(TIMES)
        && after.starts_with(char::is_whitespace)
        && inner.len() == line.len()
        && !has_sign
        && has_name(after)
    {
        name = after.trim_start();
    }
    Some((number, name))
}

/// Whether something else than the parts around a name, a set in brackets or a remark, for example, stands in a text. A name may stand after a set.
fn has_name(text: &str) -> bool {
    let mut rest = text.trim_start();
    // A link or a tag of a name, or `#1 Fan`.
    let is_name = |next: &str| next.starts_with(|first: char| first.is_ascii_digit());
    if rest.starts_with(['[', '{', '<', '*', '^']) || rest.strip_prefix('#').is_some_and(is_name) {
        return true;
    }
    while let Some(open) = rest.chars().next() {
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            '*' | '^' => open,
            '#' => return false,
            '/' if rest.starts_with("//") => return false,
            _ if rest.len() == text.trim_start().len() => return true,
            // After marks, a number is that of the card.
            other => return !other.is_ascii_digit(),
        };
        let Some((_, after)) = rest[1..].split_once(close) else { return true };
        rest = after.trim_start();
    }
    false
}

/// A quantity directly before the name, `4xName`, and the name. The whole may be the name of a card, too.
pub(in crate::deck_text) fn joined_count(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let name = rest.strip_prefix(TIMES).filter(|name| name.starts_with(char::is_alphabetic))?;
    let count = text[..text.len() - rest.len()].parse().ok().filter(|count| *count > 0)?;
    Some((count, name))
}

/// `④ Name`.
fn circled(line: &str) -> Option<(&str, &str)> {
    const NUMBERS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    let first = line.chars().next().filter(|first| ('①'..='⑩').contains(first))?;
    let at = usize::try_from(u32::from(first) - u32::from('①')).ok()?;
    let name = line[first.len_utf8()..].trim_start();
    NUMBERS.get(at).map(|number| (*number, name)).filter(|_| !name.is_empty())
}

/// Whether a text is only a quantity, such as `2` or `x2`.
pub(super) fn is_count_alone(text: &str) -> bool {
    let is_sign = |character: char| " xX×".contains(character);
    let number = text.trim_start_matches(is_sign);
    // Not from its end: this is asked for the text after each separator of a line.
    let rest = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
    rest.len() < number.len() && rest.chars().all(is_sign)
}

/// Whether a line begins with a number that is not whole, as in `2.5 Name`, `0,5x Name` and `x2.5 Name`. Three digits after a comma are thousands.
pub(in crate::deck_text) fn has_fraction(line: &str) -> bool {
    let is_digit = |character: char| character.is_ascii_digit();
    let line = without_bullet(line);
    let line = line.strip_prefix(TIMES).unwrap_or(line);
    let after_whole = line.trim_start_matches(is_digit);
    let Some(fraction) = after_whole.strip_prefix(['.', ',']) else { return false };
    let rest = fraction.trim_start_matches(is_digit);
    let digits = fraction.len() - rest.len();
    let rest = rest.strip_prefix(TIMES).unwrap_or(rest);
    after_whole.len() < line.len()
        && (1..=2).contains(&digits)
        && rest.starts_with(char::is_whitespace)
        && !rest.trim().is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn a_quantity_alone_is_a_number_between_signs(text in "[ xX×]{0,3}[0-9]{0,2}[ xX×]{0,3}[1a,]?") {
            let number = text.trim_matches(|character: char| " xX×".contains(character));
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            prop_assert_eq!(is_count_alone(&text), is_number, "{}", text);
        }
    }

    #[test]
    fn numbers_that_are_not_whole_are_found() {
        for line in ["2.5 Salt", "0,5 Salt", "- 1.25x Salt", "2.5\tSalt", "x2.5 Salt", "×0,5 Salt"]
        {
            assert!(has_fraction(line), "{line}");
        }
        for line in [
            "2 Salt",
            "2. Salt",
            "2.Salt",
            "1,000 Salts",
            "2.5",
            "2.5rd Salt",
            ".5 Salt",
            "x.5 Salt",
            "x2 Salt",
        ] {
            assert!(!has_fraction(line), "{line}");
        }
    }

    #[test]
    fn quantities_are_found_where_people_write_them() {
        for line in [
            "4 Salt",
            "4x Salt",
            "4X Salt",
            "4× Salt",
            "4 x Salt",
            "x4 Salt",
            "(4) Salt",
            "* 4 Salt",
            "— 4 Salt",
            "—4 Salt",
            "-- 4 Salt",
            "= 4 Salt",
            "== 4 Salt",
            "✓ 4 Salt",
            "► 4x Salt",
            "- 4x Salt",
            "• 4 Salt",
            "4,Salt",
            "4; Salt",
            "④ Salt",
            "4\u{fe0f}\u{20e3} Salt",
            "Salt×4",
            "Salt x4",
            "Salt ×4",
            "Salt x 4",
            "Salt 4x",
            "Salt (x4)",
            "4\tSalt",
            "- [x] 4 Salt",
            "[ ] Salt x4",
        ] {
            assert_eq!(quantity(line), Ok((Some(4), "Salt")), "{line}");
        }
        let symbol = "✔\u{fe0f} x4";
        assert_eq!(quantity(symbol), Ok((Some(4), "✔\u{fe0f}")));
        for (line, name) in [
            ("3 X (MSC)", "X (MSC)"),
            ("3 X (MSC) 12 *F*", "X (MSC) 12 *F*"),
            ("4x X [Sideboard]", "X [Sideboard]"),
            ("4x X", "X"),
            ("4 x [MSC] Salt", "[MSC] Salt"),
            ("4 x (Half) Salt", "(Half) Salt"),
            ("4 X // mine", "X // mine"),
            ("4 x [Salt](https://a.b/1)", "[Salt](https://a.b/1)"),
            ("4 x *Salt*", "*Salt*"),
            ("4 x #1 Fan", "#1 Fan"),
            ("4 X #mine", "X #mine"),
        ] {
            let number = if line.starts_with('3') { 3 } else { 4 };
            assert_eq!(quantity(line), Ok((Some(number), name)), "{line}");
        }
        for line in
            ["Salt", "1,000 Salts", "3rd Wish", "x4y Salt", "(4)", "(Half) Salt", "x", "xx 4"]
        {
            assert_eq!(
                quantity(line).map(|(quantity, _)| quantity).ok().flatten(),
                match line {
                    "(4)" => Some(4),
                    _ => None,
                },
                "{line}"
            );
        }
        assert_eq!(quantity("-1 Salt"), Err(DeckTextFault::QuantityInvalid));
        assert_eq!(quantity("−1 Salt"), Err(DeckTextFault::QuantityInvalid));
        assert_eq!(quantity("4294967296 Salt"), Err(DeckTextFault::QuantityTooLarge));
    }
}
