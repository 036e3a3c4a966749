//! What is known of every request afterwards: its id, its metrics, one line in the log.

use std::time::Instant;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing::Span;
use tracing_actix_web::RootSpanBuilder;

use super::problems::request_id;
use crate::api::wire::Traffic;

/// Counts and times the request and names it in its answer. The metrics know the route's pattern, never the path: paths are
/// unbounded and name things.
pub async fn measure<B: MessageBody>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<B>, Error> {
    let began = Instant::now();
    let method = req.method().as_str().to_owned();
    let traffic = req.conn_data::<Traffic>().cloned();
    if let Some(traffic) = &traffic {
        traffic.begin();
    }
    let mut response = next.call(req).await?;
    if let Some(traffic) = &traffic {
        traffic.answer(method == "HEAD");
    }
    let route = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    count(&method, &route, response.status());
    metrics::histogram!("http_request_seconds", "route" => route)
        .record(began.elapsed().as_secs_f64());
    let id = request_id(response.request());
    // Outside of the span, whose fields the JSON format would read back out of the text that they were written into.
    tracing::info!(
        request_id = id.as_deref().unwrap_or_default(),
        method,
        path = response.request().path(),
        status = response.status().as_u16(),
        milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    stamp(response.headers_mut(), id.as_deref());
    Ok(response)
}

/// Counts an answer.
pub fn count(method: &str, route: &str, status: StatusCode) {
    let labels = [
        ("method", method.to_owned()),
        ("route", route.to_owned()),
        ("status", status.as_u16().to_string()),
    ];
    metrics::counter!("http_requests_total", &labels).increment(1);
}

/// What every answer bears: the id of its request, and what browsers must not do with it.
pub fn stamp(headers: &mut HeaderMap, id: Option<&str>) {
    if let Some(id) = id.and_then(|id| HeaderValue::from_str(id).ok()) {
        headers.insert(HeaderName::from_static("x-request-id"), id);
    }
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// The span of a request, which puts its id to everything that is logged meanwhile; the line about the answer has the rest.
pub struct RequestSpan;

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        let id = request_id(request.request()).unwrap_or_default();
        tracing::info_span!("request", request_id = %id)
    }

    // The line about the answer is written by `measure`.
    fn on_request_end<B: MessageBody>(_: Span, _: &Result<ServiceResponse<B>, Error>) {}
}
