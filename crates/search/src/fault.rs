//! The reasons why a part of a query cannot be used. The `Display` text of a reason is the message in the API; pages have their own messages.

mod shown;

use cardscape_engine::Date;

use super::regex::RegexFault;
use super::syntax::{Operator, Span};

/// An unusable part of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place.
    pub span: Span,
    /// Its text.
    pub term: String,
    /// Why it cannot be used.
    pub reason: QueryFault,
}

impl Fault {
    /// The reason, as the message of the API.
    pub fn message(&self) -> String {
        self.reason.to_string()
    }
}

/// Why a part of a query cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryFault {
    // The text is not a query.
    /// It has more than [`MAX_LENGTH`](crate::MAX_LENGTH) characters.
    TooLong,
    /// It has control characters.
    ControlCharacter,
    /// It has more than [`MAX_TERMS`](crate::MAX_TERMS) terms.
    TooManyTerms,
    /// It has more than [`MAX_DEPTH`](crate::MAX_DEPTH) levels of parentheses and negations.
    TooDeep,
    /// A closing parenthesis has no opening one.
    ClosesNothing,
    /// An opening parenthesis has no closing one.
    ParenthesisOpen,
    /// A quotation mark has no closing one.
    QuotationOpen,
    /// A regular expression has no slash at its end.
    RegexOpen,
    /// There is nothing between parentheses.
    EmptyParentheses,
    /// There is nothing before this word or sign.
    NothingBefore(String),
    /// There is nothing after this word or sign.
    NothingAfter(String),

    // A word is not a text to search for.
    /// It has no letter, digit or sign that can be searched.
    NothingToFind(String),
    /// `!` is in front of this text, as if it were a negation.
    ExclamationMark(String),
    /// `$` is in a word; this is the word without signs.
    DollarSign(String),
    /// An operator has no field before it.
    FieldMissing {
        /// The first character of the operator.
        sign: char,
        /// The word in quotation marks, as text to search for.
        quoted: String,
    },
    /// The text before an operator is not a name.
    NoName {
        /// The text.
        name: String,
        /// The word in quotation marks, as text to search for.
        quoted: String,
    },

    // The field or its use is invalid.
    /// There is no such field.
    NoField {
        /// The name that was typed.
        name: String,
        /// Fields that may have been meant.
        near: Vec<String>,
    },
    /// Decks have no such field.
    NoFieldOfDecks {
        /// The name that was typed.
        name: String,
        /// Fields that may have been meant.
        near: Vec<String>,
    },
    /// No card of the searched games has the attribute.
    NoAttributeHere(String),
    /// Designs do not have the field.
    NotOfDesigns {
        /// The field.
        field: String,
        /// The reason.
        why: NotOfDesigns,
    },
    /// The field does not support this operator.
    NoSuchComparison {
        /// The field.
        field: String,
        /// The operator.
        operator: Operator,
        /// The operators that it supports.
        known: &'static [Operator],
    },
    /// There is no value after the operator.
    ValueMissing {
        /// The field.
        field: String,
        /// The operator.
        operator: Operator,
    },
    /// A field is compared with another field.
    FieldWithField {
        /// An example with a value instead.
        example: String,
    },
    /// A field that controls the list is inside `or` or a negation.
    DirectiveInside(&'static str),
    /// Lists cannot be sorted by this name.
    NotSortable {
        /// The name that was typed.
        name: String,
        /// Fields that may have been meant.
        near: Vec<String>,
    },
    /// The values of a field have no order.
    NoOrder {
        /// The field.
        field: String,
        /// The kind of values.
        values: Unordered,
    },
    /// The field cannot be searched.
    NotSearchable(String),

    // The value is invalid.
    /// There is no such value.
    NoValue {
        /// The kind of value: a set, a kind, a format, or an attribute.
        of: String,
        /// The value that was typed.
        value: String,
        /// Values that may have been meant.
        near: Vec<String>,
        /// Code of the game that does not have the value; `None`: no game has it.
        game: Option<String>,
    },
    /// There is no such game.
    NoGame {
        /// The code that was typed.
        code: String,
        /// Codes that may have been meant.
        near: Vec<String>,
    },
    /// No card has an attribute or a part with this name.
    NobodyHas {
        /// The name that was typed.
        name: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// The value is not among those that the field supports.
    NotOneOf {
        /// The value that was typed.
        value: String,
        /// The supported values.
        known: Vec<String>,
    },
    /// It is not a collector number.
    NoNumber(String),
    /// It is not a whole number.
    NotWhole(String),
    /// It is a whole number outside of the range of 64 bits.
    WholeBeyond(String),
    /// It is not a rating.
    NoRating(String),
    /// It does not have the form of a day.
    DayForm(String),
    /// It has the form of a day, but the day does not exist.
    NoDay(String),
    /// The year of the day is not supported.
    DayYear,
    /// It is a year, where a day is required.
    YearForDay {
        /// The year.
        year: String,
        /// Terms that may have been meant.
        instead: Vec<String>,
    },
    /// The searched games define no sums on cards.
    NoTotal,

    // Ranges.
    /// A range has more than two points.
    RangePoints {
        /// The range with two points.
        instead: String,
    },
    /// The higher end of a range comes first.
    RangeBackwards {
        /// The range with the lower end first.
        instead: String,
    },
    /// The two ends of a range are values of different games.
    RangeOfTwoGames,
    /// A range has no ends.
    RangeOpen(String),
    /// A value that looks like a range has a fault.
    PerhapsRange {
        /// The fault.
        fault: Box<Self>,
        /// The range in its correct notation.
        instead: String,
    },
    /// A value that looks like a number with separators between its thousands has a fault.
    PerhapsThousands {
        /// The fault.
        fault: Box<Self>,
        /// The number without separators.
        instead: String,
    },
    /// A value that looks like several values has a fault.
    PerhapsSeveral {
        /// The fault.
        fault: Box<Self>,
        /// The values in their correct notation.
        instead: String,
    },

    // Formats.
    /// `is:legal` and the like, for which there is a field.
    IsOfFormat {
        /// The field, with the sign of a negation if there is one.
        field: String,
    },
    /// The format was not in force on the day.
    NoFormatOn {
        /// The format.
        format: String,
        /// The day.
        day: Date,
        /// The first day of the format.
        begins_on: Option<Date>,
    },
    /// The format has no such variant.
    NoVariant {
        /// The format.
        format: String,
        /// The variant that was typed.
        variant: String,
        /// Variants that may have been meant.
        near: Vec<String>,
    },
    /// The rules of the format are too large for a search.
    FormatTooLarge(String),
    /// There are more than this number of terms about formats.
    TooManyFormats(usize),
    /// Queries for decks support only the formats of today.
    FormatOfDay,

    // Regular expressions.
    /// A regular expression has a fault.
    Regex(RegexFault),
    /// The field does not support regular expressions.
    NoRegexFor(String),
    /// Queries for decks do not support regular expressions.
    NoRegexForDecks,
    /// A regular expression comes after another operator than `:`.
    RegexAfterEquals,
}

/// Why designs do not have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOfDesigns {
    /// It is about sets.
    Sets,
    /// It is about hidden cards.
    Hidden,
    /// It is about formats.
    Formats,
    /// It is about the order of lists of cards.
    Sorting,
}

/// Values without an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unordered {
    /// A text.
    Text,
    /// Yes or no.
    Flag,
    /// A list.
    List,
    /// Something else.
    Other,
}

/// Similar names, as a fault contains them.
pub(super) fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    cardscape_engine::near(typed, known).into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
