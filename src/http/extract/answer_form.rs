//! The media type that the client wants for a response (RFC 9110, section 12.5.1).

use std::convert::Infallible;
use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{self, Header as _, HeaderValue, Quality};
use actix_web::{FromRequest, HttpRequest, HttpResponse};

use crate::app::answer_form::AnswerForm;

impl AnswerForm {
    fn preferred_by(req: &HttpRequest) -> Self {
        let preferred = first_known(req, |media_type| match media_type {
            ("text", "plain" | "*") => Some(Self::Text),
            ("application", "json" | "*") | ("*", "*") => Some(Self::Json),
            _ => None,
        });
        preferred.unwrap_or(Self::Json)
    }

    /// Adds `Vary: Accept`, so that caches distinguish the two forms.
    pub fn vary_by_accept(self, mut answer: HttpResponse) -> HttpResponse {
        answer.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
        answer
    }
}

/// Whether the client prefers JSON to a page, where both exist. False if the client does not say.
pub fn prefers_json(req: &HttpRequest) -> bool {
    let preferred = first_known(req, |media_type| match media_type {
        ("application", "json" | "*") => Some(true),
        ("text", "html" | "*") | ("*", "*") => Some(false),
        _ => None,
    });
    preferred.unwrap_or(false)
}

/// The first known media type of `Accept`, in the client's order of preference. A type with `q=0` is not acceptable
/// (RFC 9110, section 12.4.2). If the usual type is refused and no other is named, the answer has the usual one.
fn first_known<T>(req: &HttpRequest, known: impl Fn((&str, &str)) -> Option<T>) -> Option<T> {
    let mut listed = header::Accept::parse(req).ok()?;
    listed.retain(|range| range.quality > Quality::ZERO);
    let ranked = listed.ranked();
    ranked.iter().find_map(|range| known((range.type_().as_str(), range.subtype().as_str())))
}

impl FromRequest for AnswerForm {
    type Error = Infallible;
    type Future = Ready<Result<Self, Infallible>>;

    fn from_request(req: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self::preferred_by(req)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn preferred(accept: &str) -> AnswerForm {
        let req = TestRequest::default().insert_header(("accept", accept)).to_http_request();
        AnswerForm::preferred_by(&req)
    }

    #[test]
    fn text_is_returned_only_on_request() {
        for text in [
            "text/plain",
            "text/*",
            "application/json;q=0.5, text/plain",
            "TEXT/PLAIN; charset=utf-8",
            "text/html, text/plain, */*;q=0.1",
        ] {
            assert_eq!(preferred(text), AnswerForm::Text, "{text}");
        }
        for json in [
            "",
            "*/*",
            "application/json",
            "text/plain;q=0.1, application/json",
            "nonsense",
            "text/html",
            "text/plain;q=0",
            "text/plain;q=0.0, */*",
            "text/*;q=0, application/json;q=0",
        ] {
            assert_eq!(preferred(json), AnswerForm::Json, "{json}");
        }
        let wants_json = |accept: &str| {
            prefers_json(
                &TestRequest::default().insert_header(("accept", accept)).to_http_request(),
            )
        };
        assert!(!wants_json("application/json;q=0") && !wants_json("application/json;q=0, */*"));
        assert!(wants_json("application/json") && wants_json("text/html;q=0.1, application/json"));
        let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
        assert!(!wants_json(browser) && !wants_json("*/*") && !wants_json("nonsense"));
        let silent = TestRequest::default().to_http_request();
        assert_eq!(AnswerForm::preferred_by(&silent), AnswerForm::Json);
    }
}
