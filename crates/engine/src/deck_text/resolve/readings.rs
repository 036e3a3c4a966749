//! The ways to read a line: which of its marks and numbers belong to the name.

use std::borrow::Cow;

use crate::deck_text::draft::{DraftEntry, Parts, PartsOf};
use crate::deck_text::line::{
    REMARK, bare_count_after_name, count_in_brackets, counted_at_end, has_dash, in_parentheses,
    joined_count, link_in_front, linked_name, parts_with_count, place_in_front, place_of_two_words,
    place_with_dash, quantity as quantity_of, remarks, split_parts, split_parts_without_brackets,
    with_place_in_name, without_bullet, without_marks, without_symbols,
};
use crate::deck_text::read_deck::Guess;

/// A way to read a line: its parts, its quantity, and the guesses that it needs.
pub(in crate::deck_text) type Reading<'e> = (Cow<'e, Parts<'e>>, Option<u32>, Vec<Guess>);

/// The marks of tags, categories and rarities, which names may have, too.
const MARKS: [char; 4] = ['#', '[', '{', '^'];

/// The ways to read a line, from the most to the least literal.
pub(in crate::deck_text) fn readings<'e>(
    entry: &'e DraftEntry<'_>,
) -> impl Iterator<Item = Reading<'e>> {
    let literal = std::iter::once((Cow::Borrowed(&entry.card), entry.quantity, Vec::new()));
    // Most lines mean what they literally say, so the others are computed only when they are needed.
    let others = entry.readings.into_iter();
    let count = (entry.quantity, has_count(entry));
    let others = others.flat_map(move |(text, whole_line)| other_readings(text, whole_line, count));
    literal.chain(others).chain(std::iter::once_with(|| place_as_name(entry)).flatten())
}

/// A line with the quantity directly before the name, `4xName`, as if there were a blank between them. A card that is called so as a whole goes before it.
pub(in crate::deck_text) fn with_joined_count<'e>(
    entry: &DraftEntry<'e>,
) -> Option<DraftEntry<'e>> {
    let (text, _) = entry.readings.filter(|_| !entry.exact && !has_count(entry))?;
    let (count, name) = joined_count(text)?;
    Some(DraftEntry {
        quantity: Some(count),
        card: split_parts(name),
        readings: Some((name, name)),
        zone: entry.zone.clone(),
        zone_is_code: entry.zone_is_code,
        assumed: entry.assumed.clone().filter(|guess| *guess != Guess::QuantityBeforePoint),
        marks_dropped: true,
        remark: entry.remark.clone(),
        ..DraftEntry::default()
    })
}

/// Whether a line has a quantity before its name. A numbered line without one has one copy, unless there is one after it; so has a single line with the number 1.
pub(super) fn has_count(entry: &DraftEntry<'_>) -> bool {
    match entry.assumed {
        Some(Guess::LineIsNumbered | Guess::QuantityBeforePoint) => entry.quantity != Some(1),
        _ => entry.quantity.is_some(),
    }
}

fn other_readings<'e>(
    text: &'e str,
    whole_line: &'e str,
    (quantity, has_count): (Option<u32>, bool),
) -> Vec<Reading<'e>> {
    let named = |text| Cow::Owned(Parts { name: Cow::Borrowed(text), ..Parts::default() });
    let mut found = Vec::new();
    let marks = vec![Guess::MarksArePartOfName];
    if text.contains(" #") {
        found.push((Cow::Owned(split_parts_keeping_hash(text)), quantity, marks.clone()));
    }
    found.push((named(text), quantity, marks));
    // `Fire // Ice (2)`: a name with the mark of a remark goes before the shorter name.
    if !has_count && text.contains(REMARK) {
        let counted = counted(text, &[Guess::QuantityAfterName]);
        found.extend(counted.filter(|(parts, ..)| parts.name.contains(REMARK)));
        let bare = bare_counted(text, &[Guess::QuantityAfterName]);
        found.extend(bare.filter(|(parts, ..)| parts.name.contains(REMARK)));
        found.extend(counted_in_remark(text));
    }
    for (before, remark) in remarks(text) {
        let guess = vec![Guess::RemarkDropped { remark: remark.to_owned() }];
        if !has_count {
            found.extend(counted(before, &guess));
        }
        found.push((Cow::Owned(split_parts(before)), quantity, guess));
    }
    found.push((Cow::Owned(split_parts_without_brackets(text)), quantity, Vec::new()));
    if !has_count {
        found.extend(counted(text, &[Guess::QuantityAfterName]));
    }
    let is_part = vec![Guess::QuantityIsPartOfName];
    if whole_line != text {
        found.push((named(whole_line), None, is_part.clone()));
        found.extend(without_number(text, whole_line, quantity));
    }
    found.extend(places(text, (quantity, has_count)));
    // `2X2-7`: the code of a set may begin like a quantity.
    let bare_line = without_bullet(whole_line);
    if whole_line != text && place_in_front(bare_line).is_some() {
        let places = places(bare_line, (None, false));
        found.extend(places.map(|(parts, quantity, mut guesses)| {
            guesses.extend(is_part.clone());
            (parts, quantity, guesses)
        }));
    }
    if !has_count {
        found.extend(bare_counted(text, &[Guess::QuantityAfterName]));
    }
    found.extend(place_of_two_words(text).map(|parts| (Cow::Owned(parts), quantity, Vec::new())));
    for bare in linked_name(text).into_iter().chain([without_symbols(text)]) {
        if bare.len() < text.len() && !bare.is_empty() {
            found.push((Cow::Owned(split_parts(bare)), quantity, vec![Guess::MarksDropped]));
        }
    }
    // What stands after a link belongs to the card.
    if let Some((name, rest)) = link_in_front(text).filter(|(_, rest)| rest.len() > 1) {
        found.extend(readings_of_rest(name, rest, (quantity, has_count), &Guess::MarksDropped));
    }
    found.extend(without_marks_around(text, whole_line, (quantity, has_count)));
    found
}

/// The readings of a text with a quantity after the name, which may have marks in it.
fn counted<'e>(text: &'e str, guesses: &[Guess]) -> impl Iterator<Item = Reading<'e>> {
    // A text in parentheses may be a set or, as in `Fox (Red) (2)`, a part of the name.
    let may_be_name = |name: &str| name.contains(" (") || without_marks(name).contains(MARKS);
    let with_marks = counted_at_end(text).filter(|(name, _)| may_be_name(name));
    let with_marks = with_marks.map(|(name, counted)| {
        let guesses = guesses.iter().cloned().chain([Guess::MarksArePartOfName]).collect();
        let parts = Parts { name: Cow::Borrowed(name), ..Parts::default() };
        (Cow::Owned(parts), Some(counted), guesses)
    });
    let others = parts_with_count(text)
        .map(|(parts, counted)| (Cow::Owned(parts), Some(counted), guesses.to_vec()));
    with_marks.into_iter().chain(others)
}

/// The reading of `Name 2`.
fn bare_counted<'e>(text: &'e str, guesses: &[Guess]) -> Option<Reading<'e>> {
    let (name, counted) = bare_count_after_name(text)?;
    let parts = Parts { name: Cow::Borrowed(name), ..Parts::default() };
    Some((Cow::Owned(parts), Some(counted), guesses.to_vec()))
}

/// The readings of `Name // (2)`, where only a quantity stands after the mark of a remark.
fn counted_in_remark(text: &str) -> impl Iterator<Item = Reading<'_>> {
    remarks(text).filter_map(|(before, remark)| {
        let counted = count_in_brackets(remark)?;
        let guesses = vec![Guess::QuantityAfterName, Guess::MarksDropped];
        Some((Cow::Owned(split_parts(before)), Some(counted), guesses))
    })
}

/// The reading of `1. Name x2`, where no other line shows that the lines are numbered: the number is no quantity, because one stands after the name.
fn without_number<'e>(
    text: &'e str,
    whole_line: &str,
    quantity: Option<u32>,
) -> Option<Reading<'e>> {
    let is_after_name = without_bullet(whole_line).starts_with(text)
        && quantity_of(whole_line) == Ok((quantity, text));
    let counted = quantity.filter(|_| is_after_name)?;
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let name = rest.strip_prefix(['.', ')']).filter(|_| rest.len() < text.len())?;
    let is_apart = name.starts_with(char::is_whitespace);
    let guesses = vec![Guess::LineIsNumbered, Guess::QuantityAfterName];
    is_apart.then(|| (Cow::Owned(split_parts(name.trim_start())), Some(counted), guesses))
}

/// The readings of a text that begins with a set and a number with a dash between them, with or without a remark after it.
fn places(
    text: &str,
    (quantity, has_count): (Option<u32>, bool),
) -> impl Iterator<Item = Reading<'_>> {
    let with_remark = remarks(text).map(|(before, remark)| (before, Some(remark)));
    // Most lines have no such place.
    let texts = with_remark.chain([(text, None)]).filter(|_| has_dash(text));
    texts.flat_map(move |(text, remark)| {
        let remark = remark.map(|remark| Guess::RemarkDropped { remark: remark.to_owned() });
        let after_name = remark.clone().unwrap_or(Guess::QuantityAfterName);
        let mut found = Vec::new();
        if !has_count {
            // `OP01-016 [2]`: the quantity must not be taken for a label.
            let at_end = counted_at_end(text);
            found.extend(at_end.and_then(|counted| counted_place(counted, &after_name)));
            found.extend(parts_with_count(text).filter_map(|(parts, counted)| {
                let Cow::Borrowed(name) = parts.name else { return None };
                let parts = with_place_in_name(name, parts)?;
                Some((Cow::Owned(parts), Some(counted), vec![after_name.clone()]))
            }));
        }
        let literal = place_with_dash(text);
        let guesses = remark.into_iter().collect();
        found.extend(literal.map(|parts| (Cow::Owned(parts), quantity, guesses)));
        if !has_count {
            let bare = bare_count_after_name(text);
            found.extend(bare.and_then(|counted| counted_place(counted, &after_name)));
        }
        found
    })
}

/// The reading of a set and a number with a dash between them, perhaps with marks around them, and a quantity after them.
fn counted_place<'e>((name, counted): (&'e str, u32), after_name: &Guess) -> Option<Reading<'e>> {
    let bare = without_marks(name);
    let bare = in_parentheses(bare).unwrap_or(bare);
    let marks = (bare.len() < name.len()).then_some(Guess::MarksDropped);
    let guesses = std::iter::once(after_name.clone()).chain(marks).collect();
    Some((Cow::Owned(place_with_dash(bare)?), Some(counted), guesses))
}

/// The readings of a line without marks, which may stand around the whole line (`**2 Name**`) or around the name alone.
fn without_marks_around<'e>(
    text: &'e str,
    whole_line: &'e str,
    (quantity, has_count): (Option<u32>, bool),
) -> Vec<Reading<'e>> {
    let mut found = Vec::new();
    let dropped = vec![Guess::MarksDropped];
    let bare_line = without_marks(whole_line);
    if bare_line.len() < whole_line.len()
        && let Ok((Some(counted), text)) = quantity_of(bare_line)
    {
        found.push((Cow::Owned(bare_parts(text)), Some(counted), dropped.clone()));
        let place = place_with_dash(text);
        found.extend(place.map(|parts| (Cow::Owned(parts), Some(counted), dropped.clone())));
    }
    let bare = without_marks(text);
    if bare.len() < text.len() {
        if !has_count {
            found.extend(counted(bare, &[Guess::QuantityAfterName]));
        }
        found.push((Cow::Owned(bare_parts(text)), quantity, dropped.clone()));
        found.push((Cow::Owned(split_parts(bare)), quantity, dropped.clone()));
    }
    let inner = if bare.len() < text.len() { Some(bare) } else { in_parentheses(text) };
    let place = inner.and_then(place_with_dash);
    found.extend(place.map(|parts| (Cow::Owned(parts), quantity, dropped)));
    found
}

/// The set and the number with a dash between them that stand where a table or an object of JSON has the name.
fn place_as_name<'e>(entry: &'e DraftEntry<'_>) -> Option<Reading<'e>> {
    let Parts { name, set, number, rarity, .. } = &entry.card;
    if entry.readings.is_some() || entry.exact || number.is_some() {
        return None;
    }
    let parts = place_with_dash(name)?;
    // The set of another column must not differ.
    let is_same = |own: &str| parts.set.as_deref().is_some_and(|set| set.eq_ignore_ascii_case(own));
    if set.as_deref().is_some_and(|own| !is_same(own)) {
        return None;
    }
    let rarity = parts.rarity.or_else(|| rarity.as_deref().map(Cow::Borrowed));
    Some((Cow::Owned(Parts { rarity, ..parts }), entry.quantity, Vec::new()))
}

/// The readings of a text that begins with the name of a card, which may have marks in it. None, if the name does not end where `name` does.
pub(super) fn readings_after_name<'a>(
    text: &'a str,
    name: &'a str,
    entry: &DraftEntry<'_>,
) -> Vec<Reading<'a>> {
    let Some(last) = name.chars().next_back() else { return Vec::new() };
    // The last character of the name stands for the name.
    let Some(rest) = text.get(name.len() - last.len_utf8()..) else { return Vec::new() };
    readings_of_rest(name, rest, (entry.quantity, has_count(entry)), &Guess::MarksArePartOfName)
}

/// The readings of what stands after a name. The first character of `rest` stands for the name, to which all of them add `guess`.
fn readings_of_rest<'a>(
    name: &'a str,
    rest: &'a str,
    (quantity, has_count): (Option<u32>, bool),
    guess: &Guess,
) -> Vec<Reading<'a>> {
    let Some(first) = rest.chars().next() else { return Vec::new() };
    let mut found = vec![(Cow::Owned(split_parts(rest)), quantity, vec![guess.clone()])];
    if !has_count {
        let guesses = [guess.clone(), Guess::QuantityAfterName];
        found.extend(counted(rest, &guesses));
        found.extend(bare_counted(rest, &guesses));
    }
    for (before, remark) in remarks(rest) {
        let remark = Guess::RemarkDropped { remark: remark.to_owned() };
        let guesses = [guess.clone(), remark];
        if !has_count {
            found.extend(counted(before, &guesses));
            found.extend(bare_counted(before, &guesses));
        }
        found.push((Cow::Owned(split_parts(before)), quantity, guesses.to_vec()));
    }
    let stands_for_name = &rest[..first.len_utf8()];
    found.retain(|(parts, ..)| parts.name == stands_for_name);
    for (parts, ..) in &mut found {
        parts.to_mut().name = Cow::Borrowed(name);
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
    /// Each is looked up. What stands between a name and a remark, or the end of the line, has hardly more words.
    const NAMES_MAX: usize = 6;
    let may_have = |text: &str| text.contains(MARKS) && !entry.card.is_place_bare;
    let readings = entry.readings.filter(|(text, _)| !entry.exact && may_have(text));
    let text = readings.map_or("", |(text, _)| text);
    let name = &*entry.card.name;
    let start = if text.starts_with(name) { name.len() } else { 0 };
    let texts = std::iter::once(text).chain(remarks(text).map(|(before, _)| before));
    texts.flat_map(move |text| {
        let ends = text.rmatch_indices(char::is_whitespace).map(|(at, _)| at);
        let ends = std::iter::once(text.len()).chain(ends).take_while(move |end| *end > start);
        let ends = ends.filter(move |end| !text[..*end].ends_with(char::is_whitespace));
        let names = ends.map(move |end| &text[..end]).take(NAMES_MAX);
        // `Name: 2`.
        names.flat_map(|name| {
            let bare = name.strip_suffix([':', ',', ';']);
            std::iter::once(name).chain(bare)
        })
    })
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
