//! What is known of every request afterwards: its id, its metrics, one line in the log.

use std::time::Instant;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing::Span;
use tracing_actix_web::RootSpanBuilder;

use super::problems::request_id;

/// Counts and times the request and names it in its answer. The metrics know the route's pattern, never the path: paths are
/// unbounded and name things.
pub async fn measure<B: MessageBody>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let began = Instant::now();
    let method = req.method().as_str().to_owned();
    let mut response = next.call(req).await?;
    let route = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16().to_string();
    metrics::counter!("http_requests_total", "method" => method, "route" => route.clone(), "status" => status)
        .increment(1);
    metrics::histogram!("http_request_seconds", "route" => route)
        .record(began.elapsed().as_secs_f64());
    let id = request_id(response.request());
    let headers = response.headers_mut();
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(&id).ok()) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        HeaderName::from_static("referrer-policy"),
        HeaderValue::from_static("no-referrer"),
    );
    headers.insert(HeaderName::from_static("x-frame-options"), HeaderValue::from_static("DENY"));
    Ok(response)
}

/// The span of a request in the log: method, path without query, status, duration. Neither headers nor bodies nor queries.
pub struct RequestSpan;

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        let id = request_id(request.request()).unwrap_or_default();
        tracing::info_span!(
            "request",
            request_id = %id,
            method = %request.method(),
            path = %request.path(),
            status = tracing::field::Empty,
        )
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, Error>) {
        let status = match outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        span.record("status", status.as_u16());
        span.in_scope(|| tracing::info!(status = status.as_u16(), "answered"));
    }
}
