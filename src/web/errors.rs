//! Pages about failures: what happened, and what can be done.

use actix_web::HttpResponse;
use askama::Template;

use super::headers::protected;
use super::page::{Frame, HTML, Place};
use super::words;
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
}

/// Writes the page about a failure; its status is set by whoever asks.
pub(super) fn write(failure: Failure) -> HttpResponse {
    let (heading, text) = words::failure(failure.code);
    let page = ErrorPage {
        frame: Frame::new(heading),
        heading,
        text,
        again: failure.retry_after.map(words::try_again_in),
        may_pass: matches!(failure.code.status(), 408 | 429 | 500..),
    };
    // Nothing that the page is made of can fail; without it, the status says what there is to say.
    let html = page.render().unwrap_or_default();
    protected(HttpResponse::Ok().content_type(HTML).body(html))
}
