//! The log-in of a browser. A code that was typed before it is kept in the form, and registered after it.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::words as account_words;
use crate::app::accounts::sessions::{self, Credentials};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::secret::OpaqueToken;
use crate::http::extract::{ClientNetwork, Form, look_up};
use crate::memory::identities::CredentialKey;
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::serials::{TypedCode, submitted};
use crate::web::session::{logged_in, see_other, way_back};
use crate::web::words;

/// The form of the log-in.
#[derive(Template)]
#[template(path = "web/accounts/log_in.html")]
pub(in crate::web) struct LogInPage<'a> {
    frame: Frame,
    faults: Faults,
    name: &'a str,
    /// The path to go to after it.
    to: &'a str,
    /// What is registered after it.
    code: Option<&'a TypedCode>,
}

impl<'a> LogInPage<'a> {
    /// The form, for somebody who has typed a code and is not logged in.
    pub(in crate::web) fn before_submitting(code: &'a TypedCode) -> Self {
        Self { frame: frame(), faults: Faults::none(), name: "", to: "", code: Some(code) }
    }
}

/// Where to go after the log-in.
#[derive(Deserialize)]
pub(in crate::web) struct LogInQuery {
    #[serde(default)]
    to: String,
}

/// Shows the log-in.
pub(in crate::web) async fn show_log_in(
    query: web::Query<LogInQuery>,
) -> Result<HttpResponse, Problem> {
    let to = way_back(&query.to);
    let page = LogInPage { frame: frame(), faults: Faults::none(), name: "", to, code: None };
    private(200, &page)
}

/// The fields of the log-in.
#[derive(Deserialize)]
pub(in crate::web) struct LogInForm {
    name: String,
    password: String,
    #[serde(default)]
    second_factor: String,
    #[serde(default)]
    to: String,
    /// A code that was typed before, and what was typed beside it.
    serial: Option<String>,
    #[serde(default)]
    card: String,
}

/// Logs a browser in, and registers the code that was typed before.
pub(in crate::web) async fn log_in(
    state: web::Data<AppState>,
    network: ClientNetwork,
    Form(form): Form<LogInForm>,
) -> Result<HttpResponse, Problem> {
    let LogInForm { name, password, second_factor, to, serial, card } = form;
    let code = serial.map(|serial| TypedCode { serial, card });
    let second_factor = Some(second_factor.trim()).filter(|code| !code.is_empty());
    let credentials = Credentials { name: &name, password: &password, second_factor };
    let token = match sessions::log_in_browser(&state, network.0, credentials).await {
        Ok(token) => token,
        Err(problem) => {
            let faults = Faults::of_problem(&problem, &[], account_words::log_in_fault);
            let Some(faults) = faults else { return Err(problem) };
            let (name, code) = (name.as_str(), code.as_ref());
            let page = LogInPage { frame: frame(), faults, name, to: way_back(&to), code };
            return private(problem.code().status(), &page);
        }
    };
    let mut answer = match &code {
        None => see_other(way_back(&to)),
        Some(code) => submit_as(&state, &token, network, code).await?,
    };
    answer.add_cookie(&logged_in(&state.settings, &token)).map_err(Problem::internal)?;
    Ok(answer)
}

/// Registers a code in the name of who has just logged in. What may be in the way, as a password that must be changed first, is said on the page to which
/// the browser goes then.
async fn submit_as(
    app: &AppState,
    token: &OpaqueToken,
    network: ClientNetwork,
    code: &TypedCode,
) -> Result<HttpResponse, Problem> {
    let identity = look_up(app, CredentialKey::Browser(token.hash())).await?;
    match identity.and_then(|identity| identity.grant().ok()) {
        Some(by) => submitted(app, &by, network.0, code).await,
        None => Ok(see_other("/my/account")),
    }
}

fn frame() -> Frame {
    Frame::new(account_words::LOG_IN).at(Place::Account)
}
