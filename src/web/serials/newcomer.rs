//! Creates an account and registers a first card with one form. The codes of the account are shown once, even if the card cannot be registered.

use actix_web::HttpResponse;

use super::submit::{SubmitPage, SubmittedPage, refused, register};
use super::typed::TypedCode;
use super::words as serial_words;
use crate::app::problem::{Problem, ProblemCode};
use crate::app::serials::submissions::NamedSerial;
use crate::app::state::AppState;
use crate::auth::secret::OpaqueToken;
use crate::http::extract::{ClientNetwork, look_up};
use crate::memory::identities::CredentialKey;
use crate::web::accounts::{Joining, TypedNewcomer, end_previous, join_again, join_with};
use crate::web::forms::{Faults, private, secret};
use crate::web::page_status::PageStatus;
use crate::web::session::{Visitor, logged_in};

/// Creates an account, logs the browser in and registers a copy. Nothing is created if the input has a fault. A visitor who is logged in gets no account: the
/// form was loaded before the log-in. If the form is of the account that the visitor has, the visitor is logged in anew, and the previous session ends.
pub(super) async fn join_and_submit(
    app: &AppState,
    network: ClientNetwork,
    typed: &TypedCode,
    newcomer: &TypedNewcomer,
    visitor: &Visitor,
) -> Result<HttpResponse, Problem> {
    let (serial, account) = match (typed.read(), newcomer.read()) {
        (Ok(serial), Ok(account)) => (serial, account),
        (serial, account) => {
            let of_code = serial.err().unwrap_or_default();
            let faults = of_code.and(account.err().unwrap_or_default());
            return refused(typed, faults, Some(&newcomer.name));
        }
    };
    let joining = if visitor.is_stranger() {
        join_with(app, network.0, account).await?
    } else if let Some(joined) = join_again(app, network.0, &account.typed).await? {
        Joining::Done(joined)
    } else {
        let faults = Faults::one("", serial_words::LOGGED_IN_MEANWHILE);
        return private(PageStatus::CONFLICT, &SubmitPage::new(typed, faults, None));
    };
    let joined = match joining {
        Joining::Done(joined) => joined,
        Joining::Refused(status, faults) => {
            return private(status, &SubmitPage::new(typed, faults, Some(&newcomer.name)));
        }
    };
    let Some(token) = &joined.token else { return joined.log_in_first(typed) };
    end_previous(app, visitor).await;
    let cookie = logged_in(&app.settings, token);
    let welcome = Some(joined.welcome);
    let mut answer = match register_as(app, token, network, serial).await {
        Ok(mut page) => {
            page.welcome = welcome;
            secret(PageStatus::OK, &page)
        }
        Err(problem) => {
            let mut page = SubmitPage::not_registered(typed, &problem).unwrap_or_else(|| {
                tracing::warn!(
                    code = problem.code().code(),
                    "the account was created, but no card was registered"
                );
                SubmitPage::new(typed, Faults::one("", serial_words::NOT_REGISTERED), None)
            });
            page.welcome = welcome;
            secret(PageStatus::of(&problem), &page)
        }
    }?;
    answer.add_cookie(&cookie).map_err(Problem::internal)?;
    Ok(answer)
}

/// Registers a copy for the new account.
async fn register_as(
    app: &AppState,
    token: &OpaqueToken,
    network: ClientNetwork,
    serial: NamedSerial,
) -> Result<SubmittedPage, Problem> {
    let identity = look_up(app, CredentialKey::Browser(token.hash())).await?;
    let identity = identity.ok_or_else(|| Problem::new(ProblemCode::Unauthenticated))?;
    register(app, &identity.grant()?, identity.viewer(), network.0, serial).await
}
