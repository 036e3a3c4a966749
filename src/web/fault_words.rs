//! Messages about wrong input in the words of the pages: a sentence for each reason that a use case may report.

mod causes;
mod lines;
mod parts;

use std::borrow::Cow;

use cardscape_engine::DECK_LINES_MAX;

use super::accounts::words as account_words;
use super::catalogue::query_words;
use super::rules::{self, Found, explain};
use super::serials::words as serial_words;
use super::words::{Sentence, count, counted, engine_day, grouped, place};
use crate::app::fault_reason::{CountedItems, FaultReason};
use crate::app::problem::InputFault;
use crate::domain::catalogue::import::CardFault;
use crate::domain::decks::deck::UnknownFormat;
use crate::domain::serials::serial_text::mask_serials;
use crate::domain::text::TextError;

pub(super) use causes::cause;
pub(super) use lines::collection_line as line;

/// The characters of a code.
pub(super) const CODE_FAULT: &str =
    "A code has at most 64 letters, digits, hyphens and underscores, and nothing else.";
/// The text before the message of a check of a file.
const CHECK_SAYS: &str = "The check says:";

/// The message for a reason, as a sentence without serial codes.
pub(super) fn reason(reason: &FaultReason) -> Sentence {
    let sentence = sentence_of(reason);
    if let Cow::Owned(masked) = mask_serials(&sentence) {
        return masked.into();
    }
    sentence
}

fn sentence_of(reason: &FaultReason) -> Sentence {
    match reason {
        FaultReason::Text(error) => text_fault(error),
        FaultReason::Code(_) => CODE_FAULT.into(),
        FaultReason::Serial(error) => serial_words::code_fault(*error).into(),
        FaultReason::Password(error) => account_words::password_fault(*error).into(),
        FaultReason::Day(_) => "Type a day that there is, such as 2026-11-21.".into(),
        FaultReason::Condition(_) => "Choose one of the conditions.".into(),
        FaultReason::CardNumber(_) => {
            "A number has 1 to 16 letters and digits, with single hyphens between them.".into()
        }
        FaultReason::Format(_) => "Choose a format.".into(),
        FaultReason::Artwork(_) => "Choose one of your pictures.".into(),
        FaultReason::Target(error) => parts::target(*error).into(),
        FaultReason::NoId | FaultReason::NoTarget => "There is no such set or card.".into(),
        FaultReason::Nul => "There is a character in it that cannot be stored.".into(),
        FaultReason::TooLong => "One of the texts is longer than any text of a card.".into(),
        FaultReason::TooLarge { most, actual } => format!(
            "All of it together is too large: it has {} bytes, and {} are the most.",
            count(*actual),
            count(*most)
        )
        .into(),
        FaultReason::Range { least, most, actual } => range(*least, *most, *actual).into(),
        FaultReason::TooMany { of, most, actual } => {
            let of = match of {
                CountedItems::Entries => "lines of cards",
                CountedItems::Tags => "tags",
            };
            let (most, actual) = (count(*most), count(*actual));
            format!("A deck has at most {most} {of}. This has {actual}.").into()
        }
        FaultReason::OneOf(_) => "Choose one of what is offered here.".into(),
        FaultReason::Game(_) => "There is no such game.".into(),
        FaultReason::FormatOfGame(format) => no_format(&format.unknown),
        FaultReason::NoCode { of, .. } => match *of {
            "game" => "There is no such game.".into(),
            "set" => "There is no such set.".into(),
            "rarity" => "There is no such rarity.".into(),
            _ => "There is no such kind of card.".into(),
        },
        FaultReason::NoSetOfGame { .. } => "The game has no such set.".into(),
        FaultReason::NoCard => {
            "There is no such card that you may see. Compare its name, set and number.".into()
        }
        FaultReason::NoPrinting => "There is no such printing that you may see.".into(),
        FaultReason::NoRarityOfCard => {
            "The card has no printing of that rarity that you may see.".into()
        }
        FaultReason::NoRevision => "There is no such version.".into(),
        FaultReason::NoThread { .. } => {
            "The comment that you answer is not shown any more, or is an answer itself.".into()
        }
        FaultReason::GameGone => "The game is not there any more.".into(),
        FaultReason::CardUnnamed { .. } => {
            "Choose the game of the card, and give its name, or its set and number.".into()
        }
        FaultReason::Query(warning) => query_words::reason(&warning.reason),
        FaultReason::NoEvent => "Choose at least one kind of event.".into(),
        FaultReason::Repeated => "It is on the list already.".into(),
        FaultReason::Terms(error) => parts::terms(*error),
        FaultReason::Copy(fault) => parts::copy(*fault).into(),
        FaultReason::Oneself => "This is your own name. Offers go to other players.".into(),
        FaultReason::Blocked => {
            "You have blocked this player, who could not answer. Remove the block first.".into()
        }
        FaultReason::Content(error) => parts::content(error),
        FaultReason::Unfilled(error) => parts::unfilled(error),
        FaultReason::ForeignArtwork => {
            "Choose a picture that you have uploaded and not deleted since.".into()
        }
        FaultReason::RemovedArtwork => {
            "A moderator has taken this picture down. Choose another one, or none.".into()
        }
        FaultReason::GameStays => {
            "A design stays in its game. Begin another one for another game.".into()
        }
        FaultReason::GameOfDesign => "A suggestion stays in the game of the design.".into(),
        FaultReason::Unchanged => {
            "This changes nothing. Licence and picture are for the author to choose.".into()
        }
        FaultReason::ChangedInDesign => "The author has changed this, too.".into(),
        FaultReason::TooLargeTogether => {
            "With this change and those since it was suggested, the design would be too large.".into()
        }
        FaultReason::DetailsMissing => "Say in your own words what is wrong.".into(),
        FaultReason::NoteOnHidden => {
            "Leave the note out: the card is hidden, and everybody may read notes.".into()
        }
        FaultReason::Card(fault) => card(fault),
        FaultReason::AuthorBanned => {
            "The author is banned. The design can be released when the ban has ended.".into()
        }
        FaultReason::ReleaseUnconfirmed => {
            "The cards of this set start hidden, but others have seen the design: everybody who remembers the design knows the card. Confirm that you want this, or choose another set.".into()
        }
        FaultReason::DesignNameTaken(holder) => causes::name_taken(holder),
        FaultReason::DesignArtworkRemoved => {
            "A moderator has taken the picture of the design down. Revoke the approval: then the author can choose another picture, or none.".into()
        }
        FaultReason::DesignFreeText => {
            "No template of the game makes this sentence. Add a template that makes it, or revoke the approval: then the author can change the sentence.".into()
        }
        FaultReason::DesignSearchLimit => {
            "The search found no template of this sentence within its limit of steps. Make the templates that are like it simpler, or revoke the approval: then the author can change the sentence.".into()
        }
        FaultReason::Violation(violation) => explain(&Found::from(&**violation), None).into(),
        FaultReason::Entry(reason) => rules::entry("It", reason).into(),
        FaultReason::DeckLine(refusal) => rules::refusal(refusal).into(),
        FaultReason::DeckOfGame(_) => "This is a deck of another game.".into(),
        FaultReason::NoCards => {
            "It has no card of the deck. For a deck without cards, leave the list empty."
                .into()
        }
        FaultReason::LinesLeft(lines) => {
            let count = |lines| counted(to_i64(lines), "line", "lines");
            let (most, all) = (count(DECK_LINES_MAX), count(DECK_LINES_MAX.saturating_add(*lines)));
            format!("The list has {all}; at most {most} are read.").into()
        }
        FaultReason::Table(error) => lines::table(error),
        FaultReason::Line(fault) => line(fault),
        // No form of the pages leads to these reasons.
        FaultReason::Other(_) => "This cannot be used as it is.".into(),
    }
}

/// The message for a fault of a file; and, if only the check of files knows details, the message of that check.
pub(super) fn of_file(fault: &InputFault) -> (Sentence, Option<String>) {
    match &fault.reason {
        FaultReason::Other(_) => {
            (CHECK_SAYS.into(), Some(mask_serials(&fault.detail).into_owned()))
        }
        known => (reason(known), None),
    }
}

/// The message for a text of the wrong length.
fn characters(number: usize) -> String {
    counted(to_i64(number), "character", "characters")
}

fn to_i64(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn text_fault(error: &TextError) -> Sentence {
    match error {
        TextError::Length { max, actual: 0, .. } => {
            format!("Type something here: at most {} characters.", count(*max)).into()
        }
        TextError::Length { min, actual, .. } if actual < min => {
            format!("This has {}, and needs at least {}.", characters(*actual), count(*min)).into()
        }
        TextError::Length { max, actual, .. } => {
            format!("This has {}, and may have {}.", characters(*actual), count(*max)).into()
        }
        TextError::Control => "There is a character in it that is no part of a text.".into(),
        TextError::Bidi => {
            "There is an invisible character in it that changes the direction of the text.".into()
        }
        TextError::Separator => "There is a separator of lines or paragraphs in it.".into(),
        TextError::Undrawn => "It has an invisible letter.".into(),
        TextError::Marks => "There are too many marks on one of its characters.".into(),
        TextError::Blank => "It needs at least one letter, digit or symbol.".into(),
        TextError::Serial => "It contains the code of a card, which must not be published.".into(),
    }
}

/// The message for a number outside its bounds.
fn range(least: i64, most: i64, actual: Option<i64>) -> String {
    let (least, most) = (grouped(least), grouped(most));
    match actual {
        None => format!("The number must be {least} to {most}."),
        Some(actual) => format!("The number must be {least} to {most}, not {}.", grouped(actual)),
    }
}

/// The message for a fault of a card that is not a violation of a rule of its game.
fn card(fault: &CardFault) -> Sentence {
    match fault {
        CardFault::Rule(violation) => explain(&Found::from(&**violation), None).into(),
        CardFault::NameTaken { set, number } => {
            format!("Another card has this name already: {}.", place(set, number)).into()
        }
        CardFault::PrintedAs(name) => format!(
            "The card was printed as “{name}”. A printed card keeps its name: only case and punctuation may change."
        )
        .into(),
        CardFault::NameLike { hidden, set, number } => {
            let what = if *hidden { "The hidden card" } else { "The card" };
            let place = place(set, number);
            format!("{what} {place} has this name, or one that looks the same.").into()
        }
        CardFault::SetPrinted => {
            "The set is printed, or is being printed. A new card needs a set that is not printed yet."
                .into()
        }
        CardFault::NumberTaken(number) => {
            format!("The set has a card {number} already. Choose another number.").into()
        }
        CardFault::NumberGone { .. } => {
            "A card had this number before, and no other card takes it. Choose another number."
                .into()
        }
    }
}

fn no_format(unknown: &UnknownFormat) -> Sentence {
    match unknown {
        UnknownFormat::Code { .. } | UnknownFormat::Variant { .. } => {
            "There is no such format.".into()
        }
        UnknownFormat::NotYet { begins_on, .. } => {
            format!("The format begins on {}.", engine_day(*begins_on)).into()
        }
    }
}

#[cfg(test)]
mod tests;
