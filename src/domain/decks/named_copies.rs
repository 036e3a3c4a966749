//! Keeps the named copies of a deck when it is edited as a list, because a list cannot contain them.

use std::collections::BTreeMap;

use cardscape_engine::{CardReference, DeckEntry, name_key, word_key};

use super::deck::MAX_COPIES;

/// A card with the parts of its printing that an entry contains.
type Printing = (String, [Option<String>; 3]);

fn printing(card: &CardReference) -> Printing {
    let lower = |part: &Option<String>| part.as_deref().map(str::to_lowercase);
    let rarity = card.rarity.as_deref().map(word_key);
    // Set and number are enough: an entry may have no name.
    let has_place = card.set.is_some() && card.number.is_some();
    let name = if has_place { String::new() } else { name_key(&card.name) };
    (name, [lower(&card.set), lower(&card.number), rarity])
}

/// Copies the named copies of `before`, the previous entries of the deck, to `entries`. This is done for each card and printing that still has at least as many
/// copies as were named; with fewer, it is unknown which copies were removed, and none is named. Copies stay in their zone if it has room for them. If any of
/// `entries` names copies itself, nothing is changed.
///
/// ```
/// use cardscape::domain::decks::named_copies::take_over_copies;
/// use cardscape_engine::parse_deck_text;
/// let mut before = parse_deck_text("2 Kettle Imp").deck.entries;
/// before[0].copies = vec!["mine".to_owned()];
/// let mut entries = parse_deck_text("1 Bellows Smith\n1 kettle imp").deck.entries;
/// take_over_copies(&before, &mut entries);
/// assert_eq!(entries[1].copies, ["mine"]);
/// ```
pub fn take_over_copies(before: &[DeckEntry], entries: &mut [DeckEntry]) {
    if entries.iter().any(|entry| !entry.copies.is_empty()) {
        return;
    }
    // For each printing, its named copies with their zones.
    let mut named: BTreeMap<Printing, Vec<(&str, &str)>> = BTreeMap::new();
    for entry in before.iter().filter(|entry| !entry.copies.is_empty()) {
        let copies = entry.copies.iter().map(|copy| (entry.zone.as_str(), copy.as_str()));
        named.entry(printing(&entry.card)).or_default().extend(copies);
    }
    let mut counts: BTreeMap<Printing, usize> = BTreeMap::new();
    for entry in &*entries {
        *counts.entry(printing(&entry.card)).or_default() += entry.quantity as usize;
    }
    named.retain(|card, copies| counts.get(card).is_some_and(|count| *count >= copies.len()));
    for stays_in_zone in [true, false] {
        for entry in &mut *entries {
            let Some(left) = named.get_mut(&printing(&entry.card)) else { continue };
            let most = MAX_COPIES.min(entry.quantity as usize);
            left.retain(|(zone, copy)| {
                let has_room = entry.copies.len() < most;
                let is_taken = has_room && (!stays_in_zone || *zone == entry.zone);
                if is_taken {
                    entry.copies.push((*copy).to_owned());
                }
                !is_taken
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;

    use super::*;

    /// Entries of a list, with the copies of each after a bar.
    fn entries(list: &str) -> Vec<DeckEntry> {
        let parts = list.lines().map(|line| line.split_once(" | ").unwrap_or((line, "")));
        let (lines, copies): (Vec<&str>, Vec<&str>) = parts.unzip();
        let mut entries = parse_deck_text(&lines.join("\n")).deck.entries;
        let copies =
            copies.into_iter().zip(lines).filter(|(_, line)| line.starts_with(char::is_numeric));
        for (entry, (copies, _)) in entries.iter_mut().zip(copies) {
            entry.copies = copies.split_whitespace().map(str::to_owned).collect();
        }
        entries
    }

    fn taken_over(before: &str, after: &str) -> Vec<Vec<String>> {
        let mut after = entries(after);
        take_over_copies(&entries(before), &mut after);
        after.into_iter().map(|entry| entry.copies).collect()
    }

    #[test]
    fn remaining_cards_keep_their_copies() {
        let before = "2 Ping | a b\n3 Pong (x) 1 {rare} | c";
        assert_eq!(taken_over(before, "3 Pong (X) 1 {rare}\n4 ping"), [vec!["c"], vec!["a", "b"]]);
        // The copies are split, and one is in another zone.
        let parts = taken_over(before, "1 Ping\n1 New\n[side]\n1 Ping");
        assert_eq!(parts, [vec!["a"], vec![], vec!["b"]]);
        let zones = "1 Ping | a\n[side]\n1 Ping | b";
        assert_eq!(taken_over(zones, "[side]\n1 Ping\n[main]\n1 Ping"), [["b"], ["a"]]);
    }

    #[test]
    fn no_copies_are_named_if_some_cards_were_removed() {
        let before = "2 Ping | a b\n1 Pong (x) 1 {rare} | c";
        let none: [Vec<String>; 2] = [vec![], vec![]];
        assert_eq!(taken_over(before, "1 Ping\n1 Pong (x) 1"), none);
        // A list with named copies is not changed.
        assert_eq!(taken_over(before, "2 Ping\n1 Pong | z"), [vec![], vec!["z"]]);
    }
}
