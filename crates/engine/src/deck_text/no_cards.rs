//! Lines that would be read as cards, but are none in any game: share codes among other lines, the first two lines of tables in Markdown, and the separator that
//! spreadsheets state.

use super::csv::stated_separator;
use super::draft::{Content, Draft, DraftLine};
use super::read_deck::{IgnoredReason, MalformedText};
use super::share_code::{ShareCodeError, decode_share_code};

/// Minimum number of characters of a code that is damaged or of another version.
const DAMAGED_CODE_MIN: usize = 16;

/// Replaces the entries of such lines with the reason why they are none.
pub(super) fn ignore_lines_without_cards(draft: &mut Draft<'_>) {
    for at in 0..draft.lines.len() {
        let line = &draft.lines[at];
        let Some(text) = text_of_entry(line) else { continue };
        let is_above_rule =
            || draft.lines.get(at + 1).is_some_and(|next| is_table_rule(&next.text));
        let reason = if let Some(detail) = share_code(text) {
            IgnoredReason::Malformed { detail }
        } else if is_table_rule(text) || stated_separator(text).is_some() {
            IgnoredReason::Decoration
        } else if text.starts_with('|') && is_above_rule() {
            IgnoredReason::Heading
        } else {
            continue;
        };
        draft.lines[at].content = Content::Ignored(reason);
    }
}

/// The text of a line that is an entry without a quantity.
fn text_of_entry<'d>(line: &'d DraftLine<'_>) -> Option<&'d str> {
    match &line.content {
        Content::Entry(entry) if entry.quantity.is_none() && entry.readings.is_some() => {
            Some(&line.text)
        }
        _ => None,
    }
}

/// Why the share code at the end of a line is not read; `None`: there is none. A damaged one has nothing before it but words that end with a colon.
fn share_code(line: &str) -> Option<MalformedText> {
    let (before, code) = line.rsplit_once(char::is_whitespace).unwrap_or(("", line));
    let code = code.trim_matches('`');
    if !code.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let is_introduced = before.is_empty() || before.trim_end().ends_with(':');
    match decode_share_code(code) {
        Ok(_) => Some(MalformedText::CodeAmongLines),
        Err(_) if !is_introduced => None,
        Err(error @ (ShareCodeError::Version | ShareCodeError::CheckDigits)) => {
            is_like_code(code).then_some(MalformedText::ShareCode(error))
        }
        Err(error) => Some(MalformedText::ShareCode(error)),
    }
}

/// Whether a word looks like a code of any version: a digit, and the code of a game, which is written in capitals and ends with `m`.
fn is_like_code(word: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let bytes = word.as_bytes();
    word.len() >= DAMAGED_CODE_MIN
        && bytes.iter().all(|byte| is_digit(*byte))
        && bytes[1..3].iter().all(u8::is_ascii_uppercase)
        && bytes[3..].contains(&b'm')
}

/// Whether a line is the rule below the header of a table in Markdown: `|---|:-:|`.
pub(super) fn is_table_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() > 2
        && line.contains('-')
        && line.contains('|')
        && line.bytes().all(|byte| matches!(byte, b'|' | b'-' | b':' | b' '))
}
