//! Failures over HTTP: RFC 9457, `application/problem+json`.

use std::borrow::Cow;

use actix_web::http::StatusCode;
use actix_web::http::header;
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use serde::Serialize;
use utoipa::ToSchema;

use super::failures::Failure;
use super::middleware::request::RequestId;
use super::problem_members::ProblemMembers;
use crate::app::problem::{InputFault, MAX_LISTED_FAULTS, Problem, ProblemCode};
use crate::domain::serials::serial_text::mask_serials;

/// The body of a failed request (RFC 9457).
#[derive(Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody<'a> {
    /// Path of the page that explains the code.
    #[schema(example = "/problems/not_found")]
    r#type: String,
    /// What happened: a short text for people, the same for every occurrence of the code.
    #[schema(example = "There is nothing here, or nothing that you may see")]
    title: &'a str,
    /// The HTTP status.
    #[schema(example = 404, minimum = 400, maximum = 599)]
    status: u16,
    /// What happened in this occurrence, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    detail: Option<Cow<'a, str>>,
    /// Identifies this occurrence: the id of the request, as in the `X-Request-Id` header and in the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "urn:uuid:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11")]
    instance: Option<String>,
    /// Stable code for programs.
    #[schema(example = "not_found")]
    code: &'a str,
    /// Every fault of the input, unless `detail` says that there are more than are listed; absent if the input is not the cause.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [InputFault],
    /// Further members for programs, which depend on the code.
    #[serde(flatten)]
    #[schema(value_type = ProblemMembers)]
    members: &'a serde_json::Map<String, serde_json::Value>,
}

impl ProblemCode {
    /// The HTTP status.
    pub fn status_code(self) -> StatusCode {
        StatusCode::from_u16(self.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl Problem {
    fn body(&self, instance: Option<String>) -> ProblemBody<'_> {
        ProblemBody {
            r#type: format!("/problems/{}", self.code.code()),
            title: self.code.title(),
            status: self.code.status(),
            detail: self.shown_detail(),
            instance,
            code: self.code.code(),
            errors: self.errors.get(..MAX_LISTED_FAULTS).unwrap_or(&self.errors),
            members: self.members(),
        }
    }

    /// The detail without serial codes; if not all faults are listed, it begins with that.
    fn shown_detail(&self) -> Option<Cow<'_, str>> {
        let detail = self.detail.as_deref().map(mask_serials);
        if self.errors.len() <= MAX_LISTED_FAULTS {
            return detail;
        }
        let listed = format!(
            "More than {MAX_LISTED_FAULTS} faults; {MAX_LISTED_FAULTS} of them are listed."
        );
        Some(Cow::Owned(match detail {
            Some(detail) => format!("{listed} {detail}"),
            None => listed,
        }))
    }

    /// The body of a response as an example, with a made-up request id.
    pub(crate) fn as_example(&self) -> serde_json::Value {
        let instance = "urn:uuid:01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11".to_owned();
        serde_json::to_value(self.body(Some(instance))).unwrap_or_default()
    }

    /// The response, with the id of the current request.
    pub fn respond(&self) -> HttpResponse {
        let status = self.code.status_code();
        let body = self.body(RequestId::current().map(|id| format!("urn:uuid:{id}")));
        let mut response = HttpResponseBuilder::new(status);
        response.insert_header((header::CONTENT_TYPE, "application/problem+json"));
        response.insert_header((header::CACHE_CONTROL, "no-store"));
        if let Some(seconds) = self.retry_after {
            response.insert_header((header::RETRY_AFTER, seconds.to_string()));
        }
        if let Some((name, value)) = self.header.as_deref() {
            response.insert_header((*name, value.as_str()));
        }
        if status == StatusCode::UNAUTHORIZED {
            let challenge = match self.code {
                ProblemCode::InvalidToken => r#"Bearer realm="cardscape", error="invalid_token""#,
                _ => r#"Bearer realm="cardscape""#,
            };
            response.insert_header((header::WWW_AUTHENTICATE, challenge));
        }
        let mut response = response.body(serde_json::to_string(&body).unwrap_or_default());
        // For paths where the failure is rendered as a page.
        let failure = Failure { code: self.code, retry_after: self.retry_after };
        response.extensions_mut().insert(failure);
        response
    }
}

impl ResponseError for Problem {
    fn status_code(&self) -> StatusCode {
        self.code.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        self.respond()
    }
}
