//! Why a line of a collection file, or a change of counts, means no printing.

use cardscape_engine::did_you_mean;
use serde::{Serialize, Serializer};
use thiserror::Error;

use super::{Column, MAX_FIELD, MAX_FIELDS, MAX_RECORD};
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::domain::text::TextError;

/// Why a line means no printing. The reason reveals nothing about hidden cards.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum LineFault {
    // The line cannot be read.
    /// The quantity is not valid.
    #[error("the quantity must be 1 to {MAX_QUANTITY}, not {0:?}")]
    Quantity(String),
    /// The condition is not known.
    #[error(
        "the condition {0:?} is not known; known are {known}, and their short forms like NM and LP",
        known = Condition::ALL.map(|condition| condition.as_str().replace('_', " ")).join(", ")
    )]
    Condition(String),
    /// Only a part of an id.
    #[error("the printing id is not a whole UUID")]
    DamagedId,
    /// A name that no card can have.
    #[error("the name {0}")]
    Name(TextError),
    /// A number that no card can have.
    #[error("the number {0:?} is not a collector number that a card can have")]
    Number(String),
    /// A text that is longer than any value of this column can be.
    #[error("the {} is longer than {MAX_FIELD} characters", .0.as_str().replace('_', " "))]
    TooLong(Column),
    /// The line does not identify a card.
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
    /// The record spans this many lines: a quotation mark is not closed.
    #[error("spans {0} lines: is a quotation mark not closed?")]
    NotClosed(u64),
    /// JSON: an entry that is not an object.
    #[error("must be an object, not {0}")]
    NoObject(String),
    /// JSON: a list or an object where a value has to be.
    #[error("the member for {} must be a text or a number", .0.as_str())]
    Nested(Column),
    /// Together with the lines before it, the quantity exceeds the maximum of a count.
    #[error("with the lines before it, the file has more than {MAX_QUANTITY} of this printing")]
    TooMany,
    /// The card is not of this game, whose counts alone are replaced.
    #[error(
        "is a card of another game than {0}, and only your counts of {0} are replaced: leave the line out, or import it with its own game"
    )]
    OtherGame(String),

    // The line names nothing that its owner may see.
    /// There is no such game; similar codes or names.
    #[error("there is no such game{}", near(.0))]
    NoGame(Vec<String>),
    /// There is no such set; similar codes or names.
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

    // The line may mean several printings.
    /// Name and number are of different cards.
    #[error("name and number are of different cards")]
    OtherNumber,
    /// Several cards have that name.
    #[error("several cards have that name")]
    SeveralOfName,
    /// Several cards have that number.
    #[error("several cards have that number")]
    SeveralOfNumber,
    /// The id contradicts the other columns.
    #[error("the printing id contradicts name, game, set, number or rarity")]
    Contradiction,
    /// A finish that the game assigns to no rarity.
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
