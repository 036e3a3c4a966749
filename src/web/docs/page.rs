//! Pages of the documentation, rendered once for all requests.

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderValue};
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;

use crate::app::problem::Problem;
use crate::memory::rendered::{Freshness, Rendered};
use crate::web::headers::stay_apart;

/// The file with the styles of the guides, below `/docs/`.
pub(super) const STYLES: &str = "cardscape.css";

/// The guides load only their styles. They have no script, and no other page may embed them.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// Seconds for which caches may store pages: the pages change only with the program.
const FRESHNESS: Freshness = Freshness::Public(300);

/// A file for browsers.
#[derive(Debug)]
pub(super) struct Page {
    content: Rendered,
    policy: HeaderValue,
}

impl Page {
    /// A page from a template.
    pub(super) fn of(template: &impl Template) -> Result<Self, Problem> {
        let html = template.render().map_err(Problem::internal)?;
        Ok(Self::file("text/html; charset=utf-8", html.into_bytes()))
    }

    /// A file with a media type.
    pub(super) fn file(media_type: &str, body: Vec<u8>) -> Self {
        Self { content: Rendered::file(FRESHNESS, media_type, body).into_cached(), policy: POLICY }
    }

    /// The page with another `Content-Security-Policy`.
    pub(super) fn with_policy(self, policy: HeaderValue) -> Self {
        Self { policy, ..self }
    }

    /// Answers 200, or 304 if the client has the page already.
    pub(super) fn answer(&self, req: &HttpRequest) -> HttpResponse {
        let mut answer = self.content.answer(req);
        answer.headers_mut().insert(header::CONTENT_SECURITY_POLICY, self.policy.clone());
        stay_apart(answer.headers_mut());
        answer
    }
}

/// The styles of the guides.
pub(super) fn styles() -> &'static Page {
    static STYLES: LazyLock<Page> = LazyLock::new(|| {
        Page::file("text/css; charset=utf-8", include_bytes!("cardscape.css").to_vec())
    });
    &STYLES
}
