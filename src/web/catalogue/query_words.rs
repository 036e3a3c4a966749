//! Messages about parts of a search that could not be used. Fields, values and examples are shown as they are typed.

mod patterns;

use crate::app::catalogue::query_warning::WarningReason;
use crate::search::{MAX_DEPTH, MAX_LENGTH, MAX_TERMS, NotOfDesigns, QueryFault, Unordered};
use crate::web::words::{Sentence, count, engine_day};

/// Why a part was ignored, or not applied to all cards.
pub(in crate::web) fn reason(reason: &WarningReason) -> Sentence {
    match reason {
        WarningReason::Query(fault) => of_query(fault),
        WarningReason::Cut { candidates } => format!(
            "Regular expressions and words of attributes were only tried on the first {} cards that the rest of the search finds, by game, set and number. Narrow the search to a set, or add words.",
            count(*candidates)
        )
        .into(),
        WarningReason::CutOfDesigns { candidates } => format!(
            "Regular expressions and words of attributes were only tried on the {} designs that were shared last, of those that the rest of the search finds. Add words to narrow it.",
            count(*candidates)
        )
        .into(),
        WarningReason::Unfinished => {
            "Regular expressions, phrases or words of attributes were not tried on all cards that the rest of the search finds. Narrow it to a set, or add words.".into()
        }
        WarningReason::Interrupted { partly_counted } => {
            let total = if *partly_counted { " The number may be too low." } else { "" };
            format!("Regular expressions, phrases or words of attributes were not tried on all cards yet. The next page goes on with the others.{total} Fewer pages are needed if you narrow the search to a set, or add words.").into()
        }
        WarningReason::PartlyCounted => {
            "Regular expressions, phrases or words of attributes were not tried on all cards, so the number may be too low. Narrow the search to a set, or add words.".into()
        }
        WarningReason::Uncounted => {
            "Counting took too long, so nobody knows how many cards there are. Narrow the search.".into()
        }
        WarningReason::TooManyValues { attribute } => format!(
            "There are too many values of “{attribute}” to count them. Narrow the search to a set, or add words."
        )
        .into(),
        WarningReason::NotInGallery { .. } => {
            "No design that others can see has this status. Your own designs are in your account.".into()
        }
    }
}

/// Why a part of a search cannot be used.
fn of_query(fault: &QueryFault) -> Sentence {
    match fault {
        QueryFault::TooLong => {
            format!("A search has at most {} characters.", count(MAX_LENGTH)).into()
        }
        QueryFault::ControlCharacter => "There is a character in it that cannot be seen.".into(),
        QueryFault::TooManyTerms => {
            format!("A search has at most {} terms.", count(MAX_TERMS)).into()
        }
        QueryFault::TooDeep => format!(
            "Parentheses and exclusions can be nested at most {} levels deep.",
            count(MAX_DEPTH)
        )
        .into(),
        QueryFault::ClosesNothing => "This parenthesis closes nothing.".into(),
        QueryFault::ParenthesisOpen => "This parenthesis is never closed.".into(),
        QueryFault::QuotationOpen => "This quotation mark is never closed.".into(),
        QueryFault::RegexOpen => "This regular expression is never closed with a slash.".into(),
        QueryFault::EmptyParentheses => "There is nothing between these parentheses.".into(),
        QueryFault::NothingBefore(word) => format!("Something is missing before “{word}”.").into(),
        QueryFault::NothingAfter(word) => format!("Something is missing after “{word}”.").into(),
        QueryFault::NothingToFind(text) => {
            format!("There is no letter, digit or sign to look for in “{text}”.").into()
        }
        QueryFault::ExclamationMark(rest) => {
            format!("An exclamation mark does not exclude anything. Write -{rest} or not {rest}.")
                .into()
        }
        QueryFault::DollarSign(words) => format!(
            "A dollar sign means nothing here, and signs do not count in texts. Write {words}."
        )
        .into(),
        QueryFault::FieldMissing { sign, quoted } => format!(
            "A field must stand before {sign}, without a space, as in attack{sign}500. To find the text itself, write {quoted}."
        )
        .into(),
        QueryFault::NoName { name, quoted } => {
            format!("There is no field “{name}”. To find the text itself, write {quoted}.").into()
        }
        QueryFault::NoField { name, near } => {
            with_near(format!("There is no field “{name}”."), near)
        }
        QueryFault::NoFieldOfDecks { name, near } => format!(
            "{} To find decks with a card, write contains: and its name in quotation marks.",
            with_near(format!("Decks have no field “{name}”."), near)
        )
        .into(),
        QueryFault::NoAttributeHere(name) => format!("No card of the game has “{name}”.").into(),
        QueryFault::NotOfDesigns { field, why } => {
            format!("“{field}” is not for designs: {}.", why_not(*why)).into()
        }
        QueryFault::NoSuchComparison { field, operator, known } => {
            let known: Vec<&str> = known.iter().map(|one| one.as_str()).collect();
            let (known, operator) = (either(&known), operator.as_str());
            format!("“{field}” is followed by {known}, not by {operator}.").into()
        }
        QueryFault::ValueMissing { field, operator } => {
            format!("A value is missing after “{field}{}”.", operator.as_str()).into()
        }
        QueryFault::FieldWithField { example } => format!(
            "A field is compared with a value, not with another field. Write {example}, for example."
        )
        .into(),
        QueryFault::DirectiveInside(field) => format!(
            "“{field}” is about the whole list. It cannot be one of several alternatives, and cannot be excluded."
        )
        .into(),
        QueryFault::NotSortable { name, near } => {
            with_near(format!("Cards cannot be sorted by “{name}”."), near)
        }
        QueryFault::NoOrder { field, values } => match values {
            Unordered::Text => format!("“{field}” is a text: it is not more or less than another."),
            Unordered::Flag => format!("“{field}” is yes or no: there is no more or less."),
            Unordered::List => format!("“{field}” is a list: it is not more or less than another."),
            Unordered::Other => format!("The values of “{field}” have no order."),
        }
        .into(),
        QueryFault::NotSearchable(field) => format!("“{field}” cannot be searched.").into(),
        QueryFault::NoValue { of, value, near, game } => {
            with_near(no_value(of, value, game.is_some()), near)
        }
        QueryFault::NoGame { code, near } => {
            with_near(format!("There is no game “{code}”."), near)
        }
        QueryFault::NobodyHas { name, near } => with_near(format!("No card has “{name}”."), near),
        QueryFault::NotOneOf { value, known } => {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            format!("Write {} instead of “{value}”.", either(&known)).into()
        }
        QueryFault::NoNumber(text) => format!("“{text}” is no number.").into(),
        QueryFault::NotWhole(text) => format!("“{text}” is no whole number.").into(),
        QueryFault::WholeBeyond(text) => {
            format!("Write a number from {} to {} instead of “{text}”.", i64::MIN, i64::MAX).into()
        }
        QueryFault::NoRating(text) => format!(
            "“{text}” is no rating. Ratings are 1 to 5, with at most two digits after the point."
        )
        .into(),
        QueryFault::DayForm(text) => {
            format!("“{text}” is no day. Days are written like 2026-11-21.").into()
        }
        QueryFault::NoDay(text) => format!("There is no day “{text}”.").into(),
        QueryFault::DayYear => "Days must be of the years 1970 to 9998.".into(),
        QueryFault::YearForDay { year, instead } => {
            let instead: Vec<&str> = instead.iter().map(String::as_str).collect();
            format!("“{year}” is a year, not a day. Write {}.", either(&instead)).into()
        }
        QueryFault::NoTotal => "The game adds nothing up on its cards.".into(),
        QueryFault::RangePoints { instead } => {
            format!("Between the ends of a range stand two points. Write {instead}.").into()
        }
        QueryFault::RangeBackwards { instead } => {
            format!("No value lies in this range. Write {instead}, with the lower end first.").into()
        }
        QueryFault::RangeOfTwoGames => "No game has both ends of this range.".into(),
        QueryFault::RangeOpen(_) => "A range needs one end at least.".into(),
        QueryFault::PerhapsRange { fault, instead } => {
            format!("{} A range is written {instead}.", of_query(fault)).into()
        }
        QueryFault::PerhapsThousands { fault, instead } => {
            format!("{} A number is written without separators. Write {instead}.", of_query(fault)).into()
        }
        QueryFault::PerhapsSeveral { fault, instead } => {
            format!("{} One value or another is written {instead}.", of_query(fault)).into()
        }
        QueryFault::IsOfFormat { field } => {
            format!("That depends on the format. Write {field}:standard, for example.").into()
        }
        QueryFault::NoFormatOn { format, day, begins_on } => {
            let begins =
                begins_on.map_or_else(String::new, |day| format!(" It begins on {}.", engine_day(day)));
            format!("There is no format “{format}” on {}.{begins}", engine_day(*day)).into()
        }
        QueryFault::NoVariant { format, variant, near } => {
            with_near(format!("The format “{format}” has no variant “{variant}”."), near)
        }
        QueryFault::FormatTooLarge(format) => {
            format!("The format “{format}” has too many rules for a search.").into()
        }
        QueryFault::TooManyFormats(most) => {
            format!("At most {} terms of a search can be about formats.", count(*most)).into()
        }
        QueryFault::FormatOfDay => {
            "Decks are judged by the rules of today. Leave out @ and the day.".into()
        }
        QueryFault::Regex(fault) => patterns::fault(*fault),
        QueryFault::NoRegexFor(field) => {
            format!("“{field}” is not searched with regular expressions.").into()
        }
        QueryFault::NoRegexForDecks => "Decks are not searched with regular expressions.".into(),
        QueryFault::RegexAfterEquals => "A regular expression must follow a colon.".into(),
    }
}

fn why_not(why: NotOfDesigns) -> &'static str {
    match why {
        NotOfDesigns::Sets => "they are in no set",
        NotOfDesigns::Hidden => "only cards are hidden and unlocked",
        NotOfDesigns::Formats => "formats are about cards",
        NotOfDesigns::Sorting => "their order is chosen beside the search",
    }
}

fn no_value(of: &str, value: &str, in_one_game: bool) -> String {
    let what = match of {
        "kind" => "kind of card",
        "type" | "style" | "slot" | "rarity" | "set" | "format" => of,
        // Names in queries for decks.
        "card" | "author of public decks" => of,
        // An attribute.
        _ if in_one_game => return format!("“{of}” has no value “{value}” in this game."),
        _ => return format!("“{of}” has no value “{value}”."),
    };
    if in_one_game {
        format!("The game has no {what} “{value}”.")
    } else {
        format!("There is no {what} “{value}”.")
    }
}

fn with_near(text: String, near: &[String]) -> Sentence {
    if near.is_empty() {
        return text.into();
    }
    let near: Vec<&str> = near.iter().map(String::as_str).collect();
    format!("{text} Perhaps you mean {}?", either(&near)).into()
}

/// Joins alternatives: `a, b or c`.
fn either(all: &[&str]) -> String {
    match all {
        [before @ .., last] if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        one => one.concat(),
    }
}

#[cfg(test)]
mod tests;
