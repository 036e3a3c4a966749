//! Why a line of a collection file, or a change of counts, means no printing.

use cardscape_engine::did_you_mean;
use serde::{Serialize, Serializer};
use thiserror::Error;

use super::{Column, MAX_FIELD, MAX_FIELDS, MAX_RECORD};
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::text::TextError;

/// Why something means no printing. Nothing of hidden cards is told.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LineFault {
    // The line cannot be read.
    /// What stands there as its quantity is none.
    #[error("the quantity must be 1 to {MAX_QUANTITY}, not {0:?}")]
    Quantity(String),
    /// What stands there as its condition is none.
    #[error(
        "the condition {0:?} is not known; known are {known}, and their short forms like NM and LP",
        known = Condition::ALL.map(|condition| condition.as_str().replace('_', " ")).join(", ")
    )]
    Condition(String),
    /// A part of an id.
    #[error("the printing id is not a whole UUID")]
    DamagedId,
    /// A name that no card can have.
    #[error("the name {0}")]
    Name(TextError),
    /// A number that no card can have.
    #[error("the number {0:?} is none that a card can have")]
    Number(String),
    /// A text that is longer than any of its kind.
    #[error("the {} is longer than {MAX_FIELD} characters", .0.as_str().replace('_', " "))]
    TooLong(Column),
    /// Nothing says which card it is.
    #[error(
        "names no card: it needs a name, a printing id of this service (a UUID), or set and number"
    )]
    NoCard,
    /// A line that is too long.
    #[error("has more than {MAX_FIELDS} fields, or is longer than {MAX_RECORD} bytes")]
    TooWide,
    /// More fields than headings.
    #[error("has {fields} fields, but there are {headings} headings")]
    Surplus {
        /// Fields of the line.
        fields: usize,
        /// Headings of the file.
        headings: usize,
    },
    /// It goes on over so many lines.
    #[error("goes on over {0} lines: is a quotation mark not closed?")]
    NotClosed(u64),
    /// JSON: an entry that is something else.
    #[error("must be an object, not {0}")]
    NoObject(String),
    /// JSON: a list or an object where a value has to be.
    #[error("the member for {} must be a text or a number", .0.as_str())]
    Nested(Column),
    /// More than can be counted, with the lines before it.
    #[error("with the lines before it, the file has more than {MAX_QUANTITY} of this printing")]
    TooMany,

    // It names nothing that its owner may see.
    /// No such game; codes or names that are near.
    #[error("there is no such game{}", near(.0))]
    NoGame(Vec<String>),
    /// No such set; codes or names that are near.
    #[error("there is no such set{}", near(.0))]
    NoSet(Vec<String>),
    /// No such printing.
    #[error("there is no such printing")]
    NoPrinting,
    /// No card of that name.
    #[error("there is no card of that name")]
    NoName,
    /// No card of that number.
    #[error("there is no card of that number that you may see")]
    NoNumber,
    /// The card of that name is in another set.
    #[error("the card of that name is in another set")]
    OtherSet,
    /// The card has no printing of that rarity.
    #[error("the card has no printing of that rarity")]
    NoRarity,
    /// The card has no printings.
    #[error("the card has no printings")]
    NoPrintings,

    // It may mean several.
    /// Name and number are of different cards.
    #[error("name and number are of different cards")]
    OtherNumber,
    /// Several cards have that name.
    #[error("several cards have that name")]
    SeveralOfName,
    /// Several cards have that number.
    #[error("several cards have that number")]
    SeveralOfNumber,
    /// The id says another thing than the rest.
    #[error("the printing id contradicts name, game, set, number or rarity")]
    Contradiction,
    /// A finish that the game gives to no rarity.
    #[error(
        "the game does not say which rarity that finish is: name the rarity in a column Rarity"
    )]
    Finish,
    /// The card has several printings, and no rarity is named.
    #[error(
        "the card has several printings: name the rarity (for a file, without_rarity=most_common means the most common)"
    )]
    SeveralPrintings,
}

impl Serialize for LineFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn near(near: &[String]) -> String {
    did_you_mean(&near.iter().map(String::as_str).collect::<Vec<_>>())
}
