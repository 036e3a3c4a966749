//! The parts of a card: name, set, number, finish, category and tags.

use std::borrow::Cow;

use super::places::{
    ends_with_starred_number, is_number, is_set_code, place_alone, without_set_size,
};
use crate::deck_text::draft::Parts;

/// Splits the text of a card into its parts, from the end: `Name (set) number *finish* [category] #tag ^tag^`.
pub(in crate::deck_text) fn split_parts(text: &str) -> Parts<'_> {
    set_in_front(text).unwrap_or_else(|| split_from_end(text))
}

fn split_from_end(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut name = text;
    // Dots after a name are its influence cost.
    if !ends_with_starred_number(name) {
        name = name.trim_end_matches(|c: char| c.is_whitespace() || "●•○☆★◆◇".contains(c));
    }
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
            // Other programs write several such marks: the last one is the finish, unless it marks a commander.
            '*' if is_commander_mark(value) => parts.tags.push(Cow::Borrowed(COMMANDER)),
            '*' if parts.rarity.is_some() => parts.tags.push(Cow::Borrowed(value)),
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

/// The tags that may be the number of a card, with their positions among its tags.
pub(in crate::deck_text) fn number_tags<'p>(
    parts: &'p Parts<'_>,
) -> impl Iterator<Item = (usize, &'p str)> {
    /// Each is looked up. A line with more such tags is no line of a list.
    const NUMBER_TAGS_MAX: usize = 4;
    let tags = parts.tags.iter().map(|tag| without_set_size(tag)).enumerate();
    tags.filter(|(_, tag)| is_number(tag)).take(NUMBER_TAGS_MAX)
}

/// Whether a text in parentheses is a finish. A letter alone is one only after another mark, because it may also be a set.
pub(super) fn is_finish(value: &str, before: &str) -> bool {
    let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
    is(&["foil", "etched", "foil etched"]) || (before.ends_with([']', '>']) && is(&["F", "E"]))
}

/// The mark of a commander among the tags, as Deckstats writes it.
pub(in crate::deck_text) const COMMANDER: &str = "!commander";

/// Whether a text between asterisks marks a commander, where other cards have their finish.
pub(in crate::deck_text) fn is_commander_mark(value: &str) -> bool {
    value.eq_ignore_ascii_case("cmdr")
}

/// Splits a tag between `^` off the end. It may stand directly after another tag, or after a comma.
pub(in crate::deck_text) fn last_tag(text: &str) -> Option<(&str, &str)> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_tags_of_a_card_may_be_its_number() {
        let tags = |text| number_tags(&split_parts(text)).map(|(at, _)| at).collect::<Vec<_>>();
        assert_eq!(tags("Salt #mine #016 #2x"), [1, 2]);
        let many = format!("Salt{}", " #1".repeat(300));
        assert_eq!(tags(&many), [0, 1, 2, 3]);
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
}
