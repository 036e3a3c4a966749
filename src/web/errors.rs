//! Pages about failures: what happened, and what can be done.

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use super::headers::protected;
use super::page::{Frame, HTML, Place};
use super::words;
use crate::app::problem::ProblemCode;
use crate::http::extract::SentForm;
use crate::http::failures::Failure;

/// Most fields of a form that a page about its failure holds: more than any page has.
const MAX_KEPT: usize = 1_000;

/// What the names of fields contain that hold secrets: passwords, and codes of second factors and for recovery.
const SECRETS: [&str; 3] = ["password", "code", "second_factor"];

#[derive(Template)]
#[template(path = "web/error.html")]
struct ErrorPage {
    frame: Frame,
    heading: &'static str,
    text: &'static str,
    /// When another try is worth it.
    again: Option<String>,
    /// What of the request can be tried once more.
    retry: Retry,
    /// Where is done what has to be done first, and what that is.
    first: Option<(&'static str, &'static str)>,
}

impl ErrorPage {
    fn keeps_form(&self) -> bool {
        matches!(self.retry, Retry::Send(_))
    }

    /// Whether this page is needed after what has to be done first.
    fn waits(&self) -> bool {
        self.first.is_some() && matches!(self.retry, Retry::Send(_) | Retry::Reload)
    }

    fn may_read_again(&self) -> bool {
        matches!(self.retry, Retry::Read)
    }
}

/// How the same is asked for once more.
enum Retry {
    /// It would fail again.
    Never,
    /// By reading the address again.
    Read,
    /// By sending a form again, which the page holds.
    Send(KeptForm),
    /// By having the browser load the page again, which sends what was sent: the service does not have it.
    Reload,
}

/// What was sent in a form.
struct KeptForm {
    /// Where it goes.
    path: String,
    /// Names and values.
    fields: Vec<(String, String)>,
}

impl Retry {
    fn new(code: ProblemCode, req: &HttpRequest) -> Self {
        let may_pass = matches!(code.status(), 408 | 429 | 500..);
        match *req.method() {
            Method::GET | Method::HEAD if may_pass => Self::Read,
            Method::POST if may_pass || first_of_all(code).is_some() => {
                KeptForm::of(req).map_or(Self::Reload, Self::Send)
            }
            _ => Self::Never,
        }
    }
}

impl KeptForm {
    /// What was sent, unless it is not known, or has a secret: these are never sent back.
    fn of(req: &HttpRequest) -> Option<Self> {
        let fields: Vec<_> = SentForm::of(req)?.fields().take(MAX_KEPT + 1).collect();
        let has_secrets =
            fields.iter().any(|(name, _)| SECRETS.iter().any(|secret| name.contains(secret)));
        let is_kept = fields.len() <= MAX_KEPT && !has_secrets;
        let path = req.uri().path_and_query()?.as_str().to_owned();
        is_kept.then_some(Self { path, fields })
    }
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
pub(super) fn write(failure: Failure, req: &HttpRequest) -> HttpResponse {
    let (heading, text) = words::failure(failure.code);
    let page = ErrorPage {
        frame: Frame::new(heading),
        heading,
        text,
        again: failure.retry_after.map(words::try_again_in),
        first: first_of_all(failure.code),
        retry: Retry::new(failure.code, req),
    };
    // Nothing that the page is made of can fail; without it, the status says what there is to say.
    let html = page.render().unwrap_or_default();
    let mut answer = protected(HttpResponse::Ok().content_type(HTML).body(html));
    if page.keeps_form() {
        let private = HeaderValue::from_static("private, no-store");
        answer.headers_mut().insert(header::CACHE_CONTROL, private);
    }
    answer
}
