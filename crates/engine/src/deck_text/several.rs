//! Lines with several cards and their quantities: `2 Salt, 1 Silk`, `Salt x2; Silk x1`.

use super::draft::{Content, DraftEntry, LINE_MAX};
use super::line::{
    bare_count_after_name, common, count_after_name, counted_at_end, leading, place_in_front,
    split_parts, trailing, without_bullet,
};

/// What may stand between the cards of such a line.
pub(super) const SEPARATORS: [char; 2] = [',', ';'];
/// Maximum number of cards of such a line.
pub(super) const LINE_CARDS_MAX: usize = 100;
/// Maximum number of separators of such a line: names may have some, too.
const SEPARATORS_MAX: usize = 2 * LINE_CARDS_MAX;

/// The line of an entry that may be one of several in it. A row of a table is one entry.
pub(super) fn line_of<'a>(entry: &DraftEntry<'a>) -> Option<&'a str> {
    let (_, line) = entry.readings.filter(|_| !entry.exact && entry.assumed.is_none())?;
    Some(line)
}

/// The parts of such a line, each a card with its quantity, at least two. A separator without a quantity beside it belongs to a name. `None`: it is no such
/// line.
pub(super) fn counted_parts(line: &str) -> Option<Vec<&str>> {
    let separators = line.matches(SEPARATORS).take(SEPARATORS_MAX + 1).count();
    if !(1..=SEPARATORS_MAX).contains(&separators) || line.len() > LINE_MAX {
        return None;
    }
    sides(line).find_map(|is_before| parts_counted(line, is_before))
}

/// Where the quantities of a line with several cards may stand: `true` before the names. What a line begins with may be the code of a set, `2X2-7`.
fn sides(line: &str) -> impl Iterator<Item = bool> {
    let is_before = begins_with_count(line);
    let may_be_set = is_before && place_in_front(without_bullet(line)).is_some();
    may_be_set.then_some(false).into_iter().chain([is_before])
}

fn parts_counted(line: &str, is_before: bool) -> Option<Vec<&str>> {
    let is_counted = |part: &str| {
        if is_before { begins_with_count(part) } else { ends_with_count(part) }
    };
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, separator) in line.match_indices(SEPARATORS) {
        let (before, end) = (&line[start..at], at + separator.len());
        if is_counted(if is_before { &line[end..] } else { before }) {
            parts.push(before.trim());
            start = start_after(line, end);
        }
    }
    parts.push(line[start..].trim());
    let are_several = (2..=LINE_CARDS_MAX).contains(&parts.len());
    (are_several && parts.iter().all(|part| is_counted(part))).then_some(parts)
}

/// Where the part after a separator begins. Blanks before it would be read again for each further separator.
fn start_after(line: &str, separator_end: usize) -> usize {
    line.len() - line[separator_end..].trim_start().len()
}

/// Whether a line has more cards with their quantities than are read from one line. Its separators with a quantity beside them are counted, among as many as
/// [`counted_parts`] looks at.
pub(super) fn has_too_many_cards(line: &str) -> bool {
    if line.len() > LINE_MAX {
        return false;
    }
    sides(line).any(|is_before| {
        let mut start = 0;
        let separators = line.match_indices(SEPARATORS).take(SEPARATORS_MAX);
        let parts = separators.filter(|(at, separator)| {
            let (before, end) = (&line[start..*at], at + separator.len());
            let is_part =
                if is_before { begins_with_count(&line[end..]) } else { ends_with_count(before) };
            if is_part {
                start = start_after(line, end);
            }
            is_part
        });
        parts.take(LINE_CARDS_MAX).count() == LINE_CARDS_MAX
    })
}

/// The parts of such a line as entries.
pub(super) fn counted_entries(line: &str) -> Option<Vec<(&str, DraftEntry<'_>)>> {
    let entry = |part| match common(part) {
        Content::Entry(entry) if entry.fault.is_none() => Some((part, *entry)),
        _ => None,
    };
    counted_parts(line)?.into_iter().map(entry).collect()
}

/// A part that is no known card, with the number after its name as its quantity.
pub(super) fn counted(part: DraftEntry<'_>) -> DraftEntry<'_> {
    let count_of = |text| counted_at_end(text).or_else(|| bare_count_after_name(text));
    match part.readings.filter(|_| part.quantity.is_none()).and_then(|(text, _)| count_of(text)) {
        Some((name, count)) => DraftEntry {
            quantity: Some(count),
            card: split_parts(name),
            readings: Some((name, name)),
            ..part
        },
        None => part,
    }
}

/// Number of the entries that a line may have.
pub(super) fn entry_count(entry: &DraftEntry<'_>) -> usize {
    let line = line_of(entry).or_else(|| entry.otherwise.as_deref().and_then(line_of));
    let parts = line.and_then(counted_parts);
    parts.map_or(1, |parts| parts.len())
}

fn begins_with_count(text: &str) -> bool {
    let found = leading(without_bullet(text.trim_start()));
    found.is_some_and(|(_, name)| is_name(name))
}

fn ends_with_count(text: &str) -> bool {
    let text = text.trim();
    let counted = count_after_name(text).or_else(|| bare_count_after_name(text));
    let name = trailing(text).map(|(name, _)| name).or(counted.map(|(name, _)| name));
    name.is_some_and(is_name)
}

fn is_name(text: &str) -> bool {
    text.contains(|letter: char| letter.is_alphanumeric() || !letter.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_line_has_its_quantity() {
        for (line, parts) in [
            ("2 Salt, 1 Silk", vec!["2 Salt", "1 Silk"]),
            ("2x Salt; 1x Silk; 3x Brig", vec!["2x Salt", "1x Silk", "3x Brig"]),
            ("- 2 Salt, 1 Silk", vec!["- 2 Salt", "1 Silk"]),
            ("Salt x2, Silk x1", vec!["Salt x2", "Silk x1"]),
            ("Salt (2), Silk (1)", vec!["Salt (2)", "Silk (1)"]),
            ("Salt: 2, Silk: 1", vec!["Salt: 2", "Silk: 1"]),
            ("Salt 2; Silk 1", vec!["Salt 2", "Silk 1"]),
            ("Silk, 4, Salt, 2", vec!["Silk, 4", "Salt, 2"]),
            ("4,Silk,2,Salt", vec!["4,Silk", "2,Salt"]),
            ("2 Salt, the Fine, 1 Silk", vec!["2 Salt, the Fine", "1 Silk"]),
            ("Salt, the Fine x2, Silk x1", vec!["Salt, the Fine x2", "Silk x1"]),
        ] {
            assert_eq!(counted_parts(line), Some(parts), "{line}");
        }
        for line in [
            "",
            ",",
            ", ; ,",
            "Salt",
            "2 Salt, the Fine",
            "2 Salt, Silk",
            "Salt, Silk x2",
            "Salt (2), Silk",
            "2 Salt, 1",
            "1,000 Salts",
            "2 Salt, 3rd Edition",
            "2 Salt | 1 Silk",
            "I like Salt, and Silk",
        ] {
            assert_eq!(counted_parts(line), None, "{line}");
        }
        for unending in ["a,".repeat(LINE_MAX / 2), format!("{}2 Silk", "2 Salt,".repeat(150))] {
            assert_eq!(counted_parts(&unending), None);
        }
        let many = "1 Salt, ".repeat(LINE_CARDS_MAX + 1);
        let many = many.trim_end_matches(", ");
        assert_eq!(counted_parts(many), None);
        assert!(has_too_many_cards(many) && !has_too_many_cards(&many["1 Salt, ".len()..]));
    }

    #[test]
    fn only_so_many_separators_of_a_line_are_examined() {
        for (part, are_many) in
            [("1 Salt, ", true), ("Salt x1; ", true), ("1,", true), (",", false), ("a,", false)]
        {
            let text = part.repeat(150_000 / part.len());
            for length in [LINE_MAX, LINE_MAX + 1, text.len()] {
                let line = &text[..length.min(text.len())];
                let is_read = line.len() <= LINE_MAX;
                assert_eq!(has_too_many_cards(line), are_many && is_read, "{part} {length}");
                assert_eq!(counted_parts(line), None, "{part} {length}");
            }
        }
        let late = format!("1 a{}{}", ",".repeat(SEPARATORS_MAX), "1 b,".repeat(LINE_CARDS_MAX));
        assert!(late.len() <= LINE_MAX && !has_too_many_cards(&late));
    }
}
