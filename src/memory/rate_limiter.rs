//! Limits requests per network in this process, against floods. Limits that protect secrets are counted in the database.

use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter as Governor};

use crate::domain::network::Network;

type Limiter =
    Governor<Network, DefaultKeyedStateStore<Network>, DefaultClock, StateInformationMiddleware>;

/// A generic cell rate limiter (GCRA) for each network, and for the wider ones around it.
pub struct RateLimiter {
    /// By the factor of [`Network::counted`].
    limiters: Vec<(u32, Limiter)>,
    per_second: u32,
    burst: u32,
    /// The name of the limit in response headers.
    name: &'static str,
    /// The header `RateLimit-Policy`, the same for all clients.
    policy: Bytes,
}

impl RateLimiter {
    /// `per_second` requests in the long run, `burst` at once. Zero counts as one. `name`: the name of the limit in
    /// response headers.
    pub fn new(name: &'static str, per_second: u32, burst: u32) -> Self {
        let rate = NonZeroU32::new(per_second).unwrap_or(NonZeroU32::MIN);
        let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
        let limiter = |factor: NonZeroU32| {
            let quota = Quota::per_second(rate.saturating_mul(factor));
            let quota = quota.allow_burst(burst.saturating_mul(factor));
            let limiter = Governor::keyed(quota).with_middleware::<StateInformationMiddleware>();
            (factor.get(), limiter)
        };
        let limiters = Network::factors().filter_map(NonZeroU32::new).map(limiter).collect();
        // Seconds until an exhausted burst is fully available again.
        let window = burst.get().div_ceil(rate.get());
        let policy = format!("\"{name}\";q={burst};w={window}");
        Self { limiters, per_second: rate.get(), burst: burst.get(), name, policy: policy.into() }
    }

    /// Counts one request. Returns how many more the network may send at once, or the time until the next one is allowed.
    pub(crate) fn take(&self, network: Network) -> Result<u32, Duration> {
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

    /// The name of the limit in response headers.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// The value of the header `RateLimit-Policy`.
    pub(crate) fn policy(&self) -> Bytes {
        self.policy.clone()
    }

    /// Drops networks that sent no request for a while.
    pub fn sweep(&self) {
        for (_, limiter) in &self.limiters {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }

    /// Seconds until the whole burst is available again.
    pub(crate) fn reset(&self, remaining: u32) -> u32 {
        (self.burst - remaining.min(self.burst)).div_ceil(self.per_second)
    }
}
