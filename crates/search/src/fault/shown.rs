//! The messages of the API. Clients may compare them, so they must not change.

use std::fmt;

use cardscape_engine::did_you_mean;

use super::{NotOfDesigns, QueryFault, Unordered};
use crate::syntax::{MAX_DEPTH, MAX_LENGTH, MAX_TERMS, Operator};

impl fmt::Display for QueryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "a query has at most {MAX_LENGTH} characters"),
            Self::ControlCharacter => f.write_str("a query has no control characters"),
            Self::TooManyTerms => write!(f, "a query has at most {MAX_TERMS} terms"),
            Self::TooDeep => write!(f, "at most {MAX_DEPTH} levels"),
            Self::ClosesNothing => f.write_str("this closes nothing"),
            Self::ParenthesisOpen => f.write_str("this is never closed"),
            Self::QuotationOpen => f.write_str("this quotation mark is never closed"),
            Self::RegexOpen => f.write_str("this regular expression is never closed"),
            Self::EmptyParentheses => f.write_str("there is nothing between these parentheses"),
            Self::NothingBefore(word) => write!(f, "a term is missing before `{word}`"),
            Self::NothingAfter(word) => write!(f, "a term is missing after `{word}`"),
            Self::NothingToFind(text) => {
                write!(f, "there is no letter, digit or sign in \"{text}\"")
            }
            Self::ExclamationMark(rest) => {
                write!(f, "`!` does not negate: write -{rest} or not {rest}")
            }
            Self::DollarSign(words) => {
                write!(f, "`$` means nothing here, and signs do not count in texts: write {words}")
            }
            Self::FieldMissing { sign, quoted } => write!(
                f,
                "a field stands before `{sign}`, without a space between them: attack{sign}500; as text it needs \
                 quotation marks: {quoted}"
            ),
            Self::NoName { name, quoted } => {
                write!(f, "there is no field {name:?}; as text it needs quotation marks: {quoted}")
            }
            Self::NoField { name, near } => {
                write!(f, "there is no field {name:?}{}", perhaps(near))
            }
            Self::NoFieldOfDecks { name, near } => write!(
                f,
                "there is no field {name:?} of decks{}; contains:\"…\" finds decks with a card",
                perhaps(near)
            ),
            Self::NoAttributeHere(name) => write!(f, "no card here has {name}"),
            Self::NotOfDesigns { field, why } => {
                write!(f, "{field} is not for designs: {}", why.as_str())
            }
            Self::NoSuchComparison { field, operator, known } => {
                let known: Vec<&str> = known.iter().copied().map(Operator::as_str).collect();
                let (operator, known) = (operator.as_str(), known.join(" "));
                write!(f, "{field} is not compared with {operator}, only with {known}")
            }
            Self::ValueMissing { field, operator } => {
                write!(f, "{field}{} lacks a value", operator.as_str())
            }
            Self::FieldWithField { example } => write!(
                f,
                "a field is compared with a value, not with another field: write {example}, for example"
            ),
            Self::DirectiveInside(field) => write!(
                f,
                "{field} applies to the complete list: it cannot be inside `or` or a negation"
            ),
            Self::NotSortable { name, near } => {
                write!(f, "lists cannot be sorted by {name:?}{}", perhaps(near))
            }
            Self::NoOrder { field, values } => match values {
                Unordered::Text => write!(f, "{field} is a text: it has no order"),
                Unordered::Flag => write!(f, "{field} is yes or no: it has no order"),
                Unordered::List => write!(f, "{field} is a list: it has no order"),
                Unordered::Other => write!(f, "the values of {field} have no order"),
            },
            Self::NotSearchable(field) => write!(f, "{field} cannot be searched"),
            Self::NoValue { of, value, near, game: None } => {
                write!(f, "there is no {of} {value:?}{}", perhaps(near))
            }
            Self::NoValue { of, value, near, game: Some(game) } => {
                write!(f, "the game {game:?} has no {of} {value:?}{}", perhaps(near))
            }
            Self::NoGame { code, near } => {
                write!(f, "there is no game {code:?}{}", perhaps(near))
            }
            Self::NobodyHas { name, near } => write!(f, "no card has {name:?}{}", perhaps(near)),
            Self::NotOneOf { value, known } => {
                write!(f, "{value:?} is not one of {}", known.join(", "))
            }
            Self::NoNumber(text) => write!(f, "{text:?} is no number"),
            Self::NotWhole(text) => write!(f, "{text:?} is no whole number"),
            Self::WholeBeyond(text) => {
                write!(f, "numbers are from {} to {}, and {text} is not", i64::MIN, i64::MAX)
            }
            Self::NoRating(text) => {
                write!(f, "{text:?} is no rating: 1 to 5 with at most two decimals")
            }
            Self::DayForm(text) => write!(f, "{text:?} is not a day of the form 2026-11-21"),
            Self::NoDay(text) => write!(f, "there is no day {text}"),
            Self::DayYear => f.write_str("days are of the years 1970 to 9998"),
            Self::YearForDay { year, instead } => {
                write!(f, "{year:?} is a year, not a day: write {}", instead.join(" or "))
            }
            Self::NoTotal => f.write_str("the game adds nothing up"),
            Self::RangePoints { instead } => write!(f, "a range has two points: {instead}"),
            Self::RangeBackwards { instead } => {
                write!(f, "no value lies in this range: write {instead}, the lower end first")
            }
            Self::RangeOfTwoGames => f.write_str("no game has both ends of this range"),
            Self::RangeOpen(text) => write!(f, "{text:?} has neither end of a range"),
            Self::PerhapsRange { fault, instead } => {
                write!(f, "{fault}; a range is written {instead}")
            }
            Self::PerhapsThousands { fault, instead } => {
                write!(f, "{fault}; a number is written without separators: {instead}")
            }
            Self::PerhapsSeveral { fault, instead } => {
                write!(f, "{fault}; one value or another is written {instead}")
            }
            Self::IsOfFormat { field } => {
                write!(f, "a format says so: write {field}:FORMAT, {field}:standard for example")
            }
            Self::NoFormatOn { format, day, begins_on } => {
                write!(f, "there is no format {format:?} on {day}")?;
                begins_on.map_or(Ok(()), |day| write!(f, ": it begins on {day}"))
            }
            Self::NoVariant { format, variant, near } => {
                write!(f, "the format {format:?} has no variant {variant:?}{}", perhaps(near))
            }
            Self::FormatTooLarge(text) => {
                write!(f, "the rules of {text:?} are too many for a search")
            }
            Self::TooManyFormats(most) => {
                write!(f, "at most {most} terms ask what formats say of cards")
            }
            Self::FormatOfDay => {
                f.write_str("decks are judged by the rules of today: leave out @ and the day")
            }
            Self::Regex(fault) => fault.fmt(f),
            Self::NoRegexFor(field) => {
                write!(f, "{field} is not searched with regular expressions")
            }
            Self::NoRegexForDecks => f.write_str("decks are not searched with regular expressions"),
            Self::RegexAfterEquals => f.write_str("a regular expression follows `:`"),
        }
    }
}

impl NotOfDesigns {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Sets => "designs are in no set",
            Self::Hidden => "only cards are hidden and unlocked",
            Self::Formats => "formats are about cards",
            Self::Sorting => "the parameter `sort` says how designs are listed",
        }
    }
}

fn perhaps(near: &[String]) -> String {
    did_you_mean(&near.iter().map(String::as_str).collect::<Vec<_>>())
}
