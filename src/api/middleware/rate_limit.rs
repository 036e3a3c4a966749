//! Requests per network, in this process: against floods. What protects secrets is counted in the database instead.

use std::num::NonZeroU32;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter as Governor};

use crate::api::extract::client_network;
use crate::api::problem::{Problem, ProblemCode};
use crate::api::state::AppState;
use crate::domain::network::Network;

/// What load balancers and monitoring ask.
pub const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

type Limiter =
    Governor<Network, DefaultKeyedStateStore<Network>, DefaultClock, StateInformationMiddleware>;

/// A generic cell rate limiter (GCRA) for each network, and for the wider ones around it.
pub struct RateLimiter {
    /// By the factor of [`Network::counted`].
    limiters: Vec<(u32, Limiter)>,
    per_second: u32,
    burst: u32,
    /// The header `RateLimit-Policy`, the same for everybody.
    policy: HeaderValue,
}

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

impl RateLimiter {
    /// `per_second` requests in the long run, `burst` at once. Zero counts as one.
    pub fn new(per_second: u32, burst: u32) -> Self {
        let rate = NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN);
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let limiter = |factor: NonZeroU32| {
            let quota = Quota::per_second(rate.saturating_mul(factor));
            let quota = quota.allow_burst(burst.saturating_mul(factor));
            let limiter = Governor::keyed(quota).with_middleware::<StateInformationMiddleware>();
            (factor.get(), limiter)
        };
        let limiters = Network::factors().filter_map(NonZeroU32::new).map(limiter).collect();
        // Seconds in which a whole burst grows back.
        let window = burst.get().div_ceil(rate.get());
        let policy = format!("\"default\";q={burst};w={window}");
        let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(""));
        Self { limiters, per_second: rate.get(), burst: burst.get(), policy }
    }

    /// Takes one request. How many more may come at once from the network itself; or after how long another try is worth it.
    fn take(&self, network: Network) -> Result<u32, Duration> {
        let mut remaining = self.burst;
        for (network, factor) in network.counted() {
            let limiter = self.limiters.iter().find(|(of, _)| *of == factor);
            let Some((_, limiter)) = limiter else { continue };
            let left = limiter
                .check_key(&network)
                .map_err(|denied| denied.wait_time_from(DefaultClock::default().now()))?
                .remaining_burst_capacity();
            remaining = remaining.min(left);
        }
        Ok(remaining)
    }

    /// Forgets networks that were not seen for a while.
    pub fn sweep(&self) {
        for (_, limiter) in &self.limiters {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }

    /// Seconds after which nothing is taken any more.
    fn reset(&self, remaining: u32) -> u32 {
        (self.burst - remaining.min(self.burst)).div_ceil(self.per_second)
    }
}

/// What a request may have of its network's share.
#[derive(Clone, Copy)]
pub enum Share {
    /// It is not counted.
    Uncounted,
    /// It was taken; so many more may come at once.
    Left(u32),
    /// There is none, but after so many seconds.
    UsedUp(u32),
}

/// Takes a request off the share of its network.
pub fn share_of(req: &ServiceRequest, state: &AppState) -> Share {
    // A load balancer that is refused an answer would take the instance out of service.
    if PROBES.contains(&req.path()) {
        return Share::Uncounted;
    }
    match state.rate_limiter.take(client_network(req.request(), &state.settings)) {
        Ok(remaining) => Share::Left(remaining),
        Err(wait) => Share::UsedUp(u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX)),
    }
}

impl Share {
    /// The 429 with `Retry-After` when a network sends more than its share.
    pub fn problem(self) -> Option<HttpResponse> {
        let Self::UsedUp(seconds) = self else { return None };
        Some(Problem::new(ProblemCode::RateLimited).retry_after(seconds).respond())
    }

    /// `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers.
    pub fn write(self, state: &AppState, headers: &mut HeaderMap) {
        let limiter = &state.rate_limiter;
        let (remaining, reset) = match self {
            Self::Uncounted => return,
            Self::Left(remaining) => (remaining, limiter.reset(remaining)),
            Self::UsedUp(seconds) => (0, seconds),
        };
        headers.insert(RATELIMIT_POLICY, limiter.policy.clone());
        if let Ok(value) = HeaderValue::try_from(format!("\"default\";r={remaining};t={reset}")) {
            headers.insert(RATELIMIT, value);
        }
    }
}
