//! What became of a list: its deck, and what is said of each line.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::DeckDialect;
use super::own::DeckTextFault;
use super::text::TextEncoding;
use crate::deck::{CardReference, Deck};
use crate::near::did_you_mean;

/// A list that was read, in whatever dialect. Nothing of it is dropped silently: each line that is not blank is told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadDeck {
    /// The dialect that the list was read in.
    pub dialect: DeckDialect,
    /// What it was recognised by, in words; `None`: the caller said which dialect it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recognised_by: Option<&'static str>,
    /// How the bytes were read.
    pub encoding: TextEncoding,
    /// The game that the list says it is of; only share codes do. The cards were looked up in the caller's game all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// All entries, also those whose card is ambiguous or unknown, which stand as they were written.
    pub deck: Deck,
    /// What is said of each line that is not blank, in their order.
    pub lines: Vec<ReadLine>,
    /// Lines below the [`DECK_LINES_MAX`](super::DECK_LINES_MAX) that were read.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
    /// Unknown names beyond the [`SUGGESTED_NAMES_MAX`](crate::SUGGESTED_NAMES_MAX) that were compared with known ones.
    #[serde(skip_serializing_if = "is_zero")]
    pub suggestions_left_out: usize,
    /// What the list says of itself, for example `name` and `format`.
    pub notes: BTreeMap<String, String>,
}

impl ReadDeck {
    /// Whether a catalogue with more cards would read it as this one did: each entry is accepted as it stands.
    pub fn is_settled(&self) -> bool {
        self.lines.iter().all(|line| match &line.verdict {
            LineVerdict::Accepted => true,
            LineVerdict::Guessed { how } => how
                .iter()
                .all(|guess| matches!(guess, Guess::OneCopy | Guess::ZoneNotInGame { .. })),
            // A card may be called like a heading.
            LineVerdict::Ignored(reason) => *reason != IgnoredReason::Heading,
            LineVerdict::Ambiguous { .. } | LineVerdict::Unknown { .. } => false,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What is said of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadLine {
    /// Number of the line, from 1. All that a share code, a YDKE link or JSON holds is of line 1.
    pub line: usize,
    /// The line, trimmed and cut after 200 characters; of a link or code, the part that it is about.
    pub text: String,
    /// Position of its entry in the deck, from 0; `None`: it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    /// What became of it.
    #[serde(flatten)]
    pub verdict: LineVerdict,
    /// Labels of the line that a deck has no place for: tags, categories, colours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

/// What became of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LineVerdict {
    /// It names one card, in a printing that exists.
    Accepted,
    /// It was read in a way that its author may not have meant.
    Guessed {
        /// How; never empty.
        how: Vec<Guess>,
    },
    /// It may be any of several cards.
    Ambiguous {
        /// Some of them, at most [`CANDIDATES_MAX`](super::CANDIDATES_MAX).
        candidates: Vec<CardReference>,
    },
    /// No card is known by what it says.
    Unknown {
        /// Names that are near, the nearest first.
        near: Vec<String>,
        /// Why there is none, when it is not for the name.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<UnknownReason>,
    },
    /// It is no entry.
    Ignored(IgnoredReason),
}

/// In words, without the line itself.
impl fmt::Display for LineVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("accepted"),
            Self::Guessed { how } => {
                let how: Vec<String> = how.iter().map(Guess::to_string).collect();
                write!(f, "guessed: {}", how.join("; "))
            }
            Self::Ambiguous { candidates } => {
                let shown = candidates.iter().map(|card| {
                    let CardReference { name, set, number, .. } = card;
                    let part = |part: &Option<String>| part.clone().unwrap_or_default();
                    format!("{name} ({}) {}", part(set), part(number))
                });
                let shown: Vec<String> = shown.collect();
                write!(f, "ambiguous: it may be {}", shown.join(" or "))
            }
            Self::Unknown { reason: Some(reason), .. } => write!(f, "unknown: {reason}"),
            Self::Unknown { near, .. } => {
                let near: Vec<&str> = near.iter().map(String::as_str).collect();
                write!(f, "unknown: no card of this name is known{}", did_you_mean(&near))
            }
            Self::Ignored(reason) => write!(f, "ignored: {reason}"),
        }
    }
}

/// What was guessed of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "guess", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Guess {
    /// One copy, because no quantity stands there.
    OneCopy,
    /// What looks like a quantity belongs to the name.
    QuantityIsPartOfName,
    /// What looks like a set, a number or a label belongs to the name.
    MarksArePartOfName,
    /// What stands after `//` is a remark.
    RemarkDropped {
        /// The remark.
        remark: String,
    },
    /// The name, but for accents and the like.
    NameSpelled {
        /// As the card spells it.
        name: String,
    },
    /// No card has the name; one has the set and the number.
    BySetAndNumber {
        /// Its name.
        name: String,
    },
    /// No card has the name; one shows it as its symbol, for example its emoji.
    BySymbol {
        /// Its name.
        name: String,
    },
    /// The card is not in this set.
    SetDropped {
        /// As it is written.
        set: String,
    },
    /// The card does not have this number.
    NumberDropped {
        /// As it is written.
        number: String,
    },
    /// The card does not exist in this rarity, or no rarity is called so.
    RarityDropped {
        /// As it is written.
        rarity: String,
    },
    /// The game has no zone of this kind; the entry is in it all the same, and a report on the deck will say so.
    ZoneNotInGame {
        /// Code of the zone.
        zone: String,
    },
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneCopy => f.write_str("one copy, as no quantity stands there"),
            Self::QuantityIsPartOfName => f.write_str("the number belongs to the name"),
            Self::MarksArePartOfName => f.write_str("all that stands there belongs to the name"),
            Self::RemarkDropped { remark } => write!(f, "{remark:?} is a remark"),
            Self::NameSpelled { name } => write!(f, "it means {name}"),
            Self::BySetAndNumber { name } => write!(f, "its set and number mean {name}"),
            Self::BySymbol { name } => write!(f, "it is the symbol of {name}"),
            Self::SetDropped { set } => write!(f, "the card is not in the set {set:?}"),
            Self::NumberDropped { number } => write!(f, "the card has no number {number:?}"),
            Self::RarityDropped { rarity } => write!(f, "the card has no rarity {rarity:?}"),
            Self::ZoneNotInGame { zone } => write!(f, "the game has no zone {zone:?}"),
        }
    }
}

/// Why a card is unknown, when it is not for its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownReason {
    /// The list names cards by ids of other programs, and the game's manifest does not say where its cards have them.
    ExternalIdsNotDeclared,
    /// No card has this id.
    ExternalIdUnknown,
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExternalIdsNotDeclared => {
                "it is an id of another program, and the game does not declare such ids"
            }
            Self::ExternalIdUnknown => "no card has this id of another program",
        })
    }
}

/// Why a line is no entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum IgnoredReason {
    /// A comment.
    Comment,
    /// It says something of the deck, which stands in [`ReadDeck::notes`].
    Note {
        /// Under this key.
        key: String,
    },
    /// The entries below it are of this zone.
    ZoneHeader {
        /// Code of the zone.
        zone: String,
    },
    /// A blank line: the entries below it are of this zone, as in lists that have no headers.
    BlankLine {
        /// Code of the zone.
        zone: String,
    },
    /// A heading of a kind of cards, or of a part that is no part of a deck.
    Heading,
    /// It stands in a part of the list that is no part of the deck, such as a maybeboard.
    OutsideTheDeck,
    /// A frame, a total or a mark of the program that wrote the list.
    Decoration,
    /// It cannot be read.
    Unreadable {
        /// Why.
        fault: DeckTextFault,
    },
    /// It is longer than any card's line.
    TooLong,
    /// The text is not in the form of its dialect.
    Malformed {
        /// What is wrong with it, in words.
        detail: String,
    },
}

impl fmt::Display for IgnoredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comment => f.write_str("a comment"),
            Self::Note { key } => write!(f, "a note, the {key} of the deck"),
            Self::ZoneHeader { zone } => write!(f, "the zone {zone:?} begins"),
            Self::BlankLine { zone } => write!(f, "a blank line; the zone {zone:?} begins"),
            Self::Heading => f.write_str("a heading"),
            Self::OutsideTheDeck => f.write_str("it is no part of the deck"),
            Self::Decoration => f.write_str("a frame or a total"),
            Self::Unreadable { fault } => fault.fmt(f),
            Self::TooLong => f.write_str("it is longer than any line of a card"),
            Self::Malformed { detail } => f.write_str(detail),
        }
    }
}
