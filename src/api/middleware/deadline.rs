//! A time limit for every request.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::{Error, web};

use super::problems::request_id;
use crate::api::problem::{Problem, ProblemCode};
use crate::api::state::AppState;

/// Answers 503 when a handler is not done in time, or has waited for the database for too long; its work is dropped, an open transaction rolled back. Sits on each resource,
/// behind the routing: there the request can be kept to answer it.
pub async fn limit(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(state) = req.app_data::<web::Data<AppState>>().cloned() else {
        return Ok(next.call(req).await?.map_into_boxed_body());
    };
    let request = req.request().clone();
    let answer = state.store.within_budget(next.call(req));
    match tokio::time::timeout(state.settings.request_timeout, answer).await {
        Ok(response) => Ok(response?.map_into_boxed_body()),
        Err(_) => {
            let id = request_id(&request);
            tracing::warn!(request_id = id, "request ran into its time limit");
            let answer = Problem::new(ProblemCode::TimedOut).retry_after(2).respond(id.as_deref());
            Ok(ServiceResponse::new(request, answer))
        }
    }
}
