//! A new account in the form of something else: who holds a first card makes one where its code is typed.

use actix_web::HttpResponse;
use serde::Deserialize;

use super::codes::{NewCodes, Onwards, show_once};
use super::credentials::TypedCredentials;
use super::join::refusal;
use super::kept::Kept;
use super::words as account_words;
use crate::app::accounts::sessions::{self, Credentials};
use crate::app::accounts::{first_log_in, own_account};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::secret::OpaqueToken;
use crate::domain::accounts::password::Password;
use crate::domain::network::Network;
use crate::domain::text::AccountName;
use crate::web::forms::Faults;
use crate::web::serials::TypedCode;

/// The fields of a new account, as they were typed. Without `Debug`: they have a password.
#[derive(Default, Deserialize)]
pub(in crate::web) struct TypedNewcomer {
    /// What the button says that was pressed: `join`, `log_in`, or nothing.
    #[serde(default)]
    way: String,
    #[serde(default)]
    pub(in crate::web) name: String,
    #[serde(default)]
    password: String,
    /// A password that the page has made: for whoever types none. Without script there is none.
    #[serde(default)]
    made_password: String,
}

/// The name and the password of an account that is to be made.
pub(in crate::web) struct Newcomer<'a> {
    new_password: Password,
    pub(in crate::web) typed: TypedAccount<'a>,
}

/// The same as it was typed.
pub(in crate::web) struct TypedAccount<'a> {
    name: AccountName,
    password: &'a str,
    /// Whether nobody has typed the password, so that it must be shown.
    is_made: bool,
}

impl TypedNewcomer {
    /// Whether an account is to be made. Enter presses the first button of the form: who is logged in meanwhile and has typed nothing here wants none.
    pub(in crate::web) fn is_joining(&self, is_stranger: bool) -> bool {
        let is_typed = !(self.name.trim().is_empty() && self.password.is_empty());
        match self.way.as_str() {
            "log_in" => false,
            "join" => is_stranger || is_typed,
            _ => is_typed,
        }
    }

    /// What was typed, or made in its place, or the faults of it.
    pub(in crate::web) fn read(&self) -> Result<Newcomer<'_>, Faults> {
        let is_made = self.password.is_empty() && !self.made_password.is_empty();
        let password = if is_made { &self.made_password } else { &self.password };
        let typed = TypedCredentials { name: &self.name, password, field: "password" };
        let (name, new_password) = typed.read()?;
        Ok(Newcomer { new_password, typed: TypedAccount { name, password, is_made } })
    }
}

/// What the owner of a new account is shown once.
pub(in crate::web) struct Welcome {
    pub(in crate::web) account: String,
    /// The password, if nobody has typed it; empty: somebody has.
    pub(in crate::web) password: String,
    /// The recovery codes; none: the account was there already.
    pub(in crate::web) codes: Vec<String>,
}

impl Welcome {
    /// Whether there is something in it that is not shown again.
    pub(in crate::web) fn is_secret(&self) -> bool {
        !(self.password.is_empty() && self.codes.is_empty())
    }
}

/// An account that is there.
pub(in crate::web) struct Joined {
    /// Of the browser, which is logged in; `None`: the account was made, but the log-in failed.
    pub(in crate::web) token: Option<OpaqueToken>,
    pub(in crate::web) welcome: Welcome,
}

impl Joined {
    /// The page for whom the log-in has failed: with what is shown once, and the way to the log-in, which keeps the code of the card.
    pub(in crate::web) fn log_in_first(&self, code: &TypedCode) -> Result<HttpResponse, Problem> {
        let new = NewCodes {
            heading: account_words::RECOVERY_CODES,
            about: account_words::RECOVERY_CODES_ABOUT,
            account: &self.welcome.account,
            password: &self.welcome.password,
            codes: &self.welcome.codes,
        };
        show_once(201, &new, Onwards::LogIn(Kept::typed(code.clone())))
    }
}

/// What becomes of a new account.
pub(in crate::web) enum Joining {
    /// It is there.
    Done(Joined),
    /// It is refused: with which status, and why.
    Refused(u16, Faults),
    /// Somebody else is logged in here.
    Here,
}

/// Logs in once more whose account the same form has made before.
pub(in crate::web) async fn join_again(
    app: &AppState,
    network: Network,
    account: &TypedAccount<'_>,
) -> Result<Joining, Problem> {
    let token = first_log_in::log_in_again(app, network, &account.name, account.password).await?;
    Ok(match token {
        Some(token) => Joining::Done(account.joined(Some(token), Vec::new())),
        None => Joining::Here,
    })
}

impl TypedAccount<'_> {
    fn joined(&self, token: Option<OpaqueToken>, codes: Vec<String>) -> Joined {
        let password = if self.is_made { self.password } else { "" };
        let account = self.name.as_str().to_owned();
        Joined { token, welcome: Welcome { account, password: password.to_owned(), codes } }
    }
}

/// Makes an account and logs the browser in. Where the same form has made the account before, it is logged in once more.
pub(in crate::web) async fn join_with(
    app: &AppState,
    network: Network,
    newcomer: Newcomer<'_>,
) -> Result<Joining, Problem> {
    let Newcomer { new_password, typed } = newcomer;
    let registered = own_account::register(app, network, &typed.name, new_password).await;
    let problem = match registered {
        Ok(registered) => {
            let (name, password) = (typed.name.as_str(), typed.password);
            let credentials = Credentials { name, password, second_factor: None };
            let token = sessions::log_in_browser(app, network, credentials).await;
            let token = token
                .inspect_err(|problem| {
                    tracing::warn!(code = problem.code().code(), "registered, but not logged in");
                })
                .ok();
            return Ok(Joining::Done(typed.joined(token, registered.recovery_codes)));
        }
        Err(problem) => problem,
    };
    // The same form may have used up what the network has left.
    if matches!(problem.code(), ProblemCode::NameTaken | ProblemCode::RegistrationThrottled)
        && let Joining::Done(joined) = join_again(app, network, &typed).await?
    {
        return Ok(Joining::Done(joined));
    }
    match refusal(&problem) {
        Some(faults) => Ok(Joining::Refused(problem.code().status(), faults)),
        None => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(way: &str, name: &str, password: &str, made_password: &str) -> TypedNewcomer {
        let owned = str::to_owned;
        TypedNewcomer {
            way: owned(way),
            name: owned(name),
            password: owned(password),
            made_password: owned(made_password),
        }
    }

    #[test]
    fn the_button_says_whether_an_account_is_made_and_else_what_was_typed() {
        for (way, name, is_of_stranger, is_of_player) in [
            ("join", "", true, false),
            ("join", "ada", true, true),
            ("log_in", "ada", false, false),
            ("", "ada", true, true),
            ("", " ", false, false),
        ] {
            let typed = typed(way, name, "", "k7q2-x0fm");
            assert_eq!(typed.is_joining(true), is_of_stranger, "{way} {name}");
            assert_eq!(typed.is_joining(false), is_of_player, "{way} {name}");
        }
    }

    #[test]
    fn a_password_that_was_made_is_for_whoever_types_none() {
        let made = typed("join", "ada", "", "k7q2-x0fm-93td-aw5g");
        let made = made.read().ok().unwrap().typed;
        assert_eq!((made.password, made.is_made), ("k7q2-x0fm-93td-aw5g", true));
        let own = typed("join", "ada", "tram window", "k7q2-x0fm-93td-aw5g");
        let own = own.read().ok().unwrap().typed;
        assert_eq!((own.password, own.is_made), ("tram window", false));
        for (password, made) in [("", ""), ("short", "k7q2-x0fm-93td-aw5g"), ("", "short")] {
            let faults = typed("join", "ada", password, made).read().err().unwrap();
            assert_eq!(faults.of("password"), Some("A password has 10 to 128 characters."));
        }
    }
}
