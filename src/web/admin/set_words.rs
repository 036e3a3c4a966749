//! Text of the pages of admins about sets.

use crate::app::catalogue::sets::SetUse;
use crate::app::problem::ProblemCode;

pub(super) const SETS_ABOUT: &str = "A new set has no cards. Cards come into it when designs are released, when cards are moved, or with the import of a file. Everybody sees the set at once.";
pub(super) const ALL_SETS: &str = "All sets";
pub(super) const NO_SETS: &str = "There is no set yet.";
pub(super) const NEW_SET: &str = "A new set";
pub(super) const CHOOSE_GAME: &str = "Choose a game.";
pub(super) const CODE: &str = "Code";
pub(super) const CODE_HELP: &str =
    "It identifies the set in addresses and files, and cannot be changed: fan-made.";
pub(super) const CODE_FAULT: &str =
    "A code has 1 to 32 small letters and digits, with single hyphens between them.";
pub(super) const CODE_TAKEN: &str = "Another set of the game has this code.";
pub(super) const NAME_FAULT: &str = "A name has 1 to 120 characters, and one line.";
pub(super) const RELEASED_ON: &str = "Day of release";
pub(super) const RELEASED_ON_HELP: &str = "Empty: there is none yet.";
pub(super) const RELEASED_ON_FAULT: &str = "Type a day that there is, such as 2026-11-21.";
pub(super) const START: &str = "Its cards start";
pub(super) const START_FAULT: &str = "Choose one of what is offered here.";
pub(super) const THRESHOLD: &str = "Accounts that unlock a card";
pub(super) const THRESHOLD_HELP: &str =
    "How many different accounts must have submitted a hidden card. Empty: as the game says.";
pub(super) const THRESHOLD_FAULT: &str = "Type a whole number from 1 to 100,000, or nothing.";
pub(super) const CREATE: &str = "Create the set";
pub(super) const PUBLIC_PAGE: &str = "Its page for everybody";
pub(super) const APPROVED_DESIGNS: &str = "Approved designs";
pub(super) const IMPORT_FILE: &str = "Import a file";
pub(super) const DELETE_SET: &str = "Delete the set";
pub(super) const DELETE_ABOUT: &str = "The set has no cards. If it was created by mistake, it can be deleted, as long as nothing depends on it. Another set can then have its code.";

/// The fields of a new set: the pointer of the API, the field of the form, and what its value must be.
pub(super) const FIELDS: &[(&str, &str, &str)] = &[
    ("/code", "code", CODE_FAULT),
    ("/name", "name", NAME_FAULT),
    ("/released_on", "released_on", RELEASED_ON_FAULT),
    ("/unlock_threshold", "unlock_threshold", THRESHOLD_FAULT),
];

/// Why a set cannot be deleted.
pub(super) fn obstacle(used: SetUse) -> &'static str {
    match used {
        SetUse::Cards => "It cannot be deleted: it has cards.",
        SetUse::FormerCards => {
            "It cannot be deleted: it had cards that were moved or merged, and their old numbers lead to them."
        }
        SetUse::PrintRun => "It cannot be deleted: a print run of it was begun.",
        SetUse::Announcement => "It cannot be deleted: a print run of it was announced.",
        SetUse::UnlockPolicy => {
            "It cannot be deleted as long as it has an unlock policy of its own."
        }
    }
}

/// Why a set was not deleted; `in_use`: whether something depends on it now.
pub(super) fn not_deleted(refusal: ProblemCode, in_use: bool) -> &'static str {
    match (refusal, in_use) {
        (ProblemCode::PreconditionFailed, true) => {
            "Somebody has changed this set since you read it. It was not deleted."
        }
        (ProblemCode::PreconditionFailed, false) => {
            "Somebody has changed this set since you read it. Delete it only if you still want to."
        }
        _ => "It was not deleted: something depends on it.",
    }
}

/// How the cards of a new set start, by the value that the form sends.
pub(super) const STARTS: [(&str, &str); 3] =
    [("", "As the game says"), ("open", start(false)), ("hidden", start(true))];

/// How the cards of a set start.
pub(super) const fn start(hidden: bool) -> &'static str {
    if hidden { "Hidden, until players unlock them" } else { "Open" }
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "created" => "The set is created.",
        "deleted" => "The set is deleted.",
        _ => "",
    }
}
