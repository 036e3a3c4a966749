//! Turns every failure of the framework into a problem with the id of its request, like our own problems, and renders each failure in the form of its path.
//! Then compresses the response, if it is not long.

use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse};

use crate::app::problem::{Problem, ProblemCode};
use crate::http::{failures, gzip};

/// The middleware: closest to the routes, so that all others see the finished response.
pub async fn render(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(req).await?;
    let problem = match response.response().error() {
        Some(error) if error.as_error::<Problem>().is_some() => None,
        // An extractor redirects the client.
        Some(_) if response.status().is_redirection() => None,
        Some(error) => Some(foreign(error)),
        None if is_bare(response.response()) => named(response.status()),
        None => None,
    };
    Ok(gzip::compress(failures::in_form_of_place(match problem {
        Some(problem) => {
            let answer = problem.respond();
            response.into_response(answer)
        }
        None => response.map_into_boxed_body(),
    })))
}

/// Whether a response is an error without a body, for example of the pages under `/docs`.
fn is_bare<B: MessageBody>(response: &HttpResponse<B>) -> bool {
    let is_error = response.status().is_client_error() || response.status().is_server_error();
    is_error && matches!(response.body().size(), BodySize::None | BodySize::Sized(0))
}

/// An error of the framework as a problem. The framework's own text may reveal internals.
fn foreign(error: &Error) -> Problem {
    named(error.as_response_error().status_code()).unwrap_or_else(|| Problem::internal(error))
}

/// The problem for a status of the framework; `None`: the status is a fault of this service.
fn named(status: StatusCode) -> Option<Problem> {
    let code = match status {
        StatusCode::NOT_FOUND => ProblemCode::NotFound,
        StatusCode::METHOD_NOT_ALLOWED => ProblemCode::MethodNotAllowed,
        StatusCode::PAYLOAD_TOO_LARGE => ProblemCode::BodyTooLarge,
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ProblemCode::UnsupportedMediaType,
        status if status.is_client_error() => ProblemCode::InvalidRequest,
        _ => return None,
    };
    Some(Problem::new(code))
}
