//! Conversions of parse errors into fault reasons.

use std::borrow::Cow;

use cardscape_engine::{DateError, Violation};

use super::{FaultReason, NoFormat, NoGame};
use crate::app::catalogue::query_warning::QueryWarning;
use crate::app::words::NotOneOf;
use crate::domain::accounts::password::PasswordError;
use crate::domain::catalogue::import::{CardFault, NumberFault};
use crate::domain::code::CodeError;
use crate::domain::collection::ConditionError;
use crate::domain::collection::table::{LineFault, TableError};
use crate::domain::copies::trade::{CopyFault, TermsFault};
use crate::domain::decks::deck::{EntryReason, FormatNameError};
use crate::domain::decks::list::LineRefusal;
use crate::domain::designs::artwork::ArtworkIdError;
use crate::domain::designs::content::ContentReason;
use crate::domain::designs::suggestion::UnfilledReason;
use crate::domain::operations::webhook_target::TargetError;
use crate::domain::serials::serial::SerialError;
use crate::domain::text::TextError;

macro_rules! reasons {
    ($($variant:ident($type:ty);)+) => { $(
        impl From<$type> for FaultReason {
            fn from(reason: $type) -> Self {
                Self::$variant(reason)
            }
        }
    )+ };
}

reasons! {
    Text(TextError);
    Code(CodeError);
    Serial(SerialError);
    Password(PasswordError);
    Day(DateError);
    Condition(ConditionError);
    CardNumber(NumberFault);
    Format(FormatNameError);
    Artwork(ArtworkIdError);
    Target(TargetError);
    OneOf(NotOneOf);
    Game(NoGame);
    FormatOfGame(NoFormat);
    Terms(TermsFault);
    Copy(CopyFault);
    Unfilled(UnfilledReason);
    DeckLine(LineRefusal);
    Table(TableError);
    Line(LineFault);
    Other(Cow<'static, str>);
}

impl From<QueryWarning> for FaultReason {
    fn from(fault: QueryWarning) -> Self {
        Self::Query(Box::new(fault))
    }
}

impl From<ContentReason> for FaultReason {
    fn from(reason: ContentReason) -> Self {
        match reason {
            ContentReason::Text(error) => Self::Text(error),
            ContentReason::Code(error) => Self::Code(error),
            reason => Self::Content(reason),
        }
    }
}

impl From<EntryReason> for FaultReason {
    fn from(reason: EntryReason) -> Self {
        match reason {
            EntryReason::Text(error) => Self::Text(error),
            reason => Self::Entry(reason),
        }
    }
}

impl From<CardFault> for FaultReason {
    fn from(fault: CardFault) -> Self {
        match fault {
            CardFault::Rule(violation) => Self::Violation(violation),
            fault => Self::Card(fault),
        }
    }
}

impl From<Violation> for FaultReason {
    fn from(violation: Violation) -> Self {
        Self::Violation(Box::new(violation))
    }
}

impl From<&'static str> for FaultReason {
    fn from(text: &'static str) -> Self {
        Self::Other(text.into())
    }
}

impl From<String> for FaultReason {
    fn from(text: String) -> Self {
        Self::Other(text.into())
    }
}
