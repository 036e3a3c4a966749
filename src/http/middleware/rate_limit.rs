//! Takes each request off the share of its network, and tells what is left ([`crate::memory::rate_limiter`]).

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

use crate::app::problem::{Problem, ProblemCode};
use crate::app::state::AppState;
use crate::http::extract::client_network;
use crate::http::place::decoded_path;
use crate::memory::rate_limiter::RateLimiter;

/// What load balancers and monitoring ask.
pub const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// Whether a path leads to a file that pages load, which is kept in memory and by browsers: a network whose players all open their first page at once must not be refused its styles.
/// Data of the application, which whoever mounts pages hands over.
#[derive(Clone, Copy, Debug)]
pub struct UncountedFiles(pub fn(&str) -> bool);

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Which limit a request counts against.
#[derive(Clone, Copy)]
pub enum Limit {
    Requests,
    /// A page of a list loads sixty at once, and everybody in a shop may look at one.
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

/// What a request may have of its network's share.
#[derive(Clone, Copy)]
pub enum Share {
    /// It is not counted.
    Uncounted,
    /// It was taken; so many more may come at once.
    Left(Limit, u32),
    /// There is none, but after so many seconds.
    UsedUp(Limit, u32),
}

/// Takes a request off the share of its network.
pub fn share_of(req: &ServiceRequest, state: &AppState) -> Share {
    // A load balancer that is refused an answer would take the instance out of service.
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

/// Whether a path leads to a picture that pages load: of a card or a design, or an artwork.
fn is_picture(path: &str) -> bool {
    let drawn = ["/v1/cards/", "/v1/designs/", "/designs/", "/designer/"];
    let whole = ["/v1/artworks/", "/my/artworks/", "/pictures/"];
    let is_below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    is_below(&whole) || (is_below(&drawn) && path.ends_with("/picture"))
}

impl Share {
    /// The 429 with `Retry-After` when a network sends more than its share.
    pub fn problem(self) -> Option<HttpResponse> {
        let Self::UsedUp(_, seconds) = self else { return None };
        Some(Problem::new(ProblemCode::RateLimited).retry_after(seconds).respond())
    }

    /// `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers.
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
