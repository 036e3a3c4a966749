//! Counts each request against the limit of its network, and reports what is left ([`crate::memory::rate_limiter`]).

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::http::extract::client_network;
use crate::http::place::decoded_path;
use crate::memory::rate_limiter::RateLimiter;

/// Paths that load balancers and monitoring request.
pub const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Whether a path is a file that pages load, which is served from memory and cached by browsers: if many players of one network open their first page at once,
/// the styles must not be refused. Application data, which the module that mounts pages provides.
#[derive(Clone, Copy, Debug)]
pub struct UncountedFiles(pub fn(&str) -> bool);

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The limit that a request counts against.
#[derive(Clone, Copy)]
pub enum Limit {
    Requests,
    /// A page of a list loads sixty pictures at once, and everybody in a shop may open one.
    Pictures,
}

impl Limit {
    fn limiter(self, state: &AppState) -> &RateLimiter {
        match self {
            Self::Requests => &state.rate_limiter,
            Self::Pictures => &state.picture_rate_limiter,
        }
    }
}

/// The result of counting a request against the limit of its network.
#[derive(Clone, Copy)]
pub enum Share {
    /// The request is not counted.
    Uncounted,
    /// The request was counted; this many more are allowed at once.
    Left(Limit, u32),
    /// The limit is reached; a request is allowed again after this many seconds.
    UsedUp(Limit, u32),
}

/// Counts a request against the limit of its network.
pub fn share_of(req: &ServiceRequest, state: &AppState) -> Share {
    // A load balancer that gets a refusal would take the instance out of service.
    let path = decoded_path(req.request());
    let is_read = matches!(*req.method(), Method::GET | Method::HEAD);
    if PROBES.contains(&path) || (is_read && is_uncounted_file(req, path)) {
        return Share::Uncounted;
    }
    let limit = if is_read && is_picture(path) { Limit::Pictures } else { Limit::Requests };
    match limit.limiter(state).take(client_network(req.request(), &state.settings)) {
        Ok(remaining) => Share::Left(limit, remaining),
        Err(wait) => Share::UsedUp(limit, u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX)),
    }
}

fn is_uncounted_file(req: &ServiceRequest, path: &str) -> bool {
    req.app_data::<UncountedFiles>().is_some_and(|UncountedFiles(is_one)| is_one(path))
}

/// Whether a path is a picture that pages load: of a card or a design, or an artwork.
fn is_picture(path: &str) -> bool {
    let drawn = ["/v1/cards/", "/v1/designs/", "/designs/", "/designer/"];
    let whole = ["/v1/artworks/", "/my/artworks/", "/pictures/"];
    let is_below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    is_below(&whole) || (is_below(&drawn) && path.ends_with("/picture"))
}

impl Share {
    /// The 429 with `Retry-After` for a network that exceeds its limit.
    pub fn problem(self) -> Option<HttpResponse> {
        let Self::UsedUp(_, seconds) = self else { return None };
        Some(Problem::new(ProblemCode::RateLimited).retry_after(seconds).respond())
    }

    /// Writes `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers.
    pub fn write(self, state: &AppState, headers: &mut HeaderMap) {
        let (limiter, remaining, reset) = match self {
            Self::Uncounted => return,
            Self::Left(limit, remaining) => {
                let limiter = limit.limiter(state);
                (limiter, remaining, limiter.reset(remaining))
            }
            Self::UsedUp(limit, seconds) => (limit.limiter(state), 0, seconds),
        };
        if let Ok(policy) = HeaderValue::from_maybe_shared(limiter.policy()) {
            headers.insert(RATELIMIT_POLICY, policy);
        }
        let name = limiter.name();
        if let Ok(value) = HeaderValue::try_from(format!("\"{name}\";r={remaining};t={reset}")) {
            headers.insert(RATELIMIT, value);
        }
    }
}
