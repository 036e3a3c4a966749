//! The creation of an account: with a form of its own, or within another one, because a visitor who holds a first card can create an account where the serial code
//! is typed.

use actix_web::HttpResponse;
use serde::Deserialize;

use super::codes::{NewCodes, NextPage, show_once};
use super::credentials::TypedCredentials;
use super::log_in_target::LogInTarget;
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
use crate::web::page_status::PageStatus;
use crate::web::serials::TypedCode;

/// The fields of a new account, as they were typed. Without `Debug`, because the fields include a password.
#[derive(Default, Deserialize)]
pub(in crate::web) struct TypedNewcomer {
    /// The value of the button that was pressed: `join`, `log_in` or empty.
    #[serde(default)]
    way: String,
    #[serde(default)]
    pub(in crate::web) name: String,
    #[serde(default)]
    password: String,
    /// A password that the script of the page has generated, for a visitor who types none. Without script it is empty.
    #[serde(default)]
    made_password: String,
}

/// The checked name and password of an account that is to be created.
pub(in crate::web) struct NewAccount<'a> {
    new_password: Password,
    pub(in crate::web) typed: TypedAccount<'a>,
}

/// The same name and password as they were typed.
pub(in crate::web) struct TypedAccount<'a> {
    name: AccountName,
    password: &'a str,
    /// Whether the password was generated, so that it must be shown.
    is_made: bool,
}

impl TypedNewcomer {
    /// The fields of a form that only creates an account.
    pub(super) fn of_account(name: String, password: String) -> Self {
        Self { name, password, ..Self::default() }
    }

    /// Whether the form creates an account. The Enter key presses the first button of the form, so a visitor who has logged in meanwhile and typed nothing into
    /// these fields does not want an account.
    pub(in crate::web) fn is_joining(&self, is_stranger: bool) -> bool {
        let is_typed = !(self.name.trim().is_empty() && self.password.is_empty());
        match self.way.as_str() {
            "log_in" => false,
            "join" => is_stranger || is_typed,
            _ => is_typed,
        }
    }

    /// The typed values, with the generated password if none was typed; or their faults.
    pub(in crate::web) fn read(&self) -> Result<NewAccount<'_>, Faults> {
        let is_made = self.password.is_empty() && !self.made_password.is_empty();
        let password = if is_made { &self.made_password } else { &self.password };
        let typed = TypedCredentials {
            name: &self.name,
            password,
            field: "password",
            read_name: AccountName::parse_new,
        };
        let (name, new_password) = typed.read()?;
        Ok(NewAccount { new_password, typed: TypedAccount { name, password, is_made } })
    }
}

/// What the owner of a new account is shown once.
pub(in crate::web) struct Welcome {
    pub(in crate::web) account: String,
    /// The generated password; empty if the visitor typed a password.
    pub(in crate::web) password: String,
    /// The recovery codes; empty if the account existed already.
    pub(in crate::web) codes: Vec<String>,
}

impl Welcome {
    /// Whether it contains a password or codes, which are not shown again.
    pub(in crate::web) fn is_secret(&self) -> bool {
        !(self.password.is_empty() && self.codes.is_empty())
    }

    /// The content of a page that only shows this.
    pub(super) fn codes_page(&self) -> NewCodes<'_> {
        let (heading, about) = if self.codes.is_empty() {
            (account_words::OWN_ACCOUNT, account_words::CODES_NOT_SHOWN)
        } else {
            (account_words::RECOVERY_CODES, account_words::RECOVERY_CODES_ABOUT)
        };
        let Self { account, password, codes } = self;
        NewCodes { heading, about, account, password, codes }
    }
}

/// An account that exists.
pub(in crate::web) struct Joined {
    /// The session of the browser; `None`: the account was created, but the log-in failed.
    pub(in crate::web) token: Option<OpaqueToken>,
    pub(in crate::web) welcome: Welcome,
}

impl Joined {
    /// The page for a new account whose log-in failed: it shows the codes once, and links to the log-in, which keeps the serial code of the card.
    pub(in crate::web) fn log_in_first(&self, code: &TypedCode) -> Result<HttpResponse, Problem> {
        let next = NextPage::LogIn(LogInTarget::typed(code.clone()));
        show_once(PageStatus::CREATED, &self.welcome.codes_page(), next)
    }
}

/// The outcome of the creation of an account.
pub(in crate::web) enum Joining {
    /// The account exists.
    Done(Joined),
    /// The registration was refused, with this status and these faults.
    Refused(PageStatus, Faults),
}

/// Logs in again to the account that an earlier request with the same form has created. `None`: there is no such account.
pub(in crate::web) async fn join_again(
    app: &AppState,
    network: Network,
    account: &TypedAccount<'_>,
) -> Result<Option<Joined>, Problem> {
    let token = first_log_in::log_in_again(app, network, &account.name, account.password).await?;
    Ok(token.map(|token| account.joined(Some(token), Vec::new())))
}

impl TypedAccount<'_> {
    fn joined(&self, token: Option<OpaqueToken>, codes: Vec<String>) -> Joined {
        let password = if self.is_made { self.password } else { "" };
        let account = self.name.as_str().to_owned();
        Joined { token, welcome: Welcome { account, password: password.to_owned(), codes } }
    }
}

/// Creates an account and logs the browser in. If an earlier request with the same form has created the account, the browser is logged in to it.
pub(in crate::web) async fn join_with(
    app: &AppState,
    network: Network,
    newcomer: NewAccount<'_>,
) -> Result<Joining, Problem> {
    let NewAccount { new_password, typed } = newcomer;
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
    // An earlier request with the same form may have created the account, or used up the registrations that the network has left.
    if matches!(problem.code(), ProblemCode::NameTaken | ProblemCode::RegistrationThrottled)
        && let Some(joined) = join_again(app, network, &typed).await?
    {
        return Ok(Joining::Done(joined));
    }
    match refusal(&problem) {
        Some(faults) => Ok(Joining::Refused(PageStatus::of(&problem), faults)),
        None => Err(problem),
    }
}

/// The message about a refused registration. `None`: the problem is shown on a page of its own.
fn refusal(problem: &Problem) -> Option<Faults> {
    if problem.code() == ProblemCode::NameTaken {
        return Some(Faults::one("name", account_words::NAME_TAKEN));
    }
    Faults::of_problem(problem, &[], account_words::join_fault)
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
    fn the_button_or_else_the_typed_fields_decide_whether_an_account_is_created() {
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
    fn the_generated_password_is_used_if_none_was_typed() {
        let filled_in = typed("join", "ada", "", "k7q2-x0fm-93td-aw5g");
        let filled_in = filled_in.read().ok().unwrap().typed;
        assert_eq!((filled_in.password, filled_in.is_made), ("k7q2-x0fm-93td-aw5g", true));
        let own = typed("join", "ada", "tram window", "k7q2-x0fm-93td-aw5g");
        let own = own.read().ok().unwrap().typed;
        assert_eq!((own.password, own.is_made), ("tram window", false));
        for (password, generated) in [("", ""), ("short", "k7q2-x0fm-93td-aw5g"), ("", "short")] {
            let faults = typed("join", "ada", password, generated).read().err().unwrap();
            assert_eq!(faults.of("password"), Some("A password has 10 to 128 characters."));
        }
    }
}
