//! Pages for failed requests: what happened, and what the visitor can do.

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

/// Most fields of a form that the page about its failure repeats: more than any form has.
const MAX_REPEATED_FIELDS: usize = 1_000;

/// Names and fields with longer texts: people can copy them from the page about a failure that sending them again would not mend.
const WRITTEN: [&str; 15] = [
    "name",
    "text",
    "message",
    "reason",
    "details",
    "note",
    "description",
    "list",
    "flavour",
    "lore",
    "credits",
    "alt",
    "effect",
    "kept_effect",
    "document",
];

/// Parts of the names of fields that contain secrets: passwords, and codes of second factors and of recovery.
const SECRETS: [&str; 3] = ["password", "code", "second_factor"];

/// Paths of forms, each with a field that is no secret although its name has such a part: the code of a new set is public.
const PUBLIC: [(&str, &str); 1] = [("/admin/sets", "code")];

#[derive(Template)]
#[template(path = "web/error.html")]
struct ErrorPage {
    frame: Frame,
    heading: &'static str,
    text: &'static str,
    /// When it makes sense to try again.
    again: Option<String>,
    /// How the request can be repeated.
    retry: Retry,
    /// What the visitor had written, if the page that it was sent to is not there any more.
    written: Vec<String>,
    /// Path and label of the page with the required step (for example a new password).
    first: Option<(&'static str, &'static str)>,
}

impl ErrorPage {
    fn repeats_form(&self) -> bool {
        matches!(self.retry, Retry::Send(_))
    }

    /// Whether the visitor needs this page again after the required step.
    fn waits(&self) -> bool {
        self.first.is_some() && matches!(self.retry, Retry::Send(_) | Retry::Reload)
    }

    fn may_read_again(&self) -> bool {
        matches!(self.retry, Retry::Read)
    }
}

/// How the request can be repeated.
enum Retry {
    /// The request would fail again.
    Never,
    /// By loading the address again.
    Read,
    /// By sending the form again; this page repeats its fields.
    Send(KeptForm),
    /// By reloading the page in the browser, which sends the form again: the service does not have its fields.
    Reload,
}

/// The fields of a form that was sent.
struct KeptForm {
    /// The path that it was sent to.
    path: String,
    /// Names and values of the fields.
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
    /// The fields that were sent; `None` if they are not known or contain a secret, because secrets are never sent back.
    fn of(req: &HttpRequest) -> Option<Self> {
        let fields: Vec<_> = SentForm::of(req)?.fields().take(MAX_REPEATED_FIELDS + 1).collect();
        let has_secrets = fields.iter().any(|(name, _)| is_secret(req.path(), name));
        let is_kept = fields.len() <= MAX_REPEATED_FIELDS && !has_secrets;
        let path = req.uri().path_and_query()?.as_str().to_owned();
        is_kept.then_some(Self { path, fields })
    }
}

/// Whether the field of a form contains a secret.
fn is_secret(path: &str, name: &str) -> bool {
    !PUBLIC.contains(&(path, name)) && SECRETS.iter().any(|secret| name.contains(secret))
}

/// Whether the field of a form contains a name or a longer text; the effects of a design are numbered: `effects.0.text`.
fn is_text(name: &str) -> bool {
    let is_effect =
        name.strip_prefix("effects.").is_some_and(|rest| rest.strip_suffix(".text").is_some());
    is_effect || WRITTEN.contains(&name)
}

/// What the visitor had written in a form that was sent to something that is not there (any more), or that the visitor may not send (any more).
fn written(code: ProblemCode, req: &HttpRequest) -> Vec<String> {
    let is_lost =
        matches!(code, ProblemCode::NotFound | ProblemCode::Gone | ProblemCode::Forbidden);
    if is_lost { written_in(req) } else { Vec::new() }
}

/// The longer texts of a form, for a page that shows them to be copied.
pub(super) fn written_in(req: &HttpRequest) -> Vec<String> {
    let fields = KeptForm::of(req).map_or_else(Vec::new, |form| form.fields);
    // In a form with details, the reason is one of some choices.
    let has_details = fields.iter().any(|(name, _)| name == "details");
    let is_written = |(name, text): &(String, String)| {
        is_text(name) && !(has_details && name == "reason") && !text.trim().is_empty()
    };
    fields.into_iter().filter(is_written).map(|(_, text)| text).collect()
}

/// The step that is required before the same request can succeed.
fn first_of_all(code: ProblemCode) -> Option<(&'static str, &'static str)> {
    Some(match code {
        ProblemCode::PasswordChangeDue => ("/my/password", words::TO_PASSWORD),
        ProblemCode::SecondFactorDue => ("/my/second-factor", words::TO_SECOND_FACTOR),
        ProblemCode::Unauthenticated | ProblemCode::InvalidToken => ("/login", words::TO_LOG_IN),
        _ => return None,
    })
}

/// Renders the page about a failure; the caller sets its status.
pub(super) fn write(failure: Failure, req: &HttpRequest) -> HttpResponse {
    let (heading, text) = words::failure(failure.code);
    let page = ErrorPage {
        frame: Frame::new(heading),
        heading,
        text,
        again: failure.retry_after.map(words::try_again_in),
        first: first_of_all(failure.code),
        retry: Retry::new(failure.code, req),
        written: written(failure.code, req),
    };
    // The rendering cannot fail with these values. If it did, the answer would have its status only.
    let html = page.render().unwrap_or_default();
    let mut answer = protected(HttpResponse::Ok().content_type(HTML).body(html));
    if page.repeats_form() || !page.written.is_empty() {
        let private = HeaderValue::from_static("private, no-store");
        answer.headers_mut().insert(header::CACHE_CONTROL, private);
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_of_a_set_is_the_only_public_code() {
        assert!(!is_secret("/admin/sets", "code"));
        for (path, name) in [
            ("/admin/sets", "password"),
            ("/admin/sets", "recovery_code"),
            ("/admin/sets/ttcg/hearth", "code"),
            ("/my/second-factor/confirm", "code"),
            ("/my/second-factor/recovery-codes", "code_for_codes"),
            ("/recover", "recovery_code"),
            ("/login", "second_factor"),
        ] {
            assert!(is_secret(path, name), "{path} {name}");
        }
    }

    #[test]
    fn texts_of_designs_are_shown_to_be_copied() {
        for name in ["effects.0.text", "effects.12.text", "flavour", "lore", "credits", "alt"] {
            assert!(is_text(name), "{name}");
        }
        for name in ["effects.0.style", "effects", "text.effects", "key", "version"] {
            assert!(!is_text(name), "{name}");
        }
    }
}
