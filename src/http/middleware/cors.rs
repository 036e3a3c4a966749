//! Cross-origin requests of browsers (the Fetch standard, section 3.2).
//!
//! Every origin may read what strangers may read. Only configured origins may send the `Authorization` header, and so act for an account. The CORS crate of the
//! framework has one policy for all origins, so this module does not use it.

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

const EXPOSED: &str = "Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, RateLimit, \
     RateLimit-Policy, X-Request-Id";

/// The permissions of an origin.
pub enum Origin {
    /// Read, and check decks, as a stranger.
    Anyone,
    /// All requests, on behalf of an account.
    Configured(HeaderValue),
}

impl Origin {
    /// The permissions of the origin of a request, if a script of another site sent it. `configured`: the origins that may send credentials.
    pub fn of(req: &ServiceRequest, configured: &[String]) -> Option<Self> {
        let origin = req.headers().get(header::ORIGIN)?;
        let configured = configured.iter().any(|allowed| allowed.as_bytes() == origin.as_bytes());
        Some(if configured { Self::Configured(origin.clone()) } else { Self::Anyone })
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
            Self::Anyone => (HeaderValue::from_static("*"), false),
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
            Self::Anyone => {
                ("GET, HEAD, POST", "Content-Type, If-Match, If-None-Match, If-Range, Range")
            }
            Self::Configured(_) => (
                "GET, HEAD, POST, PUT, PATCH, DELETE",
                "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Range",
            ),
        }
    }
}

/// Whether the request is a preflight.
pub fn is_preflight(req: &ServiceRequest) -> bool {
    req.method() == Method::OPTIONS
        && req.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
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
