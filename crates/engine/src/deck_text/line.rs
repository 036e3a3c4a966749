//! The line reader that the dialects share: quantities in all positions that people use, and the other parts around a name. No card is looked up here.
//!
//! | File | What it reads |
//! |---|---|
//! | `quantities`, `quantities_after` | a quantity before or after the name |
//! | `parts`, `places` | what stands around the name: set, number, finish, category, tags |
//! | `marks`, `remarks` | marks around a line or a name, remarks after it |
//! | `headings` | lines that are headings by their form |

mod headings;
mod marks;
mod parts;
mod places;
mod quantities;
mod quantities_after;
mod remarks;

use std::borrow::Cow;

use super::draft::{Content, DraftEntry, Parts};
use super::own::{DeckTextFault, comment, prefix};
use super::read_deck::IgnoredReason;
use super::zones::Role;
use headings::{bracketed, header};
use marks::{without_chat_marks, without_check_box};

pub(super) use headings::{in_parentheses, looks_like_header, without_cards, without_count};
pub(super) use marks::{
    has_marks, link_in_front, linked_name, may_have_marks, without_bullet, without_marks,
    without_symbols,
};
pub(super) use parts::{COMMANDER, is_commander_mark, last_tag, number_tags, split_parts};
pub(super) use places::{
    has_dash, is_set_code, joined_place, place_in_front, place_of_two_words, place_with_dash,
    split_parts_without_brackets, with_place_in_name, without_set_size,
};
pub(super) use quantities::{has_fraction, joined_count, leading, quantity};
pub(super) use quantities_after::{
    bare_count_after_name, count_after_name, count_in_brackets, count_with_sign, counted_at_end,
    is_copies, parts_with_count, trailing,
};
pub(super) use remarks::{REMARK, remarks};

/// Most digits of a quantity that surely fits 32 bits.
const PLAIN_DIGITS_MAX: usize = 9;

/// The bytes that have a meaning in the text of a card.
const MARKS: [u8; 15] = *b"#()*:<>[]^`{}~\\";

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
        && leading(inner).or_else(|| trailing(inner)).is_some_and(|(_, name)| !name.is_empty())
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
    let (quantity, text, fault) = match quantity(entry) {
        Ok((_, "")) => (None, entry, Some(DeckTextFault::NameMissing)),
        Ok((quantity, text)) => (quantity, text, None),
        Err(fault @ DeckTextFault::QuantityInvalid) => (None, entry, Some(fault)),
        Err(fault) => return fault.into(),
    };
    let without_box = without_check_box(entry).filter(|_| fault.is_none());
    Content::Entry(Box::new(DraftEntry {
        quantity,
        card: parts(text),
        readings: Some((text, without_box.unwrap_or(entry))),
        zone,
        marks_dropped: without_box.is_some(),
        fault,
        ..DraftEntry::default()
    }))
}

/// The word for a zone before a quantity and a name: `COMMANDER: 1 Name`, `[Commander] 1 Name`. Except for the main deck, whose word rather states the name of a deck,
/// it may stand before a name alone: `Commander: Name`.
pub(super) fn zone_in_front(line: &str) -> Option<(&str, &str)> {
    let (word, rest) = match line.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => line.split_once(':')?,
    };
    let (word, rest) = (word.trim(), rest.trim_start());
    let role = Role::of_word(word)?;
    let is_entry = match leading(rest) {
        Some((_, name)) => !name.is_empty(),
        None => role != Role::Main && !rest.is_empty(),
    };
    is_entry.then_some((word, rest))
}

/// Reads a line of metadata in a file of XMage.
fn xmage(line: &str) -> Option<Content<'_>> {
    if let Some(name) = line.strip_prefix("NAME:") {
        return Some(Content::Note("name", Cow::Borrowed(name.trim())));
    }
    let is_layout = line.starts_with("LAYOUT ") || line.starts_with("AUTHOR:");
    is_layout.then_some(Content::Ignored(IgnoredReason::Decoration))
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
}
