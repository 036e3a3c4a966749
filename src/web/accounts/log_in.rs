//! The log-in of a browser. A serial code that was typed before is kept in the form and registered after the log-in.

use actix_web::{HttpResponse, web};
use serde::Deserialize;

use super::log_in_page::LogInPage;
use super::log_in_target::LogInTarget;
use super::log_out::end_previous;
use super::words as account_words;
use crate::app::accounts::sessions::{self, Credentials};
use crate::app::problem::Problem;
use crate::app::state::AppState;
use crate::auth::secret::OpaqueToken;
use crate::http::extract::{ClientNetwork, Form, look_up};
use crate::memory::identities::CredentialKey;
use crate::web::forms::{Faults, private};
use crate::web::page_status::PageStatus;
use crate::web::serials::{TypedCode, submitted};
use crate::web::session::{Visitor, logged_in, see_other, way_back};

/// Where to go after the log-in, and the action that was completed before it.
#[derive(Deserialize)]
pub(in crate::web) struct LogInQuery {
    #[serde(default)]
    pub(super) to: String,
    #[serde(default)]
    done: String,
}

pub(in crate::web) async fn show_log_in(
    query: web::Query<LogInQuery>,
) -> Result<HttpResponse, Problem> {
    let LogInQuery { to, done } = query.into_inner();
    let target = LogInTarget::path(to);
    if done == "recovered" {
        return private(PageStatus::OK, &LogInPage::recovered(String::new(), target));
    }
    private(PageStatus::OK, &LogInPage::new(Faults::none(), String::new(), target))
}

/// The fields of the log-in. Without a name the form is shown for the first time: another form leads here with a serial code that was typed before.
#[derive(Deserialize)]
pub(in crate::web) struct LogInForm {
    name: Option<String>,
    #[serde(default)]
    password: String,
    #[serde(default)]
    second_factor: String,
    #[serde(flatten)]
    target: LogInTarget,
}

/// Logs a browser in, and registers the serial code that was typed before. A session that the browser had before ends.
pub(in crate::web) async fn log_in(
    state: web::Data<AppState>,
    network: ClientNetwork,
    visitor: Visitor,
    Form(form): Form<LogInForm>,
) -> Result<HttpResponse, Problem> {
    let LogInForm { name, password, second_factor, target } = form;
    let Some(name) = name else {
        return private(PageStatus::OK, &LogInPage::new(Faults::none(), String::new(), target));
    };
    let second_factor = Some(second_factor.trim()).filter(|code| !code.is_empty());
    let credentials = Credentials { name: &name, password: &password, second_factor };
    let token = match sessions::log_in_browser(&state, network.0, credentials).await {
        Ok(token) => token,
        Err(problem) => {
            let faults = Faults::of_problem(&problem, &[], account_words::log_in_fault);
            let Some(faults) = faults else { return Err(problem) };
            return private(PageStatus::of(&problem), &LogInPage::new(faults, name, target));
        }
    };
    end_previous(&state, &visitor).await;
    let mut answer = match target.code() {
        None => see_other(way_back(&target.to)),
        // The log-in is answered even if the card cannot be registered: the browser is logged in, and the code of its second factor is used up.
        Some(code) => submit_as(&state, &token, network, &code)
            .await
            .unwrap_or_else(|problem| problem.respond()),
    };
    answer.add_cookie(&logged_in(&state.settings, &token)).map_err(Problem::internal)?;
    Ok(answer)
}

/// Registers a serial code for the account that has just logged in. If something prevents that, for example a password that must be changed first, the page to
/// which the browser goes next shows it.
async fn submit_as(
    app: &AppState,
    token: &OpaqueToken,
    network: ClientNetwork,
    code: &TypedCode,
) -> Result<HttpResponse, Problem> {
    let identity = look_up(app, CredentialKey::Browser(token.hash())).await?;
    let by = identity.and_then(|identity| Some((identity.grant().ok()?, identity.viewer())));
    match by {
        Some((by, viewer)) => submitted(app, &by, viewer, network.0, code).await,
        None => Ok(see_other("/my/account?done=not_registered")),
    }
}
