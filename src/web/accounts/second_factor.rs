//! The visitor's own second factor: switched on by the first code of a device, and switched off again.

use actix_web::{HttpResponse, web};
use askama::Template;
use serde::Deserialize;

use super::account::Moment;
use super::codes::{NewCodes, NextPage, show_once};
use super::password::{own_name, wrong_password};
use super::words as account_words;
use crate::app::accounts::second_factor::{
    self, SecondFactorCodesResponse, SecondFactorResponse, SecondFactorSecretResponse,
};
use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::auth::permission::{ManageOwnSecondFactor, ReadOwnAccount};
use crate::http::extract::{ClientNetwork, Form};
use crate::web::forms::{Faults, private, secret};
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::qr_code::QrPicture;
use crate::web::session::{Player, Visitor, see_other};
use crate::web::words;

/// The page of the second factor. It has one form for each state, and several forms while the second factor is on.
#[derive(Template)]
#[template(path = "web/accounts/second_factor.html")]
struct FactorPage {
    frame: Frame,
    faults: Faults,
    factor: SecondFactorResponse,
    /// Until when the service waits for the first code.
    pending_until: Option<Moment>,
    /// The form that was sent.
    sent: Sent,
}

/// A form of the page. Faults are shown beside the fields of the form that was sent only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    Begin,
    Confirm,
    SwitchOff,
    NewCodes,
}

impl FactorPage {
    fn faults_of(&self, form: Sent) -> &Faults {
        static NONE: Faults = Faults::none();
        if self.sent == form { &self.faults } else { &NONE }
    }
}

/// Shows the state of the second factor. An account that must switch one on before anything else may open it, too.
pub(in crate::web) async fn show_second_factor(
    state: web::Data<AppState>,
    by: Player<ManageOwnSecondFactor>,
) -> Result<HttpResponse, Problem> {
    show(&state, &by.visitor, PageStatus::OK, Faults::none(), Sent::Nothing).await
}

async fn show(
    app: &AppState,
    visitor: &Visitor,
    status: PageStatus,
    faults: Faults,
    sent: Sent,
) -> Result<HttpResponse, Problem> {
    let factor = second_factor::find(app, &visitor.must::<ReadOwnAccount>()?).await?;
    let frame = Frame::new(account_words::FACTOR).at(Place::Account);
    let pending_until = factor.pending_until.map(Moment::new);
    private(status, &FactorPage { frame, faults, factor, pending_until, sent })
}

/// The form with the faults, and the second factor as it is now.
async fn refused(
    app: &AppState,
    visitor: &Visitor,
    problem: Problem,
    sent: Sent,
) -> Result<HttpResponse, Problem> {
    let faults = match (problem.code(), sent) {
        (ProblemCode::WrongPassword, Sent::NewCodes) => {
            wrong_password(&problem, "password_for_codes")
        }
        (ProblemCode::WrongCode, Sent::NewCodes) => {
            Some(Faults::one("code_for_codes", account_words::WRONG_CODE))
        }
        (ProblemCode::WrongCode, _) => Some(Faults::one("code", account_words::WRONG_CODE)),
        _ => wrong_password(&problem, "current_password"),
    };
    let Some(faults) = faults else { return Err(problem) };
    show(app, visitor, PageStatus::of(&problem), faults, sent).await
}

#[derive(Template)]
#[template(path = "web/accounts/second_factor_secret.html")]
struct SecretPage {
    frame: Frame,
    faults: Faults,
    begun: SecondFactorSecretResponse,
    /// The secret for the camera of an app. It is a part of the page: a file of its own could be stored elsewhere.
    picture: QrPicture,
    until: Moment,
}

/// The password, once more.
#[derive(Deserialize)]
pub(in crate::web) struct BeginForm {
    current_password: String,
}

/// Begins a second factor, and shows its secret.
pub(in crate::web) async fn begin_second_factor(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ManageOwnSecondFactor>,
    Form(form): Form<BeginForm>,
) -> Result<HttpResponse, Problem> {
    match second_factor::begin(&state, &by, network.0, form.current_password).await {
        Err(problem) => refused(&state, &by.visitor, problem, Sent::Begin).await,
        Ok(begun) => {
            let frame = Frame::new(account_words::FACTOR).at(Place::Account);
            let until = Moment::new(begun.expires_at);
            let picture = QrPicture::of(&begun.uri)?;
            let page = SecretPage { frame, faults: Faults::none(), begun, picture, until };
            secret(PageStatus::CREATED, &page)
        }
    }
}

/// The first code of a device.
#[derive(Deserialize)]
pub(in crate::web) struct ConfirmForm {
    code: String,
}

/// Switches the second factor on, and shows its recovery codes.
pub(in crate::web) async fn confirm_second_factor(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ManageOwnSecondFactor>,
    Form(form): Form<ConfirmForm>,
) -> Result<HttpResponse, Problem> {
    let name = own_name(&state, &by.visitor).await?;
    match second_factor::confirm(&state, &by, network.0, &form.code).await {
        Err(problem) => refused(&state, &by.visitor, problem, Sent::Confirm).await,
        Ok(codes) => {
            // The session had no other permissions until the second factor was on: look it up again at its next request.
            by.visitor.forget(&state).await;
            show_codes(&name, &codes)
        }
    }
}

/// Password and code, which prove that the request comes from the owner.
#[derive(Deserialize)]
pub(in crate::web) struct SwitchOffForm {
    current_password: String,
    code: String,
}

pub(in crate::web) async fn switch_off_second_factor(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ManageOwnSecondFactor>,
    Form(form): Form<SwitchOffForm>,
) -> Result<HttpResponse, Problem> {
    let SwitchOffForm { current_password, code } = form;
    let off = second_factor::switch_off(&state, &by, network.0, current_password, &code).await;
    if let Err(problem) = off {
        return refused(&state, &by.visitor, problem, Sent::SwitchOff).await;
    }
    by.visitor.forget(&state).await;
    Ok(see_other("/my/account?done=second_factor_off"))
}

/// Password and code for new recovery codes. Both forms are on one page, so their fields need different names.
#[derive(Deserialize)]
pub(in crate::web) struct FactorCodesForm {
    password_for_codes: String,
    code_for_codes: String,
}

/// Creates new recovery codes of the second factor, and shows them.
pub(in crate::web) async fn replace_second_factor_codes(
    state: web::Data<AppState>,
    network: ClientNetwork,
    by: Player<ManageOwnSecondFactor>,
    Form(form): Form<FactorCodesForm>,
) -> Result<HttpResponse, Problem> {
    let FactorCodesForm { password_for_codes: password, code_for_codes: code } = form;
    let name = own_name(&state, &by.visitor).await?;
    let codes = second_factor::replace_recovery_codes(&state, &by, network.0, password, &code);
    match codes.await {
        Err(problem) => refused(&state, &by.visitor, problem, Sent::NewCodes).await,
        Ok(codes) => show_codes(&name, &codes),
    }
}

fn show_codes(name: &str, codes: &SecondFactorCodesResponse) -> Result<HttpResponse, Problem> {
    let new = NewCodes {
        heading: account_words::FACTOR_CODES,
        about: account_words::FACTOR_CODES_ABOUT,
        account: name,
        password: "",
        codes: &codes.recovery_codes,
    };
    show_once(PageStatus::OK, &new, NextPage::Page("/my/account".to_owned()))
}
