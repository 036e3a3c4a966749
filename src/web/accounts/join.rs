//! The registration of a player, who is logged in at once. A serial code that was typed before is kept in the form and registered afterwards.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::codes::{NextPage, show_once};
use super::log_in::LogInQuery;
use super::log_in_page::FormLink;
use super::log_in_target::LogInTarget;
use super::log_out::end_previous;
use super::newcomer::{Joining, TypedNewcomer, join_with};
use super::words as account_words;
use crate::app::problem::Problem;
use crate::app::state::AppState;
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

/// Registers a player, logs the browser in and shows the recovery codes. If the form was sent before, the browser is logged in to the account that it has
/// created, and no codes are shown. A session that the browser had before ends.
pub(in crate::web) async fn join(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(form): Form<JoinForm>,
) -> Result<HttpResponse, Problem> {
    let JoinForm { name, password, target } = form;
    let Some(name) = name else { return show(PageStatus::OK, Faults::none(), "", &target) };
    let typed = TypedNewcomer::of_account(name, password);
    let account = match typed.read() {
        Ok(account) => account,
        Err(faults) => return show(PageStatus::INVALID_FORM, faults, &typed.name, &target),
    };
    let joined = match join_with(&state, network.0, account).await? {
        Joining::Done(joined) => joined,
        Joining::Refused(status, faults) => return show(status, faults, &typed.name, &target),
    };
    let new = joined.welcome.codes_page();
    // The account is created in either case, and its recovery codes can be shown only now.
    let Some(token) = &joined.token else {
        return show_once(PageStatus::CREATED, &new, NextPage::LogIn(target));
    };
    end_previous(&state, &visitor).await;
    let next = match target.code() {
        Some(_) => NextPage::Submit(target),
        None => NextPage::Page(way_back(&target.to).to_owned()),
    };
    let is_new = joined.welcome.is_secret();
    let status = if is_new { PageStatus::CREATED } else { PageStatus::OK };
    let mut answer = show_once(status, &new, next)?;
    answer.add_cookie(&logged_in(&state.settings, token)).map_err(Problem::internal)?;
    Ok(answer)
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
