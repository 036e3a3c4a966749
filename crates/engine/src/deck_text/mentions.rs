//! Which cards a list may refer to. A service does not hold all its cards in memory when it reads lists: it loads those that a list may mean.

use std::collections::BTreeSet;

use super::draft::{Content, Draft, DraftEntry, Parts};
use super::line::{joined_place, number_tags, place_with_dash, without_count, without_set_size};
use super::own::names_to_tell_apart;
use super::resolve::{names_with_marks, readings, with_joined_count};
use super::several::{counted_entries, line_of};
use super::symbols::{
    counted_symbol, may_be_symbol, symbol_row, without_selectors, without_skin_tones,
};
use crate::deck::{CardReference, Deck};

/// How many meanings of a line are considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MentionDepth {
    /// Only the literal meaning: enough if all lines are then accepted ([`ReadDeck::is_settled`](super::ReadDeck::is_settled)).
    Literal,
    /// All possible meanings.
    Every,
}

/// All cards that the lines of a list may refer to. A catalogue that has these cards reads the list as the whole catalogue does, except for
/// suggestions of similar names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeckMentions {
    /// Names of cards, as they are written.
    pub names: BTreeSet<String>,
    /// Sets, by code or name as they are written, and the numbers of cards in them, with or without leading zeros.
    pub numbered: BTreeSet<(String, String)>,
    /// External ids: those that other programs use.
    pub external_ids: BTreeSet<u64>,
    /// Texts without letters that cards may show, such as emoji; without variation selectors.
    pub symbols: BTreeSet<String>,
}

impl DeckMentions {
    /// The cards that the entries of a deck refer to: by name, or by set and number if an entry has no name.
    pub fn of_deck(deck: &Deck) -> Self {
        let mut mentions = Self::default();
        for CardReference { name, set, number, .. } in deck.entries.iter().map(|entry| &entry.card)
        {
            match (name.as_str(), set, number) {
                ("", Some(set), Some(number)) => {
                    mentions.numbered.insert((set.clone(), number.clone()));
                }
                ("", ..) => {}
                (name, set, _) => mentions.add_name(name, set.as_deref()),
            }
        }
        mentions
    }

    /// The cards that [`write_deck`](crate::write_deck) must know to write a deck as our own text: their names end with marks that a line has after a shorter name,
    /// or a reader that knows no card of the name may take a part of it for another card. Decks of names of ASCII letters without rarities have no such lines.
    ///
    /// ```
    /// use cardscape_engine::{DeckMentions, parse_deck_text};
    /// let deck = parse_deck_text("2 Foo {u}\n1 Bar").deck;
    /// assert!(DeckMentions::of_own_text(&deck).names.contains("Foo {u}"));
    /// assert!(DeckMentions::of_own_text(&parse_deck_text("1 Bar").deck).names.is_empty());
    /// assert!(DeckMentions::of_own_text(&parse_deck_text("1 Bar // Foo").deck).names.contains("Bar // Foo"));
    /// ```
    pub fn of_own_text(deck: &Deck) -> Self {
        let mut mentions = Self::default();
        for name in names_to_tell_apart(deck) {
            mentions.add_name(&name, None);
        }
        mentions
    }

    /// Whether all references are by name.
    pub fn are_names(&self) -> bool {
        self.numbered.is_empty() && self.external_ids.is_empty() && self.symbols.is_empty()
    }

    /// Adds a name, and also the name with its set in brackets: "Fox (Winter)" may be a name as a whole.
    fn add_name(&mut self, name: &str, set: Option<&str>) {
        if name.is_empty() || name.contains('\0') {
            return;
        }
        if let Some(set) = set {
            self.names.insert(format!("{name} ({set})"));
        }
        self.names.insert(name.to_owned());
    }

    fn add(&mut self, parts: &Parts<'_>, depth: MentionDepth) {
        let every = depth == MentionDepth::Every;
        self.add_name(&parts.name, parts.set.as_deref().filter(|_| every));
        if let (Some(set), Some(number)) = (&parts.set, &parts.number)
            && (every || parts.name.is_empty())
        {
            self.numbered.insert((set.to_string(), without_set_size(number).to_owned()));
        }
        // Set and number may stand in one bracket, or the number after a `#`.
        let joined = [parts.set.as_deref(), parts.category].into_iter().flatten();
        for (set, number) in joined.filter_map(joined_place).filter(|_| every) {
            self.numbered.insert((set.to_owned(), number.to_owned()));
        }
        if let (Some(set), None) = (parts.set.as_deref(), &parts.number) {
            let numbers = number_tags(parts).map(|(_, number)| number.to_owned());
            self.numbered.extend(numbers.map(|number| (set.to_owned(), number)));
        }
        if every && may_be_symbol(&parts.name) {
            self.add_symbol(&parts.name);
        }
    }

    /// Adds the card that a header may be.
    fn add_label(&mut self, label: &str, depth: MentionDepth) {
        self.add_name(label, None);
        if let Some(place) = place_with_dash(label) {
            self.add(&place, depth);
        }
    }

    fn add_symbol(&mut self, symbol: &str) {
        self.symbols.insert(without_selectors(symbol).into_owned());
        self.symbols.extend(without_skin_tones(symbol));
    }

    /// Adds all meanings of an entry.
    fn add_readings(&mut self, entry: &DraftEntry<'_>) {
        for (parts, ..) in readings(entry) {
            self.add(&parts, MentionDepth::Every);
        }
        if let Some((symbol, ..)) = entry.readings.and_then(|(text, _)| counted_symbol(text)) {
            self.add_symbol(symbol);
        }
        if let Some(counted) = with_joined_count(entry) {
            for name in names_with_marks(&counted) {
                self.add_name(name, None);
            }
            self.add_readings(&counted);
        }
        let parts = line_of(entry).and_then(counted_entries);
        for (_, part) in parts.into_iter().flatten() {
            self.add_readings(&part);
        }
        let texts = entry.readings.map_or([None, None], |(text, line)| [Some(text), Some(line)]);
        for row in texts.into_iter().flatten().filter_map(symbol_row) {
            for (symbol, _) in row.symbols {
                self.add_symbol(symbol);
            }
        }
    }
}

/// All cards that the lines of a draft may refer to.
pub(super) fn of_draft(draft: &Draft<'_>, depth: MentionDepth) -> DeckMentions {
    let mut mentions = DeckMentions::default();
    for line in &draft.lines {
        match &line.content {
            Content::Entry(entry) => {
                mentions.external_ids.extend(entry.external_id);
                mentions.add(&entry.card, if entry.exact { MentionDepth::Every } else { depth });
                // A name may begin with the word for a zone.
                if entry.zone.is_some() && entry.quantity.is_none() && entry.readings.is_some() {
                    mentions.add_name(&line.text, None);
                }
                // A name with marks in it is meant before a shorter name.
                let ways = std::iter::once(&**entry).chain(entry.otherwise.as_deref());
                for name in ways.flat_map(names_with_marks) {
                    mentions.add_name(name, None);
                }
                if depth == MentionDepth::Every && !entry.exact {
                    mentions.add_readings(entry);
                    // A heading may be the name of a card, and a name may end like a heading.
                    let name = without_count(&line.text).to_owned();
                    mentions.names.extend((!name.is_empty()).then_some(name));
                }
                if depth == MentionDepth::Every
                    && let Some(other) = &entry.otherwise
                {
                    mentions.add_readings(other);
                }
            }
            // A card may have the name of a zone, or stand in brackets as headers do.
            Content::Section(label) => mentions.add_label(label, depth),
            Content::Zone(label) => mentions.add_label(label, depth),
            _ => {}
        }
    }
    mentions
}

/// The names that the lines of a draft mention literally, if all of them are only quantities and names.
pub(super) fn names_of_draft<'d>(draft: &'d Draft<'_>) -> Option<Vec<&'d str>> {
    let mut names: Vec<&str> = Vec::with_capacity(draft.lines.len());
    for line in &draft.lines {
        match &line.content {
            Content::Entry(entry)
                if entry.is_quantity_and_name() && !entry.card.name.contains('\0') =>
            {
                names.push(&entry.card.name);
            }
            Content::Entry(_) | Content::Section(_) | Content::Zone(_) => return None,
            _ => {}
        }
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deck_text::DeckText;
    use crate::manifest::Game;

    #[test]
    fn names_without_copies_are_those_of_the_literal_mentions() {
        let game =
            "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'";
        let game = Game::from_toml(game).unwrap();
        for (text, is_plain) in [
            ("2 Old Pike\n1 Carp\n\n3 Carp", true),
            ("// a remark\n2 Old Pike\n1x Eel!", true),
            ("2 Old Pike\n1 Carp (shore) 2", false),
            ("2 Old Pike\nSideboard\n1 Carp", false),
            ("2 Old Pike\n1 🐟", false),
        ] {
            let text = DeckText::new(text, None);
            let lines = text.lines(&game);
            let literal = lines.mentions(MentionDepth::Literal);
            let names = lines.literal_names();
            assert_eq!(names.is_some(), is_plain, "{text:?}");
            if let Some(names) = names {
                assert!(literal.are_names() && literal.names.iter().eq(names), "{literal:?}");
            }
        }
    }
}
