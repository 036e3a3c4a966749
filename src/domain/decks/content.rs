//! The content of a deck, which each of its revisions stores.

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

    /// Takes over the bindings of `before`, the previous content of the deck.
    ///
    /// An entry stays bound to its card even if the owner can no longer see the card. An entry becomes unbound if its card is in `hidden` and its name is in
    /// `guessed`, the keys of names that other readers have seen unbound: masking it now would confirm to them that the guess was right. An entry without a name
    /// guesses nothing.
    pub fn inherit(
        &mut self,
        before: &Self,
        hidden: &BTreeSet<CardId>,
        guessed: &BTreeSet<String>,
    ) {
        let bound = before.bound_entries();
        let bound: BTreeMap<String, CardId> = bound
            .filter_map(|(entry, card)| Some((name_key(&entry.card.name), card?)))
            .filter(|(key, _)| !key.is_empty())
            .collect();
        self.cards.resize(self.deck.entries.len(), None);
        for (entry, card) in self.deck.entries.iter().zip(&mut self.cards) {
            let key = name_key(&entry.card.name);
            match *card {
                None => *card = bound.get(&key).copied(),
                Some(known)
                    if !key.is_empty() && hidden.contains(&known) && guessed.contains(&key) =>
                {
                    *card = None;
                }
                Some(_) => {}
            }
        }
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
    /// place it has.
    pub fn shows_same_as(&self, content: &Self, game: &Game) -> bool {
        let Self { name, format, description, tags, deck: _, cards: _, unread_lines: _ } = self;
        *name == content.name
            && *format == content.format
            && *description == content.description
            && *tags == content.tags
            && self.shown_entries(game) == content.shown_entries(game)
    }

    fn shown_entries(&self, game: &Game) -> Vec<(DeckEntry, Option<CardId>)> {
        let shown = |(entry, card): (&DeckEntry, Option<CardId>)| {
            let mut entry = entry.clone();
            if card.is_some() {
                let rarity = entry.card.rarity.take();
                entry.card = CardReference { rarity, ..CardReference::default() };
            }
            with_zone_codes(game, [&mut entry]);
            with_codes(game, [&mut entry]);
            (entry, card)
        };
        self.bound_entries().map(shown).collect()
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
        ] {
            assert_eq!(content(list, &cards).shows_same_as(&stored, &game), is_same, "{list}");
        }
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
