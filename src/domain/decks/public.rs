//! The search terms of public decks, and the orders of their lists.

use std::collections::BTreeSet;
use std::fmt;

use cardscape_engine::search_key;
use serde::Deserialize;

use super::content::DeckContent;
use super::details::DeckTag;
use crate::search::words;

/// The order of a list of public decks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublicDeckSort {
    /// The latest published first.
    #[default]
    New,
    /// The latest changed first.
    Updated,
    /// Those with most likes first.
    Likes,
}

impl PublicDeckSort {
    /// All orders.
    pub const ALL: [Self; 3] = [Self::New, Self::Updated, Self::Likes];

    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Updated => "updated",
            Self::Likes => "likes",
        }
    }
}

/// A search term of a deck. `Display` writes the form that the database stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeckTerm<'a> {
    /// A word of the name or of a tag, folded.
    Word(&'a str),
    Tag(&'a str),
    /// A card, by [`search_key`] of its name.
    Card(&'a str),
    /// The format of the deck: `game/format`, or `game/format:variant`.
    Format(&'a str),
    /// A format in which the deck is legal.
    Legal(&'a str),
}

impl fmt::Display for DeckTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "w:{word}"),
            Self::Tag(tag) => write!(f, "t:{tag}"),
            Self::Card(key) => write!(f, "c:{key}"),
            Self::Format(name) => write!(f, "f:{name}"),
            Self::Legal(name) => write!(f, "l:{name}"),
        }
    }
}

/// Most bytes of a term.
const LONGEST_TERM: usize = 2_000;

/// The terms of a deck. `content`: the masked content; `cards`: the names of the cards that the entries match; `legal_in`: the formats in which the deck is
/// legal.
pub fn deck_terms<'a>(
    content: &'a DeckContent,
    cards: impl IntoIterator<Item = &'a str>,
    legal_in: &[String],
) -> BTreeSet<String> {
    let mut terms = BTreeSet::new();
    terms.insert(DeckTerm::Format(&content.format.to_string()).to_string());
    let tags = content.tags.iter().map(DeckTag::as_str);
    for text in tags.clone().chain([content.name.as_str()]) {
        terms.extend(words(text).iter().map(|word| DeckTerm::Word(word).to_string()));
    }
    terms.extend(tags.map(|tag| DeckTerm::Tag(tag).to_string()));
    let typed = content.deck.entries.iter().map(|entry| entry.card.name.as_str());
    let keys = typed.chain(cards).map(search_key).filter(|key| !key.is_empty());
    terms.extend(keys.map(|key| DeckTerm::Card(&key).to_string()));
    terms.extend(legal_in.iter().map(|name| DeckTerm::Legal(name).to_string()));
    // Folding can make several letters of one, and an index cannot store such a long term.
    terms.retain(|term| term.len() <= LONGEST_TERM);
    terms
}
