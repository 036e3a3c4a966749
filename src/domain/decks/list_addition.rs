//! Adds a card to the text of a list, and keeps the rest of the text as the owner wrote it.

use cardscape_engine::{Deck, DeckDialect, DeckEntry, name_key, render_deck_text};

/// The parts of a list that decide where a card is added.
#[derive(Clone, Copy, Debug)]
pub struct ReadLines<'a> {
    /// The dialect of the list.
    pub dialect: DeckDialect,
    /// The entries, each with its line, from 1.
    pub entries: &'a [(usize, &'a DeckEntry)],
    /// The lines that begin a zone, each with the code of the zone; `None`: a part that does not belong to the deck.
    pub headers: &'a [(usize, Option<String>)],
}

/// A list with one more copy of a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The text of the list.
    pub text: String,
    /// Copies on the line to which the card was added.
    pub quantity: u32,
}

/// Whether lists in this dialect accept a line `1 Name`.
pub fn takes_lines(dialect: DeckDialect) -> bool {
    use DeckDialect as D;
    !matches!(dialect, D::Json | D::ShareCode | D::Csv | D::Ydk | D::Ydke)
}

/// Adds one copy of a card to a zone of a list: to the line in the zone that names the card only by its name, or else as a new line at the end of the zone.
/// In a zone without lines, the new line is added before the first header, or at the end of the list.
///
/// ```
/// use cardscape::domain::decks::list_addition::{ReadLines, add_card};
/// use cardscape_engine::{CardReference, DeckDialect, DeckEntry};
/// # let entry = |zone: &str, quantity, name: &str| DeckEntry {
/// #     zone: zone.into(), quantity, card: CardReference { name: name.into(), set: None, number: None, rarity: None }, copies: vec![] };
/// let (imp, smith) = (entry("main", 2, "Kettle Imp"), entry("side", 1, "Bellows Smith"));
/// let dialect = DeckDialect::Plain;
/// let read = ReadLines { dialect, entries: &[(1, &imp), (4, &smith)], headers: &[(3, Some("side".into()))] };
/// let list = "2 Kettle Imp\n\nSideboard\n1 Bellows Smith\n";
/// let added = add_card(list, read, "main", "kettle imp");
/// assert_eq!((added.text.as_str(), added.quantity), ("3 Kettle Imp\n\nSideboard\n1 Bellows Smith\n", 3));
/// let added = add_card(list, read, "main", "Bellows Smith");
/// assert_eq!(added.text, "2 Kettle Imp\n1 Bellows Smith\n\nSideboard\n1 Bellows Smith\n");
/// let both = ReadLines { dialect, entries: &[(1, &imp), (1, &entry("main", 2, "Salt"))], headers: &[] };
/// assert_eq!(add_card("2 Kettle Imp, 2 Salt\n", both, "main", "Salt").text, "2 Kettle Imp, 2 Salt\n1 Salt\n");
/// ```
pub fn add_card(text: &str, read: ReadLines<'_>, zone: &str, name: &str) -> Addition {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let key = name_key(name);
    let in_zone = || read.entries.iter().filter(|(_, entry)| entry.zone == zone);
    // The first number of a line with several cards may be that of another card.
    let is_alone =
        |line: usize| read.entries.iter().filter(|(other, _)| *other == line).count() == 1;
    let same = in_zone().filter(|(line, entry)| {
        is_name_alone(entry) && name_key(&entry.card.name) == key && is_alone(*line)
    });
    for (line, entry) in same {
        if let Some(written) = line.checked_sub(1).and_then(|at| lines.get_mut(at))
            && let Some(more) = with_one_more(written, entry.quantity, &key)
        {
            *written = more;
            return Addition { text: joined(&lines), quantity: entry.quantity + 1 };
        }
    }
    let last = in_zone().map(|(line, _)| *line).max();
    let own_header =
        || read.headers.iter().find(|(_, begun)| begun.as_deref() == Some(zone)).map(|(at, _)| *at);
    let before_headers = || read.headers.iter().map(|(line, _)| line.saturating_sub(1)).min();
    let place = last.or_else(own_header).or_else(before_headers).unwrap_or(lines.len());
    let mut place = place.min(lines.len());
    // The new line comes before the empty lines above a header or at the end.
    while place > 0 && lines[place - 1].trim().is_empty() {
        place -= 1;
    }
    lines.insert(place, new_line(read.dialect, name));
    Addition { text: joined(&lines), quantity: 1 }
}

/// A line with one copy of a card. In our own text, a name that looks like something else needs quotes.
fn new_line(dialect: DeckDialect, name: &str) -> String {
    if dialect != DeckDialect::Own {
        return format!("1 {name}");
    }
    let deck = Deck { entries: vec![DeckEntry::main(1, name)] };
    render_deck_text(&deck).trim_end().to_owned()
}

fn is_name_alone(entry: &DeckEntry) -> bool {
    let card = &entry.card;
    (&card.set, &card.number, &card.rarity) == (&None, &None, &None) && entry.copies.is_empty()
}

/// A line with its quantity increased, if the quantity is the first word of the line, perhaps after a bullet. `key` is that of the name on the line: a number
/// with which the name itself begins (`1st Strike`) is not the quantity, unless the whole name follows it (`1 1`). Nor is one that may be the number of the
/// line (`1. Name`, `1) Name`).
fn with_one_more(line: &str, quantity: u32, key: &str) -> Option<String> {
    let start = line.find(|c: char| c.is_alphanumeric())?;
    let (before, rest) = line.split_at(start);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (number, after) = rest.split_at(end);
    let is_line_number =
        after.starts_with('.') || (after.starts_with(')') && !before.ends_with('('));
    let is_of_name = name_key(rest).starts_with(key) && !name_key(after).starts_with(key);
    if is_line_number || is_of_name {
        return None;
    }
    (number.parse() == Ok(quantity)).then(|| format!("{before}{}{after}", quantity + 1))
}

fn joined(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use cardscape_engine::CardReference;

    use super::*;

    const PLAIN: DeckDialect = DeckDialect::Plain;

    fn entry(zone: &str, quantity: u32, name: &str) -> DeckEntry {
        let card = CardReference { name: name.into(), set: None, number: None, rarity: None };
        DeckEntry { zone: zone.into(), quantity, card, copies: Vec::new() }
    }

    fn added(text: &str, entries: &[(usize, DeckEntry)], headers: &[(usize, &str)]) -> String {
        let entries: Vec<_> = entries.iter().map(|(line, entry)| (*line, entry)).collect();
        let zone = |zone: &str| (!zone.is_empty()).then(|| zone.to_owned());
        let headers: Vec<_> = headers.iter().map(|(line, begun)| (*line, zone(begun))).collect();
        let read = ReadLines { dialect: PLAIN, entries: &entries, headers: &headers };
        add_card(text, read, "main", "Pike").text
    }

    #[test]
    fn quantities_at_the_beginning_of_a_line_are_increased() {
        let pike = || [(1, entry("main", 2, "Pike"))];
        for (before, after) in [
            ("2 Pike", "3 Pike\n"),
            ("2x Pike", "3x Pike\n"),
            ("* 2 Pike", "* 3 Pike\n"),
            ("(2) Pike", "(3) Pike\n"),
            ("  2\tPike\r\n", "  3\tPike\n"),
            // A quantity at another place, or with other digits, is not changed.
            ("Pike x2", "Pike x2\n1 Pike\n"),
            ("٢ Pike", "٢ Pike\n1 Pike\n"),
            // Such a number may be that of the line.
            ("2. Pike", "2. Pike\n1 Pike\n"),
            ("2) Pike", "2) Pike\n1 Pike\n"),
        ] {
            assert_eq!(added(before, &pike(), &[]), after);
        }
        let add = |list: &str, name: &str| {
            let named = entry("main", 1, name);
            let read = ReadLines { dialect: PLAIN, entries: &[(1, &named)], headers: &[] };
            add_card(list, read, "main", name).text
        };
        assert_eq!(add("1st Strike", "1st Strike"), "1st Strike\n1 1st Strike\n");
        assert_eq!(add("1 1st Strike", "1st Strike"), "2 1st Strike\n");
        assert_eq!(add("1 1", "1"), "2 1\n");
        assert_eq!(add("1", "1"), "1\n1 1\n");
        let mut printing = pike();
        printing[0].1.card.set = Some("pond".into());
        assert_eq!(added("2 Pike (pond)", &printing, &[]), "2 Pike (pond)\n1 Pike\n");
    }

    #[test]
    fn a_new_line_is_added_at_the_end_of_its_zone() {
        assert_eq!(added("", &[], &[]), "1 Pike\n");
        assert_eq!(added("// a note\n\n", &[], &[]), "// a note\n1 Pike\n\n");
        let carp = entry("main", 1, "Carp");
        let side = entry("side", 4, "Pike");
        let list = "1 Carp\n\nSB: 4 Pike";
        let entries = [(1, carp.clone()), (3, side.clone())];
        assert_eq!(added(list, &entries, &[]), "1 Carp\n1 Pike\n\nSB: 4 Pike\n");
        let list = "Sideboard\n4 Pike\n";
        assert_eq!(
            added(list, &[(2, side.clone())], &[(1, "side")]),
            "1 Pike\nSideboard\n4 Pike\n"
        );
        let list = "Sideboard\n4 Pike\n\nDeck\n";
        let headers = [(1, "side"), (4, "main")];
        assert_eq!(added(list, &[(2, side)], &headers), "Sideboard\n4 Pike\n\nDeck\n1 Pike\n");
        // A maybeboard has no entries.
        assert_eq!(added("Maybeboard\n1 Pike", &[], &[(1, "")]), "1 Pike\nMaybeboard\n1 Pike\n");
    }

    #[test]
    fn a_new_line_of_our_own_text_has_quotes_where_the_name_needs_them() {
        for (dialect, name, line) in [
            (DeckDialect::Own, "Pike", "1 Pike\n"),
            (DeckDialect::Own, "Gold {gilded}", "1 \"Gold {gilded}\"\n"),
            (PLAIN, "Gold {gilded}", "1 Gold {gilded}\n"),
        ] {
            let read = ReadLines { dialect, entries: &[], headers: &[] };
            assert_eq!(add_card("", read, "main", name).text, line);
        }
    }
}
