//! The query language for cards, for designs of players and for public decks.
//!
//! The text of a query is parsed to a syntax tree ([`Scope::parse`]). The tree is checked against the games' manifests
//! ([`check()`]) and becomes a [`Predicate`]: a plain value without input or output, which the store turns into SQL.
#![warn(missing_docs)]

mod attributes;
mod check;
mod comparison;
mod decks;
#[cfg(test)]
mod design_tests;
mod fault;
mod fields;
mod fold;
pub mod index;
mod legality;
mod predicate;
mod regex;
mod scope;
mod syntax;
mod values;
mod word_lists;

use cardscape_engine::search_key;
use thiserror::Error;

pub use attributes::{sort_key, sums};
pub use cardscape_engine::{did_you_mean, near};
pub use check::{Checked, check, names_set};
pub use comparison::Comparison;
pub use decks::{
    CheckedDecks, DeckPredicate, DeckTest, NameOf, NamedTerm, check_decks, deck_examples,
    deck_reference,
};
pub use fault::{Fault, NotOfDesigns, QueryFault, Unordered};
pub use fields::{
    FieldHelp, attribute_field, card_fields, design_examples, design_reference, examples, reference,
};
pub use fold::{WORDS_VERSION, Words, folded, printing_words, remove_printing_words, words};
pub use predicate::{
    CardQuery, Case, DESIGN_STATUSES, DesignTest, KnownTest, Place, Predicate, SortKey, SumOf,
    Test, Unique, folded_number,
};
pub use regex::{RegexFault, RegexSyntax};
pub use roaring::RoaringBitmap;
pub use scope::Scope;
pub use syntax::{
    Literal, MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Node, Operator, Span, Term, parse, parse_with,
};
pub use word_lists::WordLists;

/// Conditions on cards from the parameters of a request; all must hold.
///
/// Game, set, number and whether a card is hidden are public for every card. Everything else is content: for a card whose
/// content the requester may not see, a condition on content is false, and so is its negation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CardFilter {
    /// Game code.
    pub game: Option<String>,
    /// Set code.
    pub set: Option<String>,
    /// Collector number.
    pub number: Option<String>,
    /// Whether the card is hidden from the public.
    pub hidden: Option<bool>,
    /// Kind code.
    pub kind: Option<String>,
    /// What the name is or begins with.
    pub name: Option<NamePattern>,
    /// A rarity in which the card exists.
    pub rarity: Option<String>,
}

impl CardFilter {
    /// The conditions as predicates.
    pub fn predicates(self) -> Vec<Predicate> {
        let Self { game, set, number, hidden, kind, name, rarity } = self;
        let known = [
            game.map(KnownTest::Game).map(Predicate::known),
            set.map(KnownTest::Set).map(Predicate::known),
            number.as_deref().map(KnownTest::number).map(Predicate::known),
            hidden.map(|hidden| Predicate::Known { negated: !hidden, test: KnownTest::Hidden }),
        ];
        let name = name.map(|name| match name {
            NamePattern::Exact(key) => Test::Name(key),
            NamePattern::Prefix(key) => Test::NamePrefix(key),
        });
        let content = [
            kind.map(|kind| Test::Kinds(vec![kind])),
            name,
            rarity.map(|rarity| Test::Rarities(vec![rarity])),
        ];
        let content = content.map(|test| test.map(Predicate::content));
        known.into_iter().chain(content).flatten().collect()
    }
}

/// A name to search for: case, punctuation and accents do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamePattern {
    /// The whole name, as [`search_key`].
    Exact(String),
    /// The beginning of the name, as [`search_key`].
    Prefix(String),
}

/// Most characters of a pattern.
const MAX_PATTERN: usize = 200;

/// Why a text cannot be used as a pattern.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PatternError {
    /// It has no letter, digit or symbol, so its search key is empty.
    #[error("must contain a letter, a digit or a symbol")]
    Empty,
    /// Longer than any name.
    #[error("must be at most {MAX_PATTERN} characters long")]
    TooLong,
    /// It contains control characters, such as NUL or newlines.
    #[error("must not contain control characters")]
    Control,
}

impl NamePattern {
    /// Reads `Ember Fox` as a whole name and `ember*` as a beginning.
    ///
    /// ```
    /// use cardscape_search::NamePattern;
    /// assert_eq!(NamePattern::parse("Émber  Fox!"), Ok(NamePattern::Exact("emberfox".to_owned())));
    /// assert_eq!(NamePattern::parse("ember *"), Ok(NamePattern::Prefix("ember".to_owned())));
    /// assert!(NamePattern::parse("*").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        if text.chars().nth(MAX_PATTERN).is_some() {
            return Err(PatternError::TooLong);
        }
        if text.chars().any(char::is_control) {
            return Err(PatternError::Control);
        }
        let trimmed = text.trim_end();
        let (text, make): (_, fn(String) -> Self) = trimmed
            .strip_suffix('*')
            .map_or((trimmed, Self::Exact), |beginning| (beginning, Self::Prefix));
        let key = search_key(text);
        if key.is_empty() { Err(PatternError::Empty) } else { Ok(make(key)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_values_are_not_content() {
        let known = CardFilter {
            game: Some("ttcg".to_owned()),
            set: Some("veil".to_owned()),
            number: Some("001".to_owned()),
            hidden: Some(true),
            ..CardFilter::default()
        };
        let needs_content =
            |filter: CardFilter| Predicate::All(filter.predicates()).needs_content();
        assert!(!needs_content(known.clone()));
        for content in [
            CardFilter { kind: Some("unit".to_owned()), ..known.clone() },
            CardFilter { name: NamePattern::parse("a*").ok(), ..known.clone() },
            CardFilter { rarity: Some("rare".to_owned()), ..known.clone() },
        ] {
            assert!(needs_content(content.clone()), "{content:?}");
        }
    }
}
