//! The change of the visitor's own password, and new recovery codes.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::codes::{NewCodes, NextPage, show_once};
use super::words as account_words;
use crate::app::accounts::{own_account, own_password};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{
    ChangeOwnPassword, Granted, ReadOwnAccount, ReplaceOwnRecoveryCodes,
};
use crate::domain::accounts::password::Password;
use crate::domain::network::Network;
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// Where the visitor goes after the change.
const ACCOUNT: &str = "/my/account";

#[derive(Template)]
#[template(path = "web/accounts/password.html")]
struct PasswordPage {
    frame: Frame,
    faults: Faults,
    /// Whether the recovery codes are replaced, too.
    is_replacing: bool,
}

/// Shows the form. An account that must change its password before anything else may open it, too.
pub(in crate::web) async fn show_password(
    _by: Player<ChangeOwnPassword>,
) -> Result<HttpResponse, Problem> {
    show_form(PageStatus::OK, Faults::none(), false)
}

/// The fields of the form. Browsers do not send a checkbox that is not ticked.
#[derive(Deserialize)]
pub(in crate::web) struct PasswordForm {
    current_password: String,
    new_password: String,
    replace_recovery_codes: Option<String>,
}

/// Changes the password, and shows new recovery codes if they were requested.
pub(in crate::web) async fn change_password(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ChangeOwnPassword>,
    Form(form): Form<PasswordForm>,
) -> Result<HttpResponse, Problem> {
    let PasswordForm { current_password, new_password, replace_recovery_codes } = form;
    let is_replacing = replace_recovery_codes.is_some();
    let name = own_name(&state, &by.visitor).await?;
    if let Err(error) = Password::replacing(&current_password, new_password.clone(), &name) {
        let faults = Faults::one("new_password", account_words::password_fault(error));
        return show_form(PageStatus::INVALID_FORM, faults, is_replacing);
    }
    let wanted = new_password.clone();
    let changed =
        own_password::change(&state, &by, network.0, current_password, new_password, is_replacing);
    let codes = match changed.await {
        Ok(codes) => codes,
        Err(problem) => {
            let problem = match is_done(&state, &by, network.0, &problem, wanted).await {
                Ok(true) => return answer_again(&problem, is_replacing),
                Ok(false) => problem,
                // It is not known whether the password is wrong.
                Err(unknown) => unknown,
            };
            let faults = wrong_password(&problem, "current_password");
            let Some(faults) = faults else { return Err(problem) };
            return show_form(PageStatus::of(&problem), faults, is_replacing);
        }
    };
    // The session had no other permissions until the password was changed: look it up again at its next request.
    by.visitor.forget(&state).await;
    match codes {
        None => Ok(see_other("/my/account?done=password")),
        Some(codes) => show_codes(&name, &codes.recovery_codes),
    }
}

/// Whether the form was sent twice, and the first request has changed the password: then the password that the form calls the current one is wrong.
/// It is only asked a moment after a change, and counts as an attempt of its own, so that a form does not test two passwords for one attempt.
async fn is_done(
    app: &AppState,
    by: &Granted<ChangeOwnPassword>,
    network: Network,
    problem: &Problem,
    wanted: String,
) -> Result<bool, Problem> {
    let may_be = matches!(problem.code(), ProblemCode::WrongPassword | ProblemCode::EditConflict);
    if may_be {
        own_password::was_just_changed_to(app, by, network, wanted).await
    } else {
        Ok(false)
    }
}

/// The answer to a form that was sent twice. The recovery codes were in the first answer.
fn answer_again(problem: &Problem, is_replacing: bool) -> Result<HttpResponse, Problem> {
    if !is_replacing {
        return Ok(see_other("/my/account?done=password"));
    }
    let faults = Faults::one("", account_words::CODES_SHOWN_BEFORE);
    ask_for_password(PageStatus::of(problem), faults)
}

fn show_form(
    status: PageStatus,
    faults: Faults,
    is_replacing: bool,
) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(account_words::CHANGE_PASSWORD).at(Place::Account);
    private(status, &PasswordPage { frame, faults, is_replacing })
}

#[derive(Template)]
#[template(path = "web/accounts/recovery_codes.html")]
struct RecoveryCodesPage {
    frame: Frame,
    faults: Faults,
}

/// Requests the password before new recovery codes are created.
pub(in crate::web) async fn show_recovery_codes(
    _by: Player<ReplaceOwnRecoveryCodes>,
) -> Result<HttpResponse, Problem> {
    ask_for_password(PageStatus::OK, Faults::none())
}

/// The password, which proves that the request comes from the owner.
#[derive(Deserialize)]
pub(in crate::web) struct RecoveryCodesForm {
    current_password: String,
}

/// Creates new recovery codes, and shows them.
pub(in crate::web) async fn replace_recovery_codes(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ReplaceOwnRecoveryCodes>,
    Form(form): Form<RecoveryCodesForm>,
) -> Result<HttpResponse, Problem> {
    // The name is read before the codes are created: codes that were created and cannot be shown are lost.
    let name = own_name(&state, &by.visitor).await?;
    let password = form.current_password;
    match own_password::replace_recovery_codes(&state, &by, network.0, password).await {
        Ok(codes) => show_codes(&name, &codes.recovery_codes),
        Err(problem) => {
            let faults = wrong_password(&problem, "current_password");
            let Some(faults) = faults else { return Err(problem) };
            ask_for_password(PageStatus::of(&problem), faults)
        }
    }
}

fn ask_for_password(status: PageStatus, faults: Faults) -> Result<HttpResponse, Problem> {
    let frame = Frame::new(account_words::NEW_RECOVERY_CODES).at(Place::Account);
    private(status, &RecoveryCodesPage { frame, faults })
}

fn show_codes(name: &str, codes: &[String]) -> Result<HttpResponse, Problem> {
    let new = NewCodes {
        heading: account_words::RECOVERY_CODES,
        about: account_words::RECOVERY_CODES_ABOUT,
        account: name,
        password: "",
        codes,
    };
    show_once(PageStatus::OK, &new, NextPage::Page(ACCOUNT.to_owned()))
}

/// The name of the visitor's account.
pub(super) async fn own_name(app: &AppState, visitor: &Visitor) -> Result<String, Problem> {
    Ok(own_account::find_own(app, &visitor.must::<ReadOwnAccount>()?).await?.name)
}

/// The message about a wrong password in a form that asks for it once more; `field`: the `id` of its field. `None`: the problem is shown on a page of its own.
pub(super) fn wrong_password(problem: &Problem, field: &'static str) -> Option<Faults> {
    if problem.code() == ProblemCode::WrongPassword {
        return Some(Faults::one(field, account_words::WRONG_PASSWORD));
    }
    Faults::of_problem(problem, &[], account_words::proof_fault)
}
