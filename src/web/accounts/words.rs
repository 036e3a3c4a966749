//! Text of the pages of accounts.

use crate::app::problem::ProblemCode;

pub(super) const LOG_IN: &str = "Log in";
pub(super) const LOG_IN_ABOUT: &str = "Your cards, decks and trades are kept with your account.";
pub(super) const LOG_IN_FOR_CODE: &str =
    "The code is read. Log in, and the card is registered to you.";
pub(super) const ACCOUNT_NAME: &str = "Name of the account";
pub(super) const PASSWORD: &str = "Password";
pub(super) const SECOND_FACTOR: &str = "Code of the second factor";
pub(super) const SECOND_FACTOR_HELP: &str = "Only if you have switched one on: six digits that your device shows, or one of the recovery codes of the second factor.";
pub(super) const LOG_OUT: &str = "Log out";
pub(super) const ACCOUNT: &str = "Account";
pub(super) const ROLE: &str = "Role";
pub(super) const MEMBER_SINCE: &str = "Member since";
pub(super) const HAS_SECOND_FACTOR: &str = "Second factor";

/// What went wrong with a log-in. `None`: a page of its own says it.
pub(super) fn log_in_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::WrongCredentials => "The name or the password is wrong.",
        ProblemCode::SecondFactorRequired => {
            "Name and password are right. Type the code of your second factor as well, and the password once more."
        }
        ProblemCode::WrongSecondFactor => {
            "The code of the second factor is wrong, too old, or was used before."
        }
        ProblemCode::LoginThrottled => "Too many log-ins with a wrong password.",
        _ => return None,
    })
}
