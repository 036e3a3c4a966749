//! The ways to read a line: which of its marks and numbers belong to the name.

use std::borrow::Cow;

use crate::deck_text::draft::{DraftEntry, Parts, PartsOf};
use crate::deck_text::line::{
    bare_count_after_name, count_after_name, counted_at_end, counts_before_parts, linked_name,
    place_with_dash, quantity as quantity_of, split_parts, split_parts_without_brackets,
    without_marks, without_symbols,
};
use crate::deck_text::read_deck::Guess;

/// A way to read a line: its parts, its quantity, and the guess that it needs.
pub(in crate::deck_text) type Reading<'e> = (Cow<'e, Parts<'e>>, Option<u32>, Option<Guess>);

/// The ways to read a line, from the most to the least literal.
pub(in crate::deck_text) fn readings<'e>(
    entry: &'e DraftEntry<'_>,
) -> impl Iterator<Item = Reading<'e>> {
    let literal = std::iter::once((Cow::Borrowed(&entry.card), entry.quantity, None));
    // Most lines mean what they literally say, so the others are computed only when they are needed.
    let others = entry.readings.into_iter();
    // A numbered line without a quantity before its name has one copy, unless there is one after it.
    let has_count = match entry.assumed {
        Some(Guess::LineIsNumbered) => entry.quantity != Some(1),
        _ => entry.quantity.is_some(),
    };
    literal.chain(others.flat_map(move |(text, whole_line)| {
        other_readings(text, whole_line, (entry.quantity, has_count))
    }))
}

fn other_readings<'e>(
    text: &'e str,
    whole_line: &'e str,
    (quantity, has_count): (Option<u32>, bool),
) -> Vec<Reading<'e>> {
    let named = |text| Cow::Owned(Parts { name: Cow::Borrowed(text), ..Parts::default() });
    let mut found = Vec::new();
    let marks = Some(Guess::MarksArePartOfName);
    if text.contains(" #") {
        found.push((Cow::Owned(split_parts_keeping_hash(text)), quantity, marks.clone()));
    }
    found.push((named(text), quantity, marks));
    for (before, remark) in [text.rsplit_once(" //"), text.split_once(" //")].into_iter().flatten()
    {
        let (before, remark) = (before.trim_end(), remark.trim().to_owned());
        let guess = Some(Guess::RemarkDropped { remark });
        if !has_count && let Some((name, counted)) = counted_at_end(before) {
            found.push((Cow::Owned(split_parts(name)), Some(counted), guess.clone()));
        }
        found.push((Cow::Owned(split_parts(before)), quantity, guess));
    }
    found.push((Cow::Owned(split_parts_without_brackets(text)), quantity, None));
    if !has_count && let Some((name, counted)) = count_after_name(text) {
        let guess = Some(Guess::QuantityAfterName);
        found.push((Cow::Owned(split_parts(name)), Some(counted), guess));
    }
    if !has_count {
        let counted = counts_before_parts(text).map(|(parts, counted)| {
            (Cow::Owned(parts), Some(counted), Some(Guess::QuantityAfterName))
        });
        found.extend(counted);
    }
    if let Some((parts, counted, remark)) = place_with_dash(text)
        && (counted.is_none() || !has_count)
    {
        let guess = remark.map(|remark| Guess::RemarkDropped { remark: remark.to_owned() });
        found.push((Cow::Owned(parts), counted.or(quantity), guess));
    }
    if !has_count
        && let Some((name, counted)) = count_after_name(text)
        && let Some((parts, None, _)) = place_with_dash(name)
    {
        found.push((Cow::Owned(parts), Some(counted), Some(Guess::QuantityAfterName)));
    }
    if !has_count && let Some((name, counted)) = bare_count_after_name(text) {
        found.push((named(name), Some(counted), Some(Guess::QuantityAfterName)));
    }
    for bare in linked_name(text).into_iter().chain([without_symbols(text)]) {
        if bare.len() < text.len() && !bare.is_empty() {
            found.push((Cow::Owned(split_parts(bare)), quantity, Some(Guess::MarksDropped)));
        }
    }
    if whole_line != text {
        found.push((named(whole_line), None, Some(Guess::QuantityIsPartOfName)));
    }
    // Marks may stand around the whole line (`**2 Name**`) or around the name alone.
    let bare_line = without_marks(whole_line);
    if bare_line.len() < whole_line.len()
        && let Ok((Some(counted), text)) = quantity_of(bare_line)
    {
        found.push((Cow::Owned(bare_parts(text)), Some(counted), Some(Guess::MarksDropped)));
    }
    let bare = without_marks(text);
    if bare.len() < text.len() {
        if !has_count && let Some((name, counted)) = count_after_name(bare) {
            let guess = Some(Guess::QuantityAfterName);
            found.push((Cow::Owned(split_parts(name)), Some(counted), guess));
        }
        found.push((Cow::Owned(bare_parts(text)), quantity, Some(Guess::MarksDropped)));
        found.push((Cow::Owned(split_parts(bare)), quantity, Some(Guess::MarksDropped)));
    }
    found
}

/// The parts of a text, without marks around the name.
fn bare_parts(text: &str) -> Parts<'_> {
    let parts = split_parts(text);
    match parts.name {
        Cow::Borrowed(name) => Parts { name: Cow::Borrowed(without_marks(name)), ..parts },
        Cow::Owned(_) => parts,
    }
}

/// The texts that may be the name of a card with marks in it, the longest first: from the first word of the card to the end of any word after the name that was
/// split off. A set in parentheses, a finish between asterisks and bare words of a set and a number are no such marks: most lines have them, and the card that has all
/// of them is meant.
pub(in crate::deck_text) fn names_with_marks<'a>(
    entry: &DraftEntry<'a>,
) -> impl Iterator<Item = &'a str> + use<'a> {
    /// Each is looked up. What stands after a name has hardly more words.
    const NAMES_MAX: usize = 6;
    let may_have = |text: &str| text.contains(['#', '[', '{', '^']) && !entry.card.is_place_bare;
    let readings = entry.readings.filter(|(text, _)| !entry.exact && may_have(text));
    let text = readings.map_or("", |(text, _)| text);
    let name = &*entry.card.name;
    let start = if text.starts_with(name) { name.len() } else { 0 };
    let ends = text.rmatch_indices(char::is_whitespace).map(|(at, _)| at);
    let ends = std::iter::once(text.len()).chain(ends).take_while(move |end| *end > start);
    let ends = ends.filter(move |end| !text[..*end].ends_with(char::is_whitespace));
    ends.map(move |end| &text[..end]).take(NAMES_MAX)
}

/// The parts of a card whose name is the beginning of the text; `None`: the name does not end there.
pub(super) fn parts_after_name<'a>(
    text: &'a str,
    name: &'a str,
    parts_of: PartsOf,
) -> Option<Parts<'a>> {
    // The last character of the name stands for the name.
    let start = name.len() - name.chars().next_back()?.len_utf8();
    let parts = parts_of(text.get(start..)?);
    (parts.name == name[start..]).then_some(Parts { name: Cow::Borrowed(name), ..parts })
}

/// Like [`split_parts`], for a text whose `#` does not begin a tag.
fn split_parts_keeping_hash(text: &str) -> Parts<'_> {
    let Some((before, _)) = text.split_once(" #") else { return split_parts(text) };
    // Splits the rest of the line, which begins with the `#`, and then adds the text before it to the name.
    let rest = &text[before.len() + 1..];
    let parts = split_parts(rest);
    let end = before.len() + 1 + parts.name.len();
    Parts { name: Cow::Borrowed(text.get(..end).unwrap_or(text)), ..parts }
}
