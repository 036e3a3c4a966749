//! Why a value of the input is wrong. `Display` writes the message for API clients; pages have their own texts.

mod from;

use std::borrow::Cow;
use std::fmt;

use cardscape_engine::{DECK_LINES_MAX, DateError, Violation, did_you_mean, near};

use super::catalogue::query_warning::QueryWarning;
use super::problem_cause::NameHolder;
use super::words::{NotOneOf, with_near};
use crate::domain::accounts::password::PasswordError;
use crate::domain::catalogue::import::{CardFault, NumberFault};
use crate::domain::code::CodeError;
use crate::domain::collection::ConditionError;
use crate::domain::collection::table::{LineFault, TableError};
use crate::domain::copies::trade::{CopyFault, TermsFault};
use crate::domain::decks::deck::{EntryReason, FormatName, FormatNameError, UnknownFormat};
use crate::domain::decks::list::LineRefusal;
use crate::domain::designs::artwork::ArtworkIdError;
use crate::domain::designs::content::ContentReason;
use crate::domain::designs::suggestion::UnfilledReason;
use crate::domain::operations::webhook_target::TargetError;
use crate::domain::serials::serial::SerialError;
use crate::domain::text::TextError;

/// Why a value of the input is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultReason {
    // The value does not have the required form.
    Text(TextError),
    Code(CodeError),
    Serial(SerialError),
    Password(PasswordError),
    Day(DateError),
    Condition(ConditionError),
    CardNumber(NumberFault),
    Format(FormatNameError),
    Artwork(ArtworkIdError),
    Target(TargetError),
    /// The value is not a UUID.
    NoId,
    /// The text contains the NUL character.
    Nul,
    /// The text is longer than any text of a card may be.
    TooLong,
    /// The value is larger than allowed; both sizes are in bytes.
    TooLarge {
        most: usize,
        actual: usize,
    },
    /// The number is outside the allowed range.
    Range {
        least: i64,
        most: i64,
        actual: Option<i64>,
    },
    /// There are more items than allowed.
    TooMany {
        of: CountedItems,
        most: usize,
        actual: usize,
    },

    // The value is none of the allowed words, or names something that does not exist or is hidden from the caller.
    OneOf(NotOneOf),
    Game(NoGame),
    FormatOfGame(NoFormat),
    /// No game, set, kind or rarity has this code; the message contains similar codes.
    NoCode {
        of: &'static str,
        message: String,
    },
    /// The game has no such set; `near`: codes of its sets that were perhaps meant.
    NoSetOfGame {
        game: String,
        set: String,
        near: Vec<String>,
    },
    /// The card does not exist, or the caller may not see it.
    NoCard,
    /// The printing does not exist, or the caller may not see it.
    NoPrinting,
    /// The card has no printing of that rarity that the caller may see.
    NoRarityOfCard,
    /// The target of a merge (a card) or of a move (a set) does not exist.
    NoTarget,
    /// The design has no such revision.
    NoRevision,
    /// A reply names a comment that cannot be replied to; `on`: what the comment is on, a design or a deck.
    NoThread {
        on: &'static str,
    },
    /// The game existed when the input was checked, and does not exist any more.
    GameGone,
    /// The fields do not identify a card; `ids`: the fields that identify one alone.
    CardUnnamed {
        ids: String,
    },
    /// No kind of event was chosen.
    NoEvent,

    /// A part of a search cannot be used.
    Query(Box<QueryWarning>),

    // The value contradicts other values or what is stored.
    Repeated,
    Terms(TermsFault),
    Copy(CopyFault),
    /// The caller offers a trade to the caller's own account.
    Oneself,
    /// The caller offers a trade to a player whom the caller has blocked.
    Blocked,
    Content(ContentReason),
    Unfilled(UnfilledReason),
    /// The artwork belongs to another account.
    ForeignArtwork,
    /// The artwork was taken down.
    RemovedArtwork,
    /// The game of a design cannot be changed.
    GameStays,
    /// The suggested change is for another game.
    GameOfDesign,
    /// The suggested change changes nothing.
    Unchanged,
    /// The author has changed the same member.
    ChangedInDesign,
    /// With the suggested change and what the author has changed since, the design would exceed a limit.
    TooLargeTogether,
    /// An abuse report with the reason `other` needs details.
    DetailsMissing,
    /// A note on a hidden card would be public.
    NoteOnHidden,
    Card(CardFault),
    Violation(Box<Violation>),

    // Several things stand against the release of a design.
    /// Its author is banned.
    AuthorBanned,
    /// Others have seen it, and the cards of the set start hidden.
    ReleaseUnconfirmed,
    /// Its name is taken.
    DesignNameTaken(NameHolder),
    /// Its artwork was taken down.
    DesignArtworkRemoved,
    /// No template makes the sentence.
    DesignFreeText,
    /// No template was found within the limit of steps of the search.
    DesignSearchLimit,

    // Lists and files.
    Entry(EntryReason),
    DeckLine(LineRefusal),
    /// The list is the share code of a deck of another game.
    DeckOfGame(String),
    /// The number of lines beyond the limit of a list; they were not read.
    LinesLeft(usize),
    /// The list has lines, such as comments, headings or cards outside of the deck, and no card of the deck.
    NoCards,
    Table(TableError),
    Line(LineFault),

    /// A fault that only API clients can cause: the form of JSON, parameters that no page has.
    Other(Cow<'static, str>),
}

/// Items whose number is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedItems {
    Entries,
    Tags,
}

/// There is no such game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoGame {
    code: String,
    near: Vec<String>,
}

impl NoGame {
    /// `known`: the codes of all games.
    pub(crate) fn new<'a>(code: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let near = near(code, known).into_iter().map(str::to_owned);
        Self { code: code.to_owned(), near: near.collect() }
    }
}

impl fmt::Display for NoGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.near.is_empty() {
            return write!(f, "There is no game {}.", self.code);
        }
        let near: Vec<&str> = self.near.iter().map(String::as_str).collect();
        write!(f, "There is no game {}{}", self.code.trim_end_matches('.'), did_you_mean(&near))
    }
}

/// The game has no such format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoFormat {
    pub unknown: UnknownFormat,
    message: String,
}

impl NoFormat {
    /// `name`: the format that the client named.
    pub(crate) fn new(unknown: UnknownFormat, name: &FormatName) -> Self {
        let known = unknown.known().iter().map(String::as_str);
        let message = with_near(&unknown.to_string(), &name.to_string(), known);
        Self { unknown, message }
    }
}

impl FaultReason {
    /// The game has no such set. `known`: the codes of its sets.
    pub(crate) fn no_set_of_game<'a>(
        game: &str,
        set: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let near = near(set, known).into_iter().map(str::to_owned).collect();
        Self::NoSetOfGame { game: game.to_owned(), set: set.to_owned(), near }
    }

    /// A number outside a range.
    pub(crate) fn range(least: impl Into<i64>, most: impl Into<i64>) -> Self {
        Self::Range { least: least.into(), most: most.into(), actual: None }
    }

    /// Like [`Self::range`], and the message also contains the wrong number.
    pub(crate) fn range_not(
        least: impl Into<i64>,
        most: impl Into<i64>,
        actual: impl Into<i64>,
    ) -> Self {
        Self::Range { least: least.into(), most: most.into(), actual: Some(actual.into()) }
    }
}

impl fmt::Display for FaultReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text(error) => return error.fmt(f),
            Self::Code(error) => return error.fmt(f),
            Self::Serial(error) => return error.fmt(f),
            Self::Password(error) => return error.fmt(f),
            Self::Day(error) => return error.fmt(f),
            Self::Condition(error) => return error.fmt(f),
            Self::CardNumber(error) => return error.fmt(f),
            Self::Format(error) => return error.fmt(f),
            Self::Artwork(error) => return error.fmt(f),
            Self::Target(error) => return error.fmt(f),
            Self::NoId => "must be a UUID",
            Self::Nul => "must not contain the NUL character (\\u0000)",
            Self::TooLong => "is longer than any text of a card",
            Self::TooLarge { most, actual } => {
                return write!(f, "must have at most {most} bytes as JSON, not {actual}");
            }
            Self::Range { least, most, actual: None } => {
                return write!(f, "must be {least} to {most}");
            }
            Self::Range { least, most, actual: Some(actual) } => {
                return write!(f, "must be {least} to {most}, not {actual}");
            }
            Self::TooMany { of, most, actual } => {
                let of = match of {
                    CountedItems::Entries => "entries",
                    CountedItems::Tags => "tags",
                };
                return write!(f, "must have at most {most} {of}, not {actual}");
            }
            Self::OneOf(word) => return word.fmt(f),
            Self::Game(game) => return game.fmt(f),
            Self::FormatOfGame(format) => &format.message,
            Self::NoCode { message, .. } => message,
            Self::NoSetOfGame { game, set, near } => {
                let near: Vec<&str> = near.iter().map(String::as_str).collect();
                return write!(f, "the game {game} has no set {set:?}{}", did_you_mean(&near));
            }
            Self::NoCard => "there is no such card, or none that you may see",
            Self::NoPrinting => "there is no such printing, or none that you may see",
            Self::NoRarityOfCard => "the card has no printing of that rarity that you may see",
            Self::NoTarget => "names nothing that exists",
            Self::NoRevision => "must be the number of a revision",
            Self::NoThread { on } => {
                return write!(
                    f,
                    "must be a comment on this {on} that is shown, and no reply itself"
                );
            }
            Self::GameGone => "there is no such game any more",
            Self::CardUnnamed { ids } => {
                return write!(
                    f,
                    "must have exactly {ids}; or game, set and number; or game, name and perhaps set"
                );
            }
            Self::Query(fault) => return fault.fmt(f),
            Self::NoEvent => "must name at least one kind of event",
            Self::Repeated => "stands on the list twice",
            Self::Terms(error) => return error.fmt(f),
            Self::Copy(error) => return error.fmt(f),
            Self::Oneself => "must be another player",
            Self::Blocked => "is a player whom you have blocked: remove the block first",
            Self::Content(error) => return error.fmt(f),
            Self::Unfilled(error) => return error.fmt(f),
            Self::ForeignArtwork => {
                "must be an artwork that you have uploaded and not deleted since"
            }
            Self::RemovedArtwork => "was taken down by moderators: choose another artwork, or none",
            Self::GameStays => "must stay what it is: begin another design for another game",
            Self::GameOfDesign => "must be the game of the design",
            Self::Unchanged => {
                "must change something; licence and artwork are for the author to choose"
            }
            Self::ChangedInDesign => "was changed in the design as well",
            Self::TooLargeTogether => "would be too large with the suggested change and the later changes of the author",
            Self::DetailsMissing => "must say what is wrong, when the reason is other",
            Self::NoteOnHidden => {
                "must be left out: the card is hidden, and everybody may read notes"
            }
            Self::Card(fault) => return fault.fmt(f),
            Self::AuthorBanned => "The author of the design is banned",
            Self::ReleaseUnconfirmed => {
                "Others have seen the design, and the cards of the set start hidden"
            }
            Self::DesignNameTaken(holder) => {
                return write!(f, "{holder} has this name, or one that looks the same.");
            }
            Self::DesignArtworkRemoved => {
                "The artwork of the design was taken down: revoke the approval, so that the author can choose another artwork, or none"
            }
            Self::DesignFreeText => {
                "No template of the game makes this sentence: add a template that makes it, or revoke the approval, so that the author can change the sentence"
            }
            Self::DesignSearchLimit => {
                "No template was found within the limit of steps of the search: make the templates that are like this sentence simpler, or revoke the approval, so that the author can change the sentence"
            }
            Self::Violation(violation) => return f.write_str(&violation.message()),
            Self::Entry(error) => return error.fmt(f),
            Self::DeckLine(refusal) => return refusal.fmt(f),
            Self::DeckOfGame(game) => return write!(f, "is a deck of the game {game}"),
            Self::LinesLeft(lines) => {
                let all = DECK_LINES_MAX.saturating_add(*lines);
                return write!(f, "must have at most {DECK_LINES_MAX} lines that are not blank, not {all}");
            }
            Self::NoCards => {
                "has no card of the deck: an empty deck is sent as JSON, with \"entries\": []"
            }
            Self::Table(error) => return error.fmt(f),
            Self::Line(fault) => return fault.fmt(f),
            Self::Other(text) => text,
        })
    }
}

#[cfg(test)]
mod tests;
