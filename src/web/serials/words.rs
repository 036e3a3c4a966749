//! Text of the pages of serial codes.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::app::problem::ProblemCode;
use crate::domain::serials::serial::SerialError;
use crate::domain::text::TextError;
use crate::web::words;

pub(super) const SUBMIT: &str = "Register a card";
pub(super) const SUBMIT_ABOUT: &str = "Type the code that is printed on the card, and the card's name. The copy is then registered to you.";
pub(super) const CODE: &str = "Code";
pub(super) const CODE_HELP: &str =
    "16 letters and digits. Spaces, hyphens and small letters do not matter.";
pub(super) const CODE_EXAMPLE: &str = "7KQ2-X0FM-93TD-AW5G";
pub(super) const CARD: &str = "Name of the card";
pub(super) const CARD_HELP: &str = "As it is printed. Case and punctuation do not matter.";
pub(super) const SEND: &str = "Register";
pub(super) const NEW_HERE: &str = "New here?";
pub(super) const NEW_HERE_ABOUT: &str = "Choose a name and a password: you get an account, and the card is registered to it. You need no e-mail address.";
pub(super) const MADE_PASSWORD: &str = "Or leave it empty: then you get a generated password, which is shown once, beside your recovery codes.";
pub(super) const JOIN_AND_SEND: &str = "Create an account and register";
pub(super) const LOG_IN_AND_SEND: &str = "I have an account: log in and register";
pub(super) const WELCOMED: &str = "The account is created, and you are logged in.";
pub(super) const NOT_REGISTERED: &str = "We do not know whether the card was registered. Press the button again: nothing is done twice.";
pub(super) const LOGGED_IN_MEANWHILE: &str = "You are already logged in, so no account was created. Press the button to register the card to your account.";
pub(super) const KEPT_AND_ANOTHER: &str = "I have kept them: register another card";
pub(super) const SEVERAL: &str = "Register several cards at once";
pub(super) const ONE: &str = "Register one card";
pub(super) const ANOTHER: &str = "Register another card";
/// Shown by the script while the code is typed; `{place}` is the position.
pub(super) const CODE_FITS: &str = "The code is typed right.";
pub(super) const CODE_MISTYPED: &str =
    "There is a typing error in the code. Compare it with the card once more.";
pub(super) const WRONG_SYMBOL: &str = "The character at place {place} cannot be in a code.";
pub(super) const CODE_LONG: &str = "A code has 16 letters and digits. This has more.";
pub(super) const NO_CAMERA: &str = "The camera cannot be used. Type the code instead.";
pub(super) const NO_CODE_IN_PHOTO: &str =
    "No code can be read in the photo. Go nearer and hold still, or type the code.";
pub(super) const PHOTO: &str = "Photo of the QR code";
pub(super) const PHOTO_HELP: &str = "It is read here and not sent.";
pub(super) const SCAN: &str = "Scan the QR code";
pub(super) const STOP_SCANNING: &str = "Stop scanning";
pub(super) const CAMERA: &str = "Camera";
pub(super) const SHOW_CARD: &str = "Show the card";
pub(super) const LOOK_HERE: &str = "Look here";
pub(super) const RARITY: &str = "Rarity";
pub(super) const REGISTERED: &str = "This copy is yours now";
pub(super) const REGISTERED_BEFORE: &str = "This copy was yours already";
pub(super) const BATCH_ABOUT: &str =
    "One card a line, up to 50: the code, a space, and the name of the card.";
pub(super) const LINES: &str = "Codes and names";
pub(super) const LINES_EXAMPLE: &str = "7KQ2-X0FM-93TD-AW5G Nobody's Shadow";
pub(super) const NOT_REGISTERABLE: &str = "This could not be registered.";
pub(super) const VERDICTS: &str = "Result of each line";
pub(super) const LINE: &str = "Line";
pub(super) const VERDICT: &str = "Result";
pub(super) const LOG_IN_IN_ANOTHER_TAB: &str =
    "You are not logged in any more. Log in in another tab, then send the lines again.";
pub(super) const NOT_NOW: &str = "The service cannot answer at the moment. Send the lines again in a minute: what is registered already stays yours.";
pub(super) const NOTHING_TYPED: &str = "Type at least one line.";
pub(super) const TOO_MANY_LINES: &str = "There are more than 50 lines. Send them in parts.";
pub(super) const SHOW_DISPUTE: &str = "See the dispute, and say how the card came to you";
pub(super) const SHOW_DECISION: &str = "See how it was decided";
/// What a player can do whose claim to a copy is already closed.
pub(super) const CLAIM_CLOSED: &[&str] = &[
    "Code and name are right. Your claim to this copy is already closed.",
    "If the card came to you after that, ask the player who gave it to you to offer you the copy in a trade.",
];
pub(super) const WHAT_NOW: &str = "What you can do";

/// The fault of a code by itself.
pub(in crate::web) fn code_fault(error: SerialError) -> String {
    match error {
        SerialError::Length(0) => "Type the code.".to_owned(),
        SerialError::Length(1) => "A code has 16 letters and digits. This has 1.".to_owned(),
        SerialError::Length(count) => {
            format!("A code has 16 letters and digits. This has {count}.")
        }
        SerialError::Symbol(place) => WRONG_SYMBOL.replace("{place}", &place.to_string()),
        SerialError::Check => CODE_MISTYPED.to_owned(),
    }
}

/// The fault of the name of a card by itself. Characters that are refused mostly come with a text that was copied, so that typing it helps.
pub(super) fn name_fault(error: &TextError) -> String {
    match error {
        TextError::Length { actual: 0, .. } => "Type the name of the card.".to_owned(),
        TextError::Length { max, actual, .. } => {
            format!("The name of a card has at most {max} characters. This has {actual}.")
        }
        TextError::Blank => {
            "Type the name of the card: it has at least one letter, digit or symbol.".to_owned()
        }
        TextError::Marks => {
            "There are too many marks on a character of the name. Type it as it is printed."
                .to_owned()
        }
        TextError::Bidi => {
            "There is an invisible character in the name that changes the direction of the text. Type the name instead of copying it."
                .to_owned()
        }
        TextError::Control | TextError::Separator | TextError::Undrawn | TextError::Serial => {
            "There is a character in the name that cannot be in one. Type the name as it is printed."
                .to_owned()
        }
    }
}

/// The message about a refused submission, and advice. `None`: the problem is shown on a page of its own.
pub(super) fn submission_fault(
    code: ProblemCode,
) -> Option<(&'static str, &'static [&'static str])> {
    Some(match code {
        ProblemCode::SubmissionRejected => (
            "Code and name do not belong together.",
            &[
                "Compare both with the card once more. The name is the one that is printed on this card, in its language.",
                "Each such try counts: after a few of them you have to wait.",
                "If both are right, the code may have been taken back. Ask where you bought the card.",
            ],
        ),
        ProblemCode::RegisteredToAnother => (
            "This copy is registered to somebody else.",
            &[
                "Code and name are right, so you seem to hold the card. Your claim was noted, and a moderator decides.",
                "Keep the card at hand: you may be asked for a photo of it.",
            ],
        ),
        ProblemCode::CopyPassedOn => (
            "This copy was yours once and is somebody else's now.",
            &[
                "If the card came back to you, ask the player who gave it to you to offer you the copy in a trade.",
            ],
        ),
        ProblemCode::SerialAttemptsUsedUp => (
            "Too many codes were wrong.",
            &["Nothing is lost: the card stays as it is. Come back later."],
        ),
        ProblemCode::IdempotencyInProgress => ("This is being registered at the moment.", &[]),
        _ => return None,
    })
}

/// The result of a line of a batch. `name`: why the name is refused; `is_claim_closed`: the claim to a copy of another player was closed before.
pub(super) fn verdict(
    code: &str,
    name: Option<&TextError>,
    is_claim_closed: bool,
) -> Cow<'static, str> {
    let text = match code {
        "registered" => REGISTERED,
        "already_yours" => REGISTERED_BEFORE,
        "serial_malformed" => "This is no code.",
        "serial_mistyped" => "There is a typing error in the code.",
        "invalid_body" => {
            return name.map_or(NOT_REGISTERABLE.into(), |error| name_fault(error).into());
        }
        "submission_rejected" => "Code and name do not belong together.",
        "registered_to_another" if is_claim_closed => {
            "This copy is registered to somebody else. Your claim to this copy is already closed."
        }
        "registered_to_another" => {
            "This copy is registered to somebody else. Your claim was noted, and a moderator decides."
        }
        "copy_passed_on" => "This copy was yours once and is somebody else's now.",
        "serial_attempts_used_up" => {
            "Not looked at: no attempt was left. Send this line again, later if it says so once more."
        }
        _ => NOT_REGISTERABLE,
    };
    text.into()
}

/// How a submission counts for the unlock of its card; empty if there is nothing to show.
pub(super) fn standing(
    state: &str,
    held_for: Option<&str>,
    until: Option<DateTime<Utc>>,
) -> String {
    match (state, held_for) {
        ("counted", _) => "It counts for the unlock of the card.".to_owned(),
        ("held", Some("review")) => {
            "It will count for the unlock when a moderator has confirmed it.".to_owned()
        }
        ("held", Some("account_age")) => match until {
            Some(until) => format!(
                "Your account is new: it will count for the unlock from {} on.",
                words::day_of(until)
            ),
            None => "Your account is new: it will count for the unlock later.".to_owned(),
        },
        ("held", _) => {
            "It waits: the limit of players in your network that count for this card is reached."
                .to_owned()
        }
        _ => String::new(),
    }
}
