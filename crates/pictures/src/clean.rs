//! Cleaning of player texts before they are drawn.
//!
//! Templates escape texts. This module handles what escaping does not: characters that XML does not allow, that change
//! the direction of other text, that are invisible, or that pile up.

use unicode_normalization::char::is_combining_mark;

/// Most combining marks on one letter. Vietnamese needs two, Hebrew three.
const MARKS_MAX: u32 = 3;

/// Most joiners in one emoji; the largest family has four emoji, a kiss with skin tones needs three joiners.
const JOINERS_MAX: u32 = 4;

/// A text on one line: white space of any kind and length becomes one space, and is removed at the ends. Longer texts
/// end with `…` after `longest` characters.
pub(crate) fn clean(text: &str, longest: usize) -> String {
    clean_or_cut(text, longest).0
}

/// Like [`clean`]; with it, whether the text was cut.
fn clean_or_cut(text: &str, longest: usize) -> (String, bool) {
    if text.is_ascii() && text.len() <= longest && !needs_work(text) {
        return (text.to_owned(), false);
    }
    let mut kept = String::with_capacity(text.len().min(longest.saturating_mul(4)));
    let mut state = State::default();
    let mut count = 0;
    for character in text.chars() {
        let Some(character) = state.admit(character) else { continue };
        if character == ' ' && (kept.is_empty() || kept.ends_with(' ')) {
            continue;
        }
        if count == longest {
            kept.truncate(kept.trim_end().len());
            kept.push('…');
            return (kept, true);
        }
        kept.push(character);
        count += 1;
    }
    kept.truncate(kept.trim_end().len());
    (kept, false)
}

/// Like [`clean`] for each line of a text: its line breaks stay, empty lines are left out.
pub(crate) fn clean_lines(text: &str, longest: usize) -> String {
    let mut lines = Vec::new();
    let mut room = longest;
    for line in text.lines() {
        let (line, is_cut) = clean_or_cut(line, room);
        if line.is_empty() {
            continue;
        }
        room = room.saturating_sub(line.chars().count());
        lines.push(line);
        if is_cut {
            break;
        }
    }
    lines.join("\n")
}

fn needs_work(text: &str) -> bool {
    let edges = text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    edges || text.bytes().any(|byte| byte.is_ascii_control())
}

#[derive(Default)]
struct State {
    /// Marks since the last letter.
    marks: u32,
    /// Joiners since the last character that was not joined.
    joiners: u32,
    last: Option<char>,
}

impl State {
    /// The character as it is drawn; `None`: it is left out.
    fn admit(&mut self, character: char) -> Option<char> {
        let admitted = self.judge(character)?;
        if !is_joined(admitted) {
            self.marks = 0;
            if self.last != Some('\u{200D}') {
                self.joiners = 0;
            }
        }
        self.last = Some(admitted);
        Some(admitted)
    }

    fn judge(&mut self, character: char) -> Option<char> {
        if character.is_ascii_graphic() {
            return Some(character);
        }
        match character {
            _ if character.is_whitespace() => Some(' '),
            // Private-use characters, because one of them is the placeholder of the bundled font; noncharacters are not
            // for interchange.
            '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}' => Some('\u{FFFD}'),
            _ if u32::from(character) & 0xFFFE == 0xFFFE => Some('\u{FFFD}'),
            '\u{FDD0}'..='\u{FDEF}' => Some('\u{FFFD}'),
            _ if character.is_control() || is_unseen(character) => None,
            // Joiners must follow a character; one at a time is enough.
            '\u{200C}' | '\u{200D}' => {
                let before =
                    self.last.filter(|last| !matches!(last, ' ' | '\u{200C}' | '\u{200D}'));
                before?;
                self.joiners += 1;
                (self.joiners <= JOINERS_MAX).then_some(character)
            }
            // Variation selectors must follow the character that they modify.
            '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => {
                let before = self.last.filter(|last| *last != ' ' && !is_joined(*last));
                before.map(|_| character)
            }
            // Tag characters (in flags such as Scotland's) must follow a black flag.
            '\u{E0000}'..='\u{E007F}' => {
                let flag = |last: char| last == '🏴' || matches!(last, '\u{E0020}'..='\u{E007E}');
                self.marks += 1;
                (self.last.is_some_and(flag) && self.marks <= 7).then_some(character)
            }
            _ if is_combining_mark(character) => {
                self.marks += 1;
                (self.marks <= MARKS_MAX).then_some(character)
            }
            _ => Some(character),
        }
    }
}

/// A character that belongs to the one before it.
fn is_joined(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}' | '\u{E0000}'..='\u{E01EF}')
        || is_combining_mark(character)
}

/// Invisible characters: direction marks (which can reorder other texts), soft hyphens, fillers.
fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
    )
}

#[cfg(test)]
mod tests {
    use super::{clean, clean_lines};

    #[test]
    fn invisible_and_forbidden_characters_are_removed() {
        let cases = [
            ("  two \t\n words ", "two words"),
            ("nul\0bell\u{7}del\u{7F}c1\u{85}\u{9F}", "nulbelldelc1"),
            ("a\u{202E}b\u{2066}c\u{200F}d\u{200B}e\u{AD}f", "abcdef"),
            ("\u{FFFE}\u{FDD0}\u{E000}\u{1FFFF}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
            ("\u{200D}\u{200D}a\u{200D}\u{200D}\u{200D}b", "a\u{200D}b"),
            ("👩🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏼", "👩🏻\u{200D}❤\u{FE0F}\u{200D}💋\u{200D}👨🏼"),
            ("🏴\u{E0067}\u{E0062}\u{E007F} \u{E0067}", "🏴\u{E0067}\u{E0062}\u{E007F}"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(clean(text, 100), expected, "{text:?}");
        }
        // U+0085 is white space in Unicode: it separates words.
        assert_eq!(clean("c1\u{85}x", 10), "c1 x");
    }

    #[test]
    fn marks_and_joiners_do_not_pile_up() {
        let zalgo = format!("Z{}a", "\u{301}".repeat(50));
        assert_eq!(clean(&zalgo, 100), "Z\u{301}\u{301}\u{301}a");
        let crowd = "👨\u{200D}".repeat(40);
        let joined = clean(&crowd, 1_000);
        assert_eq!(joined.matches('👨').count(), 40);
        let family = "👨\u{200D}".repeat(4) + "👨";
        assert_eq!(joined, family.repeat(8), "of five each");
    }

    #[test]
    fn long_texts_end_with_an_ellipsis() {
        assert_eq!(clean("one two three", 8), "one two…");
        assert_eq!(clean("one two", 7), "one two");
        assert_eq!(clean_lines("one\ntwo three\nfour", 6), "one\ntwo…");
        assert_eq!(clean_lines("one\ntwo\nthree\nfour", 6), "one\ntwo\n…");
        // The space before the end of the first line is removed with the rest of it.
        assert_eq!(clean_lines("one two\nfour", 4), "one…");
    }

    #[test]
    fn line_breaks_stay() {
        assert_eq!(clean_lines(" one  \r\n\n \ntwo\t three\n", 100), "one\ntwo three");
        assert_eq!(clean_lines("one", 100), "one");
        assert_eq!(clean_lines("\n", 100), "");
    }
}
