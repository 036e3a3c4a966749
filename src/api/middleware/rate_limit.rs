//! Requests per network, in this process: against floods. What protects secrets is counted in the database instead.

use std::num::NonZeroU32;
use std::time::Duration;

use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, FromRequest as _, web};
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter as Governor};

use super::problems::request_id;
use crate::api::extract::ClientNetwork;
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
}

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
        Self { limiters, per_second: rate.get(), burst: burst.get() }
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

    /// Seconds in which a whole burst grows back.
    fn window(&self) -> u32 {
        self.burst.div_ceil(self.per_second)
    }

    /// `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers.
    fn write_headers(&self, headers: &mut HeaderMap, remaining: u32, reset: u32) {
        let policy = format!("\"default\";q={};w={}", self.burst, self.window());
        let state = format!("\"default\";r={remaining};t={reset}");
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", state)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// The middleware: 429 with `Retry-After` when a network sends more than its share.
pub async fn limit(
    req: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let Some(state) = req.app_data::<web::Data<AppState>>().cloned() else {
        return Ok(next.call(req).await?.map_into_boxed_body());
    };
    // A load balancer that is refused an answer would take the instance out of service.
    if PROBES.contains(&req.path()) {
        return Ok(next.call(req).await?.map_into_boxed_body());
    }
    let ClientNetwork(network) = ClientNetwork::extract(req.request()).await?;
    let limiter = &state.rate_limiter;
    match limiter.take(network) {
        Ok(remaining) => {
            let reset = (limiter.burst - remaining.min(limiter.burst)).div_ceil(limiter.per_second);
            let mut response = next.call(req).await?.map_into_boxed_body();
            limiter.write_headers(response.headers_mut(), remaining, reset);
            Ok(response)
        }
        Err(wait) => {
            let seconds = u32::try_from(wait.as_secs() + 1).unwrap_or(u32::MAX);
            let problem = Problem::new(ProblemCode::RateLimited).retry_after(seconds);
            let answer = problem.respond(request_id(req.request()).as_deref());
            let mut response = req.into_response(answer);
            limiter.write_headers(response.headers_mut(), 0, seconds);
            Ok(response)
        }
    }
}
