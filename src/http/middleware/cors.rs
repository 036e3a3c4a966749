//! Cross-origin requests of browsers (the Fetch standard, section 3.2).
//!
//! Every origin may read what strangers may read, and send checks ([`CHECKS`]). Only configured origins may send other requests, the `Authorization` header, and
//! so act for an account. The CORS crate of the framework has one policy for all origins, so this module does not use it.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::ApiSettings;
use crate::http::router::path_pattern;
use crate::http::same_origin::is_cross_site;

/// The POST routes that need no account and change nothing: they check or look up what they are sent. Pages of every origin may use them.
pub const CHECKS: [&str; 7] = [
    "/v1/cards/lookup",
    "/v1/deck-reports",
    "/v1/deck-reports/batch",
    "/v1/design-checks",
    "/v1/design-suggestions",
    "/v1/games/{game}/effects/expand",
    "/v1/games/{game}/effects/match",
];

/// The other POST routes that need no account. A page of another site could use them through the browser of a visitor: it could use up the attempts of the
/// visitor's network, or read recovery codes.
pub const CREDENTIALS: [&str; 4] =
    ["/v1/accounts", "/v1/accounts/recover", "/v1/sessions", "/v1/sessions/refresh"];

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

const EXPOSED: &str = "Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, RateLimit, \
     RateLimit-Policy, X-Request-Id";

/// The permissions of an origin.
pub enum Origin {
    /// Read as a stranger, and send checks to a path of [`CHECKS`].
    Anyone { is_check: bool },
    /// All requests, on behalf of an account.
    Configured(HeaderValue),
}

impl Origin {
    /// The permissions of the origin of a request, if a script of another site sent it and may send it. `configured`: the origins that may send credentials.
    pub fn of(req: &ServiceRequest, configured: &[String]) -> Option<Self> {
        let origin = req.headers().get(header::ORIGIN)?;
        if is_configured(origin, configured) {
            return Some(Self::Configured(origin.clone()));
        }
        let is_check = is_one_of(req, &CHECKS);
        let is_allowed = match wanted_method(req) {
            b"GET" | b"HEAD" => true,
            b"POST" => is_check,
            _ => false,
        };
        is_allowed.then_some(Self::Anyone { is_check })
    }

    /// The answer to a preflight.
    pub fn preflight(&self) -> HttpResponse {
        let (methods, headers) = self.allowed();
        HttpResponse::NoContent()
            .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, methods))
            .insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, headers))
            .insert_header((header::ACCESS_CONTROL_MAX_AGE, "3600"))
            .finish()
    }

    fn write(&self, headers: &mut HeaderMap) {
        let (origin, credentials) = match self {
            Self::Anyone { .. } => (HeaderValue::from_static("*"), false),
            Self::Configured(origin) => (origin.clone(), true),
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        if credentials {
            headers
                .insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
    }

    /// Allowed methods and request headers.
    fn allowed(&self) -> (&'static str, &'static str) {
        match self {
            Self::Anyone { is_check } => (
                if *is_check { "GET, HEAD, POST" } else { "GET, HEAD" },
                "Content-Type, If-Match, If-None-Match, If-Range, Last-Event-ID, Range",
            ),
            Self::Configured(_) => (
                "GET, HEAD, POST, PUT, PATCH, DELETE",
                "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Last-Event-ID, Range",
            ),
        }
    }
}

/// Whether the request is a preflight.
pub fn is_preflight(req: &ServiceRequest) -> bool {
    req.method() == Method::OPTIONS
        && req.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

fn is_configured(origin: &HeaderValue, configured: &[String]) -> bool {
    configured.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes())
}

fn is_one_of(req: &ServiceRequest, patterns: &[&str]) -> bool {
    path_pattern(req.request()).is_some_and(|pattern| patterns.contains(&pattern))
}

/// The method of a request, or the one that a preflight asks for.
fn wanted_method(req: &ServiceRequest) -> &[u8] {
    let wanted = req.headers().get(header::ACCESS_CONTROL_REQUEST_METHOD);
    let wanted = wanted.filter(|_| is_preflight(req));
    wanted.map_or(req.method().as_str().as_bytes(), HeaderValue::as_bytes)
}

/// A 403 for a request with credentials, or for new ones, that a page of another site sends. CORS alone only hides the answer: browsers send some requests without
/// a preflight.
pub fn refusal(req: &ServiceRequest, settings: &ApiSettings) -> Option<HttpResponse> {
    let headers = req.headers();
    let origin = headers.get(header::ORIGIN);
    let is_configured = origin.is_some_and(|origin| is_configured(origin, &settings.cors_origins));
    let is_refused = *req.method() == Method::POST
        && !is_configured
        && is_cross_site(headers, settings.public_url.as_deref())
        && is_one_of(req, &CREDENTIALS);
    if !is_refused {
        return None;
    }
    tracing::warn!("a page of another site has sent credentials or a registration");
    let problem = Problem::new(ProblemCode::Forbidden).detail(
        "A page of another site has sent this. Use a page of this service, or ask its operator to allow the other site (--cors-origins).",
    );
    Some(problem.respond())
}

/// Marks a response that browsers may show to scripts of other origins.
pub fn mark(headers: &mut HeaderMap, origin: Option<&Origin>) {
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        origin.write(headers);
        let policy = HeaderValue::from_static("cross-origin");
        headers.insert(CROSS_ORIGIN_RESOURCE_POLICY, policy);
    }
}
