//! The content of a deck, which each of its revisions stores.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use cardscape_engine::{CardReference, Deck, DeckEntry, Game, name_key};

use super::deck::{DeckName, FormatName};
use super::details::{DeckDescription, DeckTag};
use super::rarities::with_codes;
use super::zones::with_zone_codes;
use crate::domain::ids::CardId;

/// Most unread lines that a deck stores.
pub const MAX_UNREAD_LINES: usize = 500;

/// A line of a list that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// Its number in the list, from 1.
    pub line: usize,
    /// The line, cut after 200 characters.
    pub text: String,
    /// Why it could not be read.
    pub detail: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckContent {
    /// The name that the owner gave the deck.
    pub name: DeckName,
    /// The format of the deck.
    pub format: FormatName,
    /// The owner's description.
    pub description: DeckDescription,
    /// Its tags, without repetitions.
    pub tags: Vec<DeckTag>,
    /// Its entries: at most [`MAX_ENTRIES`](super::deck::MAX_ENTRIES), each one checked.
    pub deck: Deck,
    /// The cards to which the entries were bound when they were saved, in the order of the entries; empty: no bindings are known.
    pub cards: Vec<Option<CardId>>,
    /// Lines of the list that could not be read.
    pub unread_lines: Vec<UnreadLine>,
}

impl DeckContent {
    /// The entries, each with the card that it is bound to.
    pub fn bound_entries(&self) -> impl Iterator<Item = (&DeckEntry, Option<CardId>)> {
        let cards = self.cards.iter().copied().chain(std::iter::repeat(None));
        self.deck.entries.iter().zip(cards)
    }

    /// The cards of the entries, where entries that are written like those of `before`, the previous content of the deck, stay bound to the cards of these: a card may
    /// have been renamed, and another one may have its old name. A place without a name means the card that has the place.
    pub fn bindings_after(&self, before: &Self) -> Vec<Option<CardId>> {
        let is_same_game = self.format.game() == before.format.game();
        let stored: Vec<(NameAndPlace<'_>, Option<CardId>)> =
            before.bound_entries().map(|(entry, card)| (name_and_place(entry), card)).collect();
        let mut bound: BTreeMap<NameAndPlace<'_>, CardId> = BTreeMap::new();
        for (written, card) in &stored {
            let (name, ..) = written;
            if let Some(card) = card.filter(|_| is_same_game && !name.is_empty()) {
                bound.entry(*written).or_insert(card);
            }
        }
        let keep = |(at, (entry, card)): (usize, (&DeckEntry, Option<CardId>))| {
            let written = name_and_place(entry);
            let Some(first) = bound.get(&written) else { return card };
            // Two entries that are written alike may be bound to two cards.
            let same = stored.get(at).filter(|(stored, _)| *stored == written);
            same.and_then(|(_, card)| *card).or(Some(*first))
        };
        self.bound_entries().enumerate().map(keep).collect()
    }

    /// Takes over the bindings of `before`, the previous content of the deck.
    ///
    /// An entry stays bound to its card even if the owner can no longer see the card. An entry becomes unbound if its card is in `hidden` and its name is in
    /// `guessed`, the keys of names that other readers have seen unbound: masking it now would confirm to them that the guess was right. An entry without a name
    /// guesses nothing.
    ///
    /// If several cards have the name of an entry, it is bound to the one whose entry has most in common with it, the first of several: without a binding, it would
    /// show the name of a hidden card to everybody.
    pub fn inherit(
        &mut self,
        before: &Self,
        hidden: &BTreeSet<CardId>,
        guessed: &BTreeSet<String>,
    ) {
        let mut bound: BTreeMap<String, Vec<(&CardReference, CardId)>> = BTreeMap::new();
        for (entry, card) in before.bound_entries() {
            let key = name_key(&entry.card.name);
            if let Some(card) = card.filter(|_| !key.is_empty()) {
                bound.entry(key).or_default().push((&entry.card, card));
            }
        }
        self.cards.resize(self.deck.entries.len(), None);
        for (entry, card) in self.deck.entries.iter().zip(&mut self.cards) {
            let key = name_key(&entry.card.name);
            match *card {
                None => *card = bound.get(&key).and_then(|same| most_alike(&entry.card, same)),
                Some(known)
                    if !key.is_empty() && hidden.contains(&known) && guessed.contains(&key) =>
                {
                    *card = None;
                }
                Some(_) => {}
            }
        }
    }

    /// Whether both are written alike, whatever cards their entries are bound to.
    pub fn is_written_as(&self, content: &Self) -> bool {
        let Self { name, format, description, tags, deck, cards: _, unread_lines } = self;
        *name == content.name
            && *format == content.format
            && *description == content.description
            && *tags == content.tags
            && *deck == content.deck
            && *unread_lines == content.unread_lines
    }

    /// Whether both are stored alike, with the cards that their entries are bound to.
    pub fn is_stored_as(&self, content: &Self) -> bool {
        let Self { name, format, description, tags, deck: _, cards: _, unread_lines } = self;
        *name == content.name
            && *format == content.format
            && *description == content.description
            && *tags == content.tags
            && *unread_lines == content.unread_lines
            && self.bound_entries().eq(content.bound_entries())
    }

    /// Whether both show the same besides lines that could not be read, by the codes of `game`. An entry that is bound to a card shows this card, whatever name and
    /// place it has, and after a merge the card in `merged`. An entry that one of them has bound to a card only later shows the same if it is written alike.
    pub fn shows_same_as(
        &self,
        content: &Self,
        game: &Game,
        merged: &BTreeMap<CardId, CardId>,
    ) -> bool {
        let Self { name, format, description, tags, deck: _, cards: _, unread_lines: _ } = self;
        *name == content.name
            && *format == content.format
            && *description == content.description
            && *tags == content.tags
            && self.deck.entries.len() == content.deck.entries.len()
            && self
                .shown_entries(game, merged)
                .zip(content.shown_entries(game, merged))
                .all(|(one, other)| show_same(one, other))
    }

    fn shown_entries(
        &self,
        game: &Game,
        merged: &BTreeMap<CardId, CardId>,
    ) -> impl Iterator<Item = (DeckEntry, Option<CardId>)> {
        self.bound_entries().map(move |(entry, card)| {
            let mut entry = entry.clone();
            with_zone_codes(game, [&mut entry]);
            with_codes(game, [&mut entry]);
            (entry, card.map(|card| merged.get(&card).copied().unwrap_or(card)))
        })
    }

    /// Whether an entry has a name and is bound to no card.
    pub fn has_unbound(&self) -> bool {
        self.bound_entries().any(|(entry, card)| card.is_none() && !entry.card.name.is_empty())
    }

    /// Cards in all zones together.
    pub fn card_count(&self) -> u64 {
        self.deck.entries.iter().map(|entry| u64::from(entry.quantity)).sum()
    }
}

/// Name, set and number of an entry, as they are written.
pub type NameAndPlace<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// What an entry says about its card, besides the rarity.
pub fn name_and_place(entry: &DeckEntry) -> NameAndPlace<'_> {
    let CardReference { name, set, number, rarity: _ } = &entry.card;
    (name, set.as_deref(), number.as_deref())
}

/// The card whose reference has most in common with this one, besides the name: set and number, then the set, then the rarity. The first of several.
fn most_alike(card: &CardReference, bound: &[(&CardReference, CardId)]) -> Option<CardId> {
    let alike = |(known, _): &&(&CardReference, CardId)| {
        let is_in_set = known.set == card.set;
        Reverse((is_in_set && known.number == card.number, is_in_set, known.rarity == card.rarity))
    };
    bound.iter().min_by_key(alike).map(|(_, card)| *card)
}

/// Whether two entries, each with the card that it is bound to, show the same.
fn show_same(
    (mut one, card): (DeckEntry, Option<CardId>),
    (mut other, other_card): (DeckEntry, Option<CardId>),
) -> bool {
    if card.is_some() && other_card.is_some() {
        for entry in [&mut one, &mut other] {
            let rarity = entry.card.rarity.take();
            entry.card = CardReference { rarity, ..CardReference::default() };
        }
        return card == other_card && one == other;
    }
    one == other
}

#[cfg(test)]
mod tests {
    use cardscape_engine::parse_deck_text;
    use uuid::Uuid;

    use super::*;

    fn content(list: &str, cards: &[u128]) -> DeckContent {
        DeckContent {
            name: DeckName::parse("n").unwrap(),
            format: FormatName::parse("ttcg/standard").unwrap(),
            description: DeckDescription::default(),
            tags: Vec::new(),
            deck: parse_deck_text(list).deck,
            cards: cards.iter().map(|id| (*id > 0).then(|| CardId(Uuid::from_u128(*id)))).collect(),
            unread_lines: Vec::new(),
        }
    }

    #[test]
    fn bound_entries_show_their_cards() {
        let game = "code='pond'\nname='Pond'\nrules_version='1'\n[[kinds]]\ncode='fish'\nname='Fish'\n\
            [[zones]]\ncode='shoal'\nname='Shoal'\n[[zones]]\ncode='net'\nname='Landing net'\n";
        let game = Game::from_toml(game).unwrap();
        let stored = content("1 Carp (lake) 1\n[Landing net]\n1 Pike", &[1, 0]);
        for (list, cards, is_same) in [
            ("1 Carp (lake) 9\n[net]\n1 Pike", [1, 0], true),
            ("1 Old carp\n[net]\n1 Pike", [1, 0], true),
            ("1 Carp (lake) 1\n[net]\n1 Pike", [2, 0], false),
            ("2 Carp (lake) 1\n[net]\n1 Pike", [1, 0], false),
            ("1 Carp (lake) 1 {rare}\n[net]\n1 Pike", [1, 0], false),
            ("1 Carp (lake) 1\n[shoal]\n1 Pike", [1, 0], false),
            ("1 Carp (lake) 1\n[net]\n1 Perch", [1, 0], false),
            // The card was merged into another one.
            ("1 Koi (lake) 7\n[net]\n1 Pike", [7, 0], true),
            // An entry that was bound later, or is not bound any more.
            ("1 Carp (lake) 1\n[net]\n1 Pike", [1, 3], true),
            ("1 Carp (lake) 1\n[net]\n1 Pike", [0, 0], true),
            ("1 Carp (lake) 1\n[net]\n2 Pike", [1, 3], false),
            ("1 Carp (lake) 1\n[net]\n1 Pike (lake) 3", [1, 3], false),
            ("1 Carp (lake) 9\n[net]\n1 Pike", [0, 0], false),
            ("1 Carp (lake) 1\n[net]\n1 Pike\n1 Pike", [1, 0], false),
        ] {
            let (one, seven) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(7)));
            let merged = BTreeMap::from([(one, seven)]);
            let content = content(list, &cards);
            assert_eq!(content.shows_same_as(&stored, &game, &merged), is_same, "{list}");
            assert_eq!(stored.shows_same_as(&content, &game, &merged), is_same, "{list}");
        }
    }

    #[test]
    fn entries_that_are_written_as_before_stay_bound() {
        let before = content("1 Carp\n1 Carp (lake) 2\n1 Pike\n1 Perch", &[1, 2, 0, 4]);
        let now = content(
            "2 Perch\n3 Carp (lake) 2\n1 Carp\n1 Carp (lake) 3\n1 Pike\n1 perch",
            &[9, 9, 0, 9, 9, 9],
        );
        let card = |id: u128| Some(CardId(Uuid::from_u128(id)));
        assert_eq!(now.bindings_after(&before), [4, 2, 1, 9, 9, 9].map(card));
        // Two cards have had the name.
        let before = content("1 Carp\n1 Carp", &[1, 2]);
        assert_eq!(content("1 Carp\n2 Carp", &[9, 9]).bindings_after(&before), [1, 2].map(card));
        let other = FormatName::parse("pond/standard").unwrap();
        let other = DeckContent { format: other, ..content("1 Carp", &[9]) };
        assert_eq!(other.bindings_after(&before), [card(9)]);
    }

    /// Games may have several cards of a name.
    #[test]
    fn entries_inherit_the_card_with_their_place() {
        let before = content("1 Carp (lake) 1\n1 Carp (sea) 1\n1 Carp (sea) 2", &[1, 2, 3]);
        let list = "1 Carp (sea) 2\n1 Carp (lake) 1\n1 Carp (sea) 9\n1 Carp (lake) 2\n1 Carp";
        let mut now = content(list, &[0; 5]);
        now.inherit(&before, &BTreeSet::new(), &BTreeSet::new());
        let card = |id: u128| Some(CardId(Uuid::from_u128(id)));
        assert_eq!(now.cards, [3, 1, 2, 1, 1].map(card));
    }

    #[test]
    fn bound_entries_stay_bound_and_guessed_names_stay_unbound() {
        let (one, two) = (CardId(Uuid::from_u128(1)), CardId(Uuid::from_u128(2)));
        let before = content("1 Lantern\n1 Guess\n1 Open", &[1, 0, 0]);
        let mut now = content("2 lantern\n1 Guess\n1 Open\n1 New", &[0, 2, 3, 2]);
        let guessed = BTreeSet::from(["guess".to_owned(), "open".to_owned()]);
        now.inherit(&before, &BTreeSet::from([two]), &guessed);
        let three = CardId(Uuid::from_u128(3));
        assert_eq!(now.cards, [Some(one), None, Some(three), Some(two)]);
        let mut unknown = content("1 Lantern", &[]);
        unknown.inherit(&content("1 Lantern", &[]), &BTreeSet::new(), &BTreeSet::new());
        assert_eq!(unknown.cards, [None]);
    }
}
