//! Recovery codes, which are shown once.

use actix_web::HttpResponse;
use askama::Template;

use super::log_in_target::LogInTarget;
use super::words as account_words;
use crate::app::problem::Problem;
use crate::web::forms::secret;
use crate::web::page::{Frame, Place};
use crate::web::page_status::PageStatus;
use crate::web::words;

/// Where the visitor continues after the page with the codes.
pub(super) enum NextPage {
    /// To a page.
    Page(String),
    /// To the registration of the card whose code was typed before the log-in.
    Submit(LogInTarget),
    /// To the log-in form, with the same values in hidden fields.
    LogIn(LogInTarget),
}

#[derive(Template)]
#[template(path = "web/accounts/codes.html")]
struct CodesPage<'a> {
    frame: Frame,
    heading: &'a str,
    about: &'a str,
    /// Name of the account: the printed codes must say which account they belong to.
    account: &'a str,
    password: &'a str,
    codes: &'a [String],
    next: NextPage,
}

/// New recovery codes, and the account that they belong to.
pub(super) struct NewCodes<'a> {
    pub(super) heading: &'a str,
    pub(super) about: &'a str,
    /// Name of the account.
    pub(super) account: &'a str,
    /// The generated password; empty if the visitor typed a password.
    pub(super) password: &'a str,
    pub(super) codes: &'a [String],
}

/// Shows codes on a page to print.
pub(super) fn show_once(
    status: PageStatus,
    new: &NewCodes<'_>,
    next: NextPage,
) -> Result<HttpResponse, Problem> {
    let NewCodes { heading, about, account, password, codes } = *new;
    let frame = Frame::new(heading).at(Place::Account);
    secret(status, &CodesPage { frame, heading, about, account, password, codes, next })
}
