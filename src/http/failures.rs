//! The form of a failure: a problem for programs, a page for people. The path decides it, not the `Accept` header, except for the first page, which has both
//! forms.

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::{HttpRequest, HttpResponse};

use crate::app::problem::ProblemCode;
use crate::http::place::is_for_programs;

/// The data of a page about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub code: ProblemCode,
    /// Seconds after which the client may try again.
    pub retry_after: Option<u32>,
}

/// Renders the page about a failure: headers and body; the status is that of the failure. Application data, which the module that mounts pages provides.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPages(pub fn(Failure, &HttpRequest) -> HttpResponse);

/// Renders a failure in the form of its path. Responses that are not failures, or are pages already, stay as they are. Status and headers of the failure are
/// kept.
pub(crate) fn in_form_of_place(mut response: ServiceResponse<BoxBody>) -> ServiceResponse<BoxBody> {
    if response.status().as_u16() < 400 || is_for_programs(response.request()) {
        return response;
    }
    let Some(ErrorPages(write)) = response.request().app_data::<ErrorPages>().copied() else {
        return response;
    };
    let failure = response.response_mut().extensions_mut().remove::<Failure>();
    let Some(failure) = failure else { return response };
    let page = write(failure, response.request());
    response.map_body(|head, _| {
        for (name, value) in page.headers() {
            head.headers_mut().insert(name.clone(), value.clone());
        }
        page.into_body()
    })
}
