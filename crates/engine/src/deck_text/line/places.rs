//! Set and number: with a dash, in one bracket, as two words.

use std::borrow::Cow;

use super::parts::split_parts;
use crate::deck_text::draft::Parts;

/// The dashes between a set and a number: phones and word processors put other ones in place of the hyphen.
const DASHES: [char; 6] = ['-', '‐', '‑', '–', '—', '−'];

/// A card in the form of a set and a number with a dash between them, as lists of some games have only these, perhaps with a name and other parts after it:
/// `OP01-016`, `OP01-016 Name (foil)`.
pub(in crate::deck_text) fn place_with_dash(text: &str) -> Option<Parts<'_>> {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (set, number) = dashed_place(&text[..end])?;
    // The last character of the number, which is one of ASCII, stands for the place.
    let parts = split_parts(&text[end - 1..]);
    // Parentheses have a quantity then, or belong to a name.
    if parts.set.is_some() && parts.category.is_none() {
        return None;
    }
    let name = match &parts.name {
        Cow::Borrowed(name) => Cow::Borrowed(name.get(1..)?.trim_start()),
        Cow::Owned(name) => Cow::Owned(name.get(1..)?.trim_start().to_owned()),
    };
    let (set, number) = (Some(Cow::Borrowed(set)), Some(Cow::Borrowed(number)));
    let parts = with_category_as_tag(parts);
    Some(Parts { name, set, number, is_place_in_front: true, ..parts })
}

/// The parts of a card whose name, of which other parts were split off, is or begins with a set and a number with a dash between them.
pub(in crate::deck_text) fn with_place_in_name<'a>(
    name: &'a str,
    others: Parts<'a>,
) -> Option<Parts<'a>> {
    if others.set.is_some() && others.category.is_none() {
        return None;
    }
    let Parts { name, set, number, rarity, tags, .. } = place_with_dash(name)?;
    let others = with_category_as_tag(others);
    let tags = others.tags.into_iter().chain(tags).collect();
    let rarity = rarity.or(others.rarity);
    Some(Parts { name, set, number, rarity, tags, is_place_in_front: true, ..others })
}

/// A text in square brackets is no set if the set stands elsewhere.
fn with_category_as_tag(mut parts: Parts<'_>) -> Parts<'_> {
    let set = parts.set.take();
    parts.tags.extend(set.filter(|set| parts.category == Some(set)));
    parts
}

/// Whether a text may have a set and a number with a dash between them.
pub(in crate::deck_text) fn has_dash(text: &str) -> bool {
    text.contains(DASHES)
}

/// Set and number with a dash between them: `OP01-016`, also with the size of the set, `OP01-016/120`.
fn dashed_place(word: &str) -> Option<(&str, &str)> {
    let (set, number) = word.rsplit_once(DASHES)?;
    (!set.is_empty() && may_be_number(number)).then_some((set, number))
}

/// Whether a text may be a number that stands beside its set: letters and digits, at least one digit.
fn may_be_number(text: &str) -> bool {
    let bare = without_set_size(text);
    bare.len() <= 8
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && bare.bytes().any(|byte| byte.is_ascii_digit())
}

/// The set and the number with a dash between them that a text begins with. A comma or a semicolon after them separates two cards, a colon a quantity.
pub(in crate::deck_text) fn place_in_front(text: &str) -> Option<(&str, &str)> {
    let is_end = |letter: char| letter.is_whitespace() || [',', ';', ':'].contains(&letter);
    dashed_place(text.split(is_end).next()?)
}

/// A card in the form of a set and a number as two words: `OP01 016`.
pub(in crate::deck_text) fn place_of_two_words(text: &str) -> Option<Parts<'_>> {
    let (set, number) = text.split_once(char::is_whitespace)?;
    let number = number.trim_start();
    (is_set_code(set) && may_be_number(number)).then(|| Parts {
        set: Some(Cow::Borrowed(set)),
        number: Some(Cow::Borrowed(number)),
        is_place_bare: true,
        is_place_in_front: true,
        ..Parts::default()
    })
}

/// Set and number of `(set) number`, without a name.
pub(super) fn place_alone(text: &str) -> Option<(&str, &str)> {
    let (set, number) = text.strip_prefix('(')?.split_once(')')?;
    let (set, number) = (set.trim(), number.trim());
    let is_number = number.contains(|character: char| character.is_ascii_digit());
    let is_word = !number.contains(char::is_whitespace);
    (is_number && is_word && !set.is_empty()).then_some((set, number))
}

/// Set and number in one bracket: `HEARTH:55` or `hearth 55`.
pub(in crate::deck_text) fn joined_place(written: &str) -> Option<(&str, &str)> {
    let (set, number) = written.rsplit_once([':', ' '])?;
    let (set, number) = (set.trim(), number.trim().trim_start_matches('#'));
    (!set.is_empty() && is_number(number)).then_some((set, number))
}

/// Whether a text may be the number of a card in its set.
pub(super) fn is_number(text: &str) -> bool {
    text.len() <= 8
        && text.starts_with(|first: char| first.is_ascii_digit())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Whether a text ends with a number beside its set that has a star, as some printings have it: `(set) 146★`. The star does not belong to anything else then.
pub(super) fn ends_with_starred_number(text: &str) -> bool {
    let number = text.strip_suffix('★').and_then(|bare| bare.rsplit_once(char::is_whitespace));
    number.is_some_and(|(front, number)| {
        front.trim_end().ends_with([')', ']'])
            && number.ends_with(|last: char| last.is_ascii_digit())
    })
}

/// A number without the size of its set, with which cards are often printed: `16` of `16/60`.
pub(in crate::deck_text) fn without_set_size(number: &str) -> &str {
    match number.split_once('/') {
        Some((number, size)) if !number.is_empty() && is_number(size) => number,
        _ => number,
    }
}

/// Whether a word may be the code of a set without brackets.
pub(in crate::deck_text) fn is_set_code(word: &str) -> bool {
    word.len() <= 8
        && word.bytes().any(|byte| byte.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Like [`split_parts`], for games that write `Name SET 12`, without brackets.
pub(in crate::deck_text) fn split_parts_without_brackets(text: &str) -> Parts<'_> {
    let mut words = text.rsplitn(3, char::is_whitespace);
    if let (Some(number), Some(set), Some(name)) = (words.next(), words.next(), words.next()) {
        // `Name (sv12)`: a set, or another part in brackets.
        let is_number = number.contains(|character: char| character.is_ascii_digit())
            && !number.ends_with([')', ']', '}', '>']);
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
