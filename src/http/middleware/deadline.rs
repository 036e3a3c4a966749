//! A time limit for every request.

use std::cell::Cell;
use std::rc::Rc;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest, ServiceResponse};
use actix_web::http::{ConnectionType, Method};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage as _, HttpRequest, web};
use futures_util::StreamExt as _;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::http::middleware::query;
use crate::http::middleware::request::RequestId;
use crate::http::router::path_pattern;

/// Refuses query parameters of operations that have none. Ends a request that takes too long, or that waits too long for the database: with 408 while the body
/// is still being read, otherwise with 503. The work of the request is dropped, and an open transaction is rolled back. Wraps each resource, after the routing:
/// only there the request can be kept for the response.
pub async fn limit(
    mut req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(state) = req.app_data::<web::Data<AppState>>().cloned() else {
        return Ok(next.call(req).await?.map_into_boxed_body());
    };
    let request = req.request().clone();
    if let Some(refusal) = query::unexpected(&request) {
        return Ok(ServiceResponse::new(request, refusal.respond()));
    }
    let waits_for_body = watch_body(&mut req);
    let answer = state.store.within_budget(next.call(req));
    match tokio::time::timeout(state.settings.request_timeout, answer).await {
        Ok(response) => Ok(response?.map_into_boxed_body()),
        Err(_) => {
            let id = RequestId::current();
            let id = id.as_ref().map(RequestId::as_str);
            tracing::warn!(request_id = id, "request ran into its time limit");
            let answer = if waits_for_body.get() {
                let mut answer = Problem::new(ProblemCode::BodyTooSlow).respond();
                // The rest of the body may still arrive, but is not read (RFC 9110, 15.5.9).
                answer.head_mut().set_connection_type(ConnectionType::Close);
                answer
            } else {
                timed_out(&request).retry_after(2).respond()
            };
            Ok(ServiceResponse::new(request, answer))
        }
    }
}

/// The problem of a request that took too long. An import may be too large for the time limit, however often it is sent.
fn timed_out(request: &HttpRequest) -> Problem {
    let problem = Problem::new(ProblemCode::TimedOut);
    if is_import(request) { problem.detail(IMPORT_TOO_LONG) } else { problem }
}

const IMPORT_TOO_LONG: &str = "The import was ended, and nothing of it is stored, unless it was complete at that moment. If it takes too long each time, load \
    the files with `cardscape seed`, or run the service with a longer `--request-timeout`.";

/// Whether the request imports a manifest or a set.
fn is_import(request: &HttpRequest) -> bool {
    request.method() == Method::PUT
        && matches!(
            path_pattern(request),
            Some("/v1/games/{game}/manifest" | "/v1/games/{game}/sets/{set}")
        )
}

/// Wraps the body of a request. The returned cell is true while the handler waits for more of the body.
fn watch_body(req: &mut ServiceRequest) -> Rc<Cell<bool>> {
    let waits = Rc::new(Cell::new(false));
    let mut payload = req.take_payload();
    if matches!(payload, Payload::None) {
        return waits;
    }
    let reading = waits.clone();
    let watched = futures_util::stream::poll_fn(move |context| {
        let next = payload.poll_next_unpin(context);
        reading.set(next.is_pending());
        next
    });
    req.set_payload(Payload::Stream { payload: watched.boxed_local() });
    waits
}
