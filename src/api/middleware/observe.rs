//! What is known of every request afterwards: its id, its metrics, one line in the log.

use std::time::Instant;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use tracing::Span;
use tracing_actix_web::RootSpanBuilder;

use super::problems::request_id;
use crate::api::connection::{Answer, Connection};

/// Longest path in a line of the log, in bytes; the rest is cut off.
const LONGEST_PATH: usize = 256;

/// Counts and times the request and names it in its answer. The metrics know the route's pattern, never the path: labels are kept for
/// ever, so they have no value that a client can make up.
pub async fn measure<B: MessageBody + Unpin>(
    req: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<Answer<B>>, Error> {
    let began = Instant::now();
    let method = method_name(req.method());
    let turn = req.conn_data::<Connection>().map(Connection::begin);
    let mut response = next.call(req).await?;
    let route = response.request().match_pattern().unwrap_or_else(|| "none".to_owned());
    let status = response.status().as_u16();
    let labels =
        [("method", method.into()), ("route", route.clone()), ("status", status.to_string())];
    metrics::counter!("http_requests_total", &labels).increment(1);
    metrics::histogram!("http_request_seconds", "route" => route)
        .record(began.elapsed().as_secs_f64());
    let id = request_id(response.request());
    // Outside of the span, whose fields the JSON format would read back out of the text that they were written into.
    tracing::info!(
        request_id = id.as_deref().unwrap_or_default(),
        method,
        path = cut(response.request().path(), LONGEST_PATH),
        status,
        milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    stamp(response.headers_mut(), id.as_deref());
    Ok(response.map_body(|_, body| Answer::new(body, turn)))
}

/// The method, or `OTHER` for one that is not of RFC 9110 or 5789: a client may invent as many as it likes.
fn method_name(method: &Method) -> &'static str {
    match method.as_str() {
        "GET" => "GET",
        "HEAD" => "HEAD",
        "POST" => "POST",
        "PUT" => "PUT",
        "PATCH" => "PATCH",
        "DELETE" => "DELETE",
        "OPTIONS" => "OPTIONS",
        "CONNECT" => "CONNECT",
        "TRACE" => "TRACE",
        _ => "OTHER",
    }
}

/// At most so many bytes of the beginning, whole characters.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// What every answer bears: the id of its request, and what browsers must not do with it.
fn stamp(headers: &mut HeaderMap, id: Option<&str>) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invented_methods_have_one_name_and_texts_are_cut_between_characters() {
        let method = |text: &str| method_name(&Method::from_bytes(text.as_bytes()).unwrap());
        assert_eq!(method("GET"), "GET");
        assert_eq!(method("get"), "OTHER", "methods have case");
        assert_eq!(method(&"X".repeat(100_000)), "OTHER");
        assert_eq!(cut("/v1/é", 4), "/v1/");
        assert_eq!(cut("/v1/é", 5), "/v1/");
        assert_eq!(cut("/v1/é", 6), "/v1/é");
        assert_eq!(cut("/", 6), "/");
    }
}
