//! The steps around every handler, in one middleware: separate middlewares would each allocate a future, and move the request and its response once more.

use std::time::Instant;

use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::{ConnectionType, Method};
use actix_web::middleware::Next;
use actix_web::web;

use crate::app::state::AppState;
use crate::http::connection::{Answer, Connection, Unread};
use crate::http::failures::in_form_of_place;
use crate::http::middleware::cors;
use crate::http::middleware::cors::Origin;
use crate::http::middleware::rate_limit::share_of;
use crate::http::middleware::request::RequestId;
use crate::http::middleware::{encoding, head, observe};
use crate::http::place::{is_for_programs, may_be_asked_by_scripts};

/// From the outside in: the id of the request, its metrics and its log line; CORS, except for pages; the rate limit; faults of its head; requests of other
/// sites with credentials; the tag of its encoding.
pub async fn surround<B: MessageBody + 'static>(
    state: web::Data<AppState>,
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<Answer<BoxBody>>, Error> {
    let began = Instant::now();
    let (id, method) = (RequestId::generate(), observe::method_name(req.method()));
    let is_head = *req.method() == Method::HEAD;
    let turn = req.conn_data::<Connection>().map(Connection::begin);
    let mut response = id.scope(answer(&state, req, next)).await?;
    if state.is_draining() {
        // So the client sends its next request on another connection, to an instance that stays; this connection might be closed meanwhile.
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    observe::record(&mut response, id, method, began.elapsed());
    Ok(response.map_body(|head, body| {
        let body = if is_head { Unread::of(head, &body).boxed() } else { body };
        Answer::new(body, id, turn)
    }))
}

async fn answer<B: MessageBody + 'static>(
    state: &AppState,
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    // Pages are not for scripts of other sites.
    let has_cors = if cors::is_preflight(&req) {
        may_be_asked_by_scripts(req.request())
    } else {
        is_for_programs(req.request())
    };
    let origin = Origin::of(&req, &state.settings.cors_origins).filter(|_| has_cors);
    let preflight = origin.as_ref().filter(|_| cors::is_preflight(&req)).map(Origin::preflight);
    let mut response = match preflight {
        Some(preflight) => req.into_response(preflight),
        None => {
            let share = share_of(&req, state);
            let problem = share.problem().or_else(|| head::fault(&req));
            let problem = problem.or_else(|| cors::refusal(&req, &state.settings));
            let mut response = match problem {
                Some(answer) => req.into_response(answer),
                None => encoding::tag(next.call(req).await?.map_into_boxed_body()),
            };
            share.write(state, response.headers_mut());
            // Failures that occurred here are not in the form of their path yet.
            in_form_of_place(response)
        }
    };
    if has_cors {
        cors::mark(response.headers_mut(), origin.as_ref());
    }
    Ok(response)
}
