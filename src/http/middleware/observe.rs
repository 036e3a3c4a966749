//! What is recorded of every request: its id, its metrics, one log line.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use actix_web::dev::ServiceResponse;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use metrics::{Counter, Histogram};
use percent_encoding::percent_decode_str;

use crate::auth::secret::contains_token;
use crate::domain::serials::serial_text::{MASKED, contains_serial};
use crate::http::middleware::request::RequestId;
use crate::http::router::path_pattern;

/// Longest path in a line of the log, in bytes; the rest is cut off.
const MAX_PATH: usize = 256;

/// What the log shows instead of a path that contains a token.
const MASKED_TOKEN: &str = "(a token)";

/// The log target of the line about a response.
pub const TARGET: &str = module_path!();

/// Directives for the log: modules of libraries that write data of requests are off. Serial codes may be in their paths, in values of headers, and in messages about these;
/// parameters of statements may also be names of hidden cards.
const SILENT_MODULES: &str = "actix_http::h1::decoder=off,actix_web::extract=off,actix_web::request_data=off,actix_web::types::json=off,actix_web::types::path=off,actix_web::types::query=off,tokio_postgres::query=off";

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Capacity for the headers that are added to every response.
const HEADERS: usize = 12;

/// Counts and times the request, and adds its id to the response. The metrics use the pattern of the route and not the path: labels are never deleted, so they
/// must not contain values that a client chooses.
pub fn record<B>(
    response: &mut ServiceResponse<B>,
    id: RequestId,
    method: &'static str,
    took: Duration,
) {
    let route = path_pattern(response.request()).unwrap_or("none");
    let status = response.status().as_u16();
    ROUTES.with_borrow_mut(|routes| routes.count(route, method, status, took));
    // This runs outside of the request's scope, so the line gets the id as a field of its own.
    tracing::info!(
        request_id = id.as_str(),
        method,
        path = logged_path(response.request().path()),
        status,
        milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        "answered"
    );
    stamp(response.headers_mut(), id);
}

/// Directives for the log, without those modules of libraries that write data of requests. The line about a response has what the log may contain of its request.
pub fn without_data_of_requests(directives: &str) -> String {
    // The last directive for a module is the one that counts, and none is for less than a module.
    format!("{directives},{SILENT_MODULES}")
}

thread_local! {
    static ROUTES: RefCell<Routes> = RefCell::default();
}

/// The metrics of the routes that this thread has served. A look-up in the global registry would allocate a text for each label.
#[derive(Default)]
struct Routes(HashMap<&'static str, RouteMetrics>);

struct RouteMetrics {
    seconds: Histogram,
    /// By method and status; there are few.
    requests: Vec<(&'static str, u16, Counter)>,
}

impl Routes {
    fn count(&mut self, route: &'static str, method: &'static str, status: u16, took: Duration) {
        let metrics = self.0.entry(route).or_insert_with(|| RouteMetrics::new(route));
        metrics.seconds.record(took.as_secs_f64());
        metrics.requests(route, method, status).increment(1);
    }
}

impl RouteMetrics {
    fn new(route: &'static str) -> Self {
        let seconds = metrics::histogram!("http_request_seconds", "route" => route);
        Self { seconds, requests: Vec::new() }
    }

    fn requests(&mut self, route: &'static str, method: &'static str, status: u16) -> &Counter {
        let known = self.requests.iter().position(|(of, with, _)| *of == method && *with == status);
        let at = known.unwrap_or_else(|| {
            let labels = [
                ("method", method.to_owned()),
                ("route", route.to_owned()),
                ("status", status.to_string()),
            ];
            let counter = metrics::counter!("http_requests_total", &labels);
            self.requests.push((method, status, counter));
            self.requests.len() - 1
        });
        &self.requests[at].2
    }
}

/// The method, or `OTHER` for a method that is not in RFC 9110 or 5789: a client may invent any number of methods.
pub fn method_name(method: &Method) -> &'static str {
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

/// The path as the log shows it. Somebody may send a serial code or a token where an id belongs, also in percent-encoding, and neither must be in the log, whatever the
/// answer is.
fn logged_path(path: &str) -> &str {
    let decoded = if path.contains('%') {
        percent_decode_str(path).decode_utf8_lossy()
    } else {
        Cow::Borrowed(path)
    };
    if contains_token(&decoded) {
        MASKED_TOKEN
    } else if contains_serial(&decoded) {
        MASKED
    } else {
        truncated(path, MAX_PATH)
    }
}

/// The beginning of a text, with at most this many bytes and only whole characters.
fn truncated(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Adds the headers of every response: the id of its request, and restrictions for browsers.
fn stamp(headers: &mut HeaderMap, id: RequestId) {
    headers.reserve(HEADERS);
    if let Ok(id) = HeaderValue::from_str(id.as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // Pages have a policy of their own.
    if !headers.contains_key(header::REFERRER_POLICY) {
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    }
    headers.insert(header::X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
}

#[cfg(test)]
mod tests {
    use tracing::Level;
    use tracing_subscriber::EnvFilter;

    use super::*;

    #[test]
    fn no_directive_enables_modules_that_write_data_of_requests() {
        for (directives, has_others) in [
            ("trace", true),
            ("debug,actix_web::types=trace,actix_http=trace", true),
            ("actix_web::types::path=debug", false),
            ("", false),
            ("info,tokio_postgres=debug", false),
            ("trace,tokio_postgres::query=trace", true),
        ] {
            let filter = EnvFilter::try_new(without_data_of_requests(directives)).unwrap();
            let subscriber = tracing_subscriber::fmt().with_env_filter(filter).finish();
            tracing::subscriber::with_default(subscriber, || {
                let path = tracing::enabled!(target: "actix_web::types::path", Level::ERROR);
                let query = tracing::enabled!(target: "tokio_postgres::query", Level::ERROR);
                let others = tracing::enabled!(target: "actix_http::h1::timer", Level::TRACE);
                assert_eq!((path, query, others), (false, false, has_others), "{directives}");
            });
        }
    }

    #[test]
    fn unknown_methods_share_one_name_and_paths_are_cut_between_characters_and_masked() {
        let method = |text: &str| method_name(&Method::from_bytes(text.as_bytes()).unwrap());
        assert_eq!(method("GET"), "GET");
        assert_eq!(method("get"), "OTHER", "methods are case-sensitive");
        assert_eq!(method(&"X".repeat(100_000)), "OTHER");
        assert_eq!(truncated("/v1/é", 4), "/v1/");
        assert_eq!(truncated("/v1/é", 5), "/v1/");
        assert_eq!(truncated("/v1/é", 6), "/v1/é");
        assert_eq!(truncated("/", 6), "/");
        for code in [
            "7K33-3333-3333-3333",
            "7k33%203333%203333%203333",
            "%37K33%2D3333-3333%E2%80%933333",
            "x7K33-3333-3333-3333",
            "%E6%97%A57K33-3333-3333-3333",
        ] {
            assert_eq!(logged_path(&format!("/players/{code}")), MASKED);
        }
        for token in
            ["csp_Zk3vQOwmP3r8", "%63sp%5FZk3vQOwmP3r8", "csr_Zk3v", "csb_Zk3v", "eyJhbGci.e"]
        {
            assert_eq!(logged_path(&format!("/v1/tokens/{token}")), MASKED_TOKEN);
        }
        assert_eq!(logged_path("/v1/decks/01998d5e-7a35-7c54-b0a0-1f6f4f5f2b11").len(), 46);
        assert_eq!(logged_path("/cards/ttcg/hearth/%E2%98%85"), "/cards/ttcg/hearth/%E2%98%85");
    }
}
