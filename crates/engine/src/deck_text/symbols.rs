//! Symbols in a text: emoji with all their parts as one unit, and rows of them.

use std::borrow::Cow;
use std::collections::BTreeMap;

/// Maximum number of copies that a number in a row of symbols may state.
const ROW_COUNT_MAX: u32 = 999;
/// What may stand between the symbols of a row, besides white space.
const SEPARATORS: &str = ",;+|/&:、";

/// A line of at least two symbols.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SymbolRow<'a> {
    /// Each symbol and its number of copies, in the order of their first appearance.
    pub(super) symbols: Vec<(&'a str, u32)>,
}

/// A part of a row, and whether white space stands before it.
enum Token<'a> {
    Symbol(&'a str, bool),
    Count(u32, bool),
}

/// A symbol without the variation selectors that only some keyboards add to emoji.
pub(super) fn without_selectors(symbol: &str) -> Cow<'_, str> {
    let is_selector = |letter: char| matches!(letter, '\u{fe0e}' | '\u{fe0f}');
    if symbol.contains(is_selector) {
        symbol.replace(is_selector, "").into()
    } else {
        symbol.into()
    }
}

/// A symbol without its skin tones and variation selectors, if it has skin tones.
pub(super) fn without_skin_tones(symbol: &str) -> Option<String> {
    let plain = without_selectors(symbol);
    plain.contains(is_skin_tone).then(|| plain.replace(is_skin_tone, ""))
}

/// Whether a text can be the symbol of a card: it has no letters and digits, or is one emoji, such as a keycap.
pub(super) fn may_be_symbol(text: &str) -> bool {
    !text.is_empty() && (!text.contains(|letter: char| letter.is_alphanumeric()) || is_emoji(text))
}

/// Whether a text is one emoji with all its parts, such as a keycap.
pub fn is_emoji(text: &str) -> bool {
    first_symbol(text).is_some_and(|(_, rest)| rest.is_empty())
}

/// Whether a line begins with an emoji whose first character is also a mark, such as `#️⃣`, and has nothing but symbols and quantities.
pub(super) fn begins_with_sign_keycap(line: &str) -> bool {
    line.starts_with(['#', '*'])
        && first_symbol(line).is_some()
        && !line.ends_with(':')
        && tokens(line).is_some()
}

/// A symbol with one quantity beside it, and whether the quantity stands after it: `🔥 (3)`, `🔥2`, `4🔥`.
pub(super) fn counted_symbol(text: &str) -> Option<(&str, u32, bool)> {
    /// A larger number is rather a collector number or a year.
    const COUNT_MAX: u32 = 99;
    if text.is_ascii() {
        return None;
    }
    let (symbol, count, is_after) = match *tokens(text)?.as_slice() {
        [Token::Symbol(symbol, _), Token::Count(count, _)] => (symbol, count, true),
        [Token::Count(count, _), Token::Symbol(symbol, _)] => (symbol, count, false),
        _ => return None,
    };
    (count <= COUNT_MAX).then_some((symbol, count, is_after))
}

fn is_skin_tone(letter: char) -> bool {
    ('\u{1f3fb}'..='\u{1f3ff}').contains(&letter)
}

/// Whether a character begins an emoji or a similar picture. Dashes, quotation marks and the signs of quantities are none.
fn is_picture(letter: char) -> bool {
    matches!(
        letter,
        '©' | '®'
            | '\u{203c}'
            | '\u{2049}'
            | '\u{2122}'
            | '\u{2139}'
            | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{24c2}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2900}'..='\u{297f}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{3030}'
            | '\u{303d}'
            | '\u{3297}'
            | '\u{3299}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

/// The emoji at the beginning of a text, with its joined parts, and the rest.
pub(super) fn first_symbol(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next()?;
    if first.is_ascii_digit() || matches!(first, '#' | '*') {
        let rest = &text[1..];
        let rest = rest.strip_prefix('\u{fe0f}').unwrap_or(rest).strip_prefix('\u{20e3}')?;
        return Some((&text[..text.len() - rest.len()], rest));
    }
    if !is_picture(first) {
        return None;
    }
    let is_flag = |letter: char| ('\u{1f1e6}'..='\u{1f1ff}').contains(&letter);
    let mut end = first.len_utf8();
    if is_flag(first)
        && let Some(second) = text[end..].chars().next().filter(|second| is_flag(*second))
    {
        end += second.len_utf8();
    }
    let mut letters = text[end..].chars();
    while let Some(letter) = letters.next() {
        match letter {
            // Selectors, keycaps, skin tones, and the letters in flags of regions.
            '\u{fe0e}'
            | '\u{fe0f}'
            | '\u{20e3}'
            | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{e0020}'..='\u{e007f}' => {}
            // A joiner belongs to the symbol only if another picture follows it.
            '\u{200d}' if letters.clone().next().is_some_and(is_picture) => {
                letters.next();
            }
            _ => break,
        }
        end = text.len() - letters.as_str().len();
    }
    Some(text.split_at(end))
}

/// Reads a line that consists of symbols and quantities. A quantity counts for the symbol beside it. If there is only one, at the beginning or at the end, it
/// counts for all symbols of the row, unless it stands directly after the last one of symbols with white space between them.
pub(super) fn symbol_row(text: &str) -> Option<SymbolRow<'_>> {
    // Most lines are names. They end the search at their first letter.
    if text.is_ascii() {
        return None;
    }
    let tokens = tokens(text)?;
    let symbols = tokens.iter().filter(|token| matches!(token, Token::Symbol(..))).count();
    let are_apart = tokens.iter().skip(1).any(|token| matches!(token, Token::Symbol(_, true)));
    let is_single = tokens.len() == symbols + 1;
    let (first, last) = (tokens.first()?, tokens.last()?);
    if symbols < 2 {
        return None;
    }
    // The quantity of all symbols, and otherwise whether each quantity stands after its symbol.
    let (of_all, is_after) = match (first, last) {
        (Token::Count(times, _), _) if is_single => (Some(*times), false),
        (_, Token::Count(times, apart)) if is_single && (*apart || !are_apart) => {
            (Some(*times), false)
        }
        (Token::Count(..), Token::Symbol(..)) => (None, false),
        (Token::Symbol(..), _) => (None, true),
        _ => return None,
    };
    let mut row: Vec<(&str, u32)> = Vec::with_capacity(symbols);
    let mut stated = of_all;
    let mut may_count = !is_after;
    for token in &tokens {
        match token {
            Token::Symbol(symbol, _) => {
                row.push((symbol, stated.unwrap_or(1)));
                may_count = true;
            }
            Token::Count(..) if of_all.is_some() => {}
            // Two quantities beside each other mean something else.
            Token::Count(..) if !may_count => return None,
            Token::Count(count, _) if is_after => {
                row.last_mut()?.1 = *count;
                may_count = false;
            }
            Token::Count(count, _) => {
                stated = Some(*count);
                may_count = false;
            }
        }
    }
    Some(SymbolRow { symbols: added_up(row) })
}

/// The symbols and quantities of a text; `None`: it has something else, too.
fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let (mut tokens, mut rest, mut apart) = (Vec::new(), text, false);
    while let Some(first) = rest.chars().next() {
        if let Some((symbol, after)) = first_symbol(rest) {
            tokens.push(Token::Symbol(symbol, apart));
            (rest, apart) = (after, false);
        } else if let Some((count, after)) = count_at(rest).or_else(|| {
            // Before a symbol, an asterisk is a bullet.
            let is_after = matches!(tokens.last(), Some(Token::Symbol(..)));
            let number = rest.strip_prefix('*').filter(|_| is_after)?.trim_start();
            count_at(number).filter(|_| number.starts_with(|first: char| first.is_ascii_digit()))
        }) {
            tokens.push(Token::Count(count, apart));
            (rest, apart) = (after, false);
        } else if first.is_whitespace() || SEPARATORS.contains(first) {
            apart |= first.is_whitespace();
            rest = &rest[first.len_utf8()..];
        } else {
            return None;
        }
    }
    Some(tokens)
}

/// A quantity at the beginning of a text: `2`, `2x`, `×2`, `x 2`, `(2)`, `[2]`, `<2>`, `x(2)`.
fn count_at(text: &str) -> Option<(u32, &str)> {
    const TIMES: [char; 3] = ['x', 'X', '×'];
    const BRACKETS: [(char, char); 3] = [('(', ')'), ('[', ']'), ('<', '>')];
    let bracket = |text: &str| BRACKETS.into_iter().find(|(open, _)| text.starts_with(*open));
    let after_times = text.strip_prefix(TIMES).map_or(text, str::trim_start);
    let close = bracket(after_times).map(|(_, close)| close);
    let rest = if close.is_some() { &after_times[1..] } else { after_times };
    // The sign may also stand within the brackets.
    let is_bare = after_times.len() == text.len();
    let rest = rest.strip_prefix(TIMES).filter(|_| is_bare).map_or(rest, str::trim_start);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at(digits);
    let count = number.parse().ok().filter(|count| (1..=ROW_COUNT_MAX).contains(count))?;
    // The digit of the next keycap.
    if rest.starts_with(['\u{fe0f}', '\u{20e3}']) {
        return None;
    }
    let rest = rest.strip_prefix(TIMES).unwrap_or(rest);
    let rest = close.map_or(Some(rest), |close| rest.strip_prefix(close))?;
    Some((count, rest))
}

/// Equal symbols as one.
fn added_up(row: Vec<(&str, u32)>) -> Vec<(&str, u32)> {
    let mut places: BTreeMap<Cow<'_, str>, usize> = BTreeMap::new();
    let mut sum: Vec<(&str, u32)> = Vec::new();
    for (symbol, count) in row {
        let at = *places.entry(without_selectors(symbol)).or_insert(sum.len());
        match sum.get_mut(at) {
            Some((_, known)) => *known = known.saturating_add(count),
            None => sum.push((symbol, count)),
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(text: &str) -> Option<Vec<(&str, u32)>> {
        symbol_row(text).map(|row| row.symbols)
    }

    #[test]
    fn an_emoji_is_one_symbol_with_all_its_parts() {
        for symbol in [
            "🔥",
            "❤\u{fe0f}\u{200d}🔥",
            "👍\u{1f3fd}",
            "👩\u{1f3fd}\u{200d}🚀",
            "🇩🇪",
            "1\u{fe0f}\u{20e3}",
            "#\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e007f}",
        ] {
            let text = format!("{symbol}💧");
            assert_eq!(first_symbol(&text), Some((symbol, "💧")), "{symbol}");
            assert!(may_be_symbol(symbol), "{symbol}");
        }
        for text in ["Salt", "1 Salt", "— 🔥", "×2", "“🔥”", "", "é"] {
            assert_eq!(first_symbol(text), None, "{text}");
        }
        assert_eq!(without_skin_tones("👍\u{1f3fd}").as_deref(), Some("👍"));
        assert_eq!(without_skin_tones("👍"), None);
    }

    #[test]
    fn quantities_in_a_row_count_for_one_symbol_or_for_all() {
        assert_eq!(row("🔥🔥💧"), Some(vec![("🔥", 2), ("💧", 1)]));
        assert_eq!(row("🔥, 💧 + 🔥"), Some(vec![("🔥", 2), ("💧", 1)]));
        assert_eq!(row("🔥🔥💧 ×2"), Some(vec![("🔥", 4), ("💧", 2)]));
        assert_eq!(row("🔥🔥💧x2"), Some(vec![("🔥", 4), ("💧", 2)]));
        assert_eq!(row("🔥 💧 (2)"), Some(vec![("🔥", 2), ("💧", 2)]));
        assert_eq!(row("🔥 💧×2"), Some(vec![("🔥", 1), ("💧", 2)]));
        assert_eq!(row("🔥×2 💧 x 3"), Some(vec![("🔥", 2), ("💧", 3)]));
        assert_eq!(row("🔥: 2, 💧"), Some(vec![("🔥", 2), ("💧", 1)]));
        assert_eq!(row("3x 🔥💧"), Some(vec![("🔥", 3), ("💧", 3)]));
        assert_eq!(row("2 🔥 3 💧"), Some(vec![("🔥", 2), ("💧", 3)]));
        assert_eq!(row("❤\u{fe0f}❤"), Some(vec![("❤\u{fe0f}", 2)]));
        assert_eq!(
            row("1\u{fe0f}\u{20e3}2\u{20e3}"),
            Some(vec![("1\u{fe0f}\u{20e3}", 1), ("2\u{20e3}", 1)])
        );
        assert_eq!(row("🔥*2 💧 * 3"), Some(vec![("🔥", 2), ("💧", 3)]));
        assert_eq!(row("🔥 [2], 💧 x(3)"), Some(vec![("🔥", 2), ("💧", 3)]));
        for text in [
            "🔥",
            "🔥 ×2",
            "🔥 Salt",
            "🔥💧 0",
            "🔥 2 3 💧 4",
            "2 🔥 💧 3",
            "Salt",
            "",
            "é🔥🔥",
            "🔥💧 1000",
        ] {
            assert_eq!(row(text), None, "{text}");
        }
    }

    #[test]
    fn one_symbol_has_its_quantity_on_either_side() {
        for text in
            ["🔥 (3)", "🔥 [3]", "🔥 <3>", "🔥 x(3)", "🔥(x3)", "🔥3", "🔥 * 3", "🔥*3", "🔥: 3"]
        {
            assert_eq!(counted_symbol(text), Some(("🔥", 3, true)), "{text}");
        }
        for text in ["3🔥", "3x🔥", "(3)🔥", "x3 🔥"] {
            assert_eq!(counted_symbol(text), Some(("🔥", 3, false)), "{text}");
        }
        let keycap = "#\u{fe0f}\u{20e3}";
        let counted = format!("{keycap} (2)");
        assert_eq!(counted_symbol(&counted), Some((keycap, 2, true)));
        for text in
            ["🔥", "🔥🔥", "2 🔥 3", "🔥 (0)", "🔥 (100)", "🔥 *2*", "🔥 (3]", "* 3", "3", ""]
        {
            assert_eq!(counted_symbol(text), None, "{text}");
        }
    }

    #[test]
    fn only_symbols_after_a_keycap_of_a_sign_are_no_heading() {
        for line in ["#\u{fe0f}\u{20e3}", "#\u{20e3}🔥", "*\u{20e3} 2"] {
            assert!(begins_with_sign_keycap(line), "{line}");
        }
        for line in ["# 🔥", "#", "***", "#\u{20e3} Ships", "#\u{20e3}:", "🔥", "* 2 🔥"] {
            assert!(!begins_with_sign_keycap(line), "{line}");
        }
        assert!(is_emoji("#\u{20e3}") && !is_emoji("#") && !is_emoji("🔥🔥") && !is_emoji(""));
    }
}
