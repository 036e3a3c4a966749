//! Grammar fixes: `one card`, not `one cards`.
//!
//! They do the same as these regular expressions, one after the other, each for `card`, `spell`, `creature` and `target` in turn:
//!
//! 1. `one (\w+) cards\b` → `one \1 card`
//! 2. `one (\w+ \d+) cards\b` → `one \1 card`
//! 3. `one (.+?) cards\b` → `one \1 card`
//!
//! `one` may be the end of a longer word. A test compares them with the regular expressions.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::template::is_word;

/// The plurals that are changed, with the space before them.
pub(super) const PLURALS: [&str; 4] = [" cards", " spells", " creatures", " targets"];
/// The text that each match begins with.
pub(super) const LEAD: &str = "one ";

/// Searchers for the lead and the plurals. They are prepared once, because that takes longer than to search a sentence.
static FINDERS: LazyLock<(Finder<'static>, [Finder<'static>; 4])> =
    LazyLock::new(|| (Finder::new(LEAD), PLURALS.map(Finder::new)));

#[derive(Clone, Copy)]
enum Middle {
    Word,
    WordAndNumber,
    Anything,
}

/// Removes, in place, the `s` of those plurals that follow a lead. `plurals` says which plurals there are behind a lead; `buffer` is working memory.
/// No step makes another plural.
pub(super) fn fix_plurals(text: &mut String, buffer: &mut String, plurals: [bool; PLURALS.len()]) {
    for middle in [Middle::Word, Middle::WordAndNumber, Middle::Anything] {
        let present = FINDERS.1.iter().zip(plurals).filter(|(_, present)| *present);
        for (plural, _) in present {
            if fix_plural(text, middle, plural, buffer) {
                std::mem::swap(text, buffer);
            }
        }
    }
}

/// Writes the changed text to `fixed`. Returns whether anything was changed.
fn fix_plural(text: &str, middle: Middle, plural: &Finder<'_>, fixed: &mut String) -> bool {
    fixed.clear();
    let mut copied = 0;
    let mut from = 0;
    while let Some(lead) = FINDERS.0.find(&text.as_bytes()[from..]) {
        let begin = from + lead + LEAD.len();
        let Some(length) = middle_length(&text[begin..], middle, plural) else {
            from += lead + 1;
            if matches!(middle, Middle::Anything) {
                // Then no plural follows any other `one` of this line either.
                match text[begin..].find('\n') {
                    Some(end) => from = begin + end,
                    None => break,
                }
            }
            continue;
        };
        // The offset of the final `s` of the plural.
        let singular = begin + length + plural.needle().len() - 1;
        fixed.push_str(&text[copied..singular]);
        copied = singular + 1;
        from = copied;
    }
    if copied > 0 {
        fixed.push_str(&text[copied..]);
    }
    copied > 0
}

/// The length of the middle in bytes, if a plural follows it.
fn middle_length(text: &str, middle: Middle, plural: &Finder<'_>) -> Option<usize> {
    let length = match middle {
        Middle::Word => word_length(text),
        Middle::WordAndNumber => {
            let word = word_length(text);
            let number = text[word..].strip_prefix(' ').map_or(0, digits_length);
            if word == 0 || number == 0 { 0 } else { word + 1 + number }
        }
        Middle::Anything => {
            let first = text.chars().next().filter(|&first| first != '\n')?.len_utf8();
            let line = text[first..].find('\n').map_or(text, |end| &text[..first + end]);
            let mut from = first;
            loop {
                let at = from + plural.find(&line.as_bytes()[from..])?;
                if ends_word(&text[at + plural.needle().len()..]) {
                    return Some(at);
                }
                from = at + 1;
            }
        }
    };
    let follows = text.as_bytes()[length..].starts_with(plural.needle())
        && ends_word(&text[length + plural.needle().len()..]);
    (length > 0 && follows).then_some(length)
}

/// Whether a word that is followed by `rest` is complete.
fn ends_word(rest: &str) -> bool {
    !rest.chars().next().is_some_and(is_word)
}

fn word_length(text: &str) -> usize {
    text.find(|character| !is_word(character)).unwrap_or(text.len())
}

fn digits_length(text: &str) -> usize {
    text.find(|character| !is_digit(character)).unwrap_or(text.len())
}

/// The zeros of all scripts' decimal digits (Unicode's category Nd); each is followed by its 1 to 9.
#[rustfmt::skip]
const ZEROS: [u32; 77] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10, 0x104A0,
    0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0,
    0x11DE0, 0x11F50, 0x16130, 0x16A60, 0x16AC0, 0x16B50, 0x16D70, 0x1CCF0, 0x1D7CE, 0x1D7D8,
    0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E5F1, 0x1E950, 0x1FBF0,
];

/// Whether a character is a decimal digit of any script.
fn is_digit(character: char) -> bool {
    let code = u32::from(character);
    let at = ZEROS.partition_point(|&zero| zero <= code);
    at.checked_sub(1).is_some_and(|at| code - ZEROS[at] < 10)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    /// `\w` as in Python, for which the fixes were written.
    const WORD: &str = r"[\p{Alphabetic}\p{N}_]";
    const NO_WORD: &str = r"[^\p{Alphabetic}\p{N}_]";

    fn expressions() -> Vec<(Regex, String)> {
        let middles = [format!("{WORD}+"), format!(r"{WORD}+ \d+"), ".+?".to_owned()];
        let words = ["card", "spell", "creature", "target"];
        let pairs = middles.iter().flat_map(|middle| words.map(|word| (middle, word)));
        // The replacement for `\b` consumes a character, but never the first one of `one`.
        pairs
            .map(|(middle, word)| {
                let expression = format!("one ({middle}) {word}s($|{NO_WORD})");
                (Regex::new(&expression).unwrap(), format!("one ${{1}} {word}${{2}}"))
            })
            .collect()
    }

    fn by_expressions(expressions: &[(Regex, String)], text: &str) -> String {
        expressions.iter().fold(text.to_owned(), |text, (expression, fixed)| {
            expression.replace_all(&text, fixed).into_owned()
        })
    }

    fn fixed(text: &str) -> String {
        let (mut text, mut buffer) = (text.to_owned(), String::new());
        fix_plurals(&mut text, &mut buffer, [true; PLURALS.len()]);
        text
    }

    #[test]
    fn nouns_after_one_are_singular() {
        for (text, expected) in [
            ("Draw one fire cards.", "Draw one fire card."),
            ("someone fast cards", "someone fast card"),
            ("one rank 3 cards", "one rank 3 card"),
            ("one big old red creatures, or one spells", "one big old red creature, or one spell"),
            ("one cards", "one cards"),
            ("one red cardsharp", "one red cardsharp"),
            ("One red cards", "One red cards"),
            ("one red cards one blue cards", "one red card one blue card"),
            ("one of many targets and spells", "one of many target and spell"),
        ] {
            assert_eq!(fixed(text), expected);
        }
    }

    #[test]
    fn digits_and_letters_are_those_of_the_expressions() {
        let digit = Regex::new(r"^\d$").unwrap();
        let word = Regex::new(&format!("^{WORD}$")).unwrap();
        let unassigned = Regex::new(r"^\p{Cn}$").unwrap();
        let mut text = [0; 4];
        for character in '\0'..=char::MAX {
            let text = character.encode_utf8(&mut text);
            // The standard library may know a later Unicode.
            if unassigned.is_match(text) {
                continue;
            }
            assert_eq!(is_digit(character), digit.is_match(text), "{character:?}");
            assert_eq!(is_word(character), word.is_match(text), "{character:?}");
        }
    }

    fn piece() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "one",
            "One",
            "on",
            "e",
            " ",
            " ",
            " ",
            "card",
            "cards",
            " cards",
            "spells",
            " spells",
            "creatures",
            " targets",
            "target",
            "s",
            "red",
            "7",
            "12",
            "٣",
            "½",
            "é",
            "👻",
            "_",
            ",",
            ".",
            "\n",
            "one ",
            "one red cards",
            "ones",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]
        #[test]
        fn equal_to_the_regular_expressions(pieces in prop::collection::vec(piece(), 0..24)) {
            thread_local!(static EXPRESSIONS: Vec<(Regex, String)> = expressions());
            let text = pieces.concat();
            let expected = EXPRESSIONS.with(|expressions| by_expressions(expressions, &text));
            prop_assert_eq!(fixed(&text), expected);
        }
    }
}
