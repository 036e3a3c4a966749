//! Messages about lines of collection files, and about the files themselves.

use super::{Sentence, count, counted, text_fault, to_i64};
use crate::domain::collection::table::{
    Column, LineFault, MAX_FIELDS, MAX_LINES, MAX_RECORD, TableError,
};
use crate::domain::collection::{Condition, MAX_QUANTITY};
use crate::web::collection::words as collection_words;
use crate::web::words::titled;

/// Why a file is not a table of cards.
pub(super) fn table(error: &TableError) -> Sentence {
    match error {
        TableError::NoCards(found) => format!(
            "The first line must have headings, and one of them must be Name, Printing ID or Number. It has: “{found}”."
        )
        .into(),
        TableError::Empty => "The file is empty.".into(),
        TableError::NotAList => {
            "The file must be a list of objects, or an object whose entries are such a list.".into()
        }
        TableError::TooManyLines => {
            format!("The file has more than {} lines. Cut it into several files.", count(MAX_LINES))
                .into()
        }
        TableError::TooWide => format!(
            "The first line has more than {} headings, or more than {} KiB.",
            count(MAX_FIELDS),
            MAX_RECORD / 1024
        )
        .into(),
        TableError::NotUtf8(_)
        | TableError::MixedEncodings { .. }
        | TableError::Utf32
        | TableError::UnknownEncoding { .. }
        | TableError::BrokenUtf16 => {
            "The text of the file cannot be read: save it as UTF-8.".into()
        }
        TableError::MalformedJson { .. } => "The file is no proper JSON.".into(),
        TableError::Nul => "There is a character in the file that cannot be stored.".into(),
    }
}

/// The fault of a line of a collection file, or of a card that is to be counted.
pub(in crate::web) fn collection_line(fault: &LineFault) -> Sentence {
    match fault {
        LineFault::Quantity(typed) => {
            format!("The number must be 1 to {}, not “{typed}”.", count(MAX_QUANTITY)).into()
        }
        LineFault::Condition(typed) => {
            let known = Condition::ALL.map(|condition| titled(condition.as_str()));
            let known = known.join(", ");
            format!("There is no condition “{typed}”. There are: {known}, and short forms such as NM.")
                .into()
        }
        LineFault::DamagedId => "A part of the printing ID is missing.".into(),
        LineFault::Name(error) => format!("Its name: {}", text_fault(error)).into(),
        LineFault::Number(typed) => format!("No card has a number like “{typed}”.").into(),
        LineFault::TooLong(column) => format!("This is too long: {}.", heading(*column)).into(),
        LineFault::NoCard => {
            "Nothing says which card it is: its name, its set and number, or its printing ID.".into()
        }
        LineFault::TooWide => "The line is too long, or has too many fields.".into(),
        LineFault::Surplus { fields, headings } => format!(
            "The line has {} more than the file has headings: {} and {}.",
            counted(to_i64(fields.saturating_sub(*headings)), "field", "fields"),
            count(*fields),
            count(*headings)
        )
        .into(),
        LineFault::NotClosed(lines) => {
            format!("It spans {} lines. Perhaps a quotation mark is not closed.", count(*lines))
                .into()
        }
        LineFault::NoObject(_) => "This is no object.".into(),
        LineFault::Nested(column) => {
            format!("This must be a text or a number: {}.", heading(*column)).into()
        }
        LineFault::TooMany => format!(
            "With the lines before it, the file has more than {} of this printing.",
            count(MAX_QUANTITY)
        )
        .into(),
        LineFault::OtherGame(_) => {
            "The card is of another game than the one whose counts are replaced. Import it on its own, with its game."
                .into()
        }
        LineFault::NoGame(near) => with_near("There is no such game.", near),
        LineFault::NoSet(near) => with_near("There is no such set.", near),
        LineFault::NoPrinting => "There is no such printing that you may see.".into(),
        LineFault::NoName => "There is no card of that name that you may see.".into(),
        LineFault::NoNumber => "There is no card of that number that you may see.".into(),
        LineFault::OtherSet => "The card of that name is in another set.".into(),
        LineFault::NoRarity => "The card has no printing of that rarity.".into(),
        LineFault::NoPrintings => "The card has no printings.".into(),
        LineFault::OtherNumber => "Name and number are of different cards.".into(),
        LineFault::SeveralOfName => "Several cards have that name.".into(),
        LineFault::SeveralOfNumber => "Several cards have that number.".into(),
        LineFault::Contradiction => {
            "The printing ID is of another card or printing than the rest of the line.".into()
        }
        LineFault::Finish => {
            "The game does not say which rarity that finish is. Name the rarity in a column of its own."
                .into()
        }
        LineFault::SeveralPrintings => collection_words::SEVERAL_RARITIES.into(),
    }
}

/// The content of a column, as text.
fn heading(column: Column) -> String {
    titled(column.as_str()).to_lowercase()
}

fn with_near(text: &'static str, near: &[String]) -> Sentence {
    if near.is_empty() {
        text.into()
    } else {
        format!("{text} Perhaps you mean: {}.", near.join(", ")).into()
    }
}
