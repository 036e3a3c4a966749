//! Cross-origin requests of browsers (the Fetch standard, section 3.2).
//!
//! Every origin may read what strangers may read. Only configured origins may send the `Authorization` header, and so act for
//! somebody. The CORS crate of the framework knows only one answer for all origins, hence our own.

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::Method;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, web};

use crate::api::state::AppState;

const EXPOSED: &str = "Accept-Ranges, Content-Disposition, Content-Range, ETag, Link, Location, Repr-Digest, Retry-After, RateLimit, \
     RateLimit-Policy, X-Request-Id";

/// What an origin may do.
enum Origin {
    /// Read, and judge decks, as a stranger.
    Anyone,
    /// Everything, in somebody's name.
    Configured(HeaderValue),
}

impl Origin {
    fn of(req: &ServiceRequest) -> Option<Self> {
        let origin = req.headers().get(header::ORIGIN)?;
        let state = req.app_data::<web::Data<AppState>>()?;
        let configured = state
            .settings
            .cors_origins
            .iter()
            .any(|allowed| allowed.as_bytes() == origin.as_bytes());
        Some(if configured { Self::Configured(origin.clone()) } else { Self::Anyone })
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

    /// Methods and request headers.
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

/// Answers preflights and marks the answers that browsers may show to scripts of other origins.
pub async fn share(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let origin = Origin::of(&req);
    let preflight = req.method() == Method::OPTIONS
        && req.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(origin) if preflight => {
            let (methods, headers) = origin.allowed();
            req.into_response(
                HttpResponse::NoContent()
                    .insert_header((header::ACCESS_CONTROL_ALLOW_METHODS, methods))
                    .insert_header((header::ACCESS_CONTROL_ALLOW_HEADERS, headers))
                    .insert_header((header::ACCESS_CONTROL_MAX_AGE, "3600"))
                    .finish(),
            )
        }
        _ => next.call(req).await?.map_into_boxed_body(),
    };
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        origin.write(headers);
        headers.insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
    }
    Ok(response)
}
