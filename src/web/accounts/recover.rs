//! Sets a new password by a recovery code, for an account whose password is lost.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::credentials::TypedCredentials;
use super::log_in::LogInQuery;
use super::log_in_page::{FormLink, LogInPage};
use super::log_in_target::LogInTarget;
use super::words as account_words;
use crate::app::accounts::own_account;
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::secret::RecoveryCode;
use crate::domain::text::AccountName;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::see_other;
use crate::web::words;

#[derive(Template)]
#[template(path = "web/accounts/recover.html")]
struct RecoverPage<'a> {
    frame: Frame,
    faults: Faults,
    name: &'a str,
    target: &'a LogInTarget,
    ways: [FormLink; 1],
}

/// Shows the form.
pub(in crate::web) async fn show_recover(
    query: web::Query<LogInQuery>,
) -> Result<HttpResponse, Problem> {
    show(PageStatus::OK, Faults::none(), "", &LogInTarget::path(query.into_inner().to))
}

/// The fields of the form. Without a name it is shown for the first time.
#[derive(Deserialize)]
pub(in crate::web) struct RecoverForm {
    name: Option<String>,
    #[serde(default)]
    recovery_code: String,
    #[serde(default)]
    new_password: String,
    #[serde(flatten)]
    target: LogInTarget,
}

/// Sets the new password, and goes to the log-in.
pub(in crate::web) async fn recover(
    state: web::Data<AppState>,
    network: ClientNetwork,
    Form(form): Form<RecoverForm>,
) -> Result<HttpResponse, Problem> {
    let RecoverForm { name, recovery_code, new_password, target } = form;
    let Some(name) = name else { return show(PageStatus::OK, Faults::none(), "", &target) };
    let typed = TypedCredentials {
        name: &name,
        password: &new_password,
        field: "new_password",
        read_name: AccountName::parse,
    };
    let (account_name, password) = match typed.read() {
        Ok(read) => read,
        Err(faults) => return show(PageStatus::INVALID_FORM, faults, &name, &target),
    };
    let code = RecoveryCode::presented(&recovery_code);
    let recovered = own_account::recover(&state, network.0, &account_name, &code, password).await;
    if let Err(problem) = recovered {
        let faults = Faults::of_problem(&problem, &[], account_words::recover_fault);
        let Some(faults) = faults else { return Err(problem) };
        return show(PageStatus::of(&problem), faults, &name, &target);
    }
    if target.code().is_some() {
        // A serial code must not be part of an address, so the form of the log-in carries it along instead of a redirect.
        return private(PageStatus::OK, &LogInPage::recovered(name, target));
    }
    let to: String = form_urlencoded::byte_serialize(target.to.as_bytes()).collect();
    Ok(see_other(&format!("/login?done=recovered&to={to}")))
}

fn show(
    status: PageStatus,
    faults: Faults,
    name: &str,
    target: &LogInTarget,
) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(account_words::RECOVER).at(Place::Account);
    let ways = [FormLink { path: "/login", text: account_words::KNOWS_PASSWORD }];
    private(status, &RecoverPage { frame, faults, name, target, ways })
}
