//! The registration of a player, who is logged in at once. A serial code that was typed before is kept in the form and registered afterwards.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::codes::{NewCodes, NextPage, show_once};
use super::credentials::TypedCredentials;
use super::log_in::{FormLink, LogInQuery};
use super::log_in_target::LogInTarget;
use super::log_out::end_previous;
use super::words as account_words;
use crate::app::accounts::own_account;
use crate::app::accounts::sessions::{self, Credentials};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Visitor, logged_in, way_back};
use crate::web::words;

#[derive(Template)]
#[template(path = "web/accounts/join.html")]
struct JoinPage<'a> {
    frame: Frame,
    faults: Faults,
    name: &'a str,
    target: &'a LogInTarget,
    ways: [FormLink; 1],
}

/// Shows the form.
pub(in crate::web) async fn show_join(
    query: web::Query<LogInQuery>,
) -> Result<HttpResponse, Problem> {
    show(PageStatus::OK, Faults::none(), "", &LogInTarget::path(query.into_inner().to))
}

/// The fields of the form. Without a name the form is shown for the first time: the log-in form leads here with a serial code that was typed before.
#[derive(Deserialize)]
pub(in crate::web) struct JoinForm {
    name: Option<String>,
    #[serde(default)]
    password: String,
    #[serde(flatten)]
    target: LogInTarget,
}

/// Registers a player, logs the browser in and shows the recovery codes. A session that the browser had before ends.
pub(in crate::web) async fn join(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(form): Form<JoinForm>,
) -> Result<HttpResponse, Problem> {
    let JoinForm { name, password, target } = form;
    let Some(name) = name else { return show(PageStatus::OK, Faults::none(), "", &target) };
    let typed = TypedCredentials {
        name: &name,
        password: &password,
        field: "password",
        read_name: AccountName::parse_new,
    };
    let (account_name, new_password) = match typed.read() {
        Ok(read) => read,
        Err(faults) => return show(PageStatus::INVALID_FORM, faults, &name, &target),
    };
    let registered = own_account::register(&state, network.0, &account_name, new_password).await;
    let registered = match registered {
        Ok(registered) => registered,
        Err(problem) => {
            let Some(faults) = refusal(&problem) else { return Err(problem) };
            return show(PageStatus::of(&problem), faults, &name, &target);
        }
    };
    let credentials =
        Credentials { name: account_name.as_str(), password: &password, second_factor: None };
    let token = sessions::log_in_browser(&state, network.0, credentials).await;
    let new = NewCodes {
        heading: account_words::RECOVERY_CODES,
        about: account_words::RECOVERY_CODES_ABOUT,
        account: &registered.account.name,
        password: "",
        codes: &registered.recovery_codes,
    };
    // The account is created in either case, and its recovery codes can be shown only now.
    match token {
        Err(problem) => {
            tracing::warn!(code = problem.code().code(), "registered, but not logged in");
            show_once(PageStatus::CREATED, &new, NextPage::LogIn(target))
        }
        Ok(token) => {
            end_previous(&state, &visitor).await;
            let next = match target.code() {
                Some(_) => NextPage::Submit(target),
                None => NextPage::Page(way_back(&target.to).to_owned()),
            };
            let mut answer = show_once(PageStatus::CREATED, &new, next)?;
            answer.add_cookie(&logged_in(&state.settings, &token)).map_err(Problem::internal)?;
            Ok(answer)
        }
    }
}

/// The message about a refused registration. `None`: the problem is shown on a page of its own.
pub(super) fn refusal(problem: &Problem) -> Option<Faults> {
    if problem.code() == ProblemCode::NameTaken {
        return Some(Faults::one("name", account_words::NAME_TAKEN));
    }
    Faults::of_problem(problem, &[], account_words::join_fault)
}

fn show(
    status: PageStatus,
    faults: Faults,
    name: &str,
    target: &LogInTarget,
) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(account_words::JOIN).at(Place::Account);
    let ways = [FormLink { path: "/login", text: account_words::HAS_ACCOUNT }];
    private(status, &JoinPage { frame, faults, name, target, ways })
}
