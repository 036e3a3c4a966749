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
    if !before && let Some(after) = rest.strip_prefix(TIMES) {
        if close.is_none() && place_in_front(after).is_some() {
            return Some((number, after));
        }
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
    if let Some(after) = name.strip_prefix(TIMES)
        && after.starts_with(char::is_whitespace)
        && inner.len() == line.len()
    {
        name = after.trim_start();
    }
    Some((number, name))
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
