//! Why a part of a query cannot be used. Shown, a reason is what programs are told; people may be told in other words.

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
    /// The reason, as programs are told.
    pub fn message(&self) -> String {
        self.reason.to_string()
    }
}

/// Why a part of a query cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryFault {
    // The text is no query.
    /// It has more than [`MAX_LENGTH`](crate::MAX_LENGTH) characters.
    TooLong,
    /// It has control characters.
    ControlCharacter,
    /// It has more than [`MAX_TERMS`](crate::MAX_TERMS) terms.
    TooManyTerms,
    /// It has more than [`MAX_DEPTH`](crate::MAX_DEPTH) levels of parentheses and negations.
    TooDeep,
    /// A closing parenthesis without an opening one.
    ClosesNothing,
    /// An opening parenthesis without a closing one.
    ParenthesisOpen,
    /// A quotation mark without a second one.
    QuotationOpen,
    /// A regular expression without a slash at its end.
    RegexOpen,
    /// Nothing is between parentheses.
    EmptyParentheses,
    /// Nothing is before this word or sign.
    NothingBefore(String),
    /// Nothing is after this word or sign.
    NothingAfter(String),

    // A word is no text to search for.
    /// It has no letter, digit or sign that texts are searched for.
    NothingToFind(String),
    /// `!` stands before this text, as if it negated.
    ExclamationMark(String),
    /// `$` stands in a word, of which this is left without signs.
    DollarSign(String),
    /// An operator has no field before it.
    FieldMissing {
        /// The first character of the operator.
        sign: char,
        /// The word in quotation marks, as text to search for.
        quoted: String,
    },
    /// What stands before an operator is no name.
    NoName {
        /// What stands there.
        name: String,
        /// The word in quotation marks, as text to search for.
        quoted: String,
    },

    // The field, or how it is used.
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
    /// No card of the games that are searched has the attribute.
    NoAttributeHere(String),
    /// Designs do not have the field.
    NotOfDesigns {
        /// The field.
        field: String,
        /// Why they do not have it.
        why: NotOfDesigns,
    },
    /// The field is not compared with this operator.
    NoSuchComparison {
        /// The field.
        field: String,
        /// The operator.
        operator: Operator,
        /// The operators that it has.
        known: &'static [Operator],
    },
    /// No value stands after the operator.
    ValueMissing {
        /// The field.
        field: String,
        /// The operator.
        operator: Operator,
    },
    /// A field is compared with another field.
    FieldWithField {
        /// What may be written instead, with a value.
        example: String,
    },
    /// A field that says how the list is made stands inside `or` or a negation.
    DirectiveInside(&'static str),
    /// Lists cannot be sorted by it.
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
        /// What the values are.
        values: Unordered,
    },
    /// The field cannot be searched.
    NotSearchable(String),

    // The value.
    /// There is no such value.
    NoValue {
        /// What it should be: a set, a kind, a format, or an attribute.
        of: String,
        /// The value that was typed.
        value: String,
        /// Values that may have been meant.
        near: Vec<String>,
        /// Code of the game that does not have it; `None`: none has.
        game: Option<String>,
    },
    /// There is no such game.
    NoGame {
        /// What was typed.
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
    /// The value is not among those that the language has for the field.
    NotOneOf {
        /// The value that was typed.
        value: String,
        /// The values that there are.
        known: Vec<String>,
    },
    /// It is no collector number.
    NoNumber(String),
    /// It is no whole number.
    NotWhole(String),
    /// It is no rating.
    NoRating(String),
    /// It has not the form of a day.
    DayForm(String),
    /// It has the form of a day, and there is no such day.
    NoDay(String),
    /// It is a day of a year that is not supported.
    DayYear,
    /// It is a year where a day is asked for.
    YearForDay {
        /// The year.
        year: String,
        /// Terms that may have been meant.
        instead: Vec<String>,
    },
    /// The games that are searched add nothing up on cards.
    NoTotal,

    // Ranges.
    /// A range has more than two points.
    RangePoints {
        /// The range with two points.
        instead: String,
    },
    /// The higher end of a range stands first.
    RangeBackwards {
        /// The range with the lower end first.
        instead: String,
    },
    /// Each end of a range is a value of another game.
    RangeOfTwoGames,
    /// A range has no ends.
    RangeOpen(String),
    /// Something is wrong with a value that looks like a range.
    PerhapsRange {
        /// What is wrong with it.
        fault: Box<Self>,
        /// The range, as it is written.
        instead: String,
    },
    /// Something is wrong with a value that looks like several values.
    PerhapsSeveral {
        /// What is wrong with it.
        fault: Box<Self>,
        /// The values, as they are written.
        instead: String,
    },

    // Formats.
    /// `is:legal` and the like: a field for formats says so.
    IsOfFormat {
        /// The field, perhaps with the sign of a negation.
        field: String,
    },
    /// The format was not in force on the day.
    NoFormatOn {
        /// The format.
        format: String,
        /// The day.
        day: Date,
        /// When it begins.
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
    /// The rules of the format are too many for a search.
    FormatTooLarge(String),
    /// So many terms about formats are the most.
    TooManyFormats(usize),
    /// Formats of decks are those of today.
    FormatOfDay,

    // Regular expressions.
    /// Something is wrong with a regular expression.
    Regex(RegexFault),
    /// The field is not searched with regular expressions.
    NoRegexFor(String),
    /// Decks are not searched with regular expressions.
    NoRegexForDecks,
    /// A regular expression follows another operator than `:`.
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

/// Names that are near, as a fault holds them.
pub(super) fn near<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    cardscape_engine::near(typed, known).into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
