//! What a deck holds: what each of its revisions keeps.

use cardscape_engine::{Deck, DeckEntry};

use super::deck::{DeckName, FormatName};
use super::details::{DeckDescription, DeckTag};
use crate::domain::ids::CardId;

/// Most lines that a deck keeps of a list that could not be read.
pub const MAX_UNREAD_LINES: usize = 500;

/// A line of a list which is no entry and could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadLine {
    /// Its number in the list, from 1.
    pub line: usize,
    /// The line, cut after 200 characters.
    pub text: String,
    /// Why it could not be read.
    pub detail: String,
}

/// What a deck holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckContent {
    /// What its owner calls it.
    pub name: DeckName,
    /// Which format it is meant for.
    pub format: FormatName,
    /// What its owner says of it.
    pub description: DeckDescription,
    /// Its tags, without repetitions.
    pub tags: Vec<DeckTag>,
    /// Its entries: at most [`MAX_ENTRIES`](super::deck::MAX_ENTRIES), each one checked.
    pub deck: Deck,
    /// The cards that the entries meant to the owner when they were saved, in their order; empty: nothing is known of that.
    pub cards: Vec<Option<CardId>>,
    /// Lines of the list which are no entries and could not be read.
    pub unread_lines: Vec<UnreadLine>,
}

impl DeckContent {
    /// The entries, each with the card that it is bound to.
    pub fn bound_entries(&self) -> impl Iterator<Item = (&DeckEntry, Option<CardId>)> {
        let cards = self.cards.iter().copied().chain(std::iter::repeat(None));
        self.deck.entries.iter().zip(cards)
    }

    /// Cards in all zones together.
    pub fn card_count(&self) -> u64 {
        self.deck.entries.iter().map(|entry| u64::from(entry.quantity)).sum()
    }
}
