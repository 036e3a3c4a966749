//! The line reader that the dialects share: quantities in all positions that people use, and the other parts around a name.

use std::borrow::Cow;

use super::draft::{Content, DraftEntry, Parts};
use super::own::{DeckTextFault, comment, prefix};
use super::read_deck::IgnoredReason;
use super::symbols::{begins_with_sign_keycap, counted_symbol};
use super::zones::Role;

/// What people put before the lines of lists, with a space after it.
const BULLETS: [char; 20] = [
    '*', '-', '•', '·', '–', '◦', '▪', '‣', '→', '►', '▶', '✓', '✔', '☐', '☑', '■', '□', '●', '○',
    '➤',
];
/// Those of them that are emoji, too, and may be the symbol of a card.
const EMOJI_BULLETS: [char; 4] = ['▪', '▶', '✔', '☑'];
/// How a dash ends a framed header.
const DASHES: [char; 3] = ['-', '–', '—'];

/// The marks that [`without_marks`] takes off the end of a name.
const END_MARKS: [char; 7] = ['*', '_', '`', '~', ']', ':', ' '];
/// The bytes that have a meaning in the text of a card.
const MARKS: [u8; 15] = *b"#()*:<>[]^`{}~\\";
/// Most digits of a quantity that surely fits 32 bits.
const PLAIN_DIGITS_MAX: usize = 9;

/// Reads a trimmed, tidy line that is not blank.
pub(super) fn common(line: &str) -> Content<'_> {
    match counted_name(line) {
        Some((quantity, name)) => Content::Entry(Box::new(DraftEntry {
            quantity: Some(quantity),
            card: Parts { name: Cow::Borrowed(name), ..Parts::default() },
            readings: Some((name, line)),
            ..DraftEntry::default()
        })),
        None => common_as(line, split_parts),
    }
}

/// The quantity and the name of `2 Name` or `2x Name` in ASCII characters without marks. Most lines are such lines. [`common_as`] reads them in the same way, but looks
/// for everything that could stand in them; a test compares the two.
fn counted_name(line: &str) -> Option<(u32, &str)> {
    let bytes = line.as_bytes();
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=PLAIN_DIGITS_MAX).contains(&digits) {
        return None;
    }
    let (number, rest) = line.split_at(digits);
    let name = rest.strip_prefix(['x', 'X']).unwrap_or(rest).strip_prefix(' ')?;
    // An `x` alone before the name belongs to the quantity.
    let is_name = match name.as_bytes() {
        [b'x' | b'X', b' ', ..] => false,
        [first, ..] => first.is_ascii_alphanumeric(),
        [] => false,
    };
    if !is_name || !name.bytes().all(|byte| PLAIN[usize::from(byte)]) {
        return None;
    }
    Some((number.parse().ok()?, name))
}

/// Whether a byte is a printable ASCII character without a meaning in the text of a card.
static PLAIN: [bool; 256] = {
    let mut plain = [false; 256];
    let mut byte = b' ';
    while byte <= b'~' {
        plain[byte as usize] = true;
        byte += 1;
    }
    let mut at = 0;
    while at < MARKS.len() {
        plain[MARKS[at] as usize] = false;
        at += 1;
    }
    plain
};

/// Like [`common`], with another function to split the text after the quantity into parts.
pub(super) fn common_as<'a>(line: &'a str, parts: impl Fn(&'a str) -> Parts<'a>) -> Content<'a> {
    if let Some(small) = line.strip_prefix("-# ") {
        return Content::Comment(small.trim());
    }
    let quoted = line.strip_prefix("> ").map(|quoted| quoted.trim_start_matches(['>', ' ']));
    let bare = without_chat_marks(quoted.unwrap_or(line));
    if bare.len() == line.len() {
        return unquoted(line, parts);
    }
    with_marks_dropped(unquoted(bare, parts))
}

/// A line without marks of chats: the bars around a hidden text (`||Name||`), and the code of a picture before it (`:fire: Name`, `<:fire:123> Name`).
fn without_chat_marks(line: &str) -> &str {
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

/// An entry whose line has marks around it, which were left out.
fn with_marks_dropped(content: Content<'_>) -> Content<'_> {
    match content {
        Content::Entry(entry) => {
            Content::Entry(Box::new(DraftEntry { marks_dropped: true, ..*entry }))
        }
        other => other,
    }
}

/// Reads a line without the `>` of a quotation.
fn unquoted<'a>(line: &'a str, parts: impl Fn(&'a str) -> Parts<'a>) -> Content<'a> {
    if line.is_empty() {
        return Content::Ignored(IgnoredReason::Decoration);
    }
    if let Some(inner) = bracketed(line).or_else(|| in_parentheses(line))
        && leading(inner).is_some_and(|(_, name)| !name.is_empty())
    {
        return with_marks_dropped(unquoted(inner, parts));
    }
    let is_address = ["https://", "http://"].iter().any(|scheme| line.starts_with(scheme));
    if is_address && !line.contains(char::is_whitespace) {
        return Content::Ignored(IgnoredReason::Decoration);
    }
    if !line.starts_with(|first: char| first.is_ascii_digit()) {
        if let Some(comment) = comment(line) {
            return Content::Comment(comment.trim());
        }
        if let Some(content) = xmage(line) {
            return content;
        }
        if let Some(label) = header(line) {
            return Content::Section(Cow::Borrowed(label));
        }
    }
    let (zone, entry) = match prefix(line) {
        Some(rest) => (Some(Cow::Borrowed("sideboard")), rest),
        None => zone_in_front(line)
            .map_or((None, line), |(zone, rest)| (Some(Cow::Borrowed(zone)), rest)),
    };
    match quantity(entry) {
        Ok((_, "")) => DeckTextFault::NameMissing.into(),
        Ok((quantity, text)) => Content::Entry(Box::new(DraftEntry {
            quantity,
            card: parts(text),
            readings: Some((text, without_check_box(entry).unwrap_or(entry))),
            zone,
            marks_dropped: without_check_box(entry).is_some(),
            ..DraftEntry::default()
        })),
        Err(fault) => fault.into(),
    }
}

/// The word for a zone before a quantity and a name: `COMMANDER: 1 Name`, `[Commander] 1 Name`.
fn zone_in_front(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => line.split_once(':')?,
    };
    let rest = rest.trim_start();
    let is_entry = leading(rest).is_some_and(|(_, name)| !name.is_empty());
    (is_entry && Role::of_word(word.trim()).is_some()).then(|| (word.trim(), rest))
}

/// Reads a line of metadata in a file of XMage.
fn xmage(line: &str) -> Option<Content<'_>> {
    if let Some(name) = line.strip_prefix("NAME:") {
        return Some(Content::Note("name", Cow::Borrowed(name.trim())));
    }
    let is_layout = line.starts_with("LAYOUT ") || line.starts_with("AUTHOR:");
    is_layout.then_some(Content::Ignored(IgnoredReason::Decoration))
}

/// The label of a line that is a header in every game: a word for a zone, or anything in square brackets.
fn header(line: &str) -> Option<&str> {
    if line.starts_with('[') && line.ends_with(']') {
        return bracketed(line);
    }
    let label = bracketed_and_counted(line).unwrap_or_else(|| without_count(line));
    let word =
        [label, without_symbols(label)].into_iter().find(|label| Role::of_word(label).is_some());
    word.or_else(|| label.eq_ignore_ascii_case("sb").then_some("sideboard"))
}

/// The text in square brackets that a whole line consists of.
fn bracketed(line: &str) -> Option<&str> {
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
pub(super) fn in_parentheses(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'))?;
    (!inner.contains(['(', ')'])).then(|| inner.trim())
}

/// A header without the decoration and the count that are often around it: `Sideboard (15):`, `Sideboard [3/15]`, `Main (60 cards)`, `== Main ==`, `Pokémon - 12`.
pub(super) fn without_count(line: &str) -> &str {
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
pub(super) fn without_cards(count: &str) -> &str {
    let ends = [" cards", " card"].into_iter().find_map(|word| {
        let at = count.len().checked_sub(word.len())?;
        count.get(at..)?.eq_ignore_ascii_case(word).then_some(at)
    });
    ends.map_or(count, |at| count[..at].trim_end())
}

/// Whether a line without a quantity looks like a header rather than a name. Around a name, too, people put bullets, check boxes and marks: such a line is
/// a header only if a colon ends it, or if it has marks and a count (`**Ships (4)**`) or `leads` the lines below it. A symbol with a quantity is a card, also if
/// no card of the game shows it.
pub(super) fn looks_like_header(line: &str, leads: bool) -> bool {
    let has_counted_place = || place_with_dash(line).is_some_and(|(_, count, _)| count.is_some());
    if begins_with_sign_keycap(line) || counted_symbol(line).is_some() || has_counted_place() {
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

/// Whether a line begins with marks of Markdown or double brackets. Four asterisks are the frame of a header.
pub(super) fn has_marks(line: &str) -> bool {
    let is_frame = line.starts_with("****");
    !is_frame
        && without_bullet(line).len() == line.len()
        && (line.starts_with(['*', '_', '`', '~']) || line.starts_with("[["))
}

/// The quantity of a line, if it has one, and the rest of the line.
pub(super) fn quantity(line: &str) -> Result<(Option<u32>, &str), DeckTextFault> {
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

pub(super) fn without_bullet(line: &str) -> &str {
    let rest = line.strip_prefix(BULLETS).map(|rest| rest.strip_prefix('\u{fe0f}').unwrap_or(rest));
    match rest {
        // A bullet without a text after it is a card, as in `✔ x2`.
        Some(rest) if line.starts_with(EMOJI_BULLETS) && is_count_alone(rest) => line,
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// Whether a text is only a quantity, such as `2` or `x2`.
fn is_count_alone(text: &str) -> bool {
    let number = text.trim_matches(|character: char| " xX×".contains(character));
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line without a dash before it, or two hyphens, which phones and word processors turn into one. Hyphens alone may be a bullet or a sign.
fn without_dashes(line: &str) -> &str {
    match line.strip_prefix('—').or_else(|| line.strip_prefix("--")) {
        Some(rest) if rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => line,
    }
}

/// A line without the marks that frame headers, dashes and equals signs, for a quantity after them: `== 2 Name`, `—2 Name`. A single hyphen may be a sign.
fn without_frame(line: &str) -> &str {
    let rest = line.trim_start_matches(['—', '=', '-']);
    let is_sign = &line[..line.len() - rest.len()] == "-";
    if is_sign { line } else { rest.trim_start() }
}

/// The text after the check box of a Markdown list, which may have a bullet: `- [x] 2 Name`. `None`: the line has no check box.
fn without_check_box(line: &str) -> Option<&str> {
    let rest = without_bullet(line);
    let rest = ["[ ]", "[x]", "[X]", "[]"].iter().find_map(|mark| rest.strip_prefix(mark))?;
    let text = rest.trim_start();
    (text.len() < rest.len() && !text.is_empty()).then_some(text)
}

/// A text without the marks that people put around names: bold and code of Markdown, double brackets, dashes, colons. The name of a card may have them.
pub(super) fn without_marks(text: &str) -> &str {
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
pub(super) fn may_have_marks(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_alphanumeric()) || name.ends_with(END_MARKS)
}

/// `4`, `4x`, `4 x`, `x4`, `(4)` or `[4]` before the name.
pub(super) fn leading(line: &str) -> Option<(&str, &str)> {
    if let Some(circled) = circled(line) {
        return Some(circled);
    }
    let is_times = |text: &str| text.starts_with(['x', 'X', '×']);
    let (close, inner) = match (line.strip_prefix('('), line.strip_prefix('[')) {
        (Some(inner), _) => (Some(')'), inner),
        (_, Some(inner)) => (Some(']'), inner),
        _ => (None, line),
    };
    let inner = if is_times(inner) { inner.strip_prefix(['x', 'X', '×'])? } else { inner };
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
    if !before && let Some(after) = rest.strip_prefix(['x', 'X', '×']) {
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
    if let Some(after) = name.strip_prefix(['x', 'X', '×'])
        && after.starts_with(char::is_whitespace)
        && inner.len() == line.len()
    {
        name = after.trim_start();
    }
    Some((number, name))
}

/// Whether a line begins with a number that is not whole, as in `2.5 Name`, `0,5x Name` and `x2.5 Name`. Three digits after a comma are thousands.
pub(super) fn has_fraction(line: &str) -> bool {
    let is_digit = |character: char| character.is_ascii_digit();
    let line = without_bullet(line);
    let line = line.strip_prefix(['x', 'X', '×']).unwrap_or(line);
    let after_whole = line.trim_start_matches(is_digit);
    let Some(fraction) = after_whole.strip_prefix(['.', ',']) else { return false };
    let rest = fraction.trim_start_matches(is_digit);
    let digits = fraction.len() - rest.len();
    let rest = rest.strip_prefix(['x', 'X', '×']).unwrap_or(rest);
    after_whole.len() < line.len()
        && (1..=2).contains(&digits)
        && rest.starts_with(char::is_whitespace)
        && !rest.trim().is_empty()
}

/// `④ Name`.
fn circled(line: &str) -> Option<(&str, &str)> {
    const NUMBERS: [&str; 10] = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    let first = line.chars().next().filter(|first| ('①'..='⑩').contains(first))?;
    let at = usize::try_from(u32::from(first) - u32::from('①')).ok()?;
    let name = line[first.len_utf8()..].trim_start();
    NUMBERS.get(at).map(|number| (*number, name)).filter(|_| !name.is_empty())
}

/// `4` directly after the sign in `Name×4`; an `x` may be part of a name, but not of a symbol.
fn times_after(line: &str) -> Option<(&str, &str)> {
    let before = line.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = &line[before.len()..];
    let name = before.strip_suffix('×').or_else(|| {
        let name = before.strip_suffix(['x', 'X'])?;
        (!name.contains(|character: char| character.is_alphanumeric())).then_some(name)
    })?;
    (!number.is_empty() && !name.trim().is_empty()).then_some((name.trim_end(), number))
}

/// The signs of a quantity.
const TIMES: [char; 3] = ['x', 'X', '×'];

/// `x4`, `x 4`, `4x` or `(x4)` after the name.
pub(super) fn trailing(line: &str) -> Option<(&str, &str)> {
    if let Some(found) = times_after(line) {
        return Some(found);
    }
    let (before, word) = line.rsplit_once(char::is_whitespace)?;
    let before = before.trim_end();
    let bare = word.strip_prefix('(').and_then(|word| word.strip_suffix(')')).unwrap_or(word);
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(number) = bare.strip_prefix(TIMES).or_else(|| bare.strip_suffix(TIMES))
        && is_number(number)
    {
        return (!before.is_empty()).then_some((before, number));
    }
    let (name, times) = before.rsplit_once(char::is_whitespace)?;
    (is_number(word) && matches!(times, "x" | "X" | "×")).then_some((name.trim_end(), word))
}

/// The name and the number of `Name (2)`, `Name [2]`, `Name (2 copies)`, `Name: 2` or `Name - 2`. A larger number is rather a collector number or a year.
pub(super) fn count_after_name(line: &str) -> Option<(&str, u32)> {
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

/// A text without the word that some write after a quantity: `2 copies`.
fn without_copies(text: &str) -> &str {
    let Some((count, word)) = text.rsplit_once(' ') else { return text };
    let is_copies = ["copies", "copy"].iter().any(|copies| word.eq_ignore_ascii_case(copies));
    if is_copies { count } else { text }
}

/// The parts and the quantity of a card whose quantity stands between its name and the rest: `Name x2 (set) 3`, `Name (2) {rare}`, `Name (2x) (foil)`. A name may end
/// like a quantity, so that there may be several.
pub(super) fn counts_before_parts(text: &str) -> impl Iterator<Item = (Parts<'_>, u32)> {
    const OPENING: [char; 6] = ['(', '[', '{', '*', '#', '^'];
    /// Each is looked up. A line with more such words is no line of a list.
    const COUNTS_MAX: usize = 4;
    let words = text.split_whitespace().skip(1);
    let counted = words.filter_map(|word| Some((word, count_of_word(word)?))).take(COUNTS_MAX);
    counted.filter_map(move |(word, count)| {
        let at = word.as_ptr().addr() - text.as_ptr().addr();
        let end = at + word.len();
        let (name, rest) = (text[..at].trim_end(), text[end..].trim_start());
        // The last character of the word stands for the name: in brackets, the word itself would be a set.
        let start = end - word.chars().next_back()?.len_utf8();
        let parts = rest.starts_with(OPENING).then(|| split_parts(&text[start..]))?;
        let is_apart = parts.name == text[start..end];
        is_apart.then_some((Parts { name: Cow::Borrowed(name), ..parts }, count))
    })
}

/// The number of `x2`, `2x`, `(2)`, `[2]`, `(x2)` or `(2x)`.
fn count_of_word(word: &str) -> Option<u32> {
    let in_brackets = |open, close| word.strip_prefix(open)?.strip_suffix(close);
    let inner = in_brackets('(', ')').or_else(|| in_brackets('[', ']'));
    let bare = inner.unwrap_or(word);
    let times = bare.strip_prefix(TIMES).or_else(|| bare.strip_suffix(TIMES));
    let number = times.or(inner)?;
    number.parse().ok().filter(|count| (1..=99).contains(count))
}

/// The name and the quantity of a text that ends with the quantity in any form.
pub(super) fn counted_at_end(text: &str) -> Option<(&str, u32)> {
    let trailing = || {
        let (name, number) = trailing(text)?;
        let count = number.parse().ok().filter(|count| (1..=99).contains(count))?;
        Some((name, count))
    };
    trailing().or_else(|| count_after_name(text))
}

/// A card in the form of a set and a number with a dash between them, as lists of some games have only these, perhaps with a quantity before it, and with a name
/// and other parts after it: `OP01-016`, `4xOP01-016`, `OP01-016 Name (foil)`. The third value is the remark after `//`.
pub(super) fn place_with_dash(text: &str) -> Option<(Parts<'_>, Option<u32>, Option<&str>)> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let word = &text[..end];
    let counted = |times| {
        let (count, place) = word.split_once(times)?;
        Some((place, count.parse().ok().filter(|count| (1..=99).contains(count))?))
    };
    let (place, count) = TIMES
        .into_iter()
        .find_map(counted)
        .map_or((word, None), |(place, count): (&str, u32)| (place, Some(count)));
    let (set, number) = place.rsplit_once('-')?;
    let bare_number = without_set_size(number);
    let may_be_number = (1..=8).contains(&bare_number.len())
        && bare_number.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && bare_number.bytes().any(|byte| byte.is_ascii_digit());
    if set.is_empty() || !may_be_number {
        return None;
    }
    let (rest, remark) = match text[end..].split_once(" //") {
        Some((rest, remark)) => (rest, Some(remark.trim())),
        None => (&text[end..], None),
    };
    // The last character of the number, which is one of ASCII, stands for the place.
    let parts = split_parts(text[end - 1..end + rest.len()].trim_end());
    // Parentheses have a quantity then, or belong to a name.
    if parts.set.is_some() && parts.category.is_none() {
        return None;
    }
    let name = match &parts.name {
        Cow::Borrowed(name) => Cow::Borrowed(name.get(1..)?.trim_start()),
        Cow::Owned(name) => Cow::Owned(name.get(1..)?.trim_start().to_owned()),
    };
    let (set, number) = (Some(Cow::Borrowed(set)), Some(Cow::Borrowed(number)));
    Some((Parts { name, set, number, is_place_in_front: true, ..parts }, count, remark))
}

/// The name and the number of `Name 2`, whose number may as well belong to the name.
pub(super) fn bare_count_after_name(line: &str) -> Option<(&str, u32)> {
    let (name, number) = line.rsplit_once(char::is_whitespace)?;
    let is_count = number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit());
    let count = number.parse().ok().filter(|count| is_count && *count > 0)?;
    (!name.trim().is_empty()).then_some((name.trim(), count))
}

/// The name in a link or a tag of a forum: `[Name](address)`, `[card]Name[/card]`.
pub(super) fn linked_name(text: &str) -> Option<&str> {
    let tagged = text.strip_prefix("[card]").and_then(|rest| rest.strip_suffix("[/card]"));
    tagged.or_else(|| {
        let (name, address) = text.strip_prefix('[')?.split_once("](")?;
        address.ends_with(')').then_some(name)
    })
}

/// A text without the symbols before or after it, such as the emoji of a card beside its name.
pub(super) fn without_symbols(text: &str) -> &str {
    let is_symbol = |character: char| !character.is_alphanumeric() && !character.is_ascii();
    let is_blank_or_symbol = |character: char| is_symbol(character) || character == ' ';
    let bare = text.trim_matches(is_blank_or_symbol);
    if bare.len() < text.trim().len() { bare } else { text }
}

/// Splits the text of a card into its parts, from the end: `Name (set) number *finish* [category] #tag ^tag^`.
pub(super) fn split_parts(text: &str) -> Parts<'_> {
    set_in_front(text).unwrap_or_else(|| split_from_end(text))
}

fn split_from_end(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut name = text;
    // Dots after a name are its influence cost.
    name = name.trim_end_matches(|c: char| c.is_whitespace() || "●•○☆★◆◇".contains(c));
    if name.is_empty() {
        name = text;
    }
    // The colour of such a tag may have a space before its `#`.
    while let Some((before, tag)) = last_tag(name) {
        parts.tags.push(Cow::Borrowed(tag));
        name = before;
    }
    if let Some((before, tags)) = name.split_once(" #") {
        parts.tags.extend(tags.split(" #").map(|tag| Cow::Borrowed(tag.trim())));
        name = before.trim_end();
    }
    let mut category = None;
    loop {
        if let Some((before, tag)) = last_tag(name) {
            parts.tags.push(Cow::Borrowed(tag));
            name = before;
            continue;
        }
        let Some((before, open, value)) = last_bracket(name) else { break };
        match open {
            '*' | '{' if parts.rarity.is_none() => parts.rarity = Some(Cow::Borrowed(value)),
            '[' if category.is_none() => category = Some(value),
            '<' if parts.number.is_none() && is_number(value) => {
                parts.number = Some(Cow::Borrowed(value));
            }
            // The kind of picture, as MTGGoldfish writes it.
            '<' => parts.tags.push(Cow::Borrowed(value)),
            // The finish of MTGGoldfish, or a word that is rather a finish than a set.
            '(' if parts.rarity.is_none() && is_finish(value, before) => {
                parts.rarity = Some(Cow::Borrowed(value));
            }
            _ => break,
        }
        name = before;
    }
    let set = |text| last_bracket(text).filter(|(_, open, _)| *open == '(');
    if let Some((code, number)) = place_alone(name) {
        (parts.set, parts.number) = (Some(Cow::Borrowed(code)), Some(Cow::Borrowed(number)));
        name = "";
    } else if let Some((before, _, code)) = set(name) {
        parts.set = Some(Cow::Borrowed(code));
        name = before;
    } else if let Some((front, number)) = name.rsplit_once(char::is_whitespace)
        && let Some((before, open, code)) = last_bracket(front.trim_end())
        && matches!(open, '(' | '[')
    {
        parts.set = Some(Cow::Borrowed(code));
        parts.number = Some(Cow::Borrowed(number));
        name = before;
    }
    parts.category = category;
    match category {
        Some(code) if parts.set.is_none() && !code.contains([' ', ',', '{']) => {
            parts.set = Some(Cow::Borrowed(code));
        }
        Some(category) => parts.tags.push(Cow::Borrowed(category)),
        None => {}
    }
    parts.name = Cow::Borrowed(name);
    parts
}

/// The tags that may be the number of a card, with their positions among its tags.
pub(super) fn number_tags<'p>(parts: &'p Parts<'_>) -> impl Iterator<Item = (usize, &'p str)> {
    /// Each is looked up. A line with more such tags is no line of a list.
    const NUMBER_TAGS_MAX: usize = 4;
    let tags = parts.tags.iter().map(|tag| without_set_size(tag)).enumerate();
    tags.filter(|(_, tag)| is_number(tag)).take(NUMBER_TAGS_MAX)
}

/// Whether a text may be the number of a card in its set.
fn is_number(text: &str) -> bool {
    text.len() <= 8
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a text in parentheses is a finish. A letter alone is one only after another mark, because it may also be a set.
fn is_finish(value: &str, before: &str) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    is(&["foil", "etched", "foil etched"]) || (before.ends_with([']', '>']) && is(&["F", "E"]))
}

/// A number without the size of its set, with which cards are often printed: `16` of `16/60`.
pub(super) fn without_set_size(number: &str) -> &str {
    match number.split_once('/') {
        Some((number, size)) if !number.is_empty() && is_number(size) => number,
        _ => number,
    }
}

/// Set and number in one bracket: `HEARTH:55` or `hearth 55`.
pub(super) fn joined_place(written: &str) -> Option<(&str, &str)> {
    let (set, number) = written.rsplit_once([':', ' '])?;
    let (set, number) = (set.trim(), number.trim().trim_start_matches('#'));
    (!set.is_empty() && is_number(number)).then_some((set, number))
}

/// Set and number of `(set) number`, without a name.
fn place_alone(text: &str) -> Option<(&str, &str)> {
    let (set, number) = text.strip_prefix('(')?.split_once(')')?;
    let (set, number) = (set.trim(), number.trim());
    let is_number = number.contains(|character: char| character.is_ascii_digit());
    let is_word = !number.contains(char::is_whitespace);
    (is_number && is_word && !set.is_empty()).then_some((set, number))
}

/// `[set:number] Name`, as XMage writes, and `[set#number] Name` or `[set] Name`, as Deckstats does, perhaps with other parts after the name.
fn set_in_front(text: &str) -> Option<Parts<'_>> {
    let (inner, name) = text.strip_prefix('[')?.split_once(']')?;
    let (set, number) = match inner.split_once([':', '#']) {
        Some((set, number)) => (set.trim(), Some(number.trim())),
        None if is_set_code(inner) && name.starts_with(char::is_whitespace) => (inner, None),
        None => return None,
    };
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let parts = split_from_end(name);
    let number = number.map(Cow::Borrowed).or(parts.number);
    Some(Parts { set: Some(Cow::Borrowed(set)), number, ..parts })
}

/// Splits a tag between `^` off the end. It may stand directly after another tag, or after a comma.
pub(super) fn last_tag(text: &str) -> Option<(&str, &str)> {
    let (before, tag) = text.strip_suffix('^')?.rsplit_once('^')?;
    let name =
        before.trim_end_matches(|character: char| character.is_whitespace() || character == ',');
    let is_apart = name.len() < before.len() || name.ends_with('^');
    let tag = tag.trim();
    (is_apart && !name.is_empty() && !tag.is_empty()).then_some((name, tag))
}

/// Splits a bracketed value off the end: the text before it, the opening bracket, and the value. There must be white space before the bracket.
fn last_bracket(text: &str) -> Option<(&str, char, &str)> {
    let close = text.chars().next_back()?;
    let open = match close {
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' => '<',
        '*' => close,
        _ => return None,
    };
    let inner = &text[..text.len() - 1];
    let (before, value) = inner.rsplit_once(open)?;
    let (name, value) = (before.trim_end(), value.trim());
    (before.ends_with(char::is_whitespace) && !name.is_empty() && !value.is_empty())
        .then_some((name, open, value))
}

/// Whether a word may be the code of a set without brackets.
pub(super) fn is_set_code(word: &str) -> bool {
    word.len() <= 8
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Like [`split_parts`], for games that write `Name SET 12`, without brackets.
pub(super) fn split_parts_without_brackets(text: &str) -> Parts<'_> {
    let mut words = text.rsplitn(3, char::is_whitespace);
    if let (Some(number), Some(set), Some(name)) = (words.next(), words.next(), words.next()) {
        let is_number = number.contains(|character: char| character.is_ascii_digit());
        if is_number && is_set_code(set) && !name.trim().is_empty() {
            return Parts {
                name: Cow::Borrowed(name.trim()),
                set: Some(Cow::Borrowed(set)),
                number: Some(Cow::Borrowed(number)),
                is_place_bare: true,
                ..Parts::default()
            };
        }
    }
    split_parts(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Lines with everything that has a meaning in some dialect, and those without any of it.
    fn lines() -> impl Strategy<Value = String> {
        let quantity = "[0-9]{0,11}[xX×]?|x[0-9]|\\([0-9]{1,2}\\)|\\[[0-9]\\]|④|SB: ?[0-9]|> [0-9]|[-*•] ?[0-9]|[0-9]\\.";
        let name = "[a-zA-Z]{1,8}([ '\",.!?&/=_|;@$%+-][a-zA-Z0-9]{0,6}){0,4}|[ -~]{0,20}|[x×] [A-Z]{0,3}|[A-Zé×●🔥 ]{0,6}";
        let rest = "( \\([A-Z]{2,3}\\)( [0-9]{1,3})?)?( [*][FE][*])?( #[a-z]{1,3})?( \\[[A-Z]{1,3}\\])?( \\^[a-z,#]{1,4}\\^)?( \\{[a-z]{1,4}\\})?( ?[x×][0-9])?|( //.{0,4})?[:;,]?";
        (quantity, " {0,2}|\t", name, rest)
            .prop_map(|(quantity, gap, name, rest)| format!("{quantity}{gap}{name}{rest}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        /// Whatever the short way accepts is what the long way reads.
        #[test]
        fn quantities_and_names_are_read_in_one_way(line in lines()) {
            let line = line.trim();
            if let Some((quantity, name)) = counted_name(line) {
                let short = format!("{:?}", common(line));
                prop_assert_eq!(short, format!("{:?}", common_as(line, split_parts)), "{}", line);
                prop_assert!(quantity.to_string().len() <= PLAIN_DIGITS_MAX && !name.is_empty());
            }
        }

        #[test]
        fn names_that_may_have_no_marks_have_none(name in "[a-zA-Z0-9 !?.'*_`~:>\\[\\]-]{0,8}") {
            if !may_have_marks(&name) {
                prop_assert_eq!(without_marks(&name), &name);
            }
        }
    }

    #[test]
    fn common_lines_are_read_in_the_short_way() {
        for (line, expected) in [
            ("2 Salt", Some((2, "Salt"))),
            ("12x Salt, the Fine-Grained", Some((12, "Salt, the Fine-Grained"))),
            ("2 x Salt", None),
            ("2  Salt", None),
            ("2 Salt (port)", None),
            ("4294967296 Salt", None),
            ("2 Säle", None),
            ("2", None),
            ("2 ", None),
        ] {
            assert_eq!(counted_name(line), expected, "{line}");
        }
    }

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
    fn only_a_few_tags_of_a_card_may_be_its_number() {
        let tags = |text| number_tags(&split_parts(text)).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(tags("Salt #mine #016 #2x"), [1, 2]);
        let many = format!("Salt{}", " #1".repeat(300));
        assert_eq!(tags(&many), [0, 1, 2, 3]);
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

    #[test]
    fn tags_are_taken_off_wherever_they_stand() {
        for (text, tags) in [
            ("Salt ^Have,#37d67a^", vec!["Have,#37d67a"]),
            ("Salt ^Have, #37d67a^", vec!["Have, #37d67a"]),
            ("Salt ^A,#f00^ ^B,#0f0^", vec!["B,#0f0", "A,#f00"]),
            ("Salt ^A,#f00^^B,#0f0^", vec!["B,#0f0", "A,#f00"]),
            ("Salt ^A,#f00^, ^B,#0f0^", vec!["B,#0f0", "A,#f00"]),
            ("Salt ^A,#f00^ [Cargo]", vec!["A,#f00"]),
            ("Salt ^A,#f00^ #mine", vec!["mine", "A,#f00"]),
        ] {
            let parts = split_parts(text);
            let found: Vec<&str> = parts.tags.iter().map(AsRef::as_ref).collect();
            assert_eq!((&*parts.name, found), ("Salt", tags), "{text}");
        }
        assert_eq!(split_parts("Salt^2^").name, "Salt^2^");
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
