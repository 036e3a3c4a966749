//! Lists whose lines are numbered: `1. Name`, `2. Name`, `3. Name`.

use super::draft::{Content, Draft, DraftEntry, DraftLine, PartsOf};
use super::line::{looks_like_header, quantity};
use super::read_deck::Guess;
use super::symbols::is_emoji;

/// A number at the beginning of a line.
struct LineNumber<'a> {
    number: u32,
    /// The text after the point.
    text: &'a str,
    /// Whether white space stands after the point. Without it, the number may belong to the name, and is never a quantity.
    is_apart: bool,
}

/// Largest number before a point that is read as a quantity; larger ones are rather part of the name.
const COUNT_MAX: u32 = 99;

/// Finds the quantities of lines that begin with a number and a point. If all these lines are numbered from 1 on, in order, the numbers are not quantities;
/// after a line without a number, they may go on or begin again. A single number is a quantity, because it is in order by chance. Otherwise the numbers
/// are quantities. `parts`: how the dialect splits the text after the number.
pub(super) fn read_numbers(draft: &mut Draft<'_>, parts: PartsOf) {
    let is_numbered = are_numbered(draft);
    for line in &mut draft.lines {
        if let Content::Entry(entry) = &mut line.content
            && let Some(LineNumber { number, text: rest, is_apart }) = number_of(entry)
            && (is_numbered || (is_apart && entry.quantity.is_none()))
            && let Some((copies, text, assumed)) = meaning((number, rest), is_numbered)
        {
            let whole_line = entry.readings.map_or(text, |(_, line)| line);
            entry.quantity = Some(copies);
            entry.card = parts(text);
            entry.readings = Some((text, whole_line));
            entry.assumed = Some(assumed);
        }
    }
}

/// The quantity and the text of a card, and what was assumed.
fn meaning((number, rest): (u32, &str), is_numbered: bool) -> Option<(u32, &str, Guess)> {
    if !is_numbered {
        let is_count = (1..=COUNT_MAX).contains(&number);
        return is_count.then_some((number, rest, Guess::QuantityBeforePoint));
    }
    // `1. 4x Name` has a number and a quantity.
    let (copies, text) = quantity(rest).ok()?;
    (!text.is_empty()).then_some((copies.unwrap_or(1), text, Guess::LineIsNumbered))
}

/// Whether there are several lines with numbers, and the numbers are those of the lines.
fn are_numbered(draft: &Draft<'_>) -> bool {
    let (mut next, mut lines, mut may_begin_again) = (1, 0, true);
    let mut are_headings = true;
    // Without white space, numbers that are not in order may be quantities or parts of names.
    let (mut tight_in_order, mut tight_out_of_order) = (false, false);
    for (at, line) in draft.lines.iter().enumerate() {
        let Content::Entry(entry) = &line.content else {
            may_begin_again = true;
            continue;
        };
        match number_of(entry) {
            Some(LineNumber { number, is_apart, .. })
                if number == next || (number == 1 && may_begin_again) =>
            {
                next = number.saturating_add(1);
                lines += 1;
                are_headings &= may_be_heading(line, &draft.lines[at + 1..]);
                tight_in_order |= !is_apart;
                may_begin_again = false;
            }
            Some(LineNumber { is_apart: true, .. }) => return false,
            other => {
                tight_out_of_order |= other.is_some();
                // A heading, or an entry that was added later: the numbers may go on below it.
                may_begin_again = true;
            }
        }
    }
    lines > 1 && !are_headings && !(tight_in_order && tight_out_of_order)
}

/// Whether a line with a number may be the heading of the lines below it: it ends as headings do, `1. Ships (4)`, and an entry with a quantity follows, or it has
/// no cards, `2. Cargo (0)`.
fn may_be_heading(line: &DraftLine<'_>, below: &[DraftLine<'_>]) -> bool {
    let mut below = below.iter().map(|line| &line.content);
    let means_nothing = |content: &&Content<'_>| match content {
        Content::Blank | Content::Comment(_) | Content::Ignored(_) => true,
        Content::Entry(entry) => entry.fault.is_some(),
        _ => false,
    };
    let next = below.find(|content| !means_nothing(content));
    let is_counted = matches!(next, Some(Content::Entry(entry)) if entry.quantity.is_some());
    looks_like_header(&line.text, false) && (is_counted || line.text.ends_with("(0)"))
}

/// The number before a point or a closing bracket at the beginning of a line, and the text after it.
fn number_of<'a>(entry: &DraftEntry<'a>) -> Option<LineNumber<'a>> {
    // In a table, the quantity stands in a column of its own.
    let is_of_line = !entry.exact && entry.assumed != Some(Guess::ColumnsGuessed);
    let (text, line) = entry.readings.filter(|_| is_of_line)?;
    // Without a quantity, only a bullet stands before the text.
    let text = if entry.quantity.is_none() { text } else { line };
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let rest = rest.strip_prefix(['.', ')'])?;
    let text = rest.trim_start();
    let is_apart = text.len() < rest.len();
    let first = text.chars().next()?;
    let is_text = is_apart || first.is_alphabetic() || is_emoji(first.encode_utf8(&mut [0; 4]));
    let number = number.parse().ok().filter(|_| is_text)?;
    Some(LineNumber { number, text, is_apart })
}
