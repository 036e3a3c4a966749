//! Marks around a line or a name: bullets, check boxes, marks of Markdown and of chats.

use super::places::ends_with_starred_number;
use super::quantities::is_count_alone;

/// What people put before the lines of lists, with a space after it.
const BULLETS: [char; 20] = [
    '*', '-', '•', '·', '–', '◦', '▪', '‣', '→', '►', '▶', '✓', '✔', '☐', '☑', '■', '□', '●', '○',
    '➤',
];

/// Those of them that are emoji, too, and may be the symbol of a card.
const EMOJI_BULLETS: [char; 4] = ['▪', '▶', '✔', '☑'];

/// The marks that [`without_marks`] takes off the end of a name.
const END_MARKS: [char; 7] = ['*', '_', '`', '~', ']', ':', ' '];

pub(in crate::deck_text) fn without_bullet(line: &str) -> &str {
    let rest = line.strip_prefix(BULLETS).map(|rest| rest.strip_prefix('\u{fe0f}').unwrap_or(rest));
    match rest {
        // A bullet without a text after it is a card, as in `✔ x2`.
        Some(rest) if line.starts_with(EMOJI_BULLETS) && is_count_alone(rest) => line,
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// Whether a line begins with marks of Markdown or double brackets. Four asterisks are the frame of a header.
pub(in crate::deck_text) fn has_marks(line: &str) -> bool {
    let is_frame = line.starts_with("****");
    !is_frame
        && without_bullet(line).len() == line.len()
        && (line.starts_with(['*', '_', '`', '~']) || line.starts_with("[["))
}

/// A line without marks of chats: the bars around a hidden text (`||Name||`), and the code of a picture before it (`:fire: Name`, `<:fire:123> Name`).
pub(super) fn without_chat_marks(line: &str) -> &str {
    let hidden = line.strip_prefix("||").and_then(|rest| rest.strip_suffix("||"));
    let line = hidden.map(str::trim).filter(|inner| !inner.is_empty()).unwrap_or(line);
    if !line.starts_with([':', '<']) {
        return line;
    }
    let is_code = |word: &str| {
        let code = word.strip_prefix('<').map_or(word, |inner| {
            let inner =
                inner.trim_end_matches('>').trim_end_matches(|id: char| id.is_ascii_digit());
            inner.strip_prefix('a').unwrap_or(inner)
        });
        let name = code.strip_prefix(':').and_then(|rest| rest.strip_suffix(':'));
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
        name.is_some_and(|name| name.len() > 1 && name.bytes().all(is_letter))
    };
    match line.split_once(' ') {
        Some((word, rest)) if is_code(word) && !rest.trim().is_empty() => rest.trim_start(),
        _ => line,
    }
}

/// A line without a dash before it, or two hyphens, which phones and word processors turn into one. Hyphens alone may be a bullet or a sign.
pub(super) fn without_dashes(line: &str) -> &str {
    match line.strip_prefix('—').or_else(|| line.strip_prefix("--")) {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// A line without the marks that frame headers, dashes and equals signs, for a quantity after them: `== 2 Name`, `—2 Name`. A single hyphen may be a sign.
pub(super) fn without_frame(line: &str) -> &str {
    let rest = line.trim_start_matches(['—', '=', '-']);
    let is_sign = &line[..line.len() - rest.len()] == "-";
    if is_sign { line } else { rest.trim_start() }
}

/// The text after the check box of a Markdown list, which may have a bullet: `- [x] 2 Name`. `None`: the line has no check box.
pub(super) fn without_check_box(line: &str) -> Option<&str> {
    let rest = without_bullet(line);
    let rest = ["[ ]", "[x]", "[X]", "[]"].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty()).then_some(text)
}

/// A text without the marks that people put around names: bold and code of Markdown, double brackets, dashes, colons. The name of a card may have them.
pub(in crate::deck_text) fn without_marks(text: &str) -> &str {
    let mut text = text.trim_end_matches(END_MARKS);
    loop {
        // A dash before a number is its sign.
        let rest = without_bullet(text).trim_start_matches(['*', '_', '`', '~', '[', '>', ' ']);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Whether [`without_marks`] may take something off a name.
pub(in crate::deck_text) fn may_have_marks(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_alphanumeric()) || name.ends_with(END_MARKS)
}

/// The name in a link or a tag of a forum: `[Name](address)`, `[card]Name[/card]`.
pub(in crate::deck_text) fn linked_name(text: &str) -> Option<&str> {
    let (name, rest) = link_in_front(text)?;
    (rest.len() == 1).then_some(name)
}

/// The name in a link or a tag of a forum that a text begins with, and the text from the bracket on with which the link or the tag ends.
pub(in crate::deck_text) fn link_in_front(text: &str) -> Option<(&str, &str)> {
    let end_of_tag = "[/card]";
    let tagged = text.strip_prefix("[card]").and_then(|inner| {
        let (name, _) = inner.split_once(end_of_tag)?;
        Some((name, &inner[name.len() + end_of_tag.len() - 1..]))
    });
    tagged.or_else(|| {
        let (name, address) = text.strip_prefix('[')?.split_once("](")?;
        Some((name, &address[end_of_address(address)?..]))
    })
}

/// The position of the bracket that ends the address of a link, which may have pairs of brackets in it.
fn end_of_address(address: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in address.bytes().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' if open == 0 => return Some(at),
            b')' => open -= 1,
            _ => {}
        }
    }
    None
}

/// A text without the symbols before or after it, such as the emoji of a card beside its name. The star of a number is no such symbol.
pub(in crate::deck_text) fn without_symbols(text: &str) -> &str {
    let is_symbol = |character: char| !character.is_alphanumeric() && !character.is_ascii();
    let is_blank_or_symbol = |character: char| is_symbol(character) || character == ' ';
    let mut bare = text.trim_start_matches(is_blank_or_symbol);
    if !ends_with_starred_number(bare) {
        bare = bare.trim_end_matches(is_blank_or_symbol);
    }
    if bare.len() < text.trim().len() { bare } else { text }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn names_that_may_have_no_marks_have_none(name in "[a-zA-Z0-9 !?.'*_`~:>\\[\\]-]{0,8}") {
            if !may_have_marks(&name) {
                prop_assert_eq!(without_marks(&name), &name);
            }
        }
    }

    #[test]
    fn a_link_ends_with_its_address() {
        for (text, expected) in [
            ("[Salt](https://a.b/1)", Some(("Salt", ")"))),
            ("[Salt](https://a.b/Salt_(card))", Some(("Salt", ")"))),
            ("[Salt](https://a.b/1) (PORT)", Some(("Salt", ") (PORT)"))),
            ("[Salt](a) and [Silk](b)", Some(("Salt", ") and [Silk](b)"))),
            ("[card]Salt[/card] x2", Some(("Salt", "] x2"))),
            ("[card](a)", Some(("card", ")"))),
            ("[Salt](a", None),
            ("[Salt] (a)", None),
        ] {
            assert_eq!(link_in_front(text), expected, "{text}");
        }
        assert_eq!(linked_name("[card]Salt[/card]"), Some("Salt"));
        assert_eq!(linked_name("[Salt](a) (PORT)"), None);
    }

    #[test]
    fn marks_around_a_name_are_taken_off() {
        for text in ["**Salt**", "[[Salt]]", "`Salt`", "- Salt", "Salt:", "> __Salt__", "~~Salt~~"]
        {
            assert_eq!(without_marks(text), "Salt", "{text}");
        }
        for text in ["-1 Salt", "Salt!", "(Half) Salt", ""] {
            assert_eq!(without_marks(text), text);
        }
        assert_eq!(without_marks("****"), "");
    }
}
