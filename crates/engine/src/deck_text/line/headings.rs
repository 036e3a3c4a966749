//! Lines that are headings by their form, with the decoration and the count around their label.

use super::marks::{
    has_marks, without_bullet, without_check_box, without_dashes, without_marks, without_symbols,
};
use crate::deck_text::symbols::{begins_with_sign_keycap, counted_symbol};
use crate::deck_text::zones::Role;

/// The label of a line that is a header in every game: a word for a zone, or anything in square brackets.
pub(super) fn header(line: &str) -> Option<&str> {
    if line.starts_with('[') && line.ends_with(']') {
        return bracketed(line);
    }
    let label = bracketed_and_counted(line).unwrap_or_else(|| without_count(line));
    [label, without_symbols(label)].into_iter().find(|label| Role::of_word(label).is_some())
}

/// The text in square brackets that a whole line consists of.
pub(super) fn bracketed(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))?;
    (!inner.contains(['[', ']'])).then(|| inner.trim())
}

/// The text in square brackets at the beginning of a line that has only a number after it: `[Ships] 24`, `[Ships] (24 cards)`.
fn bracketed_and_counted(line: &str) -> Option<&str> {
    let (label, count) = line.strip_prefix('[')?.split_once(']')?;
    let count = without_cards(count.trim().trim_matches(['(', ')']));
    let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| label.trim())
}

/// The text in parentheses that a whole line consists of.
pub(in crate::deck_text) fn in_parentheses(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))?;
    (!inner.contains(['(', ')'])).then(|| inner.trim())
}

/// A header without the decoration and the count that are often around it: `Sideboard (15):`, `Sideboard [3/15]`, `Main (60 cards)`, `== Main ==`, `Pokémon - 12`.
pub(in crate::deck_text) fn without_count(line: &str) -> &str {
    without_count_of(line, |count| {
        let bare = without_cards(count);
        let part = bare.trim_end_matches(|character: char| character.is_ascii_digit());
        // `3/15`: of so many.
        part.strip_suffix('/').filter(|_| part.len() < bare.len()).unwrap_or(bare)
    })
}

/// Cuts off the decoration and the count of a header. `number`: the text that ends with the number, without what may stand after it.
fn without_count_of(line: &str, number: impl Fn(&str) -> &str) -> &str {
    let is_frame = |character: char| "*=#-–—:[]~_ ".contains(character);
    let label = line.trim_matches(is_frame);
    let cut = |label: &str| -> Option<usize> {
        const MARKS_BEFORE: [char; 6] = ['(', '[', ':', '-', '–', '—'];
        let bare = number(label.strip_suffix([')', ']']).map_or(label, str::trim_end));
        let before = bare.trim_end_matches(|character: char| character.is_ascii_digit());
        let mark = before.trim_end();
        let counted = before.len() < bare.len() && mark.ends_with(MARKS_BEFORE);
        counted.then(|| mark.trim_end_matches(MARKS_BEFORE).trim_end().len())
    };
    let end = cut(label).unwrap_or(label.len());
    label[..end].trim_matches(is_frame)
}

/// A count without the word after it: `15 cards`.
pub(in crate::deck_text) fn without_cards(count: &str) -> &str {
    let ends = [" cards", " card"].into_iter().find_map(|word| {
        let at = count.len().checked_sub(word.len())?;
        count.get(at..)?.eq_ignore_ascii_case(word).then_some(at)
    });
    ends.map_or(count, |at| count[..at].trim_end())
}

/// How a dash ends a framed header.
const DASHES: [char; 3] = ['-', '–', '—'];

/// Whether a line without a quantity looks like a header rather than a name. Around a name, too, people put bullets, check boxes and marks: such a line is
/// a header only if a colon ends it, or if it has marks and a count (`**Ships (4)**`) or `leads` the lines below it. A symbol with a quantity is a card, also if
/// no card of the game shows it.
pub(in crate::deck_text) fn looks_like_header(line: &str, leads: bool) -> bool {
    if begins_with_sign_keycap(line) || counted_symbol(line).is_some() {
        return false;
    }
    if is_decorated(line) {
        let bare = line.trim_end_matches(['*', '_', '`', '~', ' ']);
        // A line of marks alone is a frame.
        let is_frame = without_marks(line).is_empty() || without_count(line).is_empty();
        // Marks around the name alone, as in `**Salt** (4)`, are those of a card.
        let is_counted =
            bare.len() < line.len() && without_count(line).len() < without_marks(line).len();
        return is_frame || bare.ends_with(':') || (has_marks(line) && (leads || is_counted));
    }
    // A bracket at one end alone belongs to a set, a finish or a category. A number of cards or of a part stands after any name: `Name (2/2)`.
    let bare = line.trim_matches(['[', ']', ' ']);
    let plain = if line.ends_with(']') {
        without_count(bare)
    } else {
        without_count_of(bare, |count| count)
    };
    line.ends_with(':') || bracketed_and_counted(line).is_some() || plain.len() < bare.len()
}

/// Whether a line has something before its text that may also stand before a card: a bullet, a check box, marks of Markdown, the `>` of a quotation.
fn is_decorated(line: &str) -> bool {
    let unquoted = line.trim_start_matches(['>', ' ']);
    unquoted.len() < line.len()
        || has_marks(line)
        || without_check_box(line).is_some()
        || without_bullet(line).len() < line.len()
        || (without_dashes(line).len() < line.len() && !line.ends_with(DASHES))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_not_part_of_a_header() {
        for line in [
            "Sideboard",
            "Sideboard (15)",
            "SIDEBOARD:",
            "== Sideboard ==",
            "Sideboard - 15",
            "[Sideboard]",
            "Sideboard: 15",
        ] {
            assert!(without_count(line).eq_ignore_ascii_case("sideboard"), "{line}");
        }
        assert_eq!((without_count("7"), without_count("(7)"), without_count("")), ("7", "", ""));
    }

    #[test]
    fn decorated_lines_are_headers_only_with_a_colon_or_where_they_lead() {
        for line in [
            "Ships:",
            "== Ships ==",
            "— Ships —",
            "-- Ships --",
            "Ships (4)",
            "**Ships:**",
            "**Ships (4)**",
            "- Ships:",
            "****** Ships ******",
            "***",
            "- - -",
            "```",
        ] {
            assert!(looks_like_header(line, false), "{line}");
        }
        for line in [
            "**Ships**",
            "**Ships** (4)",
            "- Ships",
            "[ ] Ships",
            "- [x] Ships",
            "`Ships`",
            "[[Ships]]",
            "> Ships",
            "— Ships",
            "☐ Ships",
        ] {
            assert!(!looks_like_header(line, false), "{line}");
        }
        // Their first character is also a mark of headers.
        for line in ["#\u{fe0f}\u{20e3}", "#\u{20e3}#\u{20e3}", "*\u{fe0f}\u{20e3}"] {
            assert!(!looks_like_header(line, true), "{line}");
        }
        assert!(looks_like_header("**Ships**", true) && !looks_like_header("- Ships", true));
    }
}
