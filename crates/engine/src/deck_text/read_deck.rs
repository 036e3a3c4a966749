//! The result of reading a list: its deck, and a verdict on each line.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::DeckDialect;
use super::archidekt::is_coloured_tag;
use super::json_fault::JsonFault;
use super::own::DeckTextFault;
use super::recognise::DialectMark;
use super::several::SEPARATORS;
use super::share_code::ShareCodeError;
use super::text::TextEncoding;
use crate::deck::{CardReference, Deck};
use crate::near::did_you_mean;

/// A list that was read, in any dialect. No line is dropped silently: each line that is not blank has a verdict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadDeck {
    /// The dialect that the list was read in.
    pub dialect: DeckDialect,
    /// What it was recognised by; `None`: the caller said which dialect it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recognised_by: Option<DialectMark>,
    /// How the bytes were read.
    pub encoding: TextEncoding,
    /// The game that the list names; only share codes name one. The cards were looked up in the caller's game nevertheless.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// All entries. Entries whose card is ambiguous or unknown stay as they were written.
    pub deck: Deck,
    /// The verdicts on all lines that are not blank, in order.
    pub lines: Vec<ReadLine>,
    /// Number of lines after the first [`DECK_LINES_MAX`](super::DECK_LINES_MAX), which were not read.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines_left_out: usize,
    /// Number of unknown names after the first [`SUGGESTED_NAMES_MAX`](crate::SUGGESTED_NAMES_MAX), for which no similar names were searched.
    #[serde(skip_serializing_if = "is_zero")]
    pub suggestions_left_out: usize,
    /// Facts that the list states about the deck, for example `name` and `format`.
    pub notes: BTreeMap<String, String>,
    /// The lines that begin a part that does not belong to the deck, such as a maybeboard, and the headings within it.
    #[serde(skip)]
    pub outside: Vec<usize>,
}

impl ReadDeck {
    /// Whether a catalogue with more cards would give the same result: all entries are accepted as written.
    pub fn is_settled(&self) -> bool {
        let may_be_cards = |tag: &String| tag.contains(SEPARATORS) && !is_coloured_tag(tag);
        self.lines.iter().all(|line| match &line.verdict {
            LineVerdict::Accepted => true,
            LineVerdict::Guessed { how } => how.iter().all(|guess| {
                matches!(
                    guess,
                    Guess::OneCopy
                        | Guess::LineIsNumbered
                        | Guess::QuantityBeforePoint
                        | Guess::ColumnsGuessed
                        | Guess::TagsDropped
                        | Guess::ZoneNotInGame { .. }
                ) && (*guess != Guess::TagsDropped || !line.tags.iter().any(may_be_cards))
            }),
            // A card may have the same name as a heading, or as a fact about the deck.
            LineVerdict::Ignored(IgnoredReason::Heading) => false,
            LineVerdict::Ignored(IgnoredReason::Comment) => line.text.starts_with(['/', '#', '>']),
            LineVerdict::Ignored(IgnoredReason::Decoration) => {
                let is_digit = |letter: char| letter.is_ascii_digit();
                !line.text.starts_with(is_digit) && !line.text.ends_with(is_digit)
            }
            // `SB 15`: a set and a number, or a name and a quantity.
            LineVerdict::Ignored(IgnoredReason::ZoneHeader { .. }) => {
                !line.text.ends_with(|last: char| last.is_ascii_digit())
            }
            // A card may have the name that is or begins with a number, also with a sign, or the commas of the line.
            LineVerdict::Ignored(IgnoredReason::Unreadable {
                fault:
                    DeckTextFault::QuantityInvalid
                    | DeckTextFault::QuantityNotWhole
                    | DeckTextFault::NameMissing
                    | DeckTextFault::TooManyCards,
            }) => false,
            LineVerdict::Ignored(_) => true,
            LineVerdict::Ambiguous { .. } | LineVerdict::Unknown { .. } => false,
        })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// A line and the verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ReadLine {
    /// Number of the line, from 1. All entries of a share code have its line; those of a YDKE link or JSON have line 1.
    pub line: usize,
    /// The line, trimmed and as long as it is; of a link, a code, a row of symbols or a line with several cards, the part that describes the entry.
    pub text: String,
    /// Position of its entry in the deck, from 0; `None`: it has none. In files with a line for each copy, consecutive lines of one card have the same entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<usize>,
    #[serde(flatten)]
    pub verdict: LineVerdict,
    /// Labels of the line that a deck cannot hold: tags, categories, colours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl ReadLine {
    /// The parts of the list that the labels and the verdict quote, so that a caller can replace those that must not be shown. The text of the line itself is
    /// not among them.
    pub fn quoted_mut(&mut self) -> Vec<&mut String> {
        let mut quoted: Vec<&mut String> = self.tags.iter_mut().collect();
        match &mut self.verdict {
            LineVerdict::Guessed { how } => {
                quoted.extend(how.iter_mut().filter_map(Guess::quoted_mut));
            }
            LineVerdict::Ignored(reason) => quoted.extend(reason.quoted_mut()),
            // Names and places of cards, as the game has them.
            LineVerdict::Ambiguous { candidates: _ }
            | LineVerdict::Unknown { near: _, reason: _ }
            | LineVerdict::Accepted => {}
        }
        quoted
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LineVerdict {
    /// It names one card, in a printing that exists.
    Accepted,
    /// It was read in a way that its author may not have meant.
    Guessed {
        /// What was guessed; never empty.
        how: Vec<Guess>,
    },
    /// It may mean several cards.
    Ambiguous {
        /// Some of them, at most [`CANDIDATES_MAX`](super::CANDIDATES_MAX).
        candidates: Vec<CardReference>,
    },
    /// No known card matches it.
    Unknown {
        /// Similar names, the most similar first.
        near: Vec<String>,
        /// Why no card matches, if the name is not the reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<UnknownReason>,
    },
    /// It is not an entry.
    Ignored(IgnoredReason),
}

/// The verdict in words, without the line itself.
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

/// An assumption that was made to read a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "guess", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Guess {
    /// One copy, because the line has no quantity.
    OneCopy,
    /// The lines are numbered, `1. Name`, `2. Name`: the number with a point is not a quantity.
    LineIsNumbered,
    /// The number with a point is the quantity, because the lines are not numbered: `3. Name`.
    QuantityBeforePoint,
    /// The number in brackets or after a colon is the quantity: `Name (2)`, `Name: 2`.
    QuantityAfterName,
    /// What looks like a quantity belongs to the name.
    QuantityIsPartOfName,
    /// What looks like a set, a number or a label belongs to the name.
    MarksArePartOfName,
    /// Marks around the card were left out: a check box, the `>` of a quotation, bold and code of Markdown, double brackets, a dash, a colon.
    MarksDropped,
    /// The tags between `^`, with their colours, were left out, or tags with a separator and a quantity in them, which may be other cards.
    TagsDropped,
    /// No line names the columns of the table: which one has the quantity and which one the name was concluded from what stands in them.
    ColumnsGuessed,
    /// The text after `//`, or a field of a table in a column that is not read, is a remark.
    RemarkDropped { remark: String },
    /// The card's name has other accents or similar small differences.
    NameSpelled {
        /// As the card spells it.
        name: String,
    },
    /// No card has the name; one has the set and the number.
    BySetAndNumber { name: String },
    /// No card has the name; one shows it as its symbol, for example its emoji.
    BySymbol { name: String },
    /// The line is a row of symbols: each is one copy, or as many as the number beside it or beside the row says.
    SymbolsCounted,
    /// The line has several cards, each with its quantity, and this is one of them.
    SeveralCards,
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
    /// The card does not exist in this rarity, or the rarity is unknown.
    RarityDropped {
        /// As it is written.
        rarity: String,
    },
    /// The game has no zone of this kind. The entry is put into it nevertheless, and a report on the deck will have a violation.
    ZoneNotInGame {
        /// Code of the zone.
        zone: String,
    },
}

impl Guess {
    /// The part of the list that the guess quotes. Each guess has its own arm, so that a new one cannot quote a part by oversight.
    fn quoted_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::RemarkDropped { remark: text }
            | Self::SetDropped { set: text }
            | Self::NumberDropped { number: text }
            | Self::RarityDropped { rarity: text }
            | Self::ZoneNotInGame { zone: text } => Some(text),
            // Names of cards, as the game has them.
            Self::NameSpelled { name: _ }
            | Self::BySetAndNumber { name: _ }
            | Self::BySymbol { name: _ } => None,
            Self::OneCopy
            | Self::LineIsNumbered
            | Self::QuantityBeforePoint
            | Self::QuantityAfterName
            | Self::QuantityIsPartOfName
            | Self::MarksArePartOfName
            | Self::MarksDropped
            | Self::TagsDropped
            | Self::SymbolsCounted
            | Self::SeveralCards
            | Self::ColumnsGuessed => None,
        }
    }
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OneCopy => f.write_str("one copy, as no quantity stands there"),
            Self::LineIsNumbered => f.write_str("the number before it counts the lines"),
            Self::QuantityBeforePoint => f.write_str("the number before the point is the quantity"),
            Self::QuantityAfterName => f.write_str("the number after the name is the quantity"),
            Self::QuantityIsPartOfName => f.write_str("the number belongs to the name"),
            Self::MarksArePartOfName => f.write_str("all that stands there belongs to the name"),
            Self::MarksDropped => f.write_str("the marks around it are left out"),
            Self::TagsDropped => f.write_str("the tags are left out"),
            Self::ColumnsGuessed => f.write_str("no line names the columns, so they were guessed"),
            Self::RemarkDropped { remark } => write!(f, "{remark:?} is a remark"),
            Self::NameSpelled { name } => write!(f, "it means {name}"),
            Self::BySetAndNumber { name } => write!(f, "its set and number mean {name}"),
            Self::BySymbol { name } => write!(f, "it is the symbol of {name}"),
            Self::SymbolsCounted => f.write_str("the symbols of the row are counted"),
            Self::SeveralCards => f.write_str("the line has several cards"),
            Self::SetDropped { set } => write!(f, "the card is not in the set {set:?}"),
            Self::NumberDropped { number } => write!(f, "the card has no number {number:?}"),
            Self::RarityDropped { rarity } => write!(f, "the card has no rarity {rarity:?}"),
            Self::ZoneNotInGame { zone } => write!(f, "the game has no zone {zone:?}"),
        }
    }
}

/// Why a card is unknown, if its name is not the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UnknownReason {
    /// The list has external ids, and the game's manifest does not declare which attribute holds them.
    ExternalIdsNotDeclared,
    /// No card has this id.
    ExternalIdUnknown,
    /// The line has a set and a number instead of a name, and no known card has both.
    SetAndNumberUnknown,
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ExternalIdsNotDeclared => {
                "it is an id of another program, and the game does not declare such ids"
            }
            Self::ExternalIdUnknown => "no card has this id of another program",
            Self::SetAndNumberUnknown => "no known card has this set and number",
        })
    }
}

/// Why a line is not an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
#[non_exhaustive]
pub enum IgnoredReason {
    Comment,
    /// A fact about the deck, which is in [`ReadDeck::notes`].
    Note {
        /// The key in the notes.
        key: String,
    },
    /// A header: the entries below it are in this zone.
    ZoneHeader {
        /// Code of the zone.
        zone: String,
    },
    /// A blank line that begins a zone, as in lists without headers: the entries below it are in this zone.
    BlankLine {
        /// Code of the zone.
        zone: String,
    },
    /// A heading of a kind of cards, or of a section that is not part of the deck.
    Heading,
    /// The header of a table with columns that are not read.
    ColumnsNotRead {
        /// Their names.
        columns: Vec<String>,
    },
    /// It is in a section of the list that is not part of the deck, such as a maybeboard.
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
        /// What is wrong with it.
        detail: MalformedText,
    },
}

impl IgnoredReason {
    /// The parts of the list that the reason quotes.
    fn quoted_mut(&mut self) -> Vec<&mut String> {
        match self {
            Self::Note { key: text }
            | Self::ZoneHeader { zone: text }
            | Self::BlankLine { zone: text } => vec![text],
            Self::ColumnsNotRead { columns } => columns.iter_mut().collect(),
            // Fixed texts.
            Self::Unreadable { fault: _ }
            | Self::Malformed { detail: _ }
            | Self::Comment
            | Self::Heading
            | Self::OutsideTheDeck
            | Self::Decoration
            | Self::TooLong => Vec::new(),
        }
    }
}

impl fmt::Display for IgnoredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Comment => f.write_str("a comment"),
            Self::Note { key } => write!(f, "a note, the {key} of the deck"),
            Self::ZoneHeader { zone } => write!(f, "the zone {zone:?} begins"),
            Self::BlankLine { zone } => write!(f, "a blank line; the zone {zone:?} begins"),
            Self::Heading => f.write_str("a heading"),
            Self::ColumnsNotRead { columns } => {
                write!(f, "the names of the columns; these are not read: {}", columns.join(", "))
            }
            Self::OutsideTheDeck => f.write_str("it is no part of the deck"),
            Self::Decoration => f.write_str("a frame or a total"),
            Self::Unreadable { fault } => fault.fmt(f),
            Self::TooLong => f.write_str("it is longer than any line of a card"),
            Self::Malformed { detail } => detail.fmt(f),
        }
    }
}

/// What is wrong with a text that is not in the form of its dialect; serialised in words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MalformedText {
    /// The JSON is not a deck.
    Json {
        /// What is wrong with it.
        fault: JsonFault,
        /// Line of the place where reading stopped, from 1.
        line: usize,
        /// Position in this line, in bytes, from 1.
        column: usize,
    },
    /// The first line of a table does not name columns.
    NoColumns,
    /// A link has more parts than there are zones for.
    TooManyParts,
    /// A part of a link is not a sequence of ids.
    PartWithoutIds,
    /// A part of a link is not base64.
    PartNotBase64,
    /// It is not a share code.
    ShareCode(ShareCodeError),
    /// It is a share code in a list that has other lines which may be cards, or other codes.
    CodeAmongLines,
    /// It is a deck file of Magic Online, in XML.
    MagicOnlineFile,
    /// It is a deck file of Cockatrice, in XML.
    CockatriceFile,
    /// It is another text in XML.
    Xml,
    /// It is a file of another kind, such as a picture.
    NotText,
}

impl fmt::Display for MalformedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { fault, line, column } => {
                write!(f, "the JSON is no deck: {fault} (line {line}, column {column})")
            }
            Self::NoColumns => f.write_str("the first line names no columns"),
            Self::TooManyParts => f.write_str("the link has more than three parts"),
            Self::PartWithoutIds => f.write_str("a part is no row of numbers of four bytes"),
            Self::PartNotBase64 => f.write_str("a part is no base64"),
            Self::ShareCode(error) => error.fmt(f),
            Self::CodeAmongLines => f.write_str(
                "it is a share code, which is not read among other lines: send the code alone",
            ),
            Self::MagicOnlineFile => f.write_str(
                "it is a deck file of Magic Online (.dek) in XML, which is not read: save the deck as text (.txt) there",
            ),
            Self::CockatriceFile => f.write_str(
                "it is a deck file of Cockatrice (.cod) in XML, which is not read: save the deck as plain text (.txt) there",
            ),
            Self::Xml => f.write_str("it is XML, which is not read: save the deck as text"),
            Self::NotText => f.write_str(
                "this is no text, but a file of another kind, such as a picture: save the deck as text",
            ),
        }
    }
}

impl Serialize for MalformedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
