//! Refuses requests that pages of other sites send: the browser of a logged-in visitor would attach its cookie to them.

use actix_web::Error;
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::middleware::Next;
use actix_web::web;

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::http::same_origin::is_same_origin;

/// Accepts all safe requests, and other requests only if a page of this service has sent them; the rest gets a 403. A client that is not
/// a browser has no cookie to protect, but is refused, too.
pub(super) async fn refuse<B: MessageBody + 'static>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let is_read = matches!(*req.method(), Method::GET | Method::HEAD);
    let public_url = req
        .app_data::<web::Data<AppState>>()
        .and_then(|state| state.settings.public_url.as_deref());
    if is_read || is_same_origin(req.headers(), public_url) {
        return Ok(next.call(req).await?.map_into_boxed_body());
    }
    tracing::warn!("a page of another site has sent a form");
    Ok(req.into_response(Problem::new(ProblemCode::Forbidden).respond()))
}
