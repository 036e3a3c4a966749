//! In which form a failure is told: to programs as a problem, to people as a page. The place decides, not what a client says that it takes, but for the first page, which has both forms.

use actix_web::body::BoxBody;
use actix_web::dev::ServiceResponse;
use actix_web::{HttpRequest, HttpResponse};

use crate::app::problem::ProblemCode;
use crate::http::place::is_for_programs;

/// What a page about a failure can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What went wrong.
    pub code: ProblemCode,
    /// Seconds after which another try is worth it.
    pub retry_after: Option<u32>,
}

/// Writes the page about a failure of a request: its headers and its body; the status is that of the failure. Data of the application, which whoever mounts pages hands over.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPages(pub fn(Failure, &HttpRequest) -> HttpResponse);

/// Tells the failure in the form of its place. An answer that is none, or was told before, stays as it is; status and headers of the failure stay in any case.
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
