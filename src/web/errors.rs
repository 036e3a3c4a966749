//! Pages about failures: what happened, and what can be done.

use actix_web::HttpResponse;
use askama::Template;

use super::headers::protected;
use super::page::{Frame, HTML, Place};
use super::words;
use crate::app::problem::ProblemCode;
use crate::http::failures::Failure;

#[derive(Template)]
#[template(path = "web/error.html")]
struct ErrorPage {
    frame: Frame,
    heading: &'static str,
    text: &'static str,
    /// When another try is worth it.
    again: Option<String>,
    /// Whether asking for the same again may help.
    may_pass: bool,
    /// Where is done what has to be done first, and what that is.
    first: Option<(&'static str, &'static str)>,
}

/// What has to be done before the same can be asked for again.
fn first_of_all(code: ProblemCode) -> Option<(&'static str, &'static str)> {
    Some(match code {
        ProblemCode::PasswordChangeDue => ("/my/password", words::TO_PASSWORD),
        ProblemCode::SecondFactorDue => ("/my/second-factor", words::TO_SECOND_FACTOR),
        ProblemCode::Unauthenticated | ProblemCode::InvalidToken => ("/login", words::TO_LOG_IN),
        _ => return None,
    })
}

/// Writes the page about a failure; its status is set by whoever asks.
pub(super) fn write(failure: Failure) -> HttpResponse {
    let (heading, text) = words::failure(failure.code);
    let page = ErrorPage {
        frame: Frame::new(heading),
        heading,
        text,
        again: failure.retry_after.map(words::try_again_in),
        first: first_of_all(failure.code),
        may_pass: matches!(failure.code.status(), 408 | 429 | 500..),
    };
    // Nothing that the page is made of can fail; without it, the status says what there is to say.
    let html = page.render().unwrap_or_default();
    protected(HttpResponse::Ok().content_type(HTML).body(html))
}
