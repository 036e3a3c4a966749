//! Messages about parts of designs, trades and webhooks.

use super::{CODE_FAULT, Sentence, count, text_fault};
use crate::domain::copies::trade::{CopyFault, MAX_COPIES, TermsFault};
use crate::domain::designs::content::{ContentReason, MAX_EFFECTS};
use crate::domain::designs::suggestion::UnfilledReason;
use crate::domain::operations::webhook_target::TargetError;
use crate::web::words::titled;

/// The fault of the address of a webhook.
pub(super) fn target(error: TargetError) -> &'static str {
    match error {
        TargetError::NoUrl => {
            "Type an address of at most 2,000 characters, such as https://hooks.example/cardscape."
        }
        TargetError::Scheme => "The address must begin with https.",
        TargetError::Plain => {
            "The address must begin with https. Without encryption, events go only to networks that the operator of the service has named."
        }
        TargetError::Credentials => "The address must not contain a user name or a password.",
        TargetError::Fragment => "The address must have no part after a number sign.",
        TargetError::Port => "The port in the address must be 1 to 65,535.",
        TargetError::Address => {
            "The address must be on the public internet, or in a network that the operator of the service has named."
        }
    }
}

/// The fault of the copies of an offer.
pub(super) fn terms(fault: TermsFault) -> Sentence {
    match fault {
        TermsFault::Empty => "An offer gives or asks for at least one copy.".into(),
        TermsFault::TooMany(copies) => {
            format!("Each side has at most {MAX_COPIES} copies. This one has {}.", count(copies))
                .into()
        }
        TermsFault::Twice => "A copy is in the offer twice.".into(),
    }
}

/// Why a copy cannot be in an offer.
pub(super) fn copy(fault: CopyFault) -> &'static str {
    match fault {
        CopyFault::NotYours => "One of the copies is not yours.",
        CopyFault::Frozen => "A moderator has frozen one of the copies. Its page says why.",
        CopyFault::Void => "One of the copies is void.",
        CopyFault::NotShown => "One of the copies is none that this player shows you.",
    }
}

/// Why something cannot be stored in a design.
pub(super) fn content(reason: &ContentReason) -> Sentence {
    match reason {
        ContentReason::Text(error) => text_fault(error),
        ContentReason::Code(_) => CODE_FAULT.into(),
        ContentReason::TooMany { most, actual } => {
            format!("There can be {} of them, not {}.", count(*most), count(*actual)).into()
        }
        ContentReason::AttributeName(_) => {
            "One of the values has a name that is not a code.".into()
        }
        ContentReason::Value => {
            "A value is a text, a number, yes or no, or a list of such values.".into()
        }
        ContentReason::Range => "The number is too large or too small.".into(),
        ContentReason::LongKey => "Its characters consist of too many parts. Shorten it.".into(),
    }
}

/// Why a part of a design could not be filled in.
pub(super) fn unfilled(reason: &UnfilledReason) -> Sentence {
    match reason {
        UnfilledReason::AuthorsText => "This is a text, which only you can write.".into(),
        UnfilledReason::NoValue => "The game leaves no value for it.".into(),
        UnfilledReason::NoShare { of, total, rest } => {
            let of: Vec<String> = of.iter().map(|code| titled(code)).collect();
            let (of, total, rest) = (of.join(" + "), count(*total), count(*rest));
            format!("{of} must be {total}, which leaves {rest}: no allowed value adds up to that.")
                .into()
        }
        UnfilledReason::TooManyEffects => {
            format!("A design has at most {MAX_EFFECTS} effects.").into()
        }
        UnfilledReason::NoEffectTexts => {
            "The game has no sentences for effects, so only you can write it.".into()
        }
        UnfilledReason::NoSentence => {
            "No sentence of the game fits the style and suits the card.".into()
        }
    }
}
