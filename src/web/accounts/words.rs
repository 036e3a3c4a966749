//! Text of the pages of accounts.

use chrono::{DateTime, Utc};

use crate::app::problem::ProblemCode;
use crate::auth::permission::Scope;
use crate::domain::accounts::password::PasswordError;
use crate::domain::copies::trade::Trading;
use crate::domain::text::TextError;
use crate::web::words;

pub(super) const LOG_IN: &str = "Log in";
pub(super) const LOG_IN_ABOUT: &str = "Your cards, decks and trades are kept with your account.";
pub(super) const LOG_IN_FOR_CODE: &str =
    "The code is read. Log in, and the card is registered to you.";
pub(in crate::web) const ACCOUNT_NAME: &str = "Name of the account";
pub(in crate::web) const PASSWORD: &str = "Password";
pub(super) const SECOND_FACTOR: &str = "Code of the second factor";
pub(super) const SECOND_FACTOR_HELP: &str = "Only if you have switched one on: six digits that your device shows, or one of the recovery codes of the second factor.";
pub(super) const HAS_NO_ACCOUNT: &str = "I have no account yet";
pub(super) const LOST_PASSWORD: &str = "I have lost my password";
pub(super) const LOG_OUT: &str = "Log out";
pub(super) const ACCOUNT: &str = "Account";
pub(super) const ROLE: &str = "Role";
pub(super) const MEMBER_SINCE: &str = "Member since";
pub(super) const ADMIN: &str = "Pages of moderators and admins";
pub(super) const OF_ACCOUNT: &str = "Pages of your account";
pub(super) const PASSWORD_DUE: &str =
    "Your password was set by somebody else. Change it first: until then nothing else is possible.";
pub(super) const FACTOR_DUE: &str =
    "Your role needs a second factor. Switch one on first: until then nothing else is possible.";
pub(super) const SETTINGS: &str = "Settings";
pub(super) const TRADING: &str = "Who may send you offers";
pub(super) const ON_LEADERBOARD: &str = "Name me on the leaderboard";
pub(super) const SAVE: &str = "Save";
pub(super) const SESSIONS: &str = "Where you are logged in";
pub(super) const SESSIONS_ABOUT: &str = "Each browser and each program that has logged in with your password. End those that you do not know, and change the password then.";
pub(super) const BEGAN: &str = "Since";
pub(super) const USED: &str = "Used last";
pub(super) const USED_BY: &str = "Used by";
pub(super) const ENDS: &str = "Ends";
pub(super) const END: &str = "End";
pub(super) const COPIES: &str = "Registered copies";
pub(super) const LISTS: &str = "Wants and haves";
pub(super) const TRADES: &str = "Trades";
pub(super) const DISPUTES: &str = "Disputes";
pub(super) const TRADE: &str = "The trade";
pub(super) const DISPUTE: &str = "The dispute";
pub(super) const COPY: &str = "The copy";
pub(super) const DECK: &str = "The deck";
pub(super) const COMMENTS: &str = "The comments";
pub(super) const SUGGESTION: &str = "The suggested change";
pub(super) const END_SESSION: &str = "End it";
pub(super) const THIS_SESSION: &str = "This browser";

/// The setting who may send trade offers.
pub(super) fn trading(trading: Trading) -> &'static str {
    match trading {
        Trading::Closed => "Nobody",
        Trading::Offers => "Everybody who knows my name",
        Trading::Public => "Everybody, and other players may see my copies",
    }
}

/// What uses a session.
pub(super) fn used_by(is_browser: bool) -> &'static str {
    if is_browser { "A browser" } else { "A program" }
}

/// The label of the button that ends a session; `began` distinguishes the session from the others.
pub(super) fn end_session_of(began: &str) -> String {
    format!("End the session of {began}")
}

/// A point in time, in UTC.
pub(super) fn moment(at: DateTime<Utc>) -> String {
    format!("{}, {} UTC", words::day_of(at), at.format("%H:%M"))
}

/// The confirmation of an action that was completed on the page before, by its code; empty: none.
pub(super) fn done(code: &str) -> &'static str {
    match code {
        "password" => "The password is changed. All other devices are logged out.",
        "second_factor_off" => "The second factor is off.",
        "settings" => "The settings are saved.",
        "session" => "The session is over.",
        "token" => "The token is revoked.",
        "not_registered" => {
            "The card is not registered yet. Do what comes first, then type its code again."
        }
        _ => "",
    }
}

// The password and recovery codes.
pub(super) const CHANGE_PASSWORD: &str = "Change the password";
pub(super) const CHANGE_PASSWORD_ABOUT: &str = "All other devices are logged out, and personal access tokens end. This browser stays logged in.";
pub(super) const CURRENT_PASSWORD: &str = "Current password";
pub(super) const REPLACE_CODES: &str = "Make new recovery codes, too";
pub(super) const REPLACE_CODES_HELP: &str =
    "Do this if somebody else may have seen the old ones. The old codes then stop working.";
pub(in crate::web) const NEW_RECOVERY_CODES: &str = "New recovery codes";
pub(super) const NEW_RECOVERY_CODES_ABOUT: &str =
    "The codes that you have stop working, used or not. The new ones are shown once.";
pub(super) const CODES_SHOWN_BEFORE: &str = "The password is changed: the form was sent twice, and the answer to the first one had the new recovery codes. If you did not see them, make new ones here.";
pub(super) const MAKE_CODES: &str = "Make new codes";
pub(super) const WRONG_PASSWORD: &str = "The password is wrong.";

/// The message about a wrong password or code in a form that asks for it once more. `None`: the problem is shown on a page of its own.
pub(super) fn proof_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::LoginThrottled => "Too many wrong passwords or codes.",
        ProblemCode::EditConflict => {
            "The password or the second factor was changed at the same moment. Try once more."
        }
        ProblemCode::SecondFactorOn => {
            "The second factor is on already. If you have not seen its recovery codes, make new ones here."
        }
        ProblemCode::SecondFactorOff => "The second factor is off already.",
        ProblemCode::SecondFactorNotBegun => "It took too long until the first code: begin again.",
        _ => return None,
    })
}

// The second factor.
pub(super) const FACTOR: &str = "Second factor";
pub(super) const FACTOR_ABOUT: &str = "With a second factor, a log-in needs the password and six digits that a device of yours shows: a stolen password is then not enough.";
pub(super) const FACTOR_ON: &str = "The second factor is on.";
pub(super) const FACTOR_REQUIRED: &str =
    "Your role needs a second factor: without one nothing else is possible.";
pub(super) const SWITCH_ON: &str = "Switch the second factor on";
pub(super) const SWITCH_OFF: &str = "Switch the second factor off";
pub(super) const BEGIN_AGAIN: &str = "Begin again with another secret";
pub(super) const SHOW_SECRET: &str = "Show the secret";
pub(super) const SECRET: &str = "Secret";
pub(super) const SECRET_STEP: &str = "Enter the secret in an authenticator app: let the app scan the picture, press the button if the app is on this device, or type the secret there.";
pub(super) const SECRET_PICTURE: &str = "QR code of the secret, for an authenticator app";
pub(super) const OPEN_APP: &str = "Open in an authenticator app";
pub(super) const SECRET_SHOWN_ONCE: &str =
    "The secret is shown now and never again. Everybody who knows it has your second factor.";
pub(super) const FIRST_CODE: &str = "The first code";
pub(super) const FIRST_CODE_HELP: &str = "Six digits that the app shows. All other devices are logged out, and personal access tokens end.";
pub(super) const ANY_CODE_HELP: &str =
    "Six digits that your device shows, or one of the recovery codes of the second factor.";
pub(super) const WRONG_CODE: &str = "The code is wrong, too old, or was used before.";
pub(super) const NEW_FACTOR_CODES: &str = "New recovery codes of the second factor";
pub(super) const NEW_FACTOR_CODES_ABOUT: &str =
    "The codes that you have stop working. The new ones are shown once.";
pub(super) const FACTOR_CODES: &str = "Recovery codes of your second factor";
pub(super) const FACTOR_CODES_ABOUT: &str = "If you have lost the device, each of these codes works once instead of the six digits. Keep them apart from the recovery codes of the account, which are for a lost password.";

/// How many recovery codes of the second factor are left.
pub(super) fn codes_left(count: i64) -> String {
    match count {
        0 => "It has no recovery codes left: create new ones.".to_owned(),
        1 => "One of its recovery codes is left.".to_owned(),
        _ => format!("{count} of its recovery codes are left."),
    }
}

/// Until when the service waits for the first code.
pub(super) fn first_code_until(until: &str) -> String {
    format!("Type the first code that the app shows. The service waits for it until {until}.")
}

// Personal access tokens.
pub(super) const TOKENS: &str = "Personal access tokens";
pub(super) const TOKENS_ABOUT: &str = "With a token, a program of yours can use the API without your password. It can do what you allow, and never more than you may do yourself.";
pub(super) const OWN_TOKENS: &str = "Your tokens";
pub(super) const NO_TOKENS: &str = "You have no token.";
pub(super) const NEW_TOKEN: &str = "A new token";
pub(super) const TOKEN_NAME: &str = "What it is for";
pub(super) const TOKEN_NAME_HELP: &str = "1 to 60 characters, for you alone.";
pub(super) const TOKEN_NAME_FAULT: &str = "Say with 1 to 60 characters what the token is for.";
pub(super) const SCOPES: &str = "What it may do";
pub(super) const SCOPES_FAULT: &str = "Choose at least one thing that the token may do.";
pub(super) const LIFETIME: &str = "How long it is valid";
pub(super) const DAYS_FAULT: &str = "A token is valid for 1 to 366 days.";
pub(super) const NEVER: &str = "Never";
pub(super) const REVOKE: &str = "Revoke";
pub(super) const MAKE_TOKEN: &str = "Create the token";
pub(super) const TOKEN_MADE: &str = "Your new token";
pub(super) const TOKEN_SHOWN_ONCE: &str = "The token is shown now and never again. Everybody who knows it can use your account as far as the token allows.";
pub(super) const TOKEN_SHOWN_BEFORE: &str = "This token was created and shown before: you sent the form twice. If you have not kept it, revoke it and create another one.";

/// A number of days.
pub(super) fn days(count: u16) -> String {
    format!("{count} days")
}

/// The label of the button that revokes a token; the name distinguishes the token from the others.
pub(super) fn revoke_token(name: &str) -> String {
    format!("Revoke {name}")
}

/// What a scope allows.
pub(super) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::CatalogueRead => "See the hidden cards that you see",
        Scope::DecksRead => "Read your decks",
        Scope::DecksWrite => {
            "Change your decks; comment on decks, like and watch them, follow authors"
        }
        Scope::DesignsRead => "Read your card designs, drafts included",
        Scope::DesignsWrite => {
            "Change your card designs; comment on designs, rate them, suggest changes"
        }
        Scope::CollectionRead => "Read your collection, wants and haves, and who would trade",
        Scope::CollectionWrite => "Change your collection, wants and haves",
        Scope::SerialsRead => "Read your submissions, copies and disputes",
        Scope::SerialsSubmit => "Register cards, and speak in your disputes",
        Scope::TradesRead => "Read your trades, and the copies that others show",
        Scope::TradesWrite => "Offer, accept and decline trades",
        Scope::EventsRead => "Read what happens to your account",
        Scope::AdminRead => "Read everything that your role may read",
        Scope::AdminWrite => "Change everything that your role may change",
    }
}

/// The message about a refused token. `None`: the problem is shown on a page of its own.
pub(super) fn token_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::TooManyTokens => {
            "You have as many tokens as an account may have. Revoke one first."
        }
        ProblemCode::IdempotencyKeyReused => {
            "This form was sent before, and a token was created. Send it again if you want another one."
        }
        ProblemCode::IdempotencyInProgress => "The token is being created at this moment.",
        ProblemCode::Gone => {
            "This form was sent before, and its token was revoked or has expired. Send it again if you want another one."
        }
        _ => return None,
    })
}

// Events of the account.
pub(super) const EVENTS: &str = "What happened";
pub(super) const BLOCKS: &str = "Blocked players";
pub(super) const NO_EVENTS: &str = "Nothing happened to your account within the last 90 days.";
pub(super) const EVENT_SETTINGS: &str = "Events that you get";
pub(super) const EVENT_SETTINGS_ABOUT: &str = "You always get the events of your cards, trades and disputes. Events that happen while their box is empty are not shown later.";
pub(super) const TELL_ME: &str = "Tell me when";

// Join and recover.
pub(super) const JOIN: &str = "Create an account";
pub(super) const JOIN_ABOUT: &str = "With an account you register your cards, keep decks and trade. It needs a name and a password, and no address of yours.";
pub(super) const JOIN_FOR_CODE: &str =
    "The code is read. Create an account, and the card is registered to you.";
pub(super) const HAS_ACCOUNT: &str = "I have an account";
pub(in crate::web) const NAME_RULES: &str = "3 to 32 characters. Other players see it.";
pub(in crate::web) const PASSWORD_RULES: &str = "10 to 128 characters. It must not contain the name of the account, and must not be easy to guess. Three or four words that have nothing to do with each other are a good one.";
pub(super) const NAME_TAKEN: &str = "Another account has this name, or one that looks the same. If you have just made it yourself, log in; you can make new recovery codes on the page of your account.";
pub(in crate::web) const RECOVERY_CODES: &str = "Your recovery codes";
pub(in crate::web) const RECOVERY_CODES_ABOUT: &str = "With one of these codes you set a new password when you have lost the old one. Each works once. There is no other way back into the account.";
pub(super) const SHOWN_ONCE: &str = "These codes are shown now and never again. Print this page, or write them down, and keep them where nobody else looks.";
pub(super) const CODES_KEPT: &str = "I have kept them: go on";
pub(in crate::web) const CODES_KEPT_SUBMIT: &str = "I have kept them: register the card";
pub(super) const GO_ON: &str = "Go on";
pub(super) const GO_ON_SUBMIT: &str = "Register the card";
pub(super) const CODES_KEPT_LOG_IN: &str = "I have kept them: log in";
pub(in crate::web) const OWN_ACCOUNT: &str = "Your account";
pub(in crate::web) const NEW_ACCOUNT: &str = "Your account and its recovery codes";
pub(in crate::web) const NEW_ACCOUNT_ONCE: &str = "This page is shown now and never again. Print it, or write its contents down, and keep them where nobody else looks.";
pub(in crate::web) const CODES_NOT_SHOWN: &str = "The account was there already: the form came twice. If you have not seen its recovery codes, make new ones.";
pub(super) const RECOVER: &str = "Set a new password";
pub(super) const RECOVER_ABOUT: &str = "You need one of the recovery codes that were shown when you created the account. It works once, and all devices are logged out. A second factor stays on.";
pub(super) const KNOWS_PASSWORD: &str = "I know my password";
pub(super) const RECOVERY_CODE: &str = "Recovery code";
pub(super) const RECOVERY_CODE_HELP: &str =
    "16 letters and digits. Spaces, hyphens and small letters do not matter.";
pub(super) const NEW_PASSWORD: &str = "New password";
pub(super) const SET_PASSWORD: &str = "Set the password";
pub(super) const RECOVERED: &str = "The new password is set. Log in with it.";

/// The message about the name of a new account.
pub(super) fn name_fault(error: &TextError) -> String {
    match error {
        TextError::Length { actual: 0, .. } => "Type a name.".to_owned(),
        TextError::Length { min, max, actual } => {
            format!("A name has {min} to {max} characters. This has {actual}.")
        }
        TextError::Control => {
            "There is a character in the name that is no part of a text.".to_owned()
        }
        TextError::Bidi => {
            "There is an invisible character in the name that changes the direction of the text."
                .to_owned()
        }
        TextError::Separator => "There is a separator of lines in the name.".to_owned(),
        TextError::Undrawn => "The name has an invisible letter.".to_owned(),
        TextError::Marks => "There are too many marks on a character of the name.".to_owned(),
        TextError::Blank => "A name has at least one letter, digit or symbol.".to_owned(),
        TextError::Serial => {
            "The name contains the code of a card, which must not be published.".to_owned()
        }
    }
}

/// The message about a new password.
pub(in crate::web) fn password_fault(error: PasswordError) -> &'static str {
    match error {
        PasswordError::Length => "A password has 10 to 128 characters.",
        PasswordError::Common => "This password is easy to guess.",
        PasswordError::Name => "The password must not contain the name of the account.",
        PasswordError::Current => "This is your current password. Choose another one.",
    }
}

/// The message about a refused registration. `None`: the problem is shown on a page of its own.
pub(super) fn join_fault(code: ProblemCode) -> Option<&'static str> {
    (code == ProblemCode::RegistrationThrottled)
        .then_some("Too many accounts were created from your network.")
}

/// The message about a refused recovery. `None`: the problem is shown on a page of its own.
pub(super) fn recover_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::WrongRecoveryCode => {
            "The name or the recovery code is wrong, or the code was used before."
        }
        ProblemCode::LoginThrottled => "Too many wrong recovery codes.",
        _ => return None,
    })
}

/// The message about a refused log-in. `None`: the problem is shown on a page of its own.
pub(super) fn log_in_fault(code: ProblemCode) -> Option<&'static str> {
    Some(match code {
        ProblemCode::WrongCredentials => "The name or the password is wrong.",
        ProblemCode::AccountBanned => "This account is banned, so nobody can log in to it.",
        ProblemCode::SecondFactorRequired => {
            "Name and password are right. Type the code of your second factor as well, and the password once more."
        }
        ProblemCode::WrongSecondFactor => {
            "The code of the second factor is wrong, too old, or was used before."
        }
        ProblemCode::LoginThrottled => "Too many wrong passwords or codes.",
        _ => return None,
    })
}
